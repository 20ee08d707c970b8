// A run whose blocks several hosts share, in rounds: all of them run their blocks with the same ranges of memory noted, until no further range has to be.

/** Runs the rounds. Each of `others` is a function from the ranges to a promise of the part that another host ran; `runOwn()` runs the blocks that were not left to others, and
 *  says whether the run has ended without them; `join(parts)` takes theirs, and says which ranges another round has to note: none after the last one. */
export async function runRounds(others, firstNoted, runOwn, join) {
  for (let noted = firstNoted; noted; ) {
    const parts = Promise.all(others.map((ask) => ask(noted)));
    // Whoever waits for it below hears of a failure.
    parts.catch(() => {});
    if (await runOwn()) return;
    noted = await join(await parts);
  }
}
