// The gallery of examples by chapter, with a thumbnail per example. A thumbnail is rendered when its card is scrolled into view.
import { createElement, renderInlineCode } from "../dom.js";
import { lazyThumbnail } from "./lazy-thumbnails.js";

/** Suffix of the buggy version of a published bug, which shares a card with the fixed version. */
const BUG_SUFFIX = / \(bug\)$/;

/** Prefix of the examples of miscompiles, and the names of their listings. The comparison with the PTX opens a listing. */
const MISCOMPILE = "miscompile-";
const LISTINGS = ["wrong", "right"];
const isListing = ({ id }) => id.startsWith(MISCOMPILE) && LISTINGS.some((name) => id.endsWith(`-${name}`));

/** Returns the versions of an example that its card opens: `[[label, hash]]`. */
function versionsOf(entry, fixedEntry) {
  if (fixedEntry) return [["bug", `#example=${entry.id}`], ["fixed", `#example=${fixedEntry.id}`]];
  if (entry.id.startsWith(MISCOMPILE)) return LISTINGS.map((name) => [name, `#compare=${entry.id}-${name}`]);
  return [];
}

function card({ close }, entry, fixedEntry) {
  const thumbnail = lazyThumbnail(entry.file);
  const openHash = (hash) => { close(); location.hash = hash; };
  const title = entry.title.replace(BUG_SUFFIX, "");
  const open = createElement("button", { type: "button", class: "learn-open", onclick: () => openHash(`#example=${entry.id}`) }, title);
  const versions = versionsOf(entry, fixedEntry).map(([label, hash]) =>
    createElement("button", { type: "button", class: "action-button", "aria-label": `${title} (${label})`, onclick: () => openHash(hash) }, label));
  const versionButtons = versions.length > 0 && createElement("span", { class: "learn-versions" }, ...versions);
  return createElement("li", { class: "learn-card" }, thumbnail, createElement("h4", {}, open), createElement("p", {}, ...renderInlineCode(entry.about)), versionButtons || null);
}

export function examplesView(context) {
  const { lessons: { chapters } } = context;
  const contents = createElement("nav", { class: "learn-contents", "aria-label": "Chapters" });
  const body = createElement("div", { class: "learn-body" });
  for (const { title, examples } of chapters) {
    const heading = createElement("h3", { tabIndex: -1 }, title);
    const cards = examples.filter((entry) => !entry.id.endsWith("-after") && !isListing(entry)).map((entry) => {
      const fixedEntry = entry.id.endsWith("-before") && examples.find(({ id }) => id === entry.id.replace(/-before$/, "-after"));
      return card(context, entry, fixedEntry);
    });
    body.append(createElement("section", { "aria-label": title }, heading, createElement("ul", { class: "learn-cards" }, ...cards)));
    const scrollToChapter = () => { heading.scrollIntoView({ block: "start" }); heading.focus({ preventScroll: true }); };
    contents.append(createElement("button", { type: "button", onclick: scrollToChapter }, title, createElement("small", {}, String(cards.length))));
  }
  return [contents, body];
}
