// Converts an SVG image of the emulator to DOM nodes. The text is not passed to an HTML parser, so that pages with Trusted Types can show
// the image, and unknown elements and attributes are never added to the page.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const ELEMENTS = ["svg", "g", "rect", "text", "title", "line", "path"];
const ATTRIBUTES = ["width", "height", "viewBox", "role", "aria-label", "font-family", "font-size", "font-weight", "fill", "stroke", "stroke-width", "opacity", "text-anchor", "x", "y", "x1", "x2", "y1", "y2", "d", "rx"];
const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'" };
const unescapeXml = (text) => text.replace(/&(lt|gt|amp|quot|#39);/g, (name) => ENTITIES[name]);

/** Returns the DOM element of an SVG image, or `null` if the text is not an image of the emulator. */
export function svgNode(text) {
  const openElements = [];
  let root = null;
  for (const [, isClosing, name, attributeText, isSelfClosing, content] of text.matchAll(/<(\/?)([a-zA-Z]+)([^<>]*?)(\/?)>|([^<]+)/g)) {
    if (content !== undefined) {
      if (content.trim() !== "") openElements.at(-1)?.append(unescapeXml(content));
      continue;
    }
    if (isClosing) {
      openElements.pop();
      continue;
    }
    if (!ELEMENTS.includes(name) || (root && openElements.length === 0)) return null;
    const node = document.createElementNS(SVG_NAMESPACE, name);
    for (const [, attribute, value] of attributeText.matchAll(/([\w-]+)="([^"]*)"/g)) {
      if (ATTRIBUTES.includes(attribute)) node.setAttribute(attribute, unescapeXml(value));
    }
    if (root) openElements.at(-1).append(node);
    else root = node;
    if (!isSelfClosing) openElements.push(node);
  }
  return openElements.length === 0 && root?.localName === "svg" ? root : null;
}
