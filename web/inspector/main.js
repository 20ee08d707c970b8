// Inspection features beyond the main page: watched values, comparison of two steps, custom layouts, memory overviews, pixel grids, and JIT
// runs. The page loads this module on demand (`web/editor/inspector-loader.js`). `page` is its interface to the page, and a dedicated worker answers
// its requests (`web/worker/src/inspector.rs`).
import css from "./inspector.css";
import { make } from "../learn/dom.js";
import { arrangeCard } from "./custom-layout.js";
import { memoryMap } from "./minimap.js";
import { minimapCard } from "./memory-overview.js";
import { momentsCard } from "./compare-steps.js";
import { CARDS } from "./card-labels.js";
import { smallCells } from "./pixel-grid.js";
import { translatedCard } from "./jit-run.js";
import { watchCard } from "./watch.js";

document.head.append(make("style", {}, css));

let cards = null;
let latest = null;
/** The cards below the memories, by name. */
const BELOW = { arrange: arrangeCard, map: minimapCard, run: translatedCard };
const below = {};

/** Returns the current watch expressions. */
export const watched = () => cards?.[0].watched() ?? [];

/** Shows the cards for a frame: `{ place, facts, source, key, generation, watch, page }`. */
export function open(moment) {
  if (!cards) {
    cards = [watchCard(moment), momentsCard(moment)];
    const buttons = Object.keys(BELOW).map((name) => {
      const { asks, words, title } = CARDS[name];
      return make("button", { type: "button", class: "mini", title, "aria-label": asks, onclick: () => begin(name, latest) }, words);
    });
    cards[0].node.querySelector("h2").append(make("span", { class: "spring" }), ...buttons);
  }
  show(moment);
}

/** Updates the open cards for a frame. */
export function show(moment) {
  latest = moment;
  const nodes = cards?.map(({ node }) => node) ?? [];
  if (nodes[0] && nodes[0].parentElement !== moment.place) moment.place.replaceChildren(...nodes);
  for (const card of [...cards ?? [], ...Object.values(below)]) card.show(moment);
}

/** Focuses a card: `watch`, `moments`, `arrange`, `map` or `run`. `what` contains its initial values. */
export function begin(name, moment, what) {
  if (BELOW[name]) {
    below[name] ??= BELOW[name](moment);
    below[name].begin(what);
    return;
  }
  cards?.find(({ node }) => node.classList.contains(name))?.begin();
}

/** Renderers of the containers in place of rows and beside them. */
const FILLERS = { "memory-map": memoryMap, "small-cells": smallCells };
const filled = new WeakMap();
/** Renders a frame into such a container. */
export function fill(moment) {
  const { place, name } = moment;
  if (!filled.has(place)) filled.set(place, FILLERS[name](place));
  filled.get(place).show(moment);
}
