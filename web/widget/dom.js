// The DOM of a widget: creates nodes from frames. Text is inserted only as text nodes, never as HTML.
import { MOST_COLOURED, colouredLines, hiddenLines } from "./highlight.js";
import { stretchesOf } from "./position.js";

/** Creates an element with properties and children. Strings become text nodes. */
export function make(tag, facts = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(facts)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Renders a message, in which backticks enclose code. */
export function wordNodes(text) {
  return stretchesOf(text).map(([words, isCode]) => (isCode ? make("code", { dir: "ltr" }, words) : words));
}

/** Renders the highlighted lines. `hides` omits boilerplate. */
export function codeNodes(text, tokens, { done, wrong, hides }) {
  if (text.length > MOST_COLOURED) return [text];
  const hidden = hides ? hiddenLines(text) : [];
  return colouredLines(text, tokens).flatMap((line, index) => {
    if (hidden[index]) return [];
    const marks = ["line", done === index + 1 && "done", wrong.has(index + 1) && "wrong"].filter(Boolean);
    const stretches = line.map(([part, name]) => (name ? make("span", { class: `tok-${name}` }, part) : part));
    return [make("span", { class: marks.join(" ") }, ...stretches)];
  });
}

/** Renders a grid as a table. `cellOf(cell, index)` can return attributes and children. */
export function gridNode({ title, type, columns, totalRows, cells }, cellOf = plainCell) {
  const rows = [];
  for (let at = 0; at < cells.length; at += columns) {
    const row = cells.slice(at, at + columns).map((cell, index) => {
      const [facts, ...children] = cellOf(cell, at + index);
      return make("td", facts, ...children);
    });
    rows.push(make("tr", {}, make("th", { scope: "row" }, `${at / columns}`), ...row));
  }
  const heads = Array.from({ length: columns }, (_, index) => make("th", { scope: "col" }, `${index}`));
  const more = totalRows > rows.length ? `, rows 0 to ${rows.length - 1} of ${totalRows}` : "";
  return make("table", { dir: "ltr" },
    make("caption", {}, title, " ", make("small", {}, `${type}${more}`)),
    make("thead", {}, make("tr", {}, make("td", { class: "hush" }), ...heads)),
    make("tbody", {}, ...rows));
}

function plainCell({ text, lane, now, conflict }) {
  const marks = [lane !== null && `lane-${lane}`, now && "now", conflict && "conflict"].filter(Boolean).join(" ");
  const title = lane === null ? null : `written by lane ${lane}${now ? " in this step" : ""}${conflict ? ", which overwrote the value of another lane" : ""}`;
  const writer = lane === null ? [] : [make("small", {}, make("span", { class: "hush" }, "lane "), `${lane}`)];
  return [{ class: marks || null, title }, text, ...writer];
}

/** Renders a fragment: the lane and register that hold each element of the matrix. */
export function fragmentNode({ title, formula, registers, lanes }) {
  const cells = registers.flatMap((row, index) => row.map((register, column) => ({ register, lane: lanes[index][column] })));
  const columns = registers[0]?.length ?? 1;
  const node = gridNode({ title, type: "lane and register", columns, totalRows: registers.length, cells },
    ({ register, lane }) => [{ class: lane === null ? null : `lane-${lane}` }, lane === null ? "" : `${lane}:${register}`]);
  return make("div", {}, node, make("p", {}, make("code", { dir: "ltr" }, formula)));
}

/** Renders the diagnostics as a list. */
export function problemNodes(diagnostics) {
  return diagnostics.map(({ code, message, help, line }) =>
    make("li", {}, `line ${line}: `, ...wordNodes(`${message}${help ? ` (${help})` : ""} `), make("code", {}, code)));
}
