// The recording format: encodes the view states and tokens of a run as a compact value that is embedded in a page, and decodes it. The
// format has a version; readers reject unknown versions. `record.d.ts` documents it.

export const VERSION = 1;

/** Encodes a run. `pictures` are the view states of the positions 0, 1, 2, … */
export function encode({ scenario, report, tokens, pictures }) {
  const [start] = pictures;
  const last = pictures.at(-1);
  const fragments = fragmentsOf(pictures);
  return {
    warpgrid: VERSION,
    scenario,
    ...encodeTokens(tokens),
    accept: report.accept,
    diagnostics: report.diagnostics.map(shortDiagnostic),
    grids: start ? start.grids.map(encodeStart) : [],
    fragments,
    steps: pictures.slice(1).map((picture, index) => encodeStep(picture, pictures[index], fragments)),
    next: start?.next ?? null,
    sentence: start?.sentence ?? "",
    length: last?.length ?? null,
    status: last?.status ?? "running",
    fault: last?.fault ?? null,
  };
}

const shortDiagnostic = ({ code, severity, message, help, line, column, end_line, end_column }) =>
  ({ code, severity, message, help, line, column, end_line, end_column });

/** Checks whether a recording contains a run. A kernel without memory has one, a rejected source does not. */
export const hasRun = ({ accept, grids, steps, sentence }) => grids.length > 0 || (accept && (steps.length > 0 || sentence !== ""));

/** Encodes tokens as distance, length and class, and returns the names of the classes. */
function encodeTokens(tokens) {
  const classes = [...new Set(tokens.map((token) => token.class))];
  let at = 0;
  const flat = tokens.flatMap(({ start, end, class: name }) => {
    const token = [start - at, end - start, classes.indexOf(name)];
    at = end;
    return token;
  });
  return { classes, tokens: flat };
}

/** Returns the tokens of a recording in the format of the emulator. */
export function tokensOf({ classes, tokens }) {
  const found = [];
  let at = 0;
  for (let i = 0; i + 2 < tokens.length; i += 3) {
    const start = at + tokens[i];
    at = start + tokens[i + 1];
    found.push({ start, end: at, class: classes[tokens[i + 2]] });
  }
  return found;
}

function fragmentsOf(pictures) {
  const texts = new Set(pictures.filter(({ fragment }) => fragment).map(({ fragment }) => JSON.stringify(fragment)));
  return [...texts].map((text) => JSON.parse(text));
}

const encodeStart = ({ cells, ...grid }) => ({ ...grid, cells: runs(cells.map(({ text }) => text)) });

/** Run-length encodes `["0", "0", "1"]` as `["0", 2, "1", 1]`. */
function runs(texts) {
  const found = [];
  for (const text of texts) {
    if (found.at(-2) === text) found[found.length - 1] += 1;
    else found.push(text, 1);
  }
  return found;
}
/** Decodes at most `most` texts, regardless of the counts. */
function unfold(runs, most) {
  const texts = [];
  for (let i = 0; i < runs.length; i += 2) for (let n = 0; n < runs[i + 1] && texts.length < most; n += 1) texts.push(`${runs[i]}`);
  return texts;
}

/** Encodes the first number and the differences to the previous numbers, so that stores of neighboring lanes become sequences of ones. */
const distances = (numbers) => numbers.map((number, index) => number - (index ? numbers[index - 1] : 0));
function undistances(distances) {
  let at = 0;
  return distances.map((distance) => (at += distance));
}

/** Encodes a step as `[done, next, sentence, changes, fragment?]`; a change is `[grid, cells, lanes, texts, conflicts?, quiet?]`. */
function encodeStep(picture, before, fragments) {
  const changes = picture.grids.flatMap((grid, index) => {
    const written = grid.cells.map((cell, at) => ({ cell, at })).filter(({ cell, at }) => {
      const was = before.grids[index].cells[at];
      return cell.now || cell.text !== was.text || cell.lane !== was.lane;
    });
    if (written.length === 0) return [];
    const conflicts = written.filter(({ cell }) => cell.conflict).map(({ at }) => at);
    const change = [
      index,
      distances(written.map(({ at }) => at)),
      distances(written.map(({ cell }) => cell.lane ?? -1)),
      runs(written.map(({ cell }) => cell.text)),
    ];
    // Memory that changes without a store of the step: a copy completes, or a barrier counts an arrival.
    const quiet = written.filter(({ cell }) => !cell.now).map(({ at }) => at);
    const lists = quiet.length > 0 ? [conflicts, quiet] : conflicts.length > 0 ? [conflicts] : [];
    return [[...change, ...lists.map(distances)]];
  });
  const step = [picture.done, picture.next, picture.sentence, changes];
  if (!picture.fragment) return step;
  const text = JSON.stringify(picture.fragment);
  return [...step, fragments.findIndex((fragment) => JSON.stringify(fragment) === text)];
}

/** Limits of accepted recordings. Larger ones would block the page, and the recorder does not create them. */
const MOST_GRIDS = 16;
const MOST_CELLS = 16_384;
const MOST_COLUMNS = 1_024;

/** Checks whether a value is a recording of this version. The value is untrusted, so it is validated completely, and rendering it is
 *  cheap. */
export function isRecording(value) {
  return value !== null && typeof value === "object" && value.warpgrid === VERSION && typeof value.scenario?.source === "string"
    && Array.isArray(value.grids) && value.grids.length <= MOST_GRIDS && value.grids.every(isGrid)
    && Array.isArray(value.steps) && value.steps.every(isStep)
    && [value.classes, value.tokens, value.diagnostics].every(Array.isArray) && value.tokens.every(Number.isInteger)
    && Array.isArray(value.fragments) && value.fragments.every(isFragment);
}

const isGrid = (grid) => Number.isInteger(grid?.columns) && grid.columns >= 1 && grid.columns <= MOST_COLUMNS && Array.isArray(grid.cells);
const isStep = (step) => Array.isArray(step) && Array.isArray(step[3]) && step[3].every(isChange);
const isChange = ([index, ...lists]) => Number.isInteger(index) && lists.length >= 3 && lists.every(Array.isArray);
const isFragment = (fragment) => Array.isArray(fragment?.registers) && fragment.registers.every(Array.isArray)
  && Array.isArray(fragment.lanes) && fragment.lanes.length >= fragment.registers.length && fragment.lanes.every(Array.isArray);

/** Returns the last recorded position. The first one is 0. */
export const lastPosition = (recording) => recording.steps.length;

/** Returns the position after the first recorded store. Without a store, returns the end of a complete run, or else the start. */
export function firstStore(recording) {
  const stores = ([, cells, , , , quiet = []]) => cells.length > quiet.length;
  const index = recording.steps.findIndex(([, , , changes]) => changes.some(stores));
  if (index >= 0) return index + 1;
  return recording.status === "running" ? 0 : lastPosition(recording);
}

/** Returns the view state at a position of a recording. */
export function pictureAt(recording, position) {
  const last = Math.max(0, Math.min(position, lastPosition(recording)));
  const grids = recording.grids.map(({ cells, ...grid }) => {
    const fresh = (text) => ({ text, lane: null, now: false, conflict: false });
    return { ...grid, cells: unfold(cells, MOST_CELLS).map(fresh) };
  });
  for (let index = 0; index < last; index += 1) {
    for (const change of recording.steps[index][3]) apply(grids, change, index === last - 1);
  }
  const step = last > 0 ? recording.steps[last - 1] : [null, recording.next, recording.sentence, []];
  const isEnd = last === lastPosition(recording);
  return {
    position: last,
    length: recording.length,
    status: isEnd ? recording.status : "running",
    sentence: step[2],
    done: step[0],
    next: step[1],
    fault: isEnd ? recording.fault : null,
    fragment: step[4] === undefined ? null : recording.fragments[step[4]],
    grids,
  };
}

function apply(grids, [index, cells, lanes, texts, conflicts = [], quiet = []], isLast) {
  const [values, of, lost, still] = [unfold(texts, cells.length), undistances(lanes), new Set(undistances(conflicts)), new Set(undistances(quiet))];
  undistances(cells).forEach((at, i) => {
    const lane = of[i] < 0 ? null : of[i];
    const now = isLast && !still.has(at);
    if (grids[index]?.cells[at]) grids[index].cells[at] = { text: values[i], lane, now, conflict: isLast && lost.has(at) };
  });
}
