// Links from a widget to the playground, which contain the source, the position and the view. All data is in the URL fragment, which is not
// sent to servers. `web/editor/embed.js` implements the opposite direction.

/** Encodes bytes as base64url. */
export function base64(bytes) {
  let text = "";
  for (let offset = 0; offset < bytes.length; offset += 0x8000) text += String.fromCharCode(...bytes.subarray(offset, offset + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes base64url. Throws an error for invalid input. */
export const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

/** Path pattern of a widget that is served from a playground site. The pattern is used instead of `new URL`, which bundlers would interpret
 *  as a file of the package. */
const WIDGET_PATH = /\/widget\/[^/]+$/;
const DEFAULT_PLAYGROUND = WIDGET_PATH.test(import.meta.url) ? import.meta.url.replace(WIDGET_PATH, "/index.html") : projectPlayground();
/** Returns the URL of the project's playground, if this URL was set when the package was built. */
function projectPlayground() {
  const url = typeof WARPGRID_SITE === "string" ? WARPGRID_SITE : "";
  return url ? `${url}index.html` : null;
}
/** Maximum length of a URL that browsers open. */
const MAX_URL_LENGTH = 2_000_000;

/** Cache of the encoded source of each widget, because a step changes only the other parameters of the link. */
const encodedSources = new WeakMap();
function encodeSource(widget, text) {
  if (encodedSources.get(widget)?.text !== text) encodedSources.set(widget, { text, code: base64(new TextEncoder().encode(text)) });
  return encodedSources.get(widget).code;
}

/** Returns the URL of the playground for a widget, or `null` if no playground is known. */
function playgroundOf(widget) {
  const playground = widget.getAttribute("playground");
  const playgroundUrl = playground ? new URL(playground, document.baseURI).href : DEFAULT_PLAYGROUND;
  return playgroundUrl && /^https?:/.test(playgroundUrl) ? playgroundUrl.split("#")[0] : null;
}

/** Returns the URL of a layout diagram in the playground, or `null` if no playground is known. `link` is the URL fragment of the diagram.
 *  */
export function diagramLink(widget, link) {
  const playgroundUrl = playgroundOf(widget);
  return playgroundUrl && /^#(lens|layouts|matrix)\?/.test(link) ? `${playgroundUrl}${link}` : null;
}

/** Returns the URL of the playground with the source of a widget at the current step. Returns `null` if no playground is known or the
 *  source is too long. */
export function playgroundLink(widget, { text, position, view, target, version }) {
  const playgroundUrl = playgroundOf(widget);
  if (!playgroundUrl) return null;
  const parameters = new URLSearchParams({ text: encodeSource(widget, text), step: `${position}`, view });
  if (target) parameters.set("target", target);
  if (version) parameters.set("version", version);
  const url = `${playgroundUrl}#${parameters}`;
  return url.length > MAX_URL_LENGTH ? null : url;
}
