// What is asked of a run beside what the page shows: values that are watched, two moments compared, a memory by a layout or at a glance, cells too small for a
// text, the launch run translated. The page loads this when somebody asks, or has asked before (`web/editor/look.js`); what it needs of the page comes as `page`, and answers come from a core
// of its own (`web/worker/src/inspect.rs`).
import css from "./look.css";
import { make } from "../learn/parts.js";
import { arrangeCard } from "./arrange.js";
import { memoryMap } from "./map.js";
import { minimapCard } from "./minimap.js";
import { momentsCard } from "./moments.js";
import { CARDS } from "./names.js";
import { smallCells } from "./small.js";
import { translatedCard } from "./translated.js";
import { watchCard } from "./watch.js";

document.head.append(make("style", {}, css));

let cards = null;
let latest = null;
/** Those that lie below the memories, by their names. */
const BELOW = { arrange: arrangeCard, map: minimapCard, run: translatedCard };
const below = {};

/** What is watched now. */
export const watched = () => cards?.[0].watched() ?? [];

/** Shows the cards of a moment: `{ place, facts, source, key, generation, watch, page }`. */
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

/** Shows a moment in the cards that are there. */
export function show(moment) {
  latest = moment;
  const nodes = cards?.map(({ node }) => node) ?? [];
  if (nodes[0] && nodes[0].parentElement !== moment.place) moment.place.replaceChildren(...nodes);
  for (const card of [...cards ?? [], ...Object.values(below)]) card.show(moment);
}

/** Gives the focus to a card: `watch`, `moments`, `arrange`, `map` or `run`; `what` says what it begins with. */
export function begin(name, moment, what) {
  if (BELOW[name]) {
    below[name] ??= BELOW[name](moment);
    below[name].begin(what);
    return;
  }
  cards?.find(({ node }) => node.classList.contains(name))?.begin();
}

/** What is in the place of rows, and beside them. */
const FILLERS = { "memory-map": memoryMap, "small-cells": smallCells };
const filled = new WeakMap();
/** Shows a moment in such a place. */
export function fill(moment) {
  const { place, name } = moment;
  if (!filled.has(place)) filled.set(place, FILLERS[name](place));
  filled.get(place).show(moment);
}
