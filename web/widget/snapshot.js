// A recording as HTML that needs no script: coloured text and the grids of one position, for search engines, readers without
// script, and print. Everything is escaped; nothing is styled inline, so that a strict policy allows it.
import { colouredLines, hiddenLines } from "./highlight.js";
import { positionOf, stepOf, stretchesOf } from "./position.js";
import { firstStore, lastPosition, pictureAt, tokensOf } from "./recording.js";

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escape = (text) => `${text}`.replace(/[&<>"']/g, (character) => ENTITIES[character]);

/** JSON that may be the text of a `<script>`: it holds no `<`. */
const json = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

/**
 * The element with its recording and its snapshot, as HTML for a page. `attributes` are those of the element; `true` is one
 * without a value.
 */
export function elementHtml(recording, attributes = {}) {
  const words = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null && value !== false);
  const written = words.map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escape(value)}"`)).join("");
  return `<warpgrid-playground${written}>${snapshotHtml(recording, attributes)}`
    + `<script type="application/json">${json(recording)}</script></warpgrid-playground>`;
}

/**
 * The element of a picture of the lens, drawn: `svg`, its `link`, and its `text` for those who do not see it; or its `query` with the
 * `problem` why there is none.
 */
export function layoutHtml({ svg, link, text, query, problem }, attributes = {}) {
  const facts = { ...attributes, query: link ?? query };
  const words = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null && value !== false);
  const written = words.map(([name, value]) => ` ${name}="${escape(value)}"`).join("");
  const caption = attributes.label ? `<figcaption>${escape(attributes.label)}</figcaption>` : "";
  const inside = svg
    ? `${svg.trim()}<details><summary>Text version</summary><pre>${escape(text)}</pre></details>${caption}`
    : `<p>${sentenceHtml(problem)}</p>`;
  const lead = link ? ` data-link="${escape(link)}"` : "";
  return `<warpgrid-layout${written}${lead}><figure class="warpgrid-picture" data-recorded>${inside}</figure></warpgrid-layout>`;
}

/** What a reader without script sees. */
export function snapshotHtml(recording, attributes = {}) {
  const { view } = attributes;
  const picture = pictureAt(recording, positionOf(stepOf(attributes), lastPosition(recording), firstStore(recording)));
  const grids = view === "editor" ? "" : picture.grids.map(gridHtml).join("");
  const sentence = picture.sentence && view !== "editor" ? `<p>${sentenceHtml(picture.sentence)}</p>` : "";
  return `<div class="warpgrid-snapshot">${codeHtml(recording)}${sentence}${grids}</div>`;
}

const sentenceHtml = (sentence) =>
  stretchesOf(sentence).map(([words, isCode]) => (isCode ? `<code>${escape(words)}</code>` : escape(words))).join("");

function codeHtml(recording) {
  const text = recording.scenario.source;
  const hidden = hiddenLines(text);
  const lines = colouredLines(text, tokensOf(recording)).map((line, index) => {
    const stretches = line.map(([part, name]) => (name ? `<span class="tok-${name}">${escape(part)}</span>` : escape(part)));
    return hidden[index] ? null : stretches.join("");
  });
  return `<pre dir="ltr"><code class="language-ptx">${lines.filter((line) => line !== null).join("\n")}</code></pre>`;
}

function gridHtml({ title, type, columns, cells }) {
  const rows = [];
  for (let at = 0; at < cells.length; at += columns) {
    const row = cells.slice(at, at + columns).map(({ text, lane }) =>
      (lane === null ? `<td>${escape(text)}</td>` : `<td class="lane-${lane}" title="lane ${lane}">${escape(text)}</td>`));
    rows.push(`<tr><th scope="row">${at / columns}</th>${row.join("")}</tr>`);
  }
  return `<table dir="ltr"><caption>${escape(title)}: ${escape(type)}</caption><tbody>${rows.join("")}</tbody></table>`;
}
