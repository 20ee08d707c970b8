// Page template of the site: creates an HTML document from title, description and body.
import { escape } from "../widget/snapshot.js";

export { escape };

/** Escapes text and converts backticks to `code` elements. */
export const prose = (text) => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>");

/** Returns the metadata for search engines and link previews. `path` is relative to the root of the site. Without a site URL, only the
 *  metadata that does not need one is included. */
export function plain({ path, title, about }, address) {
  const say = (name, value) => `<meta property="og:${name}" content="${escape(value)}">`;
  const facts = [say("type", "website"), say("site_name", "Warpgrid"), say("title", title), say("description", about)];
  if (address) {
    facts.push(`<link rel="canonical" href="${escape(address + path)}">`, say("url", address + path), say("image", `${address}preview.png`),
      say("image:width", 1200), say("image:height", 630), say("image:alt", "Warpgrid with the source on the left and memory grids coloured by lane on the right"), `<meta name="twitter:card" content="summary_large_image">`);
  }
  return `${facts.join("\n")}\n`;
}

/** The entries of the top navigation. */
const PLACES = [
  ["index.html", "Playground"], ["docs/getting-started.html", "Getting started"], ["docs/examples.html", "Examples"], ["docs/reference.html", "Reference"], ["docs/guide.html", "Manual"],
  ["docs/package.html", "Package and widget"], ["docs/architecture.html", "Architecture"], ["docs/changelog.html", "Changelog"],
];

/** Creates a page from `path` relative to the root of the site, `title`, `about` (one sentence), `body`, its entry in the top
 *  navigation, and whether it contains widgets. */
export function layout({ path, title, about, body, place = path, hasWidgets = false }, { address }) {
  const top = "../".repeat(path.split("/").length - 1);
  // A page without an entry in the navigation is part of the manual.
  const current = PLACES.some(([to]) => to === place) ? place : "docs/guide.html";
  const places = PLACES.map(([to, name]) => `<a href="${top}${to}"${to === current ? ` aria-current="${to === path ? "page" : "true"}"` : ""}>${name}</a>`).join("\n");
  const widgets = hasWidgets
    ? `<link rel="stylesheet" href="${top}widget/warpgrid-snapshot.css">\n<script type="module" src="${top}widget/warpgrid-widget.js"></script>\n`
    : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Warpgrid</title>
<meta name="description" content="${escape(about)}">
${plain({ path, title, about }, address)}<link rel="icon" href="${top}icon.svg">
<link rel="stylesheet" href="${top}docs/site.css">
${widgets}</head>
<body>
<header><a class="brand" href="${top}index.html">Warpgrid</a>
<nav aria-label="Site">
${places}
</nav></header>
<main>
${body.replaceAll(/<pre(?![^>]*tabindex)(?=[\s>])/g, `<pre tabindex="0"`)}
</main>
</body>
</html>
`;
}
