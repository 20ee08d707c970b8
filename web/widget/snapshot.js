// Conversion of a recording to static HTML, for search engines, readers without JavaScript, and print. The HTML contains the highlighted
// source and the grids of one position. All text is escaped, and there are no inline styles, so that a strict Content-Security-Policy
// allows the HTML.
import { highlightLines, hiddenLines } from "./highlight.js";
import { initialPosition, effectiveStep, splitInlineCode } from "./position.js";
import { firstStore, lastPosition, stateAt, decodeTokens } from "./recording.js";

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escape = (text) => `${text}`.replace(/[&<>"']/g, (character) => ENTITIES[character]);

/** Returns JSON without `<`, so that it can be the text of a `<script>`. */
const json = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

/** Returns the element with its recording and snapshot as HTML. `attributes` are the attributes of the element, in which `true` represents
 *  an attribute without a value. */
export function elementHtml(recording, attributes = {}) {
  const defined = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null && value !== false);
  const attributeText = defined.map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escape(value)}"`)).join("");
  return `<warpgrid-playground${attributeText}>${snapshotHtml(recording, attributes)}`
    + `<script type="application/json">${json(recording)}</script></warpgrid-playground>`;
}

/** Returns the element of a layout diagram, which contains the `svg` image, its `link`, and its `text` alternative. If rendering failed,
 *  the element contains the `query` and the `problem`. */
export function layoutHtml({ svg, link, text, query, problem }, attributes = {}) {
  const allAttributes = { ...attributes, query: link ?? query };
  const defined = Object.entries(allAttributes).filter(([, value]) => value !== undefined && value !== null && value !== false);
  const attributeText = defined.map(([name, value]) => ` ${name}="${escape(value)}"`).join("");
  const caption = attributes.label ? `<figcaption>${escape(attributes.label)}</figcaption>` : "";
  const content = svg
    ? `${svg.trim()}<details><summary>Text version</summary><pre>${escape(text)}</pre></details>${caption}`
    : `<p>${inlineCodeHtml(problem)}</p>`;
  const linkAttribute = link ? ` data-link="${escape(link)}"` : "";
  return `<warpgrid-layout${attributeText}${linkAttribute}><figure class="warpgrid-picture" data-recorded>${content}</figure></warpgrid-layout>`;
}

/** Returns the static snapshot of a recording as HTML. */
export function snapshotHtml(recording, attributes = {}) {
  const { view } = attributes;
  const state = stateAt(recording, initialPosition(effectiveStep(attributes), lastPosition(recording), firstStore(recording)));
  const grids = view === "editor" ? "" : state.grids.map(gridHtml).join("");
  const sentence = state.sentence && view !== "editor" ? `<p>${inlineCodeHtml(state.sentence)}</p>` : "";
  return `<div class="warpgrid-snapshot">${codeHtml(recording)}${sentence}${grids}</div>`;
}

const inlineCodeHtml = (sentence) =>
  splitInlineCode(sentence).map(([segment, isCode]) => (isCode ? `<code>${escape(segment)}</code>` : escape(segment))).join("");

function codeHtml(recording) {
  const text = recording.scenario.source;
  const isHidden = hiddenLines(text);
  const lines = highlightLines(text, decodeTokens(recording)).map((line, index) => {
    const segments = line.map(([part, name]) => (name ? `<span class="tok-${name}">${escape(part)}</span>` : escape(part)));
    return isHidden[index] ? null : segments.join("");
  });
  return `<pre dir="ltr"><code class="language-ptx">${lines.filter((line) => line !== null).join("\n")}</code></pre>`;
}

function gridHtml({ title, type, columns, cells }) {
  const rows = [];
  for (let start = 0; start < cells.length; start += columns) {
    const row = cells.slice(start, start + columns).map(({ text, lane }) =>
      (lane === null ? `<td>${escape(text)}</td>` : `<td class="lane-${lane}" title="lane ${lane}">${escape(text)}</td>`));
    rows.push(`<tr><th scope="row">${start / columns}</th>${row.join("")}</tr>`);
  }
  return `<table dir="ltr"><caption>${escape(title)}: ${escape(type)}</caption><tbody>${rows.join("")}</tbody></table>`;
}
