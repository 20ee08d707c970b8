// The recording format: encodes the view states and tokens of a run as a compact value that is embedded in a page, and decodes it. The
// format has a version; readers reject unknown versions. `record.d.ts` documents it.

export const VERSION = 1;

/** Encodes a run. `states` are the view states of the positions 0, 1, 2, … */
export function encode({ scenario, report, tokens, states }) {
  const [initial] = states;
  const final = states.at(-1);
  const fragments = uniqueFragments(states);
  return {
    warpgrid: VERSION,
    scenario,
    ...encodeTokens(tokens),
    accept: report.accept,
    diagnostics: report.diagnostics.map(shortDiagnostic),
    grids: initial ? initial.grids.map(encodeInitialGrid) : [],
    fragments,
    steps: states.slice(1).map((state, index) => encodeStep(state, states[index], fragments)),
    next: initial?.next ?? null,
    sentence: initial?.sentence ?? "",
    length: final?.length ?? null,
    status: final?.status ?? "running",
    fault: final?.fault ?? null,
  };
}

const shortDiagnostic = ({ code, severity, message, help, line, column, end_line, end_column }) =>
  ({ code, severity, message, help, line, column, end_line, end_column });

/** Checks whether a recording contains a run. A kernel without memory has one, a rejected source does not. */
export const hasRun = ({ accept, grids, steps, sentence }) => grids.length > 0 || (accept && (steps.length > 0 || sentence !== ""));

/** Encodes tokens as distance, length and class, and returns the names of the classes. */
function encodeTokens(tokens) {
  const classes = [...new Set(tokens.map((token) => token.class))];
  let offset = 0;
  const flat = tokens.flatMap(({ start, end, class: name }) => {
    const token = [start - offset, end - start, classes.indexOf(name)];
    offset = end;
    return token;
  });
  return { classes, tokens: flat };
}

/** Returns the tokens of a recording in the format of the emulator. */
export function decodeTokens({ classes, tokens }) {
  const decoded = [];
  let offset = 0;
  for (let i = 0; i + 2 < tokens.length; i += 3) {
    const start = offset + tokens[i];
    offset = start + tokens[i + 1];
    decoded.push({ start, end: offset, class: classes[tokens[i + 2]] });
  }
  return decoded;
}

function uniqueFragments(states) {
  const texts = new Set(states.filter(({ fragment }) => fragment).map(({ fragment }) => JSON.stringify(fragment)));
  return [...texts].map((text) => JSON.parse(text));
}

const encodeInitialGrid = ({ cells, ...grid }) => ({ ...grid, cells: runLengthEncode(cells.map(({ text }) => text)) });

/** Run-length encodes `["0", "0", "1"]` as `["0", 2, "1", 1]`. */
function runLengthEncode(texts) {
  const encoded = [];
  for (const text of texts) {
    if (encoded.at(-2) === text) encoded[encoded.length - 1] += 1;
    else encoded.push(text, 1);
  }
  return encoded;
}
/** Decodes at most `maxTexts` texts, regardless of the counts. */
function runLengthDecode(encoded, maxTexts) {
  const texts = [];
  for (let i = 0; i < encoded.length; i += 2) for (let n = 0; n < encoded[i + 1] && texts.length < maxTexts; n += 1) texts.push(`${encoded[i]}`);
  return texts;
}

/** Encodes the first number and the differences to the previous numbers, so that stores of neighboring lanes become sequences of ones. */
const deltaEncode = (numbers) => numbers.map((number, index) => number - (index ? numbers[index - 1] : 0));
function deltaDecode(deltas) {
  let sum = 0;
  return deltas.map((delta) => (sum += delta));
}

/** Encodes a step as `[done, next, sentence, changes, fragment?]`; a change is `[grid, cells, lanes, texts, conflicts?, quiet?]`. */
function encodeStep(state, previousState, fragments) {
  const changes = state.grids.flatMap((grid, index) => {
    const changed = grid.cells.map((cell, cellIndex) => ({ cell, cellIndex })).filter(({ cell, cellIndex }) => {
      const previous = previousState.grids[index].cells[cellIndex];
      return cell.now || cell.text !== previous.text || cell.lane !== previous.lane;
    });
    if (changed.length === 0) return [];
    const conflicts = changed.filter(({ cell }) => cell.conflict).map(({ cellIndex }) => cellIndex);
    const change = [
      index,
      deltaEncode(changed.map(({ cellIndex }) => cellIndex)),
      deltaEncode(changed.map(({ cell }) => cell.lane ?? -1)),
      runLengthEncode(changed.map(({ cell }) => cell.text)),
    ];
    // Memory that changes without a store of the step: a copy completes, or a barrier counts an arrival.
    const quiet = changed.filter(({ cell }) => !cell.now).map(({ cellIndex }) => cellIndex);
    const lists = quiet.length > 0 ? [conflicts, quiet] : conflicts.length > 0 ? [conflicts] : [];
    return [[...change, ...lists.map(deltaEncode)]];
  });
  const step = [state.done, state.next, state.sentence, changes];
  if (!state.fragment) return step;
  const text = JSON.stringify(state.fragment);
  return [...step, fragments.findIndex((fragment) => JSON.stringify(fragment) === text)];
}

/** Limits of accepted recordings. Larger ones would block the page, and the recorder does not create them. */
const MAX_GRIDS = 16;
const MAX_CELLS = 16_384;
const MAX_COLUMNS = 1_024;

/** Checks whether a value is a recording of this version. The value is untrusted, so it is validated completely, and rendering it is
 *  cheap. */
export function isRecording(value) {
  return value !== null && typeof value === "object" && value.warpgrid === VERSION && typeof value.scenario?.source === "string"
    && Array.isArray(value.grids) && value.grids.length <= MAX_GRIDS && value.grids.every(isGrid)
    && Array.isArray(value.steps) && value.steps.every(isStep)
    && [value.classes, value.tokens, value.diagnostics].every(Array.isArray) && value.tokens.every(Number.isInteger)
    && Array.isArray(value.fragments) && value.fragments.every(isFragment);
}

const isGrid = (grid) => Number.isInteger(grid?.columns) && grid.columns >= 1 && grid.columns <= MAX_COLUMNS && Array.isArray(grid.cells);
const isStep = (step) => Array.isArray(step) && Array.isArray(step[3]) && step[3].every(isChange);
const isChange = ([index, ...lists]) => Number.isInteger(index) && lists.length >= 3 && lists.every(Array.isArray);
const isFragment = (fragment) => Array.isArray(fragment?.registers) && fragment.registers.every(Array.isArray)
  && Array.isArray(fragment.lanes) && fragment.lanes.length >= fragment.registers.length && fragment.lanes.every(Array.isArray);

/** Returns the last recorded position. The first one is 0. */
export const lastPosition = (recording) => recording.steps.length;

/** Returns the position after the first recorded store. Without a store, returns the end of a complete run, or else the start. */
export function firstStore(recording) {
  const isStore = ([, cells, , , , quiet = []]) => cells.length > quiet.length;
  const index = recording.steps.findIndex(([, , , changes]) => changes.some(isStore));
  if (index >= 0) return index + 1;
  return recording.status === "running" ? 0 : lastPosition(recording);
}

/** Returns the view state at a position of a recording. */
export function stateAt(recording, position) {
  const last = Math.max(0, Math.min(position, lastPosition(recording)));
  const grids = recording.grids.map(({ cells, ...grid }) => {
    const initialCell = (text) => ({ text, lane: null, now: false, conflict: false });
    return { ...grid, cells: runLengthDecode(cells, MAX_CELLS).map(initialCell) };
  });
  for (let index = 0; index < last; index += 1) {
    for (const change of recording.steps[index][3]) applyChange(grids, change, index === last - 1);
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

function applyChange(grids, [index, cells, lanes, texts, conflicts = [], quiet = []], isLast) {
  const [values, laneOf, conflicting, withoutStore] = [runLengthDecode(texts, cells.length), deltaDecode(lanes), new Set(deltaDecode(conflicts)), new Set(deltaDecode(quiet))];
  deltaDecode(cells).forEach((cellIndex, i) => {
    const lane = laneOf[i] < 0 ? null : laneOf[i];
    const now = isLast && !withoutStore.has(cellIndex);
    if (grids[index]?.cells[cellIndex]) grids[index].cells[cellIndex] = { text: values[i], lane, now, conflict: isLast && conflicting.has(cellIndex) };
  });
}
