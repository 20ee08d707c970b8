// Where a widget starts: the attribute `step` goes in, a position of the run comes out.

/** The position that an attribute names: a number, or `end`. */
export function positionOf(step, last) {
  if (step === "end") return last;
  const number = Number.parseInt(step ?? "", 10);
  return Number.isFinite(number) && number >= 0 ? Math.min(number, last) : 0;
}
