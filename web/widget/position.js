// Where a widget starts: its attributes go in, a position of the run comes out.

/** The position that `step` names: a number, or `end`. Without it the run is at `start`, which is after its first store. */
export function positionOf(step, last, start) {
  if (step === "end") return last;
  const number = Number.parseInt(step ?? "", 10);
  return Number.isFinite(number) && number >= 0 ? Math.min(number, last) : start;
}

/** What `step` is for a view when the attribute is not there: a result is at the end, and who guesses or watches begins at the start. */
export function stepOf({ step, view, autoplay }) {
  if (step !== null && step !== undefined) return step;
  if (view === "result") return "end";
  const isWatched = autoplay !== null && autoplay !== undefined && autoplay !== false;
  return view === "quiz" || isWatched ? "0" : null;
}

/** A text as stretches: `[words, whether they are code]`. Code is between backticks, as messages and sentences write it. */
export function stretchesOf(text) {
  return `${text}`.split(/`([^`]+)`/).map((words, index) => [words, index % 2 === 1]).filter(([words]) => words !== "");
}
