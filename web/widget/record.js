// The recorder for documentation tools, which the package exports as `warpgrid/record`: records the run of a source or a scenario, and
// creates the HTML that embeds the recording.
import init, { initSync, Session, WarpgridError, check, fragment, picture, tokens } from "warpgrid";
import { attributeErrors } from "./attributes.js";
import { dedent } from "./highlight.js";
import { checkOptions, chooseMemories, unknownMemories, layoutGrids, fragmentTable, captureState } from "./snapshot-state.js";
import { encode } from "./recording.js";
import { elementHtml, escape, layoutHtml } from "./snapshot.js";

export { VERSION, isRecording, lastPosition, stateAt as pictureAt } from "./recording.js";
export { elementHtml, layoutHtml, snapshotHtml } from "./snapshot.js";
export { dedent };

/** Default number of recorded steps. */
const DEFAULT_STEPS = 250;

/** Records a run from its start. If the source is rejected or cannot be launched, the recording contains its tokens and diagnostics. */
export async function record(scenario, options) {
  await init();
  if (typeof scenario !== "string" && typeof scenario?.source !== "string") throw new WarpgridError("cannot read the scenario: expected a source or an object with the field `source`", "W0901");
  return recordSync(scenario, options);
}

function recordSync(scenario, { steps = DEFAULT_STEPS, memory, columns, type, rows, reportUnknownMemories = () => {} } = {}) {
  const scenarioObject = typeof scenario === "string" ? { source: scenario } : scenario;
  const checkOptionValues = checkOptions(scenarioObject);
  const report = check(scenarioObject.source, checkOptionValues);
  const run = { scenario: scenarioObject, report, tokens: tokens(scenarioObject.source, checkOptionValues), states: [] };
  if (!report.accept) return encode(run);
  let session;
  try {
    session = new Session(scenarioObject);
  } catch (error) {
    const diagnostics = error.diagnostics ?? [];
    return encode({ ...run, report: { accept: false, diagnostics: diagnostics.length > 0 ? diagnostics : [withoutLocation(error)] } });
  }
  try {
    reportUnknownMemories(unknownMemories(session, memory));
    const grids = layoutGrids(session, chooseMemories(session, memory), { columns, type, rows });
    session.seek(0);
    const currentState = () => captureState(session, grids, (request) => fragmentTable(fragment(request)));
    run.states.push(currentState());
    while (run.states.length <= steps && session.step()) run.states.push(currentState());
    return encode(run);
  } finally {
    session.free();
  }
}

/** Converts the error of a rejected launch to a diagnostic without a location. */
const withoutLocation = ({ code, message }) =>
  ({ code, severity: "error", message, help: null, line: 1, column: 1, end_line: 1, end_column: 1 });

/** Attributes of `<warpgrid-layout>`. */
const LAYOUT_ATTRIBUTES = ["label", "playground", "theme"];

/** Renders a layout diagram and returns it with its problems: `{ html, problems }`. `query` is the link of the diagram, or its parameters
 *  with one per line. */
export async function layout(query, attributes = {}) {
  await init();
  return layoutSync(query, attributes);
}

function layoutSync(query, { lens, ...attributes }) {
  const unknown = Object.keys(attributes).filter((name) => !LAYOUT_ATTRIBUTES.includes(name));
  const problems = unknown.map((name) => ({ line: 0, code: "W0906", severity: "warning", message: `unknown attribute \`${name}\`` }));
  const queryText = dedent(query).trim();
  try {
    const [svg, link] = ["svg", "link"].map((form) => picture(queryText, form));
    return { html: layoutHtml({ svg, link, text: picture(queryText, "text") }, attributes), problems };
  } catch (error) {
    const problem = { line: 1, code: error.code ?? "E0000", severity: "error", message: error.message };
    return { html: layoutHtml({ query: queryText, problem: error.message }, attributes), problems: [...problems, problem] };
  }
}

/** Attributes of the element that also affect the run. */
const RUN_ATTRIBUTES = ["target", "version", "front"];

/** Returns the element for a source, with its recording and snapshot. `attributes` are the attributes of the element. */
export const embed = async (...all) => (await embedding(...all)).html;

/** Returns the element for a source, and its problems: `{ html, problems }`. */
export async function embedding(...all) {
  await init();
  return embeddingNow(...all);
}

/** Synchronous variant of `embedding` for tools without promises. Node reads the WebAssembly file synchronously. */
export function embeddingNow(text, attributes = {}, options = {}) {
  initSync();
  if (typeof text !== "string") throw new WarpgridError("cannot read the source: expected a string", "W0901");
  if (attributes.lens) return layoutSync(text, attributes);
  const [target, version, front] = RUN_ATTRIBUTES.map((name) => attributes[name] ?? undefined);
  const scenario = { source: dedent(text), ...(target && { target }), ...(version && { ptx_version: version }), ...(front && { front }) };
  const { memory, columns, type, rows } = attributes;
  const number = (value) => (value === undefined ? undefined : Number(value));
  const attributeProblems = [];
  let recording;
  try {
    const reportUnknownMemories = (messages) =>
      attributeProblems.push(...messages.map((message) => ({ line: 0, code: "W0906", severity: "warning", message })));
    recording = recordSync(scenario, { memory, type, columns: number(columns), rows: number(rows), reportUnknownMemories, ...options });
  } catch (error) {
    // An invalid attribute is reported as a problem of this code block, so that the other code blocks are still built.
    attributeProblems.push({ line: 0, code: error.code ?? "E0000", severity: "error", message: error.message });
    try {
      recording = recordSync({ source: scenario.source }, options);
    } catch {
      return { html: `<pre><code>${escape(scenario.source)}</code></pre>`, problems: attributeProblems };
    }
  }
  const errors = recording.diagnostics.filter(({ severity }) => severity === "error");
  // Convert line numbers to line numbers of the text that the caller passed.
  const leadingEmptyLines = text.replaceAll("\r\n", "\n").split("\n").findIndex((line) => line.trim() !== "");
  const problems = [
    ...attributeProblems,
    ...attributeErrors(attributes, true).map((message) => ({ line: 0, code: "W0906", severity: "warning", message })),
    ...errors.map(({ line, code, severity, message }) => ({ line: line + Math.max(leadingEmptyLines, 0), code, severity, message })),
  ];
  return { html: elementHtml(recording, attributes), problems };
}
