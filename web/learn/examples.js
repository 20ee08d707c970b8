// The gallery of examples by chapter, with a thumbnail per example. A thumbnail is rendered when its card is scrolled into view.
import { make, words } from "./dom.js";
import { lazy } from "./lazy-thumbnails.js";

/** The buggy and the fixed version of a published bug share a card. */
const BUG = / \(bug\)$/;

function card({ close }, entry, after) {
  const box = lazy(entry.file);
  const go = ({ id }) => { close(); location.hash = `#example=${id}`; };
  const title = entry.title.replace(BUG, "");
  const open = make("button", { type: "button", class: "learn-open", onclick: () => go(entry) }, title);
  const both = after && make("span", { class: "learn-both" },
    make("button", { type: "button", class: "fix", "aria-label": `${title} (bug)`, onclick: () => go(entry) }, "bug"),
    make("button", { type: "button", class: "fix", "aria-label": `${title} (fixed)`, onclick: () => go(after) }, "fixed"));
  return make("li", { class: "learn-card" }, box, make("h4", {}, open), make("p", {}, ...words(entry.about)), both || null);
}

export function examplesView(context) {
  const { lessons: { chapters } } = context;
  const contents = make("nav", { class: "learn-contents", "aria-label": "Chapters" });
  const body = make("div", { class: "learn-body" });
  for (const { title, examples } of chapters) {
    const heading = make("h3", { tabIndex: -1 }, title);
    const cards = examples.filter(({ id }) => !id.endsWith("-after")).map((entry) => {
      const after = entry.id.endsWith("-before") && examples.find(({ id }) => id === entry.id.replace(/-before$/, "-after"));
      return card(context, entry, after);
    });
    body.append(make("section", { "aria-label": title }, heading, make("ul", { class: "learn-cards" }, ...cards)));
    const go = () => { heading.scrollIntoView({ block: "start" }); heading.focus({ preventScroll: true }); };
    contents.append(make("button", { type: "button", onclick: go }, title, make("small", {}, String(cards.length))));
  }
  return [contents, body];
}
