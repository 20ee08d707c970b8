// DOM helpers for the learning pages.

/** Creates an element with properties, attributes (names with a dash, `role` and `class`), and children. */
export function make(name, facts = {}, ...inside) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(facts)) {
    if (key === "class") element.className = value;
    else if (key === "role" || key.includes("-")) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...inside.filter((part) => part !== null && part !== undefined));
  return element;
}

/** Renders paragraphs that the worker has parsed. `line(number)` and `fact(fact)` create the nodes of links. */
export function prose(paragraphs, { line, fact } = {}) {
  const piece = (part) => {
    const [[kind, value]] = Object.entries(part);
    if (kind === "text") return value;
    if (kind === "code") return make("code", {}, value);
    if (kind === "strong") return make("strong", {}, value);
    if (kind === "line") return line ? line(value) : `line ${value}`;
    return fact ? fact(value) : make("code", {}, value.text);
  };
  return paragraphs.map((pieces) => make("p", {}, ...pieces.map(piece)));
}

/** Renders text with `code` in backticks. */
export function words(text) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? make("code", {}, part) : part)).filter((part) => part !== "");
}

/** Creates a container for a diagram. `label` is its accessible name; a container without one is hidden from screen readers as
 *  decoration. */
export function drawn(label) {
  const box = make("div", { class: "learn-picture" });
  if (label) { box.setAttribute("role", "img"); box.setAttribute("aria-label", label); }
  else box.setAttribute("aria-hidden", "true");
  return box;
}

/** Inserts a diagram into its container once the promise resolves. The worker creates it from rectangles with classes only. */
export function fill(box, promise) {
  promise.then((svg) => { box.innerHTML = svg; }, () => { box.classList.add("none"); });
}
