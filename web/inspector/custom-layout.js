// The custom layout card: a memory in rows and columns by arbitrary strides, entered as four numbers, or by a CuTe layout. Cells have the
// colors of the lanes that wrote them.
import { grouped, plural } from "../editor/util.js";
import { make, words } from "../learn/dom.js";
import { askAt, latest, positionOf } from "./query.js";
import { laneColour } from "./watch.js";

/** Returns the memories on the page: `[id, title, extents]`. */
export function memories() {
  return [...document.querySelectorAll(".memory[data-memory]")].map((card) => {
    const extents = card.dataset.extents.split(" ").filter(Boolean).map(Number);
    return [card.dataset.memory, card.querySelector("h2")?.textContent ?? card.dataset.memory, extents];
  });
}

/** Returns the available element types. */
const types = () => [...document.querySelector("select[aria-label='Element type']")?.options ?? []].map(({ value, label }) => [value, value === "" ? "declared type" : label]);

/** Returns the numbers of a plain row-and-column layout, or null for any other layout. */
const numbersOf = (text) => /^\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*:\s*\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)\s*$/.exec(text)?.slice(1) ?? null;

export function arrangeCard(first) {
  let moment = first;
  /** Whether the card is open. */
  let isOn = false;
  let at = [0, 0];

  const memory = make("select", { class: "mini", "aria-label": "Memory" });
  const type = make("select", { class: "mini", "aria-label": "Element type of the view" });
  const names = ["rows", "columns", "row stride", "column stride"];
  const numbers = names.map((label) => make("input", { type: "number", "aria-label": label[0].toUpperCase() + label.slice(1), min: label.includes("stride") ? "" : "1" }));
  const layout = make("input", { type: "text", spellcheck: false, autocomplete: "off", maxLength: 500, "aria-label": "Layout", placeholder: "(8,16):(1,8)" });
  const said = make("p", { class: "said", "aria-live": "polite" });
  const table = make("table", { role: "grid" });
  const scroll = make("div", { class: "arrange-cells" }, table);
  const close = make("button", { type: "button", class: "icon small", title: "Close", "aria-label": "Close" }, "✕");
  const label = (text, field) => make("label", {}, make("span", {}, text), field);
  const node = make("section", { class: "card arrange", "aria-label": "Custom layout" },
    make("div", { class: "head" }, make("h2", {}, "Custom layout"), make("small", {}, "CuTe layout that maps (row, column) to an element index"), make("span", { class: "spring" }), close),
    make("div", { class: "arrange-controls" }, memory, type, ...names.map((text, axis) => label(text, numbers[axis])), label("layout", layout)),
    said, scroll);

  const fill = (select, entries) => {
    const before = select.value;
    if ([...select.options].map(({ value }) => value).join("\n") === entries.map(([value]) => value).join("\n")) return;
    select.replaceChildren(...entries.map(([value, text]) => make("option", { value }, text)));
    if (entries.some(([value]) => value === before)) select.value = before;
  };
  const showNumbers = () => (numbersOf(layout.value) ?? ["", "", "", ""]).forEach((number, axis) => { numbers[axis].value = number; });
  /** Sets the initial layout, which swaps the rows and columns of the memory. */
  function begin() {
    const [, , extents = []] = memories().find(([id]) => id === memory.value) ?? [];
    const columns = extents.length > 1 ? extents.at(-1) : 8;
    const rows = Math.max(1, Math.min(Math.ceil(extents.reduce((product, extent) => product * extent, 1) / columns) || 8, 64));
    layout.value = `(${columns},${rows}):(1,${columns})`;
    showNumbers();
  }

  function cell([index, text, lane, when, isConflict], row, column) {
    const isThere = text !== undefined;
    const what = isThere ? `element ${grouped(index)}${lane === null ? "" : `, lane ${lane}`}` : `element ${grouped(index)} is out of bounds of the buffer`;
    const item = make("td", { role: "gridcell", title: what, tabIndex: row === at[0] && column === at[1] ? 0 : -1, class: isConflict ? "conflict" : "" }, isThere ? text : "–");
    item.dataset.index = index;
    if (isThere) item.dataset.written = when;
    if (isThere && lane !== null) item.style.setProperty("--lane", laneColour(lane));
    return item;
  }

  function draw(found) {
    const { rows, columns, shownRows, shownColumns, cells, twice, title } = found;
    at = [Math.min(at[0], shownRows - 1), Math.min(at[1], shownColumns - 1)];
    const head = make("tr", {}, make("td", {}), ...Array.from({ length: shownColumns }, (_, column) => make("th", { scope: "col" }, String(column))));
    const body = Array.from({ length: shownRows }, (_, row) => make("tr", {}, make("th", { scope: "row" }, String(row)),
      ...Array.from({ length: shownColumns }, (_, column) => cell(cells[row * shownColumns + column], row, column))));
    const hadFocus = table.contains(document.activeElement);
    table.setAttribute("aria-label", `${title} by ${found.layout}`);
    table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
    if (hadFocus) table.querySelector("td[tabindex='0']")?.focus();
    const outside = cells.filter(([, text]) => text === undefined).length;
    const notes = [
      shownRows < rows || shownColumns < columns ? `first ${shownRows} × ${shownColumns} of ${grouped(rows)} × ${grouped(columns)}` : `${rows} × ${columns}`,
      outside > 0 ? `${outside} out of bounds` : "", twice > 0 ? plural(twice, "repeated element") : ""];
    said.className = "said";
    said.replaceChildren(`${notes.filter(Boolean).join(" · ")}.`);
    scroll.hidden = false;
  }

  const update = latest(async (now) => {
    if (!isOn || memory.value === "") return;
    try {
      draw(await askAt(now, "arrange", positionOf(now), `${memory.value}\n${type.value}`, layout.value.trim()));
    } catch (error) {
      said.className = "said bad";
      said.replaceChildren(...words(error.message));
      scroll.hidden = true;
    }
  });

  memory.onchange = () => { begin(); void update(moment); };
  type.onchange = () => void update(moment);
  layout.oninput = () => { showNumbers(); void update(moment); };
  for (const field of numbers) {
    field.oninput = () => {
      const [rows, columns, rowStride, columnStride] = numbers.map(({ value }, axis) => (value === "" ? (axis < 2 ? "1" : "0") : value));
      layout.value = `(${rows},${columns}):(${rowStride},${columnStride})`;
      void update(moment);
    };
  }
  const pin = (item) => { if (item?.dataset.written && type.value === "") moment.page.pin(`cell ${item.dataset.index} of ${memory.value}`); };
  table.onclick = ({ target }) => pin(target.closest("td[role=gridcell]"));
  table.onkeydown = (event) => {
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [0, 0];
    const item = event.target.closest("td[role=gridcell]");
    if (event.key === "Enter") pin(item);
    else if (down === 0 && right === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const rows = table.tBodies[0].rows;
    const next = rows[Math.min(Math.max(at[0] + down, 0), rows.length - 1)]?.cells[Math.min(Math.max(at[1] + right, 0), rows[0].cells.length - 2) + 1];
    if (!next || next === item) return;
    item.tabIndex = -1;
    next.tabIndex = 0;
    at = [next.parentElement.rowIndex - 1, next.cellIndex - 1];
    next.focus();
  };
  close.onclick = () => { isOn = false; node.remove(); };

  return {
    node,
    /** The container of the card below the memories. */
    place: () => (isOn ? document.querySelector(".arrange-place") : null),
    /** `{ memory, type }` is the initial selection. */
    begin(what) {
      isOn = true;
      this.show(moment);
      if (what) {
        [memory.value, type.value] = [what.memory, what.type];
        begin();
        void update(moment);
      }
      // The card is among the memories, and a narrow window shows only one view.
      moment.page.showView("memory");
      node.scrollIntoView({ block: "nearest" });
      layout.focus();
    },
    show(next) {
      if (next.generation !== moment.generation) { isOn = false; memory.replaceChildren(); node.remove(); }
      moment = next;
      const place = this.place();
      if (!place) return;
      if (node.parentElement !== place) place.prepend(node);
      const isFirst = memory.options.length === 0;
      fill(memory, memories().map(([id, title]) => [id, title]));
      fill(type, types());
      if (isFirst) begin();
      void update(next);
    },
  };
}
