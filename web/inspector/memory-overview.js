// Memory overview with one cell per part of a memory. The cell is filled according to the percentage of written elements, in the color of
// the lane that wrote last. A click on a cell scrolls to the part.
import { formatCount } from "../editor/util.js";
import { createElement, renderInlineCode } from "../dom.js";
import { memories } from "./custom-layout.js";
import { cardFrame } from "./lazy-card.js";
import { queryAtStep, latestOnly, stepOf } from "./query.js";
import { laneColorOrUnknown, onThemeChange } from "./colors.js";

const REGION_COLUMNS = 64;
const CELL_SIZE = 9;

export function memoryOverviewCard(initialStepContext) {
  let stepContext = initialStepContext;
  let isOpen = false;
  let overview = null;

  const memory = createElement("select", { class: "mini", "aria-label": "Memory" });
  const canvas = createElement("canvas", { class: "memory-overview-cells", "aria-hidden": "true" });
  const regionSlider = createElement("input", { type: "range", min: "0", value: "0", "aria-label": "Region" });
  const status = createElement("p", { class: "status-text", "aria-live": "polite" });
  const goButton = createElement("button", { type: "button", class: "action-button" }, "Go to region");
  const controls = createElement("div", { class: "custom-layout-controls" }, memory, createElement("label", {}, "region", regionSlider), goButton);
  const card = cardFrame({
    classes: "custom-layout memory-overview", title: "Memory overview", subtitle: "one cell per region", content: [controls, canvas, status],
    onClose: () => { isOpen = false; card.remove(); },
  });

  /** Resolves a CSS color for drawing on the canvas. */
  function resolveColor(css) {
    canvas.style.color = css;
    return getComputedStyle(canvas).color;
  }

  function paint() {
    if (!overview) return;
    const { parts, part, n } = overview;
    const rows = Math.ceil(parts.length / REGION_COLUMNS);
    const density = globalThis.devicePixelRatio || 1;
    const [width, height] = [Math.min(REGION_COLUMNS, parts.length) * CELL_SIZE, rows * CELL_SIZE];
    Object.assign(canvas, { width: width * density, height: height * density });
    canvas.style.width = `${width}px`;
    const canvasContext = canvas.getContext("2d");
    canvasContext.scale(density, density);
    const colors = new Map();
    const [emptyColor, currentColor, selectedColor] = ["var(--cell-empty)", "var(--now)", "var(--accent)"].map(resolveColor);
    parts.forEach(([nWritten, lane, , isCurrent], index) => {
      const [x, y] = [index % REGION_COLUMNS * CELL_SIZE, Math.floor(index / REGION_COLUMNS) * CELL_SIZE];
      canvasContext.fillStyle = emptyColor;
      canvasContext.fillRect(x, y, CELL_SIZE - 1, CELL_SIZE - 1);
      const regionSize = Math.min(part, n - index * part);
      if (nWritten > 0) {
        if (!colors.has(lane)) colors.set(lane, resolveColor(laneColorOrUnknown(lane)));
        canvasContext.fillStyle = colors.get(lane);
        // The cell of a written part has a minimum fill, so that it remains visible.
        const filledFraction = Math.max(Math.min(nWritten / regionSize, 1), 0.25);
        canvasContext.fillRect(x, y + (CELL_SIZE - 1) * (1 - filledFraction), CELL_SIZE - 1, (CELL_SIZE - 1) * filledFraction);
      }
      const isSelected = index === Number(regionSlider.value);
      if (!isCurrent && !isSelected) return;
      canvasContext.strokeStyle = isSelected ? selectedColor : currentColor;
      canvasContext.lineWidth = isSelected ? 2 : 1;
      canvasContext.strokeRect(x + 0.5, y + 0.5, CELL_SIZE - 2, CELL_SIZE - 2);
    });
  }

  /** Describes the selected part. */
  function describeRegion() {
    const { parts, part, n } = overview;
    const selected = Math.min(Number(regionSlider.value), parts.length - 1);
    const [nWritten, lane, index, isCurrent] = parts[selected];
    const [from, to] = [selected * part, Math.min((selected + 1) * part, n) - 1];
    const writeDescription = nWritten === 0 ? "not written" : `${formatCount(Math.min(nWritten, to - from + 1))} written; last write${lane === undefined ? "" : ` by lane ${lane}`} to element ${formatCount(index ?? from)}${isCurrent ? " in this step" : ""}`;
    const text = `Elements ${formatCount(from)} to ${formatCount(to)} of ${formatCount(n)}: ${writeDescription}.`;
    status.className = "status-text";
    status.replaceChildren(text);
    regionSlider.setAttribute("aria-valuetext", text);
  }

  const update = latestOnly(async (current) => {
    if (!isOpen || memory.value === "") return;
    try {
      overview = await queryAtStep(current, "map", stepOf(current), memory.value);
      regionSlider.max = String(overview.parts.length - 1);
      canvas.hidden = false;
      paint();
      describeRegion();
    } catch (error) {
      overview = null;
      canvas.hidden = true;
      status.className = "status-text bad";
      status.replaceChildren(...renderInlineCode(error.message));
    }
  });

  function selectRegion(index) {
    regionSlider.value = String(index);
    paint();
    describeRegion();
  }
  const goToRegion = () => {
    if (!overview) return;
    const index = Number(regionSlider.value);
    stepContext.page.pin(`cell ${overview.parts[index]?.[2] ?? index * overview.part} of ${memory.value}`);
  };
  regionSlider.oninput = () => { if (overview) selectRegion(regionSlider.value); };
  goButton.onclick = goToRegion;
  canvas.onclick = ({ offsetX, offsetY }) => {
    // In a narrow window, the canvas is scaled down.
    const cell = canvas.clientWidth / Math.min(REGION_COLUMNS, overview?.parts.length ?? 1);
    const index = Math.floor(offsetY / cell) * REGION_COLUMNS + Math.floor(offsetX / cell);
    if (!overview || index < 0 || index >= overview.parts.length) return;
    selectRegion(index);
    goToRegion();
  };
  memory.onchange = () => { regionSlider.value = "0"; void update(stepContext); };

  return {
    node: card,
    focus() {
      isOpen = true;
      this.show(stepContext);
      stepContext.page.showView("memory");
      onThemeChange(card, paint);
      card.scrollIntoView({ block: "nearest" });
      regionSlider.focus();
    },
    show(next) {
      if (next.generation !== stepContext.generation) { isOpen = false; overview = null; memory.replaceChildren(); card.remove(); }
      stepContext = next;
      const container = isOpen ? document.querySelector(".custom-layout-slot") : null;
      if (!container) return;
      if (card.parentElement !== container) container.append(card);
      if (memory.options.length === 0) memory.replaceChildren(...memories().map(([value, title]) => createElement("option", { value }, title)));
      void update(next);
    },
  };
}
