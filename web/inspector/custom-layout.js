// The custom layout card: shows a memory in rows and columns with arbitrary strides, which are entered as four numbers or as a CuTe layout.
// Cells have the colors of the lanes that wrote them.
import { formatCount, pluralize } from "../editor/util.js";
import { createElement, renderInlineCode } from "../dom.js";
import { cardFrame } from "./lazy-card.js";
import { queryAtStep, latestOnly, stepOf } from "./query.js";
import { laneColor } from "./watch.js";

/** Returns the memories that the page shows: `[id, title, extents]`. */
export function memories() {
  return [...document.querySelectorAll(".memory[data-memory]")].map((card) => {
    const extents = card.dataset.extents.split(" ").filter(Boolean).map(Number);
    return [card.dataset.memory, card.querySelector("h2")?.textContent ?? card.dataset.memory, extents];
  });
}

/** Returns the available element types. */
const elementTypes = () => [...document.querySelector("select[aria-label='Element type']")?.options ?? []].map(({ value, label }) => [value, value === "" ? "declared type" : label]);

/** Returns the four numbers of a layout with rows and columns, or null for any other layout. */
const stridedLayout = (text) => /^\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*:\s*\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)\s*$/.exec(text)?.slice(1) ?? null;

export function customLayoutCard(initialStepContext) {
  let stepContext = initialStepContext;
  /** Whether the card is open. */
  let isOpen = false;
  let focusedCell = [0, 0];

  const memory = createElement("select", { class: "mini", "aria-label": "Memory" });
  const type = createElement("select", { class: "mini", "aria-label": "Element type of the view" });
  const names = ["rows", "columns", "row stride", "column stride"];
  const numberInputs = names.map((labelled) => createElement("input", { type: "number", "aria-label": labelled[0].toUpperCase() + labelled.slice(1), min: labelled.includes("stride") ? "" : "1" }));
  const layout = createElement("input", { type: "text", spellcheck: false, autocomplete: "off", maxLength: 500, "aria-label": "Layout", placeholder: "(8,16):(1,8)" });
  const status = createElement("p", { class: "status-text", "aria-live": "polite" });
  const table = createElement("table", { role: "grid" });
  const scroll = createElement("div", { class: "custom-layout-grid" }, table);
  const labelled = (text, field) => createElement("label", {}, createElement("span", {}, text), field);
  const controls = createElement("div", { class: "custom-layout-controls" }, memory, type, ...names.map((text, axis) => labelled(text, numberInputs[axis])), labelled("layout", layout));
  const card = cardFrame({
    classes: "custom-layout", title: "Custom layout", subtitle: "CuTe layout that maps (row, column) to an element index", content: [controls, status, scroll],
    onClose: () => { isOpen = false; card.remove(); },
  });

  const setOptions = (select, entries) => {
    const previousValue = select.value;
    if ([...select.options].map(({ value }) => value).join("\n") === entries.map(([value]) => value).join("\n")) return;
    select.replaceChildren(...entries.map(([value, text]) => createElement("option", { value }, text)));
    if (entries.some(([value]) => value === previousValue)) select.value = previousValue;
  };
  const updateNumberInputs = () => (stridedLayout(layout.value) ?? ["", "", "", ""]).forEach((number, axis) => { numberInputs[axis].value = number; });
  /** Sets the initial layout, which exchanges the rows and the columns of the memory. */
  function resetLayout() {
    const [, , extents = []] = memories().find(([id]) => id === memory.value) ?? [];
    const columns = extents.length > 1 ? extents.at(-1) : 8;
    const rows = Math.max(1, Math.min(Math.ceil(extents.reduce((product, extent) => product * extent, 1) / columns) || 8, 64));
    layout.value = `(${columns},${rows}):(1,${columns})`;
    updateNumberInputs();
  }

  function renderCell([index, text, lane, written, isConflict], row, column) {
    const isInBounds = text !== undefined;
    const description = isInBounds ? `element ${formatCount(index)}${lane === null ? "" : `, lane ${lane}`}` : `element ${formatCount(index)} is out of bounds of the buffer`;
    const item = createElement("td", { role: "gridcell", title: description, tabIndex: row === focusedCell[0] && column === focusedCell[1] ? 0 : -1, class: isConflict ? "conflict" : "" }, isInBounds ? text : "–");
    item.dataset.index = index;
    if (isInBounds) item.dataset.written = written;
    if (isInBounds && lane !== null) item.style.setProperty("--lane", laneColor(lane));
    return item;
  }

  function renderTable(result) {
    const { rows, columns, shownRows, shownColumns, cells, twice: repeated, title } = result;
    focusedCell = [Math.min(focusedCell[0], shownRows - 1), Math.min(focusedCell[1], shownColumns - 1)];
    const head = createElement("tr", {}, createElement("td", {}), ...Array.from({ length: shownColumns }, (_, column) => createElement("th", { scope: "col" }, String(column))));
    const body = Array.from({ length: shownRows }, (_, row) => createElement("tr", {}, createElement("th", { scope: "row" }, String(row)),
      ...Array.from({ length: shownColumns }, (_, column) => renderCell(cells[row * shownColumns + column], row, column))));
    const hadFocus = table.contains(document.activeElement);
    table.setAttribute("aria-label", `${title} by ${result.layout}`);
    table.replaceChildren(createElement("thead", {}, head), createElement("tbody", {}, ...body));
    if (hadFocus) table.querySelector("td[tabindex='0']")?.focus();
    const outside = cells.filter(([, text]) => text === undefined).length;
    const notes = [
      shownRows < rows || shownColumns < columns ? `first ${shownRows} × ${shownColumns} of ${formatCount(rows)} × ${formatCount(columns)}` : `${rows} × ${columns}`,
      outside > 0 ? `${outside} out of bounds` : "", repeated > 0 ? pluralize(repeated, "repeated element") : ""];
    status.className = "status-text";
    status.replaceChildren(`${notes.filter(Boolean).join(" · ")}.`);
    scroll.hidden = false;
  }

  const update = latestOnly(async (current) => {
    if (!isOpen || memory.value === "") return;
    try {
      renderTable(await queryAtStep(current, "arrange", stepOf(current), `${memory.value}\n${type.value}`, layout.value.trim()));
    } catch (error) {
      status.className = "status-text bad";
      status.replaceChildren(...renderInlineCode(error.message));
      scroll.hidden = true;
    }
  });

  memory.onchange = () => { resetLayout(); void update(stepContext); };
  type.onchange = () => void update(stepContext);
  layout.oninput = () => { updateNumberInputs(); void update(stepContext); };
  for (const field of numberInputs) {
    field.oninput = () => {
      const [rows, columns, rowStride, columnStride] = numberInputs.map(({ value }, axis) => (value === "" ? (axis < 2 ? "1" : "0") : value));
      layout.value = `(${rows},${columns}):(${rowStride},${columnStride})`;
      void update(stepContext);
    };
  }
  const pin = (item) => { if (item?.dataset.written && type.value === "") stepContext.page.pin(`cell ${item.dataset.index} of ${memory.value}`); };
  table.onclick = ({ target }) => pin(target.closest("td[role=gridcell]"));
  table.onkeydown = (event) => {
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [0, 0];
    const item = event.target.closest("td[role=gridcell]");
    if (event.key === "Enter") pin(item);
    else if (down === 0 && right === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const rows = table.tBodies[0].rows;
    const next = rows[Math.min(Math.max(focusedCell[0] + down, 0), rows.length - 1)]?.cells[Math.min(Math.max(focusedCell[1] + right, 0), rows[0].cells.length - 2) + 1];
    if (!next || next === item) return;
    item.tabIndex = -1;
    next.tabIndex = 0;
    focusedCell = [next.parentElement.rowIndex - 1, next.cellIndex - 1];
    next.focus();
  };

  return {
    node: card,
    /** Container of the card, which is below the memories. */
    container: () => (isOpen ? document.querySelector(".custom-layout-slot") : null),
    /** Focuses the card. `{ memory, type }` is the initial selection. */
    focus(initialSelection) {
      isOpen = true;
      this.show(stepContext);
      if (initialSelection) {
        [memory.value, type.value] = [initialSelection.memory, initialSelection.type];
        resetLayout();
        void update(stepContext);
      }
      // The card is among the memories, so a narrow window must show the view of the memories.
      stepContext.page.showView("memory");
      card.scrollIntoView({ block: "nearest" });
      layout.focus();
    },
    show(next) {
      if (next.generation !== stepContext.generation) { isOpen = false; memory.replaceChildren(); card.remove(); }
      stepContext = next;
      const container = this.container();
      if (!container) return;
      if (card.parentElement !== container) container.prepend(card);
      const isFirst = memory.options.length === 0;
      setOptions(memory, memories().map(([id, title]) => [id, title]));
      setOptions(type, elementTypes());
      if (isFirst) resetLayout();
      void update(next);
    },
  };
}
