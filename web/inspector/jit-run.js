// The JIT run: executes the launch to completion with translated code, and shows the final memory, the engine and its speed. The run of the
// page is not affected and keeps all of its steps.
import { cardFrame } from "./lazy-card.js";
import { formatCount, pluralize } from "../editor/util.js";
import { createElement, renderInlineCode } from "../dom.js";
import { queryAtStep } from "./query.js";
import { runOnWorkers } from "./parallel-run.js";

export function jitRunCard(initialStepContext) {
  let stepContext = initialStepContext;
  /** Number of JIT runs so far. The result of a run of an earlier source is discarded. */
  let runId = 0;

  const runAgainButton = createElement("button", { type: "button", class: "action-button" }, "Run again");
  const status = createElement("p", { class: "status-text", "aria-live": "polite" });
  const list = createElement("div", { class: "diff-list", tabIndex: 0, role: "group", "aria-label": "Final memory" });
  const card = cardFrame({
    classes: "custom-layout jit-run", title: "JIT run", subtitle: "shows only the final memory, without intermediate steps", actions: [runAgainButton], content: [status, list],
    onClose: () => { runId += 1; card.remove(); },
  });

  function bufferContents({ name, type, n, values }) {
    const suffix = n > values.length ? ` · first ${values.length} of ${formatCount(n)}` : ` · ${formatCount(n)}`;
    return [createElement("h3", {}, createElement("code", {}, name), createElement("small", {}, `${type}${suffix}`)), createElement("p", { class: "values" }, createElement("code", {}, values.join(" ")))];
  }

  function expectationResult({ promises: hasExpectations, differences }) {
    if (!hasExpectations) return [];
    return differences.length === 0 ? [" All expectations passed."] : [" ", createElement("span", { class: "bad" }, differences[0])];
  }

  async function update() {
    runId += 1;
    const ownId = runId;
    status.className = "status-text";
    status.replaceChildren("Compiling…");
    list.replaceChildren();
    list.hidden = true;
    try {
      const result = await runOnWorkers(stepContext, () => ownId !== runId);
      if (ownId !== runId) return;
      const counters = result.steps === null ? pluralize(result.laneInstructions, "executed lane-instruction") : `${pluralize(result.steps, "step")}, ${pluralize(result.stores, "store")}`;
      status.replaceChildren(`${result.words[0].toUpperCase()}${result.words.slice(1)}. ${counters}.`, ...expectationResult(result));
      list.replaceChildren(...result.buffers.flatMap(bufferContents));
      list.hidden = false;
      card.scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (ownId !== runId) return;
      status.className = "status-text bad";
      status.replaceChildren("Cannot run with JIT: ", ...renderInlineCode(error.message), ". To interpret the launch, select ", createElement("i", {}, "Run to end"), ".");
    }
  }

  runAgainButton.onclick = () => void update();

  return {
    node: card,
    focus() {
      document.querySelector(".custom-layout-slot")?.append(card);
      stepContext.page.showView("memory");
      card.scrollIntoView({ block: "nearest" });
      runAgainButton.focus();
      void update();
    },
    show(next) {
      // The result belongs to the previous source.
      if (next.generation !== stepContext.generation) { runId += 1; card.remove(); }
      stepContext = next;
    },
  };
}
