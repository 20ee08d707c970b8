// Small parts that every view here is made of.

/** An element with its properties, attributes (those with a dash, `role` and `class`), and what is inside. */
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

/** Paragraphs as the core has read them. `line(number)` and `fact(fact)` make the nodes that lead somewhere. */
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

/** Words with `code` in them. */
export function words(text) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? make("code", {}, part) : part)).filter((part) => part !== "");
}

/** A drawing of the core in a box of its own; `label` says what it shows, and nothing is said of one that is decoration. */
export function drawn(label) {
  const box = make("div", { class: "learn-picture" });
  if (label) { box.setAttribute("role", "img"); box.setAttribute("aria-label", label); }
  else box.setAttribute("aria-hidden", "true");
  return box;
}

/** Puts a promised drawing into its box. The core makes it of rectangles with classes alone. */
export function fill(box, promise) {
  promise.then((svg) => { box.innerHTML = svg; }, () => { box.classList.add("none"); });
}
