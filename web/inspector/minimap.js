// Minimap of a long memory beside its rows: parts from top to bottom, in the colors of the lanes that wrote last, and a frame around the
// visible rows. Clicks, drags and arrow keys scroll the rows.
import { grouped } from "../editor/util.js";
import { make } from "../learn/dom.js";
import { askAt, latest, positionOf } from "./query.js";
import { bytesOf, colourOf, onTheme } from "./colors.js";

/** Number of parts per row. */
const ACROSS = 4;
/** Minimum opacity of a written part, so that it stays visible. */
const LEAST = 0.4;
const LANES = 32;
/** Ratio of the pause between two requests to the duration of a response. */
const RESTS = 3;

export function memoryMap(place) {
  const card = place.closest("[data-memory]");
  const rows = place.parentElement;
  const title = card.querySelector("h2")?.textContent ?? card.dataset.memory;
  const canvas = make("canvas", { "aria-hidden": "true" });
  const frame = make("i", { "aria-hidden": "true" });
  const slider = make("div", { role: "slider", tabIndex: 0, title: "Minimap of the buffer: click or drag to scroll", "aria-label": `Minimap of ${title}`, "aria-orientation": "vertical", "aria-valuemin": "0", "aria-valuemax": "100" }, canvas, frame);
  place.append(slider);
  let found = null;
  let colours = null;

  const scroller = () => rows.querySelector(".scroller");
  /** Returns the fractions of the memory above the visible rows and within them. */
  function sight() {
    const { scrollTop = 0, scrollHeight = 1, clientHeight = 1 } = scroller() ?? {};
    return [scrollTop / scrollHeight, Math.min(clientHeight / scrollHeight, 1)];
  }
  function follow() {
    const [top, share] = sight();
    frame.style.top = `${top * 100}%`;
    frame.style.height = `${share * 100}%`;
    slider.setAttribute("aria-valuenow", String(Math.round(100 * top / Math.max(1 - share, 1e-9))));
    if (found) {
      const first = Math.round(top * found.n);
      slider.setAttribute("aria-valuetext", `elements ${grouped(first)} to ${grouped(Math.min(Math.round((top + share) * found.n), found.n) - 1)} of ${grouped(found.n)}`);
    }
  }
  function paint() {
    if (!found) return;
    const { parts, part, n } = found;
    const [width, height] = [ACROSS, Math.ceil(parts.length / ACROSS)];
    Object.assign(canvas, { width, height });
    colours ??= bytesOf(place, [...Array.from({ length: LANES }, (_, lane) => colourOf(lane)), colourOf(), "var(--now)"]);
    const image = new ImageData(width, height);
    parts.forEach(([nWritten, lane = LANES, , isNow], at) => {
      if (nWritten === 0) return;
      const from = 4 * (isNow ? LANES + 1 : lane);
      const share = Math.min(nWritten / Math.min(part, n - at * part), 1);
      image.data.set(colours.subarray(from, from + 3), at * 4);
      image.data[at * 4 + 3] = isNow ? 255 : 255 * (LEAST + (1 - LEAST) * share);
    });
    canvas.getContext("2d").putImageData(image, 0, 0);
  }
  const update = latest(async (now) => {
    const start = performance.now();
    try {
      found = await askAt(now, "map", positionOf(now), card.dataset.memory);
      paint();
    } catch { /* the frame of the visible rows is still shown */ }
    follow();
    // During a playback, the worker is idle for longer than it computes minimaps.
    await new Promise((done) => setTimeout(done, RESTS * (performance.now() - start)));
  });

  /** Scrolls a position of the memory, as a fraction, to the center. */
  function goTo(share) {
    const of = scroller();
    if (of) of.scrollTop = share * of.scrollHeight - of.clientHeight / 2;
  }
  const drag = ({ clientY }) => {
    const { top, height } = slider.getBoundingClientRect();
    goTo((clientY - top) / Math.max(height, 1));
  };
  slider.onpointerdown = (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    slider.setPointerCapture(event.pointerId);
    drag(event);
  };
  slider.onpointermove = (event) => { if (slider.hasPointerCapture(event.pointerId)) drag(event); };
  slider.onkeydown = (event) => {
    const [top, share] = sight();
    const middle = top + share / 2;
    const there = { ArrowUp: middle - share, ArrowLeft: middle - share, ArrowDown: middle + share, ArrowRight: middle + share, PageUp: middle - 0.1, PageDown: middle + 0.1, Home: 0, End: 1 }[event.key];
    if (there === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    goTo(there);
  };
  // Neither scrolling nor a change of the cell size produces a new frame.
  rows.addEventListener("scroll", follow, true);
  new MutationObserver(follow).observe(rows, { childList: true });
  new ResizeObserver(follow).observe(slider);
  onTheme(place, () => {
    colours = null;
    paint();
  });
  follow();
  return { show: (moment) => void update(moment) };
}
