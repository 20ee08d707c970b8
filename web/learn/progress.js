// Which puzzles are solved, with the answers that were tried last: kept in this browser, and as a file to take along.

const KEY = "warpgrid.learn";
/** More than all answers that are kept may have. */
const MOST = 400_000;

/** What a text says of progress; throws the sentence that says why it says nothing. */
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

/** What this browser keeps; nothing where it keeps nothing. */
export function load() {
  try { return read(localStorage.getItem(KEY) ?? ""); } catch { return { solved: new Set(), answers: new Map() }; }
}

/** Keeps it; false where the browser does not. */
export function keep(progress) {
  const text = write(progress);
  if (text.length > MOST) return false;
  try { localStorage.setItem(KEY, text); return true; } catch { return false; }
}

/** Adds what a file says: nothing that is solved here is lost. */
export function merge(progress, other) {
  for (const name of other.solved) progress.solved.add(name);
  for (const [name, answer] of other.answers) if (!progress.answers.has(name)) progress.answers.set(name, answer);
}
