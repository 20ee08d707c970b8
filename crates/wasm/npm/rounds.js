// Executes the rounds of a run whose blocks are distributed among several workers. In a round, all workers execute their blocks with the
// same tracked memory ranges. The rounds end when no further range has to be tracked.

/** Runs the rounds. Each function of `workerRuns` takes the tracked ranges and returns a promise of the partition that another worker
 *  executes. `runMain()` executes the remaining blocks and returns whether the run has ended without the other workers. `mergeParts(parts)`
 *  merges the partitions and returns the ranges that the next round has to track, or `null` after the last round. */
export async function runRounds(workerRuns, initialRanges, runMain, mergeParts) {
  for (let trackedRanges = initialRanges; trackedRanges; ) {
    const parts = Promise.all(workerRuns.map((runWorker) => runWorker(trackedRanges)));
    // This handler prevents an unhandled rejection. The expression `await parts` below reports a failure.
    parts.catch(() => {});
    if (await runMain()) return;
    trackedRanges = await mergeParts(await parts);
  }
}
