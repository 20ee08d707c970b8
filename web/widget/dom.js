// DOM nodes of a widget, which are created from frames. Text is inserted only as text nodes, never as HTML.
import { MAX_HIGHLIGHT_LENGTH, highlightLines, hiddenLines } from "./highlight.js";
import { splitInlineCode } from "./position.js";

/** Creates an element with properties and children. Strings become text nodes. */
export function createElement(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Renders a message in which backticks enclose code. */
export function inlineCodeNodes(text) {
  return splitInlineCode(text).map(([segment, isCode]) => (isCode ? createElement("code", { dir: "ltr" }, segment) : segment));
}

/** Renders the lines of a source with highlighting. `hidesBoilerplate` omits boilerplate lines. */
export function codeNodes(text, tokens, { done, errorLines, hidesBoilerplate }) {
  if (text.length > MAX_HIGHLIGHT_LENGTH) return [text];
  const isHidden = hidesBoilerplate ? hiddenLines(text) : [];
  return highlightLines(text, tokens).flatMap((line, index) => {
    if (isHidden[index]) return [];
    const classes = ["line", done === index + 1 && "done", errorLines.has(index + 1) && "error-line"].filter(Boolean);
    const segments = line.map(([part, name]) => (name ? createElement("span", { class: `tok-${name}` }, part) : part));
    return [createElement("span", { class: classes.join(" ") }, ...segments)];
  });
}

/** Renders a grid as a table. `cellOf(cell, index)` may return attributes and children of a cell. */
export function gridNode({ title, type, columns, totalRows, cells }, cellOf = plainCell) {
  const rows = [];
  for (let start = 0; start < cells.length; start += columns) {
    const row = cells.slice(start, start + columns).map((cell, index) => {
      const [properties, ...children] = cellOf(cell, start + index);
      return createElement("td", properties, ...children);
    });
    rows.push(createElement("tr", {}, createElement("th", { scope: "row" }, `${start / columns}`), ...row));
  }
  const columnHeaders = Array.from({ length: columns }, (_, index) => createElement("th", { scope: "col" }, `${index}`));
  const rowRange = totalRows > rows.length ? `, rows 0 to ${rows.length - 1} of ${totalRows}` : "";
  return createElement("table", { dir: "ltr" },
    createElement("caption", {}, title, " ", createElement("small", {}, `${type}${rowRange}`)),
    createElement("thead", {}, createElement("tr", {}, createElement("td", { class: "visually-hidden" }), ...columnHeaders)),
    createElement("tbody", {}, ...rows));
}

function plainCell({ text, lane, now, conflict }) {
  const classes = [lane !== null && `lane-${lane}`, now && "current", conflict && "conflict"].filter(Boolean).join(" ");
  const title = lane === null ? null : `written by lane ${lane}${now ? " in this step" : ""}${conflict ? ", which overwrote the value of another lane" : ""}`;
  const writer = lane === null ? [] : [createElement("small", {}, createElement("span", { class: "visually-hidden" }, "lane "), `${lane}`)];
  return [{ class: classes || null, title }, text, ...writer];
}

/** Renders a matrix fragment, with the lane and the register that hold each element. */
export function fragmentNode({ title, formula, registers, lanes }) {
  const cells = registers.flatMap((row, index) => row.map((register, column) => ({ register, lane: lanes[index][column] })));
  const columns = registers[0]?.length ?? 1;
  const node = gridNode({ title, type: "lane and register", columns, totalRows: registers.length, cells },
    ({ register, lane }) => [{ class: lane === null ? null : `lane-${lane}` }, lane === null ? "" : `${lane}:${register}`]);
  return createElement("div", {}, node, createElement("p", {}, createElement("code", { dir: "ltr" }, formula)));
}

/** Renders the diagnostics as a list. */
export function problemNodes(diagnostics) {
  return diagnostics.map(({ code, message, help, line }) =>
    createElement("li", {}, `line ${line}: `, ...inlineCodeNodes(`${message}${help ? ` (${help})` : ""} `), createElement("code", {}, code)));
}
