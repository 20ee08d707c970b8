// Page template of the site: creates an HTML document from a title, a description and a body.
import { escape } from "../widget/snapshot.js";

export { escape };

/** Escapes text and converts backticks to `code` elements. */
export const renderInlineCode = (text) => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>");

/** Returns the metadata for search engines and link previews. `path` is relative to the root of the site. Metadata that requires a site URL
 *  is omitted if there is none. */
export function metaTags({ path, title, about }, siteUrl) {
  const ogTag = (name, value) => `<meta property="og:${name}" content="${escape(value)}">`;
  const tags = [ogTag("type", "website"), ogTag("site_name", "Warpgrid"), ogTag("title", title), ogTag("description", about)];
  if (siteUrl) {
    tags.push(`<link rel="canonical" href="${escape(siteUrl + path)}">`, ogTag("url", siteUrl + path), ogTag("image", `${siteUrl}preview.png`),
      ogTag("image:width", 1200), ogTag("image:height", 630), ogTag("image:alt", "Warpgrid with the source on the left and memory grids coloured by lane on the right"), `<meta name="twitter:card" content="summary_large_image">`);
  }
  return `${tags.join("\n")}\n`;
}

/** Entries of the navigation at the top of each page. */
const NAVIGATION = [
  ["index.html", "Playground"], ["docs/getting-started.html", "Getting started"], ["docs/examples.html", "Examples"], ["docs/reference.html", "Reference"], ["docs/guide.html", "Manual"],
  ["docs/package.html", "Package and widget"], ["docs/architecture.html", "Architecture"], ["docs/changelog.html", "Changelog"],
];

/** Creates a page. `path` is relative to the root of the site, `about` is a description in one sentence, `navigationEntry` is the entry of
 *  the page in the top navigation, and `hasWidgets` specifies whether the body contains widgets. */
export function renderPage({ path, title, about, body, navigationEntry = path, hasWidgets = false }, { siteUrl }) {
  const rootPath = "../".repeat(path.split("/").length - 1);
  // A page without an entry in the top navigation is part of the manual.
  const current = NAVIGATION.some(([to]) => to === navigationEntry) ? navigationEntry : "docs/guide.html";
  const navigationLinks = NAVIGATION.map(([to, name]) => `<a href="${rootPath}${to}"${to === current ? ` aria-current="${to === path ? "page" : "true"}"` : ""}>${name}</a>`).join("\n");
  const widgets = hasWidgets
    ? `<link rel="stylesheet" href="${rootPath}widget/warpgrid-snapshot.css">\n<script type="module" src="${rootPath}widget/warpgrid-widget.js"></script>\n`
    : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Warpgrid</title>
<meta name="description" content="${escape(about)}">
${metaTags({ path, title, about }, siteUrl)}<link rel="icon" href="${rootPath}icon.svg">
<link rel="stylesheet" href="${rootPath}docs/site.css">
${widgets}</head>
<body>
<header><a class="brand" href="${rootPath}index.html">Warpgrid</a>
<nav aria-label="Site">
${navigationLinks}
</nav></header>
<main>
${body.replaceAll(/<pre(?![^>]*tabindex)(?=[\s>])/g, `<pre tabindex="0"`)}
</main>
</body>
</html>
`;
}
