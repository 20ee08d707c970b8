// Links from a widget to the playground, with source, position and view. All data is in the URL fragment, which is not sent to servers.
// `web/editor/embed.js` implements the opposite direction.

/** Encodes bytes as base64url. */
export function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes base64url. Throws for invalid input. */
export const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

/** The playground of a widget that is served from a playground site. The pattern avoids `new URL`, which bundlers would interpret as a
 *  file of the package. */
const HERE = /\/widget\/[^/]+$/;
const SITE = HERE.test(import.meta.url) ? import.meta.url.replace(HERE, "/index.html") : home();
/** Returns the playground of the project, if its URL was set when the package was built. */
function home() {
  const address = typeof WARPGRID_SITE === "string" ? WARPGRID_SITE : "";
  return address ? `${address}index.html` : null;
}
/** Maximum length of a URL that browsers open. */
const LONGEST = 2_000_000;

/** Cache of the encoded source of each widget, because stepping changes only the other parameters. */
const written = new WeakMap();
function coded(widget, text) {
  if (written.get(widget)?.text !== text) written.set(widget, { text, code: base64(new TextEncoder().encode(text)) });
  return written.get(widget).code;
}

/** Returns the playground page for a widget, or `null` if none is known. */
function siteOf(widget) {
  const playground = widget.getAttribute("playground");
  const site = playground ? new URL(playground, document.baseURI).href : SITE;
  return site && /^https?:/.test(site) ? site.split("#")[0] : null;
}

/** Returns the URL of a layout diagram, of which `link` is the fragment, or `null` if no playground is known. */
export function lensLink(widget, link) {
  const site = siteOf(widget);
  return site && /^#(lens|layouts|matrix)\?/.test(link) ? `${site}${link}` : null;
}

/** Returns the URL of the playground with the source of a widget at this step, or `null` if no playground is known or the source is too
 *  long. */
export function playgroundLink(widget, { text, position, view, target, version }) {
  const site = siteOf(widget);
  if (!site) return null;
  const facts = new URLSearchParams({ text: coded(widget, text), step: `${position}`, view });
  if (target) facts.set("target", target);
  if (version) facts.set("version", version);
  const address = `${site}#${facts}`;
  return address.length > LONGEST ? null : address;
}
