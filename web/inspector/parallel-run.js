// Runs a launch to completion with translated code and distributes the blocks of a long run among workers. Each worker has its own module
// and memory, so that no server has to send headers for shared memory.
import { runRounds } from "../../crates/wasm/npm/rounds.js";
import { core, openCore } from "../learn/worker-client.js";
import { askAt, askCore } from "./query.js";

/** Maximum number of workers of a run. */
const MOST = 8;

/** Runs a launch to completion and returns the result. `isLeft()` reports whether the result is no longer needed, in which case the
 *  workers are terminated. */
export async function runOnWorkers(moment, isLeft) {
  const found = await askAt(moment, "run", Math.min(navigator.hardwareConcurrency ?? 1, MOST));
  if (!found.shares) return found;
  const others = found.shares.map((share) => ({ share: share.join(" "), core: openCore() }));
  try {
    const asks = others.map((other) => (noted) => askCore(other.core, [], moment, "share", other.share, noted.join(" ")));
    const runOwn = async () => {
      await askAt(moment, "go-on");
      return isLeft();
    };
    let end = null;
    const join = async (parts) => {
      end = isLeft() ? null : await askCore(core, parts, moment, "join");
      return end?.noted;
    };
    await runRounds(asks, found.noted, runOwn, join);
    return end;
  } catch (error) {
    if (isLeft()) throw error;
    // If workers cannot be started, a single worker runs all blocks.
    return askAt(moment, "run", 1);
  } finally {
    for (const other of others) other.core.end();
  }
}
