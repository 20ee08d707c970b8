// What is asked of a run beside what the page shows: values that are watched, two moments compared, a memory by a layout or at a glance. The page loads this when somebody asks, or has
// asked before (`web/editor/look.js`); what it needs of the page comes as `page`, and answers come from a core of its own (`web/worker/src/inspect.rs`).
import css from "./look.css";
import { make } from "../learn/parts.js";
import { arrangeCard } from "./arrange.js";
import { minimapCard } from "./minimap.js";
import { momentsCard } from "./moments.js";
import { CARDS } from "./names.js";
import { watchCard } from "./watch.js";

let cards = null;
/** Those that lie below the memories, by their names. */
const BELOW = { arrange: arrangeCard, map: minimapCard };
const below = {};

/** What is watched now. */
export const watched = () => cards?.[0].watched() ?? [];

/** Shows a moment in its place: `{ place, facts, source, key, generation, watch, page }`. */
export function show(moment) {
  if (!cards) {
    document.head.append(make("style", {}, css));
    cards = [watchCard(moment), momentsCard(moment)];
    const open = Object.entries(BELOW).map(([name, card]) => {
      const { words, title } = CARDS[name];
      below[name] = card(moment);
      return make("button", { type: "button", class: "mini", title, onclick: () => below[name].begin() }, words);
    });
    cards[0].node.querySelector("h2").append(make("span", { class: "spring" }), ...open);
  }
  const nodes = cards.map(({ node }) => node);
  if (nodes[0].parentElement !== moment.place) moment.place.replaceChildren(...nodes);
  for (const card of [...cards, ...Object.values(below)]) card.show(moment);
}

/** Gives the focus to a card: `watch`, `moments`, `arrange` or `map`. */
export function begin(name) {
  if (below[name]) { below[name].begin(); return; }
  cards?.find(({ node }) => node.classList.contains(name))?.begin();
}
