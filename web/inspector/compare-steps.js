// Comparison of two steps of a run: the cells and registers that differ, with links to them.
import { plural } from "../editor/util.js";
import { make, words } from "../learn/dom.js";
import { goTo } from "../learn/playback.js";
import { askAt, latest, positionOf } from "./query.js";

export function momentsCard(first) {
  let moment = first;
  /** Whether a comparison was requested. */
  let isOn = false;
  const step = (label, placeholder) => {
    const field = make("input", { type: "number", min: "0", placeholder, "aria-label": label });
    field.oninput = () => { isOn = true; void update(moment); };
    const here = make("button", { type: "button", class: "mini", title: `${label}: use the current step`, "aria-label": `${label}: current` }, "Current");
    here.onclick = () => { field.value = String(positionOf(moment)); isOn = true; void update(moment); };
    return [field, here];
  };
  const [from, fromHere] = step("From step", "0");
  const [to, toHere] = step("To step", "current step");
  const said = make("p", { class: "said", "aria-live": "polite" });
  const list = make("div", { class: "moment-list", tabIndex: 0, role: "group", "aria-label": "Differences" });
  list.hidden = true;
  const node = make("section", { class: "card moments", "aria-label": "Compare steps" },
    make("h2", {}, "Compare steps", make("small", {}, "differences in memory and registers")),
    make("div", { class: "moment-steps" }, make("label", {}, "from", from), fromHere, make("label", {}, "to", to), toHere),
    said, list);

  const pin = (text, target) => make("button", { type: "button", class: "place", title: "Show", onclick: () => moment.page.pin(target) }, text);
  const line = (name, [was, is], where) => make("tr", {},
    make("td", {}, name), make("td", {}, make("code", {}, was), " → ", make("code", {}, is)), make("td", {}, ...where));
  const writer = ({ position, lane, line: at }) => (position === undefined ? [] : [
    make("button", { type: "button", class: "place", title: "Go to store", onclick: () => goTo(position) }, `step ${position}`),
    ` lane ${lane}`, ...(at ? [", ", pin(`line ${at}`, `line ${at}`)] : [])]);

  function memory({ memory: id, title, cells, n }) {
    const rows = cells.map((cell) => line(pin(cell.name, `cell ${cell.index} of ${id}`), cell.values, writer(cell)));
    const more = n > cells.length ? ` · showing the first ${cells.length}` : "";
    return [make("h3", {}, title, make("small", {}, `${plural(n, "cell")}${more}`)), make("table", {}, make("tbody", {}, ...rows))];
  }

  function registers({ registers: all, moreRegisters, firstWarps }) {
    if (all.length === 0) return [];
    const row = (of) => line(pin(of.name, `register ${of.name}`), of.values, [`${of.lanes}, warp ${of.warp} of block ${of.block}`]);
    const notes = [moreRegisters > 0 ? `and ${moreRegisters} more` : "", firstWarps ? `first ${plural(firstWarps, "warp")} only` : ""].filter(Boolean).join(", ");
    return [make("h3", {}, "Registers", make("small", {}, notes)), make("table", {}, make("tbody", {}, ...all.map(row)))];
  }

  function draw(found) {
    const n = found.memories.reduce((sum, { n: own }) => sum + own, 0);
    const nRegisters = found.registers.length + found.moreRegisters;
    const [a, b] = found.positions;
    said.className = "said";
    said.replaceChildren(n + nRegisters === 0 ? `Memory and registers do not differ between step ${a} and step ${b}.`
      : `${plural(n, "cell")} and ${plural(nRegisters, "register")} differ between step ${a} and step ${b}.`);
    list.replaceChildren(...found.memories.flatMap(memory), ...registers(found));
    list.hidden = n + nRegisters === 0;
  }

  const update = latest(async (now) => {
    if (!isOn) return;
    const at = ({ value }, otherwise) => (/^\d+$/.test(value) ? value : String(otherwise));
    try {
      draw(await askAt(now, "moments", at(from, 0), at(to, positionOf(now))));
    } catch (error) {
      said.className = "said bad";
      said.replaceChildren(...words(error.message));
      list.hidden = true;
    }
  });

  return {
    node,
    begin() { isOn = true; from.value = String(positionOf(moment)); from.focus(); void update(moment); },
    show(next) {
      // The steps of another source do not apply to this one.
      if (next.generation !== moment.generation) { isOn = false; from.value = to.value = ""; said.replaceChildren(); list.hidden = true; }
      moment = next;
      void update(next);
    },
  };
}
