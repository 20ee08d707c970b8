// Converts an SVG image of the emulator to DOM nodes. The text is not passed to an HTML parser, so that pages with Trusted Types can show
// it, and unknown elements and attributes never reach the page.

const SPACE = "http://www.w3.org/2000/svg";
const ELEMENTS = ["svg", "g", "rect", "text", "title", "line", "path"];
const ATTRIBUTES = ["width", "height", "viewBox", "role", "aria-label", "font-family", "font-size", "font-weight", "fill", "stroke", "stroke-width", "opacity", "text-anchor", "x", "y", "x1", "x2", "y1", "y2", "d", "rx"];
const NAMES = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'" };
const unescaped = (text) => text.replace(/&(lt|gt|amp|quot|#39);/g, (name) => NAMES[name]);

/** Returns the element of an image, or `null` if the text is not an image of the emulator. */
export function svgNode(text) {
  const open = [];
  let root = null;
  for (const [, end, name, facts, alone, words] of text.matchAll(/<(\/?)([a-zA-Z]+)([^<>]*?)(\/?)>|([^<]+)/g)) {
    if (words !== undefined) {
      if (words.trim() !== "") open.at(-1)?.append(unescaped(words));
      continue;
    }
    if (end) {
      open.pop();
      continue;
    }
    if (!ELEMENTS.includes(name) || (root && open.length === 0)) return null;
    const node = document.createElementNS(SPACE, name);
    for (const [, attribute, value] of facts.matchAll(/([\w-]+)="([^"]*)"/g)) {
      if (ATTRIBUTES.includes(attribute)) node.setAttribute(attribute, unescaped(value));
    }
    if (root) open.at(-1).append(node);
    else root = node;
    if (!alone) open.push(node);
  }
  return open.length === 0 && root?.localName === "svg" ? root : null;
}
