// A launch run to its end by translated code, where a long run leaves blocks to workers. Each has a core and a memory of its own, so that no server has to send headers.
import { runRounds } from "../../crates/wasm/npm/rounds.js";
import { core, openCore } from "../learn/core.js";
import { askAt, askCore } from "./ask.js";

/** Workers that a run may have. */
const MOST = 8;

/** Runs a launch to its end: what is shown of it. Workers are ended where `isLeft()` says that no answer is waited for. */
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
    // Where workers cannot be had, one core runs all.
    return askAt(moment, "run", 1);
  } finally {
    for (const other of others) other.core.end();
  }
}
