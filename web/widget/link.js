// The way from a widget to the playground: text, position and view go in, an address comes out. Everything is in the part of the address
// that no server sees.

/** Bytes as text that an address may hold. */
function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The playground of a widget that is served from the site of one. */
const SITE = /\/widget\/[^/]+$/.test(import.meta.url) ? new URL("../index.html", import.meta.url).href : null;

/** The address of the playground with this text at this step; `null` when no playground is known. */
export function playgroundLink(playground, { text, position, view, target, version }) {
  const site = playground ? new URL(playground, document.baseURI).href : SITE;
  if (!site || !/^https?:/.test(site)) return null;
  const facts = new URLSearchParams({ text: base64(new TextEncoder().encode(text)), step: `${position}`, view });
  if (target) facts.set("target", target);
  if (version) facts.set("version", version);
  return `${site.split("#")[0]}#${facts}`;
}
