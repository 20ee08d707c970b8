// What is asked of a run beside what the page shows: values that are watched, two moments compared, a memory by a layout. The page loads this when somebody asks, or has
// asked before (`web/editor/look.js`); what it needs of the page comes as `page`, and answers come from a core of its own (`web/worker/src/inspect.rs`).
import css from "./look.css";
import { make } from "../learn/parts.js";
import { arrangeCard } from "./arrange.js";
import { momentsCard } from "./moments.js";
import { watchCard } from "./watch.js";

let cards = null;
/** The one that lies below the memories. */
let arranged = null;

const ARRANGE = "A memory in rows and columns by any stride, or by a layout of CuTe";

/** Shows a moment in its place: `{ place, facts, source, key, generation, page }`. */
export function show(moment) {
  if (!cards) {
    document.head.append(make("style", {}, css));
    cards = [watchCard(moment), momentsCard(moment)];
    arranged = arrangeCard(moment);
    cards[0].node.querySelector("h2").append(make("span", { class: "spring" }), make("button", { type: "button", class: "mini", title: ARRANGE, onclick: () => arranged.begin() }, "by a layout"));
  }
  const nodes = cards.map(({ node }) => node);
  if (nodes[0].parentElement !== moment.place) moment.place.replaceChildren(...nodes);
  for (const card of [...cards, arranged]) card.show(moment);
}

/** Gives the focus to a card: `watch`, `moments` or `arrange`. */
export function begin(name) {
  if (name === "arrange") { arranged?.begin(); return; }
  cards?.find(({ node }) => node.classList.contains(name))?.begin();
}
