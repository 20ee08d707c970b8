// The way from a widget to the playground: text, position and view go in, an address comes out. Everything is in the part of the address
// that no server sees. The way back is `web/editor/embed.js`.

/** Bytes as text that an address may hold. */
export function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes of such a text; throws where it is none. */
export const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

/** The playground of a widget that is served from the site of one. (Bundlers take a `new URL` for a file of the package.) */
const HERE = /\/widget\/[^/]+$/;
const SITE = HERE.test(import.meta.url) ? import.meta.url.replace(HERE, "/index.html") : home();
/** That of the project, where its address was set when the package was built. */
function home() {
  const address = typeof WARPGRID_SITE === "string" ? WARPGRID_SITE : "";
  return address ? `${address}index.html` : null;
}
/** Browsers open no longer address. */
const LONGEST = 2_000_000;

/** The text of an address that was written last for a widget: stepping changes only what is beside it. */
const written = new WeakMap();
function coded(widget, text) {
  if (written.get(widget)?.text !== text) written.set(widget, { text, code: base64(new TextEncoder().encode(text)) });
  return written.get(widget).code;
}

/** The page of a widget's playground; `null` where none is known. */
function siteOf(widget) {
  const playground = widget.getAttribute("playground");
  const site = playground ? new URL(playground, document.baseURI).href : SITE;
  return site && /^https?:/.test(site) ? site.split("#")[0] : null;
}

/** The address of a picture of the lens, of which `link` is the part after the page; `null` where no playground is known. */
export function lensLink(widget, link) {
  const site = siteOf(widget);
  return site && /^#(lens|layouts|matrix)\?/.test(link) ? `${site}${link}` : null;
}

/** The address of the playground with the text of a widget at this step; `null` when no playground is known, or the text is too long. */
export function playgroundLink(widget, { text, position, view, target, version }) {
  const site = siteOf(widget);
  if (!site) return null;
  const facts = new URLSearchParams({ text: coded(widget, text), step: `${position}`, view });
  if (target) facts.set("target", target);
  if (version) facts.set("version", version);
  const address = `${site}#${facts}`;
  return address.length > LONGEST ? null : address;
}
