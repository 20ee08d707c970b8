// The pixel grid: cells of a memory that are too small for text, down to one pixel, in the colors of values, lanes or steps. Requests the
// visible cells and a margin around them.
import LETTERS from "../worker/src/inspector/letters.json" with { type: "json" };
import { grouped, plural } from "../editor/util.js";
import { make } from "../learn/dom.js";
import { askAt, latest, positionOf } from "./query.js";
import { bytesOf, colourOf, onTheme } from "./colors.js";

/** Number of shades with a character. The next characters are for elements that no step wrote and for unknown values. */
const SHADES = 64;
const [NEVER, UNKNOWN] = [SHADES, SHADES + 1];
/** Maps character codes to shades. */
const shadeOf = new Uint8Array(128).fill(UNKNOWN);
[...LETTERS].forEach((letter, shade) => { shadeOf[letter.charCodeAt(0)] = shade; });
/** Maximum height of the grid, equal to that of rows with text. */
const HEIGHT = 426;
/** Maximum height of an element. Browsers truncate much taller elements. */
const MOST_SPACE = 4_000_000;
/** Maximum number of elements per response: `MAX_SHADES` of the view crate. */
const MOST_SHADES = 1 << 20;
/** Cell size from which there is a gap between cells. */
const GAP_FROM = 4;

const WORDS = {
  value: ([least, most] = []) => (least === undefined ? "by value" : `by value, visible range ${least} to ${most}`),
  lane: () => "by lane of the last write",
  step: ([first, last] = []) => (first === undefined ? "by step of the last write (none)" : `by step of the last write, ${first} to ${last}`),
};

/** Parses `cell=4 shows=lane`. */
const read = (words) => Object.fromEntries(words.split(" ").map((word) => word.split("=")));

/** Returns the CSS colors of the shades. */
function coloursOf(shows) {
  const mixed = (share) => `color-mix(in oklab, var(--accent) ${100 * share}%, var(--cell-empty))`;
  const shades = Array.from({ length: SHADES }, (_, shade) => {
    if (shows === "lane") return colourOf(shade < 32 ? shade : undefined);
    const share = shade / (SHADES - 1);
    // Written cells differ visibly from unwritten ones.
    return mixed(shows === "step" ? 0.15 + 0.85 * share : share);
  });
  return [...shades, "var(--cell-empty)", "var(--ink3)", "var(--now)", "var(--panel)"];
}

export function smallCells(place) {
  const memory = place.closest("[data-memory]").dataset.memory;
  const title = place.closest("[data-memory]").querySelector("h2")?.textContent ?? memory;
  const canvas = make("canvas", { "aria-hidden": "true" });
  const space = make("div", {}, canvas);
  const scroller = make("div", { class: "scroller", tabIndex: 0, role: "group" }, space);
  const said = make("p", { class: "said" });
  place.append(scroller, said);
  // The larger cells had the focus, which their container has held in the meantime (`web/editor/zoom-gestures.js`).
  if (document.activeElement === place.parentElement) scroller.focus();

  let moment = null;
  let how = null;
  /** The dimensions of the whole memory: `{ columns, rows, cell }`. */
  let grid = null;
  /** The last response: `{ first, end, rows, image, now, ends }`. */
  let found = null;
  let colours = null;
  let isDue = false;

  /** Returns the offset of the first visible pixel in the whole memory. */
  function top() {
    const real = grid.rows * grid.cell;
    const height = scroller.clientHeight;
    return real <= MOST_SPACE || MOST_SPACE <= height ? scroller.scrollTop : scroller.scrollTop / (MOST_SPACE - height) * (real - height);
  }
  function scrollTo(pixels) {
    const real = grid.rows * grid.cell;
    const height = scroller.clientHeight;
    scroller.scrollTop = real <= MOST_SPACE ? pixels : pixels / (real - height) * (MOST_SPACE - height);
  }
  /** Returns the range of visible rows. */
  function sight() {
    const first = Math.floor(top() / grid.cell);
    return [first, Math.min(first + Math.ceil(scroller.clientHeight / grid.cell) + 1, grid.rows)];
  }

  function layOut() {
    const cell = Number(how.cell);
    const natural = Math.max(1, Number(how.columns));
    const across = Math.max(1, Math.floor((place.clientWidth - 14) / cell / natural));
    // Strides are usually powers of two.
    const columns = how.fixed === "1" ? natural : natural * 2 ** Math.floor(Math.log2(across));
    const rows = Math.ceil(Number(how.total) / columns);
    const isOther = grid?.columns !== columns || grid?.cell !== cell;
    grid = { columns, rows, cell };
    const width = Math.min(columns * cell, place.clientWidth);
    const height = Math.min(rows * cell, HEIGHT);
    Object.assign(space.style, { width: `${columns * cell}px`, height: `${Math.min(rows * cell, MOST_SPACE)}px` });
    Object.assign(scroller.style, { height: `${height}px`, width: `${width + (rows * cell > HEIGHT ? 14 : 0)}px` });
    scroller.setAttribute("aria-label", `${title}, ${cell}-pixel cells: the table contains the values, and plus and minus zoom the grid`);
    if (isOther) scrollTo(Math.max(0, Math.floor(Number(how.reveal) / columns) * cell - height / 2));
    return isOther;
  }

  function paint() {
    isDue = false;
    if (!grid || !place.isConnected) return;
    const density = globalThis.devicePixelRatio || 1;
    const [width, height] = [scroller.clientWidth, scroller.clientHeight];
    const size = [Math.ceil(width * density), Math.ceil(height * density)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) {
      [canvas.width, canvas.height] = size;
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    const context = canvas.getContext("2d");
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    if (!found || found.columns !== grid.columns) return;
    const { cell, columns } = grid;
    const [left, up] = [scroller.scrollLeft, top()];
    const start = found.first / columns * cell - up;
    context.imageSmoothingEnabled = false;
    context.drawImage(found.image, -left, start, columns * cell, found.rows * cell);
    const css = (at) => `rgb(${colours.subarray(at * 4, at * 4 + 3).join(" ")})`;
    const [row, last] = sight();
    const marks = found.now.filter(([from, end]) => end > row * columns && from < last * columns);
    if (cell < GAP_FROM) {
      context.fillStyle = css(SHADES + 2);
      for (const [index, x, y] of places(marks, row, last, left, up)) if (index >= 0) context.fillRect(x, y, cell, cell);
      return;
    }
    context.fillStyle = css(SHADES + 3);
    for (let x = cell - 1 - left % cell; x < width; x += cell) context.fillRect(x, 0, 1, height);
    for (let y = cell - 1 - up % cell; y < height; y += cell) context.fillRect(0, y, width, 1);
    context.strokeStyle = css(SHADES + 2);
    for (const [, x, y] of places(marks, row, last, left, up)) context.strokeRect(x + 0.5, y + 0.5, cell - 2, cell - 2);
  }
  /** Yields the visible elements of ranges: `[index, x, y]`. */
  function* places(ranges, row, last, left, up) {
    const { cell, columns } = grid;
    for (const [from, end] of ranges) {
      for (let index = Math.max(from, row * columns); index < Math.min(end, last * columns); index += 1) {
        yield [index, index % columns * cell - left, Math.floor(index / columns) * cell - up];
      }
    }
  }
  const paintSoon = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(paint);
  };

  /** Returns the image of a response, with one pixel per element. */
  function imageOf({ first, shades }, columns) {
    const rows = Math.ceil(shades.length / columns);
    const image = new ImageData(columns, Math.max(rows, 1));
    const [from, to] = [new Uint32Array(colours.buffer), new Uint32Array(image.data.buffer)];
    for (let at = 0; at < shades.length; at += 1) to[at] = from[shadeOf[shades.charCodeAt(at)]];
    const canvas = new OffscreenCanvas(columns, Math.max(rows, 1));
    canvas.getContext("2d").putImageData(image, 0, 0);
    return { first, end: first + shades.length, columns, rows, image: canvas };
  }

  const update = latest(async (now) => {
    const { columns } = grid;
    const [row, last] = sight();
    const around = Math.min(last - row, Math.floor((MOST_SHADES / columns - (last - row)) / 2));
    const [from, end] = [Math.max(0, row - Math.max(around, 0)) * columns, (last + Math.max(around, 0)) * columns];
    try {
      const answer = await askAt(now, "shades", positionOf(now), [memory, how.type, how.shows].join("\n"), `${from} ${end}`);
      if (grid.columns !== columns) return;
      found = { ...imageOf(answer, columns), now: answer.now, ends: answer.ends, shades: answer.shades };
      said.className = "said";
      say();
    } catch (error) {
      found = null;
      said.className = "said bad";
      said.textContent = error.message;
    }
    paintSoon();
  });

  function say(index) {
    const size = `${plural(grid.columns, "column")}, coloured ${WORDS[how.shows](found?.ends)}`;
    const shade = found && index >= found.first && index < found.end ? shadeOf[found.shades.charCodeAt(index - found.first)] : undefined;
    const what = shade === undefined ? "" : shade === NEVER ? ", not written" : how.shows === "lane" && shade < 32 ? `, lane ${shade}` : "";
    said.textContent = index === undefined ? `${size[0].toUpperCase()}${size.slice(1)}.` : `Element ${grouped(index)}${what}: click to show the value.`;
  }
  /** Returns the element under the pointer. */
  function at({ clientX, clientY }) {
    const { left, top: above } = canvas.getBoundingClientRect();
    const [column, row] = [Math.floor((clientX - left + scroller.scrollLeft) / grid.cell), Math.floor((clientY - above + top()) / grid.cell)];
    const index = row * grid.columns + column;
    return column >= 0 && column < grid.columns && index < Number(how.total) ? index : undefined;
  }

  scroller.onscroll = () => {
    paintSoon();
    const [row, last] = sight();
    const isThere = found && row * grid.columns >= found.first && Math.min(last * grid.columns, Number(how.total)) <= found.end;
    if (!isThere) void update(moment);
  };
  canvas.onpointermove = (event) => {
    const index = at(event);
    if (index === undefined) delete place.dataset.at;
    else place.dataset.at = String(index);
    say(index);
  };
  canvas.onpointerleave = () => {
    delete place.dataset.at;
    say();
  };
  canvas.onclick = (event) => {
    const index = at(event);
    if (index === undefined) return;
    // With another element type, indices differ from those that can be pinned.
    moment.page.pin(`${how.type === "" ? "" : "closer "}cell ${index} of ${memory}`);
  };
  scroller.onkeydown = (event) => {
    // These keys scroll the grid here, and move the run elsewhere.
    if (/^(?:Arrow|Home|End|Page| $)/.test(event.key)) event.stopPropagation();
  };
  new ResizeObserver(() => {
    if (!grid || place.clientWidth === 0) return;
    if (layOut()) void update(moment);
    paintSoon();
  }).observe(place);
  onTheme(place, () => {
    colours = bytesOf(place, coloursOf(how.shows));
    void update(moment);
  });

  return {
    show(next) {
      moment = next;
      const before = how;
      how = read(place.dataset.how);
      if (before?.shows !== how.shows || !colours) colours = bytesOf(place, coloursOf(how.shows));
      if (before?.type !== how.type) found = null;
      layOut();
      void update(next);
    },
  };
}
