// The recorder for documentation tools, `warpgrid/record` of the package: records the run of a source or a scenario, and creates the HTML
// that embeds the recording.
import init, { initSync, Session, check, fragment, picture, tokens } from "warpgrid";
import { mistakes } from "./attributes.js";
import { dedent } from "./highlight.js";
import { checkOptions, chooseMemories, layOut, tableOfFragment, takePicture } from "./snapshot-state.js";
import { encode } from "./recording.js";
import { elementHtml, escape, layoutHtml } from "./snapshot.js";

export { VERSION, isRecording, lastPosition, pictureAt } from "./recording.js";
export { elementHtml, layoutHtml, snapshotHtml } from "./snapshot.js";
export { dedent };

/** Default number of recorded steps. */
const DEFAULT_STEPS = 250;

/** Records a run from its start. The recording of a source that is rejected or cannot be launched contains its tokens and diagnostics. */
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

/** Converts the error of a rejected launch to a diagnostic without a location. */
const whole = ({ code, message }) =>
  ({ code, severity: "error", message, help: null, line: 1, column: 1, end_line: 1, end_column: 1 });

/** Attributes of `<warpgrid-layout>`. */
const LAYOUT_FACTS = ["label", "playground", "theme"];

/** Renders a layout diagram and returns its problems: `{ html, problems }`. `query` is its link, or its parameters, one per line. */
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

/** Attributes of the element that also affect its run. */
const RUN_FACTS = ["target", "version", "front"];

/** Returns the element for a source, with recording and snapshot. `attributes` are those of the element. */
export const embed = async (...all) => (await embedding(...all)).html;

/** Returns the element and its problems: `{ html, problems }`. */
export async function embedding(...all) {
  await init();
  return embeddingNow(...all);
}

/** Synchronous variant for tools without promises. Node reads the wasm file synchronously. */
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
    // An invalid attribute is reported as a problem of this block, and the other blocks are still built.
    refused.push({ line: 0, code: error.code ?? "E0000", severity: "error", message: error.message });
    try {
      recording = recordNow({ source: scenario.source }, options);
    } catch {
      return { html: `<pre><code>${escape(scenario.source)}</code></pre>`, problems: refused };
    }
  }
  const found = recording.diagnostics.filter(({ severity }) => severity === "error");
  // Converts to line numbers of the text as it was passed.
  const before = text.replaceAll("\r\n", "\n").split("\n").findIndex((line) => line.trim() !== "");
  const problems = [
    ...refused,
    ...mistakes(attributes, true).map((message) => ({ line: 0, code: "W0906", severity: "warning", message })),
    ...found.map(({ line, code, severity, message }) => ({ line: line + Math.max(before, 0), code, severity, message })),
  ];
  return { html: elementHtml(recording, attributes), problems };
}
