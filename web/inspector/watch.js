// Watched values: expressions over registers and cells, with their values at the current step and their previous values.
import { createElement, renderInlineCode } from "../dom.js";
import { queryAtStep, latestOnly, stepOf } from "./query.js";
import { saveWatches, loadWatches, MAX_EXPRESSION_LENGTH, MAX_EXPRESSIONS } from "./watch-storage.js";

export const laneColor = (lane) => `oklch(var(--lane-l${lane & 3}) var(--lane-c) var(--lane-h${lane >> 2}))`;

const HELP = [
  "`out[3]` and `rows[2][4]` are elements of a buffer, and `shared:0[7]` is an element of shared memory. The index may be an expression, as in `out[%r1]`.",
  "`%r5` is a register in every lane. `lane 3: %r5`, `warp 1 lane 3: %r5` and `block 2 thread 40: %r5` are registers of one lane.",
  "Expressions may contain the C operators `+ - * / % << >> & ^ |`, comparisons, `~`, `!` and parentheses. Comparisons have the lowest precedence.",
  "`f32(%r5)`, `s32(…)`, `f16x2(…)` and `bin32(…)` reinterpret the bits as another type.",
];

/** Returns the values of 32 lanes as cells, which have the colors of the lanes. */
function laneValues(values) {
  const laneCell = (value, lane) => {
    const node = createElement("li", { title: `lane ${lane}: ${value ?? "no thread"}`, class: value === null ? "absent" : "" }, value ?? "");
    node.style.setProperty("--lane", laneColor(lane));
    return node;
  };
  return createElement("ol", { class: "watch-lanes", "aria-label": "Values by lane" }, ...values.map(laneCell));
}

/** Returns a key for the values of a row, with which changes are detected. */
const valueKey = ({ values, why: error }) => (error === undefined ? JSON.stringify(values) : null);

export function watchCard(initialStepContext) {
  let expressions = [];
  /** Values that were shown last, by expression: `{ position, text, values }`. */
  let previousValues = new Map();
  let results = [];
  let stepContext = initialStepContext;
  let [key, generation] = [null, null];

  const list = createElement("ul", { class: "watch-list" });
  const warpLabel = createElement("small", {});
  const errorMessage = createElement("p", { class: "status-text bad", "aria-live": "polite" });
  const input = createElement("input", { type: "text", placeholder: "out[3] + %r5", spellcheck: false, autocomplete: "off", maxLength: MAX_EXPRESSION_LENGTH, "aria-label": "Watch expression" });
  input.setAttribute("autocapitalize", "off");
  const form = createElement("form", {}, input, createElement("button", { class: "action-button", title: "Add the expression to the watch list (Enter)" }, "Add watch"));
  const syntaxHelp = createElement("details", {}, createElement("summary", {}, "Expression syntax"), createElement("ul", {}, ...HELP.map((line) => createElement("li", {}, ...renderInlineCode(line)))));
  const node = createElement("section", { class: "card watch", "aria-label": "Watch" }, createElement("h2", {}, "Watch", warpLabel), list, form, errorMessage, syntaxHelp);

  function row(expression, index) {
    const value = results[index];
    const previous = previousValues.get(expression);
    const removeButton = createElement("button", { type: "button", class: "icon small", title: "Remove watch", "aria-label": `Remove watch ${expression}` }, "✕");
    removeButton.onclick = () => { setExpressions(expressions.filter((other) => other !== expression)); input.focus(); };
    const item = createElement("li", {}, createElement("code", {}, expression));
    if (!value) item.append(createElement("span", { class: "muted" }, "…"));
    else if (value.why !== undefined) item.append(createElement("span", { class: "bad" }, ...renderInlineCode(value.why)));
    else if (value.values.length === 1) item.append(createElement("span", { class: "value" }, value.values[0] ?? "–"));
    item.append(removeButton);
    if (value?.values?.length > 1) item.append(laneValues(value.values));
    const hasChanged = value && previous && valueKey(value) !== null && previous.text !== null && previous.text !== valueKey(value);
    item.classList.toggle("changed", Boolean(hasChanged));
    if (hasChanged) {
      const previousScalar = previous.values.length === 1 ? previous.values[0] : null;
      const changedLanes = value.values.filter((text, lane) => text !== (previous.values[lane] ?? previous.values[0])).length;
      item.append(createElement("small", {}, value.values.length === 1 && previousScalar !== null ? `${previousScalar} at step ${previous.position}` : `${changedLanes} of ${value.values.length} lanes changed since step ${previous.position}`));
    }
    return item;
  }

  function renderRows() {
    const focusedLabel = document.activeElement?.getAttribute("aria-label");
    list.replaceChildren(...expressions.map(row));
    const warp = results.find((value) => value?.warp !== undefined);
    warpLabel.textContent = expressions.length === 0 ? "values at each step" : warp ? `warp ${warp.warp} of block ${warp.block}` : "";
    // A button that was rendered again regains the focus.
    if (focusedLabel && document.activeElement === document.body) list.querySelector(`[aria-label="${CSS.escape(focusedLabel)}"]`)?.focus();
  }

  let shownStep = null;
  const update = latestOnly(async (current) => {
    const requested = [...expressions];
    if (requested.length === 0) { results = []; renderRows(); return; }
    try {
      const response = await queryAtStep(current, "watch", stepOf(current), current.linkFields["view.warp"] ?? "", requested.join("\n"));
      if (current.key !== key || requested.join() !== expressions.join()) return;
      if (shownStep !== null && shownStep !== stepOf(current)) {
        previousValues = new Map(requested.map((expression, index) => [expression, results[index] && { position: shownStep, text: valueKey(results[index]), values: results[index].values ?? [] }]));
      }
      results = response;
      shownStep = stepOf(current);
      errorMessage.replaceChildren();
    } catch (error) {
      results = [];
      errorMessage.replaceChildren(...renderInlineCode(error.message));
    }
    renderRows();
  });

  function setExpressions(next) {
    results = next.map((expression) => results[expressions.indexOf(expression)]);
    expressions = next;
    saveWatches(key, expressions);
    renderRows();
    void update(stepContext);
  }

  form.onsubmit = (event) => {
    event.preventDefault();
    const text = input.value.replace(/\s+/g, " ").trim();
    if (text === "") return;
    if (expressions.length >= MAX_EXPRESSIONS) { errorMessage.replaceChildren(`The page supports at most ${MAX_EXPRESSIONS} watch expressions`); return; }
    input.value = "";
    if (!expressions.includes(text)) setExpressions([...expressions, text]);
  };

  return {
    node,
    focus: () => input.focus(),
    watchExpressions: () => expressions,
    show(next) {
      stepContext = next;
      // A file may contain the current source with other watch expressions.
      if (next.key !== key || next.generation !== generation) {
        // An edited source has another key, but is still the same source for the user.
        const isSame = generation === next.generation && key !== null;
        const saved = loadWatches(next.key, next.watch);
        key = next.key;
        expressions = isSame && saved.length === 0 ? expressions : saved;
        if (isSame) saveWatches(key, expressions);
        else [results, previousValues, shownStep] = [[], new Map(), null];
        renderRows();
      }
      generation = next.generation;
      void update(next);
    },
  };
}
