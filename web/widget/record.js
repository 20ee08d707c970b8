// The recorder of documentation tools, the package's `warpgrid/record`: a text or a scenario goes in, a recording of its run comes out,
// or the HTML that embeds it.
import init, { initSync, Session, check, fragment, picture, tokens } from "warpgrid";
import { mistakes } from "./attributes.js";
import { dedent } from "./highlight.js";
import { checkOptions, chooseMemories, layOut, tableOfFragment, takePicture } from "./picture.js";
import { encode } from "./recording.js";
import { elementHtml, escape, layoutHtml } from "./snapshot.js";

export { VERSION, isRecording, lastPosition, pictureAt } from "./recording.js";
export { elementHtml, layoutHtml, snapshotHtml } from "./snapshot.js";
export { dedent };

/** Steps that are recorded, when the caller names no number. */
const DEFAULT_STEPS = 250;

/**
 * Records a run from its start. A text that the checker rejects, or that cannot be launched, has a recording, too: of its colours
 * and its diagnostics.
 */
export async function record(scenario, options) {
  await init();
  return recordNow(scenario, options);
}

function recordNow(scenario, { steps = DEFAULT_STEPS, memory, columns, type, rows } = {}) {
  const given = typeof scenario === "string" ? { source: scenario } : scenario;
  const checking = checkOptions(given);
  const report = check(given.source, checking);
  const run = { scenario: given, report, tokens: tokens(given.source, checking), pictures: [] };
  if (!report.accept) return encode(run);
  let session;
  try {
    session = new Session(given);
  } catch (error) {
    const found = error.diagnostics ?? [];
    return encode({ ...run, report: { accept: false, diagnostics: found.length > 0 ? found : [whole(error)] } });
  }
  try {
    const grids = layOut(session, chooseMemories(session, memory), { columns, type, rows });
    session.seek(0);
    const picture = () => takePicture(session, grids, (request) => tableOfFragment(fragment(request)));
    run.pictures.push(picture());
    while (run.pictures.length <= steps && session.step()) run.pictures.push(picture());
    return encode(run);
  } finally {
    session.free();
  }
}

/** A launch that is refused without a place in the text. */
const whole = ({ code, message }) =>
  ({ code, severity: "error", message, help: null, line: 1, column: 1, end_line: 1, end_column: 1 });

/** Facts of `<warpgrid-layout>`. */
const LAYOUT_FACTS = ["label", "playground", "theme"];

/** A picture of the lens with what is wrong: `{ html, problems }`. `query` is its address, or its words one a line. */
export async function layout(query, attributes = {}) {
  await init();
  return layoutNow(query, attributes);
}

function layoutNow(query, { lens, ...attributes }) {
  const unknown = Object.keys(attributes).filter((name) => !LAYOUT_FACTS.includes(name));
  const problems = unknown.map((name) => ({ line: 0, code: "W0906", severity: "warning", message: `unknown attribute \`${name}\`` }));
  const words = dedent(query).trim();
  try {
    const [svg, link] = ["svg", "link"].map((form) => picture(words, form));
    return { html: layoutHtml({ svg, link, text: picture(words, "text") }, attributes), problems };
  } catch (error) {
    const problem = { line: 1, code: error.code ?? "E0000", severity: "error", message: error.message };
    return { html: layoutHtml({ query: words, problem: error.message }, attributes), problems: [...problems, problem] };
  }
}

/** The facts of an element that are facts of its run, too. */
const RUN_FACTS = ["target", "version", "front"];

/** The element for a text, with recording and snapshot. `attributes` are those of the element. */
export const embed = async (...all) => (await embedding(...all)).html;

/** The same with what is wrong: `{ html, problems }`. */
export async function embedding(...all) {
  await init();
  return embeddingNow(...all);
}

/** The same at once, for tools that wait for nothing: Node reads the wasm. */
export function embeddingNow(text, attributes = {}, options = {}) {
  initSync();
  if (attributes.lens) return layoutNow(text, attributes);
  const [target, version, front] = RUN_FACTS.map((name) => attributes[name] ?? undefined);
  const scenario = { source: dedent(text), ...(target && { target }), ...(version && { ptx_version: version }), ...(front && { front }) };
  const { memory, columns, type, rows } = attributes;
  const number = (value) => (value === undefined ? undefined : Number(value));
  const refused = [];
  let recording;
  try {
    recording = recordNow(scenario, { memory, type, columns: number(columns), rows: number(rows), ...options });
  } catch (error) {
    // A wrong attribute is a problem of this block, and the others are built.
    refused.push({ line: 0, code: error.code ?? "E0000", severity: "error", message: error.message });
    try {
      recording = recordNow({ source: scenario.source }, options);
    } catch {
      return { html: `<pre><code>${escape(scenario.source)}</code></pre>`, problems: refused };
    }
  }
  const found = recording.diagnostics.filter(({ severity }) => severity === "error");
  // Lines of the text as it was given.
  const before = text.replaceAll("\r\n", "\n").split("\n").findIndex((line) => line.trim() !== "");
  const problems = [
    ...refused,
    ...mistakes(attributes, true).map((message) => ({ line: 0, code: "W0906", severity: "warning", message })),
    ...found.map(({ line, code, severity, message }) => ({ line: line + Math.max(before, 0), code, severity, message })),
  ];
  return { html: elementHtml(recording, attributes), problems };
}
