// Watched values: expressions over registers and cells, with their value at each step and the previous value.
import { make, words } from "../learn/dom.js";
import { askAt, latest, positionOf } from "./query.js";
import { keep, keptOf, LONGEST, MOST } from "./watch-storage.js";

export const laneColour = (lane) => `oklch(var(--lane-l${lane & 3}) var(--lane-c) var(--lane-h${lane >> 2}))`;

const HELP = [
  "`out[3]` and `rows[2][4]` are elements of a buffer, and `shared:0[7]` is an element of shared memory. The index may be an expression, as in `out[%r1]`.",
  "`%r5` is a register in every lane. `lane 3: %r5`, `warp 1 lane 3: %r5` and `block 2 thread 40: %r5` are registers of one lane.",
  "Expressions may contain the C operators `+ - * / % << >> & ^ |`, comparisons, `~`, `!` and parentheses. Comparisons have the lowest precedence.",
  "`f32(%r5)`, `s32(…)`, `f16x2(…)` and `bin32(…)` reinterpret the bits as another type.",
];

/** Returns the values of 32 lanes as cells in the colors of the lanes. */
function lanes(values) {
  const cell = (value, lane) => {
    const node = make("li", { title: `lane ${lane}: ${value ?? "no thread"}`, class: value === null ? "absent" : "" }, value ?? "");
    node.style.setProperty("--lane", laneColour(lane));
    return node;
  };
  return make("ol", { class: "watch-lanes", "aria-label": "Values by lane" }, ...values.map(cell));
}

/** Returns a key for the values of a row, to detect changes. */
const textOf = ({ values, why }) => (why === undefined ? JSON.stringify(values) : null);

export function watchCard(first) {
  let expressions = [];
  /** The last shown values by expression: `{ position, text, values }`. */
  let before = new Map();
  let found = [];
  let moment = first;
  let [key, generation] = [null, null];

  const list = make("ul", { class: "watch-list" });
  const place = make("small", {});
  const said = make("p", { class: "said bad", "aria-live": "polite" });
  const field = make("input", { type: "text", placeholder: "out[3] + %r5", spellcheck: false, autocomplete: "off", maxLength: LONGEST, "aria-label": "Watch expression" });
  field.setAttribute("autocapitalize", "off");
  const form = make("form", {}, field, make("button", { class: "fix", title: "Add the expression to the watch list (Enter)" }, "Add watch"));
  const help = make("details", {}, make("summary", {}, "Expression syntax"), make("ul", {}, ...HELP.map((line) => make("li", {}, ...words(line)))));
  const node = make("section", { class: "card watch", "aria-label": "Watch" }, make("h2", {}, "Watch", place), list, form, said, help);

  function row(expression, index) {
    const value = found[index];
    const was = before.get(expression);
    const stop = make("button", { type: "button", class: "icon small", title: "Remove watch", "aria-label": `Remove watch ${expression}` }, "✕");
    stop.onclick = () => { change(expressions.filter((own) => own !== expression)); field.focus(); };
    const item = make("li", {}, make("code", {}, expression));
    if (!value) item.append(make("span", { class: "quiet" }, "…"));
    else if (value.why !== undefined) item.append(make("span", { class: "bad" }, ...words(value.why)));
    else if (value.values.length === 1) item.append(make("span", { class: "value" }, value.values[0] ?? "–"));
    item.append(stop);
    if (value?.values?.length > 1) item.append(lanes(value.values));
    const isOther = value && was && textOf(value) !== null && was.text !== null && was.text !== textOf(value);
    item.classList.toggle("changed", Boolean(isOther));
    if (isOther) {
      const one = was.values.length === 1 ? was.values[0] : null;
      const n = value.values.filter((text, lane) => text !== (was.values[lane] ?? was.values[0])).length;
      item.append(make("small", {}, value.values.length === 1 && one !== null ? `${one} at step ${was.position}` : `${n} of ${value.values.length} lanes changed since step ${was.position}`));
    }
    return item;
  }

  function draw() {
    const focused = document.activeElement?.getAttribute("aria-label");
    list.replaceChildren(...expressions.map(row));
    const warp = found.find((value) => value?.warp !== undefined);
    place.textContent = expressions.length === 0 ? "values at each step" : warp ? `warp ${warp.warp} of block ${warp.block}` : "";
    // A redrawn button keeps the focus.
    if (focused && document.activeElement === document.body) list.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }

  let shownAt = null;
  const update = latest(async (now) => {
    const asked = [...expressions];
    if (asked.length === 0) { found = []; draw(); return; }
    try {
      const answer = await askAt(now, "watch", positionOf(now), now.facts["view.warp"] ?? "", asked.join("\n"));
      if (now.key !== key || asked.join() !== expressions.join()) return;
      if (shownAt !== null && shownAt !== positionOf(now)) {
        before = new Map(asked.map((expression, index) => [expression, found[index] && { position: shownAt, text: textOf(found[index]), values: found[index].values ?? [] }]));
      }
      found = answer;
      shownAt = positionOf(now);
      said.replaceChildren();
    } catch (error) {
      found = [];
      said.replaceChildren(...words(error.message));
    }
    draw();
  });

  function change(next) {
    found = next.map((expression) => found[expressions.indexOf(expression)]);
    expressions = next;
    keep(key, expressions);
    draw();
    void update(moment);
  }

  form.onsubmit = (event) => {
    event.preventDefault();
    const text = field.value.replace(/\s+/g, " ").trim();
    if (text === "") return;
    if (expressions.length >= MOST) { said.replaceChildren(`The page supports at most ${MOST} watch expressions`); return; }
    field.value = "";
    if (!expressions.includes(text)) change([...expressions, text]);
  };

  return {
    node,
    begin: () => field.focus(),
    watched: () => expressions,
    show(next) {
      moment = next;
      // A file can contain the current source with other expressions.
      if (next.key !== key || next.generation !== generation) {
        // An edited source has another key, but is the same source for the user.
        const isSame = generation === next.generation && key !== null;
        const own = keptOf(next.key, next.watch);
        key = next.key;
        expressions = isSame && own.length === 0 ? expressions : own;
        if (isSame) keep(key, expressions);
        else [found, before, shownAt] = [[], new Map(), null];
        draw();
      }
      generation = next.generation;
      void update(next);
    },
  };
}
