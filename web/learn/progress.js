// Progress in the puzzles: the solved ones, and the last attempts. Saved in the browser, and exported to a file.

const KEY = "warpgrid.learn";
/** Maximum size of the saved progress, which is more than all attempts need. */
const MOST = 400_000;

/** Parses saved progress. Throws an error message for an invalid file. */
export function read(text) {
  let found = null;
  try { found = JSON.parse(text); } catch { throw new Error("the file is not valid JSON"); }
  if (found?.warpgridProgress !== 1 || !Array.isArray(found.solved)) throw new Error("the file has no `warpgridProgress` field");
  const solved = found.solved.filter((name) => typeof name === "string" && name.length <= 100).slice(0, 1000);
  const answers = Object.entries(found.answers ?? {}).filter(([name, answer]) => typeof answer === "string" && name.length <= 100 && answer.length <= 20_000);
  return { solved: new Set(solved), answers: new Map(answers.slice(0, 1000)) };
}

export function write({ solved, answers }) {
  return `${JSON.stringify({ warpgridProgress: 1, solved: [...solved].sort(), answers: Object.fromEntries(answers) }, null, 1)}\n`;
}

/** Returns the progress that is saved in the browser, or empty progress. */
export function load() {
  try { return read(localStorage.getItem(KEY) ?? ""); } catch { return { solved: new Set(), answers: new Map() }; }
}

/** Saves the progress. Returns false if the browser cannot save it. */
export function keep(progress) {
  const text = write(progress);
  if (text.length > MOST) return false;
  try { localStorage.setItem(KEY, text); return true; } catch { return false; }
}

/** Merges the progress of a file. Puzzles that are already solved stay solved. */
export function merge(progress, other) {
  for (const name of other.solved) progress.solved.add(name);
  for (const [name, answer] of other.answers) if (!progress.answers.has(name)) progress.answers.set(name, answer);
}
