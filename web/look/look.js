// What is asked of a run beside what the page shows: values that are watched, and two moments compared. The page loads this when somebody asks, or has
// asked before (`web/editor/look.js`); what it needs of the page comes as `page`, and answers come from a core of its own (`web/worker/src/inspect.rs`).
import css from "./look.css";
import { make } from "../learn/parts.js";
import { momentsCard } from "./moments.js";
import { watchCard } from "./watch.js";

let cards = null;

/** Shows a moment in its place: `{ place, facts, source, key, generation, page }`. */
export function show(moment) {
  if (!cards) {
    document.head.append(make("style", {}, css));
    cards = [watchCard(moment), momentsCard(moment)];
  }
  const nodes = cards.map(({ node }) => node);
  if (nodes[0].parentElement !== moment.place) moment.place.replaceChildren(...nodes);
  for (const card of cards) card.show(moment);
}

/** Gives the focus to a card: `watch` or `moments`. */
export function begin(name) {
  cards?.find(({ node }) => node.classList.contains(name))?.begin();
}
