// The pixel grid: shows cells of a memory that are too small for text, down to one pixel, in the colors of values, lanes or steps. Requests
// the visible cells and a margin around them.
import SHADE_ALPHABET from "../worker/src/inspector/shade_alphabet.json" with { type: "json" };
import { formatCount, pluralize } from "../editor/util.js";
import { createElement } from "../dom.js";
import { queryAtStep, latestOnly, stepOf } from "./query.js";
import { fittedContext } from "./canvas.js";
import { toRgba, laneColorOrUnknown, onThemeChange } from "./colors.js";

/** Number of shades that a character encodes. The next characters encode elements that no step wrote, and unknown values. */
const SHADE_COUNT = 64;
const [UNWRITTEN, UNKNOWN] = [SHADE_COUNT, SHADE_COUNT + 1];
/** Maps character codes to shades. */
const shadeOf = new Uint8Array(128).fill(UNKNOWN);
[...SHADE_ALPHABET].forEach((letter, shade) => { shadeOf[letter.charCodeAt(0)] = shade; });
/** Maximum height of the grid, which equals the height of rows with text. */
const MAX_GRID_HEIGHT = 426;
/** Maximum height of a scrollable element. Browsers truncate much taller elements. */
const MAX_SCROLL_HEIGHT = 4_000_000;
/** Maximum number of elements per response, which equals `MAX_SHADES` of the view crate. */
const MAX_RESPONSE_ELEMENTS = 1 << 20;
/** Cell size in pixels from which on there is a gap between cells. */
const MIN_CELL_SIZE_WITH_GAP = 4;

const COLOR_DESCRIPTIONS = {
  value: ([minimum, maximum] = []) => (minimum === undefined ? "by value" : `by value, visible range ${minimum} to ${maximum}`),
  lane: () => "by lane of the last write",
  step: ([first, last] = []) => (first === undefined ? "by step of the last write (none)" : `by step of the last write, ${first} to ${last}`),
};

/** Parses view options of the page, such as `cell=4 shows=lane`. */
const parseOptions = (text) => Object.fromEntries(text.split(" ").map((word) => word.split("=")));

/** Returns the CSS color of each shade. */
function shadeColors(shows) {
  const mixedColor = (fraction) => `color-mix(in oklab, var(--accent) ${100 * fraction}%, var(--cell-empty))`;
  const shades = Array.from({ length: SHADE_COUNT }, (_, shade) => {
    if (shows === "lane") return laneColorOrUnknown(shade < 32 ? shade : undefined);
    const fraction = shade / (SHADE_COUNT - 1);
    // The colors of written cells start at a minimum, so that they differ visibly from unwritten cells.
    return mixedColor(shows === "step" ? 0.15 + 0.85 * fraction : fraction);
  });
  return [...shades, "var(--cell-empty)", "var(--ink3)", "var(--now)", "var(--panel)"];
}

export function pixelGrid(container) {
  const memory = container.closest("[data-memory]").dataset.memory;
  const title = container.closest("[data-memory]").querySelector("h2")?.textContent ?? memory;
  const canvas = createElement("canvas", { "aria-hidden": "true" });
  const content = createElement("div", {}, canvas);
  const scroller = createElement("div", { class: "scroller", tabIndex: 0, role: "group" }, content);
  const caption = createElement("p", { class: "status-text" });
  container.append(scroller, caption);
  // Zooming out has replaced the focused cells. Their container has the focus until the pixel grid exists (`web/editor/zoom-gestures.js`).
  if (document.activeElement === container.parentElement) scroller.focus();

  let stepContext = null;
  let options = null;
  /** Dimensions of the whole memory: `{ columns, rows, cell }`. */
  let dimensions = null;
  /** Last response of the worker: `{ first, end, rows, image, now, ends }`. */
  let response = null;
  let colors = null;
  let isPaintScheduled = false;

  /** Returns the offset in pixels of the first visible row from the start of the whole memory. */
  function firstVisiblePixel() {
    const fullHeight = dimensions.rows * dimensions.cell;
    const height = scroller.clientHeight;
    return fullHeight <= MAX_SCROLL_HEIGHT || MAX_SCROLL_HEIGHT <= height ? scroller.scrollTop : scroller.scrollTop / (MAX_SCROLL_HEIGHT - height) * (fullHeight - height);
  }
  function scrollTo(pixels) {
    const fullHeight = dimensions.rows * dimensions.cell;
    const height = scroller.clientHeight;
    scroller.scrollTop = fullHeight <= MAX_SCROLL_HEIGHT ? pixels : pixels / (fullHeight - height) * (MAX_SCROLL_HEIGHT - height);
  }
  /** Returns the range of visible rows. */
  function visibleRows() {
    const first = Math.floor(firstVisiblePixel() / dimensions.cell);
    return [first, Math.min(first + Math.ceil(scroller.clientHeight / dimensions.cell) + 1, dimensions.rows)];
  }

  function updateDimensions() {
    const cell = Number(options.cell);
    const declaredColumns = Math.max(1, Number(options.columns));
    const fittingColumns = Math.max(1, Math.floor((container.clientWidth - 14) / cell / declaredColumns));
    // The number of columns is a multiple by a power of two, because strides usually are powers of two.
    const columns = options.fixed === "1" ? declaredColumns : declaredColumns * 2 ** Math.floor(Math.log2(fittingColumns));
    const rows = Math.ceil(Number(options.total) / columns);
    const isChanged = dimensions?.columns !== columns || dimensions?.cell !== cell;
    dimensions = { columns, rows, cell };
    const width = Math.min(columns * cell, container.clientWidth);
    const height = Math.min(rows * cell, MAX_GRID_HEIGHT);
    Object.assign(content.style, { width: `${columns * cell}px`, height: `${Math.min(rows * cell, MAX_SCROLL_HEIGHT)}px` });
    Object.assign(scroller.style, { height: `${height}px`, width: `${width + (rows * cell > MAX_GRID_HEIGHT ? 14 : 0)}px` });
    scroller.setAttribute("aria-label", `${title}, ${cell}-pixel cells: the table contains the values, and plus and minus zoom the grid`);
    if (isChanged) scrollTo(Math.max(0, Math.floor(Number(options.reveal) / columns) * cell - height / 2));
    return isChanged;
  }

  function paint() {
    isPaintScheduled = false;
    if (!dimensions || !container.isConnected) return;
    const [width, height] = [scroller.clientWidth, scroller.clientHeight];
    const canvasContext = fittedContext(canvas, width, height);
    canvasContext.clearRect(0, 0, width, height);
    if (!response || response.columns !== dimensions.columns) return;
    const { cell, columns } = dimensions;
    const [left, topOffset] = [scroller.scrollLeft, firstVisiblePixel()];
    const start = response.first / columns * cell - topOffset;
    canvasContext.imageSmoothingEnabled = false;
    canvasContext.drawImage(response.image, -left, start, columns * cell, response.rows * cell);
    const css = (index) => `rgb(${colors.subarray(index * 4, index * 4 + 3).join(" ")})`;
    const [row, last] = visibleRows();
    const currentRanges = response.now.filter(([from, end]) => end > row * columns && from < last * columns);
    if (cell < MIN_CELL_SIZE_WITH_GAP) {
      canvasContext.fillStyle = css(SHADE_COUNT + 2);
      for (const [index, x, y] of visibleElements(currentRanges, row, last, left, topOffset)) if (index >= 0) canvasContext.fillRect(x, y, cell, cell);
      return;
    }
    canvasContext.fillStyle = css(SHADE_COUNT + 3);
    for (let x = cell - 1 - left % cell; x < width; x += cell) canvasContext.fillRect(x, 0, 1, height);
    for (let y = cell - 1 - topOffset % cell; y < height; y += cell) canvasContext.fillRect(0, y, width, 1);
    canvasContext.strokeStyle = css(SHADE_COUNT + 2);
    for (const [, x, y] of visibleElements(currentRanges, row, last, left, topOffset)) canvasContext.strokeRect(x + 0.5, y + 0.5, cell - 2, cell - 2);
  }
  /** Yields the visible elements of ranges as `[index, x, y]`. */
  function* visibleElements(ranges, row, last, left, topOffset) {
    const { cell, columns } = dimensions;
    for (const [from, end] of ranges) {
      for (let index = Math.max(from, row * columns); index < Math.min(end, last * columns); index += 1) {
        yield [index, index % columns * cell - left, Math.floor(index / columns) * cell - topOffset];
      }
    }
  }
  const schedulePaint = () => {
    if (isPaintScheduled) return;
    isPaintScheduled = true;
    requestAnimationFrame(paint);
  };

  /** Returns the image of a response, in which each element is one pixel. */
  function createImage({ first, shades }, columns) {
    const rows = Math.ceil(shades.length / columns);
    const image = new ImageData(columns, Math.max(rows, 1));
    const [from, to] = [new Uint32Array(colors.buffer), new Uint32Array(image.data.buffer)];
    for (let index = 0; index < shades.length; index += 1) to[index] = from[shadeOf[shades.charCodeAt(index)]];
    const canvas = new OffscreenCanvas(columns, Math.max(rows, 1));
    canvas.getContext("2d").putImageData(image, 0, 0);
    return { first, end: first + shades.length, columns, rows, image: canvas };
  }

  const update = latestOnly(async (current) => {
    const { columns } = dimensions;
    const [row, last] = visibleRows();
    const margin = Math.min(last - row, Math.floor((MAX_RESPONSE_ELEMENTS / columns - (last - row)) / 2));
    const [from, end] = [Math.max(0, row - Math.max(margin, 0)) * columns, (last + Math.max(margin, 0)) * columns];
    try {
      const result = await queryAtStep(current, "shades", stepOf(current), [memory, options.type, options.shows].join("\n"), `${from} ${end}`);
      if (dimensions.columns !== columns) return;
      response = { ...createImage(result, columns), now: result.now, ends: result.ends, shades: result.shades };
      caption.className = "status-text";
      updateCaption();
    } catch (error) {
      response = null;
      caption.className = "status-text bad";
      caption.textContent = error.message;
    }
    schedulePaint();
  });

  function updateCaption(index) {
    const size = `${pluralize(dimensions.columns, "column")}, coloured ${COLOR_DESCRIPTIONS[options.shows](response?.ends)}`;
    const shade = response && index >= response.first && index < response.end ? shadeOf[response.shades.charCodeAt(index - response.first)] : undefined;
    const writerDescription = shade === undefined ? "" : shade === UNWRITTEN ? ", not written" : options.shows === "lane" && shade < 32 ? `, lane ${shade}` : "";
    caption.textContent = index === undefined ? `${size[0].toUpperCase()}${size.slice(1)}.` : `Element ${formatCount(index)}${writerDescription}: click to show the value.`;
  }
  /** Returns the element under the pointer. */
  function elementAt({ clientX, clientY }) {
    const { left, top: above } = canvas.getBoundingClientRect();
    const [column, row] = [Math.floor((clientX - left + scroller.scrollLeft) / dimensions.cell), Math.floor((clientY - above + firstVisiblePixel()) / dimensions.cell)];
    const index = row * dimensions.columns + column;
    return column >= 0 && column < dimensions.columns && index < Number(options.total) ? index : undefined;
  }

  scroller.onscroll = () => {
    schedulePaint();
    const [row, last] = visibleRows();
    const isLoaded = response && row * dimensions.columns >= response.first && Math.min(last * dimensions.columns, Number(options.total)) <= response.end;
    if (!isLoaded) void update(stepContext);
  };
  canvas.onpointermove = (event) => {
    const index = elementAt(event);
    if (index === undefined) delete container.dataset.at;
    else container.dataset.at = String(index);
    updateCaption(index);
  };
  canvas.onpointerleave = () => {
    delete container.dataset.at;
    updateCaption();
  };
  canvas.onclick = (event) => {
    const index = elementAt(event);
    if (index === undefined) return;
    // If the element type differs from the type of the page's grid, the index does not identify a cell that can be pinned.
    stepContext.page.pin(`${options.type === "" ? "" : "closer "}cell ${index} of ${memory}`);
  };
  scroller.onkeydown = (event) => {
    // These keys scroll the pixel grid. Elsewhere on the page, they would move the run.
    if (/^(?:Arrow|Home|End|Page| $)/.test(event.key)) event.stopPropagation();
  };
  new ResizeObserver(() => {
    if (!dimensions || container.clientWidth === 0) return;
    if (updateDimensions()) void update(stepContext);
    schedulePaint();
  }).observe(container);
  onThemeChange(container, () => {
    colors = toRgba(container, shadeColors(options.shows));
    void update(stepContext);
  });

  return {
    show(next) {
      stepContext = next;
      const previous = options;
      options = parseOptions(container.dataset.viewOptions);
      if (previous?.shows !== options.shows || !colors) colors = toRgba(container, shadeColors(options.shows));
      if (previous?.type !== options.type) response = null;
      updateDimensions();
      void update(next);
    },
  };
}
