// Memory overview: a cell per part of a memory, filled by the percentage of written elements, in the color of the lane that wrote last. A
// click scrolls to the part.
import { grouped } from "../editor/util.js";
import { make, words } from "../learn/dom.js";
import { memories } from "./custom-layout.js";
import { askAt, latest, positionOf } from "./query.js";
import { colourOf, onTheme } from "./colors.js";

const COLUMNS = 64;
const CELL = 9;

export function minimapCard(first) {
  let moment = first;
  let isOn = false;
  let found = null;

  const memory = make("select", { class: "mini", "aria-label": "Memory" });
  const canvas = make("canvas", { class: "minimap-cells", "aria-hidden": "true" });
  const place = make("input", { type: "range", min: "0", value: "0", "aria-label": "Region" });
  const said = make("p", { class: "said", "aria-live": "polite" });
  const go = make("button", { type: "button", class: "fix" }, "Go to region");
  const close = make("button", { type: "button", class: "icon small", title: "Close", "aria-label": "Close" }, "✕");
  const node = make("section", { class: "card arrange minimap", "aria-label": "Memory overview" },
    make("div", { class: "head" }, make("h2", {}, "Memory overview"), make("small", {}, "one cell per region"), make("span", { class: "spring" }), close),
    make("div", { class: "arrange-controls" }, memory, make("label", {}, "region", place), go), canvas, said);

  /** Resolves a CSS color for the canvas. */
  function colour(css) {
    canvas.style.color = css;
    return getComputedStyle(canvas).color;
  }

  function paint() {
    if (!found) return;
    const { parts, part, n } = found;
    const rows = Math.ceil(parts.length / COLUMNS);
    const density = globalThis.devicePixelRatio || 1;
    const [width, height] = [Math.min(COLUMNS, parts.length) * CELL, rows * CELL];
    Object.assign(canvas, { width: width * density, height: height * density });
    canvas.style.width = `${width}px`;
    const context = canvas.getContext("2d");
    context.scale(density, density);
    const colours = new Map();
    const [empty, now, here] = ["var(--cell-empty)", "var(--now)", "var(--accent)"].map(colour);
    parts.forEach(([nWritten, lane, , isNow], at) => {
      const [x, y] = [at % COLUMNS * CELL, Math.floor(at / COLUMNS) * CELL];
      context.fillStyle = empty;
      context.fillRect(x, y, CELL - 1, CELL - 1);
      const of = Math.min(part, n - at * part);
      if (nWritten > 0) {
        if (!colours.has(lane)) colours.set(lane, colour(colourOf(lane)));
        context.fillStyle = colours.get(lane);
        // A written part stays visible.
        const share = Math.max(Math.min(nWritten / of, 1), 0.25);
        context.fillRect(x, y + (CELL - 1) * (1 - share), CELL - 1, (CELL - 1) * share);
      }
      const isHere = at === Number(place.value);
      if (!isNow && !isHere) return;
      context.strokeStyle = isHere ? here : now;
      context.lineWidth = isHere ? 2 : 1;
      context.strokeRect(x + 0.5, y + 0.5, CELL - 2, CELL - 2);
    });
  }

  /** Describes the selected part. */
  function say() {
    const { parts, part, n } = found;
    const at = Math.min(Number(place.value), parts.length - 1);
    const [nWritten, lane, index, isNow] = parts[at];
    const [from, to] = [at * part, Math.min((at + 1) * part, n) - 1];
    const wrote = nWritten === 0 ? "not written" : `${grouped(Math.min(nWritten, to - from + 1))} written; last write${lane === undefined ? "" : ` by lane ${lane}`} to element ${grouped(index ?? from)}${isNow ? " in this step" : ""}`;
    const text = `Elements ${grouped(from)} to ${grouped(to)} of ${grouped(n)}: ${wrote}.`;
    said.className = "said";
    said.replaceChildren(text);
    place.setAttribute("aria-valuetext", text);
  }

  const update = latest(async (now) => {
    if (!isOn || memory.value === "") return;
    try {
      found = await askAt(now, "map", positionOf(now), memory.value);
      place.max = String(found.parts.length - 1);
      canvas.hidden = false;
      paint();
      say();
    } catch (error) {
      found = null;
      canvas.hidden = true;
      said.className = "said bad";
      said.replaceChildren(...words(error.message));
    }
  });

  function choose(at) {
    place.value = String(at);
    paint();
    say();
  }
  const goThere = () => {
    if (!found) return;
    const at = Number(place.value);
    moment.page.pin(`cell ${found.parts[at]?.[2] ?? at * found.part} of ${memory.value}`);
  };
  place.oninput = () => { if (found) choose(place.value); };
  go.onclick = goThere;
  canvas.onclick = ({ offsetX, offsetY }) => {
    // The canvas is scaled down in a narrow window.
    const cell = canvas.clientWidth / Math.min(COLUMNS, found?.parts.length ?? 1);
    const at = Math.floor(offsetY / cell) * COLUMNS + Math.floor(offsetX / cell);
    if (!found || at < 0 || at >= found.parts.length) return;
    choose(at);
    goThere();
  };
  memory.onchange = () => { place.value = "0"; void update(moment); };
  close.onclick = () => { isOn = false; node.remove(); };

  return {
    node,
    begin() {
      isOn = true;
      this.show(moment);
      moment.page.showView("memory");
      onTheme(node, paint);
      node.scrollIntoView({ block: "nearest" });
      place.focus();
    },
    show(next) {
      if (next.generation !== moment.generation) { isOn = false; found = null; memory.replaceChildren(); node.remove(); }
      moment = next;
      const host = isOn ? document.querySelector(".arrange-place") : null;
      if (!host) return;
      if (node.parentElement !== host) host.append(node);
      if (memory.options.length === 0) memory.replaceChildren(...memories().map(([value, title]) => make("option", { value }, title)));
      void update(next);
    },
  };
}
