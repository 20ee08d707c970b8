// DOM helpers of the editor, the inspector and the learning pages.

/** Creates an element with properties, attributes (names that contain a dash, `role` and `class`), and children. */
export function createElement(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") element.className = value;
    else if (key === "role" || key.includes("-")) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.filter((part) => part !== null && part !== undefined));
  return element;
}

/** Renders paragraphs that the worker has parsed. `line(number)` and `fact(fact)` create the nodes of the links in a paragraph. */
export function renderParagraphs(paragraphs, { line: renderLink, fact: renderFact } = {}) {
  const renderPart = (part) => {
    const [[kind, value]] = Object.entries(part);
    if (kind === "text") return value;
    if (kind === "code") return createElement("code", {}, value);
    if (kind === "strong") return createElement("strong", {}, value);
    if (kind === "line") return renderLink ? renderLink(value) : `line ${value}`;
    return renderFact ? renderFact(value) : createElement("code", {}, value.text);
  };
  return paragraphs.map((parts) => createElement("p", {}, ...parts.map(renderPart)));
}

/** Renders text in which backticks enclose code. */
export function renderInlineCode(text) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? createElement("code", {}, part) : part)).filter((part) => part !== "");
}

/** Creates a container for a diagram. `label` is the accessible name of the container. A container without a label is hidden from screen
 *  readers, because it is decoration. */
export function diagramContainer(label) {
  const container = createElement("div", { class: "learn-diagram" });
  if (label) { container.setAttribute("role", "img"); container.setAttribute("aria-label", label); }
  else container.setAttribute("aria-hidden", "true");
  return container;
}

/** Inserts a diagram into its container once the promise resolves. The diagram consists only of rectangles with classes, which the worker
 *  creates. */
export function renderDiagram(container, promise) {
  promise.then((svg) => { container.innerHTML = svg; }, () => { container.classList.add("none"); });
}
