// View state of a widget at one position, which is computed from a session of the emulator. Both the recorder and the worker use this
// module, so that a recorded step and a computed step look the same.

/** Maximum number of memories that a widget shows. */
const MAX_MEMORIES = 3;
/** Default number of rows in a grid. */
const DEFAULT_ROWS = 16;
/** Maximum number of cells of a grid that a page can show at once. */
const MAX_CELLS = 1024;
/** Number of steps whose stores determine the memories that are shown. */
const MAX_SEARCHED_STEPS = 4_000;

/** Returns the options with which `check` and `tokens` are called for a scenario. */
export function checkOptions(scenario) {
  const definedNames = ["front", "target", "ptx_version"].filter((name) => scenario[name] !== undefined && scenario[name] !== null);
  return Object.fromEntries(definedNames.map((name) => [name, scenario[name]]));
}

/** Returns the memories to show: the memories in `selection` (comma-separated IDs), otherwise the memories to which the run stores, in the
 *  order of their first stores. Moves the session. */
export function chooseMemories(session, selection) {
  const all = session.frame({}).memories;
  if (selection) {
    const ids = selection.split(",").map((id) => id.trim());
    return all.filter(({ id }) => ids.includes(id)).map(({ id }) => id);
  }
  const stored = new Set();
  for (const { memories } of session.events(0, MAX_SEARCHED_STEPS)) for (const id of memories) stored.add(id);
  const namedMemories = all.filter(({ isNamed }) => isNamed).map(({ id }) => id);
  const storedMemories = [...stored].filter((id) => all.some((memory) => memory.id === id));
  return (storedMemories.length > 0 ? storedMemories : namedMemories).slice(0, MAX_MEMORIES);
}

/** Returns a message for each memory in `selection` (comma-separated IDs) that the launch does not have. */
export function unknownMemories(session, selection) {
  if (!selection) return [];
  const all = session.frame({}).memories.map(({ id }) => id);
  const unknown = selection.split(",").map((id) => id.trim()).filter((id) => id !== "" && !all.includes(id));
  const expected = all.length > 0 ? `, expected one of \`${all.join("`, `")}\`` : "";
  return unknown.map((id) => `the launch has no buffer or variable \`${id}\`${expected}`);
}

/** Returns the position after the first store to one of the memories `ids`. Without such a store, returns the end of a short run, otherwise
 *  the start. Moves the session. */
export function firstStore(session, ids) {
  const store = session.events(0, MAX_SEARCHED_STEPS).find(({ memories }) => memories.some((id) => ids.includes(id)));
  if (store) return store.step + 1;
  session.seek(MAX_SEARCHED_STEPS);
  return session.over ? session.position : 0;
}

/** Returns the layout of each memory, `{ memory, columns, nRows, type }`, according to the options of the host. */
export function layoutGrids(session, ids, { columns, type, rows } = {}) {
  return ids.map((memory) => {
    const { columns: width } = session.grid(memory, { columns: columns ?? null, type: type ?? null, nRows: 1 });
    const maxRows = Math.max(1, Math.floor(MAX_CELLS / width));
    return { memory, columns: width, type: type ?? null, nRows: Math.min(rows ?? DEFAULT_ROWS, maxRows) };
  });
}

/** Returns the view state at the current position of a session. `grids` is a result of `layoutGrids`. */
export function captureState(session, grids, tableOf) {
  const frame = session.frame({ grids });
  const { fault, store, matrix } = frame;
  const storedFragment = store ? matrix?.operands[0]?.fragment : null;
  return {
    position: frame.position,
    length: frame.length,
    status: frame.status,
    sentence: frame.sentence.map(({ text }) => text).join(""),
    done: frame.last?.range.line ?? null,
    next: frame.next?.range.line ?? null,
    fault: fault && { message: fault.message, help: fault.help, line: fault.range.line },
    fragment: storedFragment ? tableOf(storedFragment) : null,
    grids: frame.grids.map(gridState),
  };
}

function gridState({ memory, type, columns, totalRows, cells }) {
  const cell = ({ text, lane, written, conflict }) => ({ text, lane, now: written === "now", conflict });
  return { id: memory.id, title: memory.title, type, columns, totalRows, cells: cells.map(cell) };
}

/** Returns a matrix fragment as a table of the lane and the register that hold each element. */
export function fragmentTable({ op, shape, type, target, formula, rows, cols, lanes }) {
  const registerTable = Array.from({ length: rows }, () => Array.from({ length: cols }, () => ""));
  const laneTable = Array.from({ length: rows }, () => Array.from({ length: cols }, () => null));
  lanes.forEach((registers, index) => registers.forEach((elements, register) => {
    for (const [row, col] of elements) {
      if (laneTable[row]?.[col] !== null) continue;
      registerTable[row][col] = `${register}`;
      laneTable[row][col] = index;
    }
  }));
  return { title: `${op} ${shape} ${type}, ${target}`, formula, registers: registerTable, lanes: laneTable };
}
