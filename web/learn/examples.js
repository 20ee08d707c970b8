// The gallery of examples by chapter, with a thumbnail per example. A thumbnail is rendered when its card is scrolled into view.
import { createElement, renderInlineCode } from "../dom.js";
import { lazyThumbnail } from "./lazy-thumbnails.js";

/** Suffix of the buggy version of a published bug, which shares a card with the fixed version. */
const BUG_SUFFIX = / \(bug\)$/;

function card({ close }, entry, fixedEntry) {
  const thumbnail = lazyThumbnail(entry.file);
  const openExample = ({ id }) => { close(); location.hash = `#example=${id}`; };
  const title = entry.title.replace(BUG_SUFFIX, "");
  const open = createElement("button", { type: "button", class: "learn-open", onclick: () => openExample(entry) }, title);
  const versionButtons = fixedEntry && createElement("span", { class: "learn-versions" },
    createElement("button", { type: "button", class: "action-button", "aria-label": `${title} (bug)`, onclick: () => openExample(entry) }, "bug"),
    createElement("button", { type: "button", class: "action-button", "aria-label": `${title} (fixed)`, onclick: () => openExample(fixedEntry) }, "fixed"));
  return createElement("li", { class: "learn-card" }, thumbnail, createElement("h4", {}, open), createElement("p", {}, ...renderInlineCode(entry.about)), versionButtons || null);
}

export function examplesView(context) {
  const { lessons: { chapters } } = context;
  const contents = createElement("nav", { class: "learn-contents", "aria-label": "Chapters" });
  const body = createElement("div", { class: "learn-body" });
  for (const { title, examples } of chapters) {
    const heading = createElement("h3", { tabIndex: -1 }, title);
    const cards = examples.filter(({ id }) => !id.endsWith("-after")).map((entry) => {
      const fixedEntry = entry.id.endsWith("-before") && examples.find(({ id }) => id === entry.id.replace(/-before$/, "-after"));
      return card(context, entry, fixedEntry);
    });
    body.append(createElement("section", { "aria-label": title }, heading, createElement("ul", { class: "learn-cards" }, ...cards)));
    const scrollToChapter = () => { heading.scrollIntoView({ block: "start" }); heading.focus({ preventScroll: true }); };
    contents.append(createElement("button", { type: "button", onclick: scrollToChapter }, title, createElement("small", {}, String(cards.length))));
  }
  return [contents, body];
}
