// Initial position of a widget, which is determined by its attributes.

/** Returns the position for the attribute `step`, which is a number or `end`. The default is `start`, the position after the first store.
 *  */
export function initialPosition(step, last, start) {
  if (step === "end") return last;
  const number = Number.parseInt(step ?? "", 10);
  return Number.isFinite(number) && number >= 0 ? Math.min(number, last) : start;
}

/** Returns the default of the attribute `step` for a view: a result is shown at the end, and a quiz or an automatic playback starts at the
 *  start of the run. */
export function effectiveStep({ step, view, autoplay }) {
  if (step !== null && step !== undefined) return step;
  if (view === "result") return "end";
  const isAutoplay = autoplay !== null && autoplay !== undefined && autoplay !== false;
  return view === "quiz" || isAutoplay ? "0" : null;
}

/** Splits a message into spans `[segment, isCode]`. Backticks enclose code. */
export function splitInlineCode(text) {
  return `${text}`.split(/`([^`]+)`/).map((segment, index) => [segment, index % 2 === 1]).filter(([segment]) => segment !== "");
}
