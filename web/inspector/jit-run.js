// The JIT run: runs the launch to completion with translated code, and shows the final memory, the engine and its speed. The run of the
// page is unaffected and keeps every step.
import { grouped, plural } from "../editor/util.js";
import { make, words } from "../learn/dom.js";
import { askAt } from "./query.js";
import { runOnWorkers } from "./parallel-run.js";

export function translatedCard(first) {
  let moment = first;
  /** Number of runs. The result of a run of an earlier source is dropped. */
  let run = 0;

  const again = make("button", { type: "button", class: "fix" }, "Run again");
  const close = make("button", { type: "button", class: "icon small", title: "Close", "aria-label": "Close" }, "✕");
  const said = make("p", { class: "said", "aria-live": "polite" });
  const list = make("div", { class: "moment-list", tabIndex: 0, role: "group", "aria-label": "Final memory" });
  const node = make("section", { class: "card arrange translated", "aria-label": "JIT run" },
    make("div", { class: "head" }, make("h2", {}, "JIT run"), make("small", {}, "shows only the final memory, without intermediate steps"), make("span", { class: "spring" }), again, close),
    said, list);

  function buffer({ name, type, n, values }) {
    const more = n > values.length ? ` · first ${values.length} of ${grouped(n)}` : ` · ${grouped(n)}`;
    return [make("h3", {}, make("code", {}, name), make("small", {}, `${type}${more}`)), make("p", { class: "values" }, make("code", {}, values.join(" ")))];
  }

  function verdict({ promises, differences }) {
    if (!promises) return [];
    return differences.length === 0 ? [" All expectations passed."] : [" ", make("span", { class: "bad" }, differences[0])];
  }

  async function update() {
    run += 1;
    const own = run;
    said.className = "said";
    said.replaceChildren("Compiling…");
    list.replaceChildren();
    list.hidden = true;
    try {
      const found = await runOnWorkers(moment, () => own !== run);
      if (own !== run) return;
      const counts = found.steps === null ? plural(found.laneInstructions, "executed lane-instruction") : `${plural(found.steps, "step")}, ${plural(found.stores, "store")}`;
      said.replaceChildren(`${found.words[0].toUpperCase()}${found.words.slice(1)}. ${counts}.`, ...verdict(found));
      list.replaceChildren(...found.buffers.flatMap(buffer));
      list.hidden = false;
      node.scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (own !== run) return;
      said.className = "said bad";
      said.replaceChildren("Cannot run with JIT: ", ...words(error.message), ". To interpret the launch, select ", make("i", {}, "Run to end"), ".");
    }
  }

  again.onclick = () => void update();
  close.onclick = () => { run += 1; node.remove(); };

  return {
    node,
    begin() {
      document.querySelector(".arrange-place")?.append(node);
      moment.page.showView("memory");
      node.scrollIntoView({ block: "nearest" });
      again.focus();
      void update();
    },
    show(next) {
      // The memory of another source does not apply to this one.
      if (next.generation !== moment.generation) { run += 1; node.remove(); }
      moment = next;
    },
  };
}
