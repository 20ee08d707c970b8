// Progress in the puzzles: the solved puzzles, and the last attempts. The progress is saved in the browser, and can be exported to a file.

const STORAGE_KEY = "warpgrid.learn";
/** Maximum length of the saved progress in characters, which exceeds the length of all attempts. */
const MAX_LENGTH = 400_000;

/** Parses saved progress. Throws an error message for an invalid file. */
export function parse(text) {
  let value = null;
  try { value = JSON.parse(text); } catch { throw new Error("the file is not valid JSON"); }
  if (value?.warpgridProgress !== 1 || !Array.isArray(value.solved)) throw new Error("the file has no `warpgridProgress` field");
  const solved = value.solved.filter((name) => typeof name === "string" && name.length <= 100).slice(0, 1000);
  const answers = Object.entries(value.answers ?? {}).filter(([name, answer]) => typeof answer === "string" && name.length <= 100 && answer.length <= 20_000);
  return { solved: new Set(solved), answers: new Map(answers.slice(0, 1000)) };
}

export function serialize({ solved, answers }) {
  return `${JSON.stringify({ warpgridProgress: 1, solved: [...solved].sort(), answers: Object.fromEntries(answers) }, null, 1)}\n`;
}

/** Returns the progress that is saved in the browser, or empty progress. */
export function load() {
  try { return parse(localStorage.getItem(STORAGE_KEY) ?? ""); } catch { return { solved: new Set(), answers: new Map() }; }
}

/** Saves the progress. Returns false if the browser cannot save it. */
export function save(progress) {
  const text = serialize(progress);
  if (text.length > MAX_LENGTH) return false;
  try { localStorage.setItem(STORAGE_KEY, text); return true; } catch { return false; }
}

/** Merges the progress in a file. Puzzles that have already been solved remain solved. */
export function merge(progress, other) {
  for (const name of other.solved) progress.solved.add(name);
  for (const [name, answer] of other.answers) if (!progress.answers.has(name)) progress.answers.set(name, answer);
}
