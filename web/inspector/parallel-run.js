// Executes a launch to completion with translated code, and distributes the blocks of a long run among workers. Each worker has its own
// module and memory, so that servers need not send the headers that shared memory requires.
import { runRounds } from "../../crates/wasm/npm/rounds.js";
import { sharedClient, createWorkerClient } from "../learn/worker-client.js";
import { queryAtStep, sendQuery } from "./query.js";

/** Maximum number of workers that execute a run. */
const MAX_WORKERS = 8;

/** Executes a launch to completion and returns the result. `isCancelled()` returns whether the result is no longer needed. In this case,
 *  the workers are terminated. */
export async function runOnWorkers(stepContext, isCancelled) {
  const plan = await queryAtStep(stepContext, "run", Math.min(navigator.hardwareConcurrency ?? 1, MAX_WORKERS));
  if (!plan.shares) return plan;
  const helpers = plan.shares.map((share) => ({ share: share.join(" "), client: createWorkerClient() }));
  try {
    const helperRuns = helpers.map((helper) => (notes) => sendQuery(helper.client, [], stepContext, "share", helper.share, notes.join(" ")));
    const runMainWorker = async () => {
      await queryAtStep(stepContext, "go-on");
      return isCancelled();
    };
    let result = null;
    const joinParts = async (parts) => {
      result = isCancelled() ? null : await sendQuery(sharedClient, parts, stepContext, "join");
      return result?.noted;
    };
    await runRounds(helperRuns, plan.noted, runMainWorker, joinParts);
    return result;
  } catch (error) {
    if (isCancelled()) throw error;
    // If workers cannot be started, a single worker runs all blocks.
    return queryAtStep(stepContext, "run", 1);
  } finally {
    for (const helper of helpers) helper.client.terminate();
  }
}
