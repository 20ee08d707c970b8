// Minimap beside the rows of a long memory: shows the parts of the memory from top to bottom, in the colors of the lanes that wrote last,
// and a frame around the visible rows. Clicks, drags and arrow keys scroll the rows.
import { formatCount } from "../editor/util.js";
import { createElement } from "../dom.js";
import { queryAtStep, latestOnly, stepOf } from "./query.js";
import { toRgba, laneColorOrUnknown, onThemeChange } from "./colors.js";

/** Number of parts of the memory per row of the minimap. */
const REGIONS_PER_ROW = 4;
/** Minimum opacity of a written part, so that it remains visible. */
const MIN_OPACITY = 0.4;
const LANES = 32;
/** Ratio of the pause between two requests to the duration of the last response. */
const IDLE_RATIO = 3;

export function minimap(container) {
  const card = container.closest("[data-memory]");
  const rows = container.parentElement;
  const title = card.querySelector("h2")?.textContent ?? card.dataset.memory;
  const canvas = createElement("canvas", { "aria-hidden": "true" });
  const frame = createElement("i", { "aria-hidden": "true" });
  const slider = createElement("div", { role: "slider", tabIndex: 0, title: "Minimap of the buffer: click or drag to scroll", "aria-label": `Minimap of ${title}`, "aria-orientation": "vertical", "aria-valuemin": "0", "aria-valuemax": "100" }, canvas, frame);
  container.append(slider);
  let overview = null;
  let colors = null;

  const scroller = () => rows.querySelector(".scroller");
  /** Returns the fraction of the memory above the visible rows, and the fraction within the visible rows. */
  function visibleFraction() {
    const { scrollTop = 0, scrollHeight = 1, clientHeight = 1 } = scroller() ?? {};
    return [scrollTop / scrollHeight, Math.min(clientHeight / scrollHeight, 1)];
  }
  function updateFrame() {
    const [top, fraction] = visibleFraction();
    frame.style.top = `${top * 100}%`;
    frame.style.height = `${fraction * 100}%`;
    slider.setAttribute("aria-valuenow", String(Math.round(100 * top / Math.max(1 - fraction, 1e-9))));
    if (overview) {
      const first = Math.round(top * overview.n);
      slider.setAttribute("aria-valuetext", `elements ${formatCount(first)} to ${formatCount(Math.min(Math.round((top + fraction) * overview.n), overview.n) - 1)} of ${formatCount(overview.n)}`);
    }
  }
  function paint() {
    if (!overview) return;
    const { parts, part, n } = overview;
    const [width, height] = [REGIONS_PER_ROW, Math.ceil(parts.length / REGIONS_PER_ROW)];
    Object.assign(canvas, { width, height });
    colors ??= toRgba(container, [...Array.from({ length: LANES }, (_, lane) => laneColorOrUnknown(lane)), laneColorOrUnknown(), "var(--now)"]);
    const image = new ImageData(width, height);
    parts.forEach(([nWritten, lane = LANES, , isCurrent], index) => {
      if (nWritten === 0) return;
      const from = 4 * (isCurrent ? LANES + 1 : lane);
      const fraction = Math.min(nWritten / Math.min(part, n - index * part), 1);
      image.data.set(colors.subarray(from, from + 3), index * 4);
      image.data[index * 4 + 3] = isCurrent ? 255 : 255 * (MIN_OPACITY + (1 - MIN_OPACITY) * fraction);
    });
    canvas.getContext("2d").putImageData(image, 0, 0);
  }
  const update = latestOnly(async (current) => {
    const start = performance.now();
    try {
      overview = await queryAtStep(current, "map", stepOf(current), card.dataset.memory);
      paint();
    } catch { /* the frame of the visible rows is still shown */ }
    updateFrame();
    // During a playback, the worker must be idle for longer than it computes minimaps.
    await new Promise((resolve) => setTimeout(resolve, IDLE_RATIO * (performance.now() - start)));
  });

  /** Scrolls the rows so that a position of the memory, which is given as a fraction, is in the center. */
  function scrollToFraction(fraction) {
    const element = scroller();
    if (element) element.scrollTop = fraction * element.scrollHeight - element.clientHeight / 2;
  }
  const drag = ({ clientY }) => {
    const { top, height } = slider.getBoundingClientRect();
    scrollToFraction((clientY - top) / Math.max(height, 1));
  };
  slider.onpointerdown = (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    slider.setPointerCapture(event.pointerId);
    drag(event);
  };
  slider.onpointermove = (event) => { if (slider.hasPointerCapture(event.pointerId)) drag(event); };
  slider.onkeydown = (event) => {
    const [top, fraction] = visibleFraction();
    const middle = top + fraction / 2;
    const target = { ArrowUp: middle - fraction, ArrowLeft: middle - fraction, ArrowDown: middle + fraction, ArrowRight: middle + fraction, PageUp: middle - 0.1, PageDown: middle + 0.1, Home: 0, End: 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    scrollToFraction(target);
  };
  // Scrolling and changes of the cell size do not produce a new frame, so they must be observed.
  rows.addEventListener("scroll", updateFrame, true);
  new MutationObserver(updateFrame).observe(rows, { childList: true });
  new ResizeObserver(updateFrame).observe(slider);
  onThemeChange(container, () => {
    colors = null;
    paint();
  });
  updateFrame();
  return { show: (stepContext) => void update(stepContext) };
}
