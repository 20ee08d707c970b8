// Card that compares two steps of a run: lists the cells and registers that differ, with links to them.
import { pluralize } from "../editor/util.js";
import { createElement, renderInlineCode } from "../dom.js";
import { seekTo } from "../learn/playback.js";
import { queryAtStep, latestOnly, stepOf } from "./query.js";

export function compareStepsCard(initialStepContext) {
  let stepContext = initialStepContext;
  /** Whether the user has requested a comparison. */
  let isRequested = false;
  const stepInput = (label, placeholder) => {
    const input = createElement("input", { type: "number", min: "0", placeholder, "aria-label": label });
    input.oninput = () => { isRequested = true; void update(stepContext); };
    const currentButton = createElement("button", { type: "button", class: "mini", title: `${label}: use the current step`, "aria-label": `${label}: current` }, "Current");
    currentButton.onclick = () => { input.value = String(stepOf(stepContext)); isRequested = true; void update(stepContext); };
    return [input, currentButton];
  };
  const [from, fromCurrent] = stepInput("From step", "0");
  const [to, toCurrent] = stepInput("To step", "current step");
  const status = createElement("p", { class: "status-text", "aria-live": "polite" });
  const list = createElement("div", { class: "diff-list", tabIndex: 0, role: "group", "aria-label": "Differences" });
  list.hidden = true;
  const card = createElement("section", { class: "card compare-steps", "aria-label": "Compare steps" },
    createElement("h2", {}, "Compare steps", createElement("small", {}, "differences in memory and registers")),
    createElement("div", { class: "diff-steps" }, createElement("label", {}, "from", from), fromCurrent, createElement("label", {}, "to", to), toCurrent),
    status, list);

  const pinButton = (text, target) => createElement("button", { type: "button", class: "line-link", title: "Show", onclick: () => stepContext.page.pin(target) }, text);
  const differenceRow = (name, [before, after], location) => createElement("tr", {},
    createElement("td", {}, name), createElement("td", {}, createElement("code", {}, before), " → ", createElement("code", {}, after)), createElement("td", {}, ...location));
  const writerLinks = ({ position, lane, line: lineNumber }) => (position === undefined ? [] : [
    createElement("button", { type: "button", class: "line-link", title: "Go to store", onclick: () => seekTo(position) }, `step ${position}`),
    ` lane ${lane}`, ...(lineNumber ? [", ", pinButton(`line ${lineNumber}`, `line ${lineNumber}`)] : [])]);

  function memoryDifferences({ memory: id, title, cells, n }) {
    const rows = cells.map((cell) => differenceRow(pinButton(cell.name, `cell ${cell.index} of ${id}`), cell.values, writerLinks(cell)));
    const suffix = n > cells.length ? ` · showing the first ${cells.length}` : "";
    return [createElement("h3", {}, title, createElement("small", {}, `${pluralize(n, "cell")}${suffix}`)), createElement("table", {}, createElement("tbody", {}, ...rows))];
  }

  function registerDifferences({ registers: all, moreRegisters, firstWarps }) {
    if (all.length === 0) return [];
    const row = (register) => differenceRow(pinButton(register.name, `register ${register.name}`), register.values, [`${register.lanes}, warp ${register.warp} of block ${register.block}`]);
    const note = [moreRegisters > 0 ? `and ${moreRegisters} more` : "", firstWarps ? `first ${pluralize(firstWarps, "warp")} only` : ""].filter(Boolean).join(", ");
    return [createElement("h3", {}, "Registers", createElement("small", {}, note)), createElement("table", {}, createElement("tbody", {}, ...all.map(row)))];
  }

  function renderDifferences(differences) {
    const n = differences.memories.reduce((sum, { n: count }) => sum + count, 0);
    const nRegisters = differences.registers.length + differences.moreRegisters;
    const [a, b] = differences.positions;
    status.className = "status-text";
    status.replaceChildren(n + nRegisters === 0 ? `Memory and registers do not differ between step ${a} and step ${b}.`
      : `${pluralize(n, "cell")} and ${pluralize(nRegisters, "register")} differ between step ${a} and step ${b}.`);
    list.replaceChildren(...differences.memories.flatMap(memoryDifferences), ...registerDifferences(differences));
    list.hidden = n + nRegisters === 0;
  }

  const update = latestOnly(async (current) => {
    if (!isRequested) return;
    const stepValue = ({ value }, fallback) => (/^\d+$/.test(value) ? value : String(fallback));
    try {
      renderDifferences(await queryAtStep(current, "moments", stepValue(from, 0), stepValue(to, stepOf(current))));
    } catch (error) {
      status.className = "status-text bad";
      status.replaceChildren(...renderInlineCode(error.message));
      list.hidden = true;
    }
  });

  return {
    node: card,
    focus() { isRequested = true; from.value = String(stepOf(stepContext)); from.focus(); void update(stepContext); },
    show(next) {
      // The selected steps belong to the previous source.
      if (next.generation !== stepContext.generation) { isRequested = false; from.value = to.value = ""; status.replaceChildren(); list.hidden = true; }
      stepContext = next;
      void update(next);
    },
  };
}
