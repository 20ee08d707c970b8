// A worker that runs a share of the blocks for another one: a message with the launch and the share goes in, `{ part }` or `{ error }` comes out.
import * as core from "./core_bg.js";
import { load } from "./load.js";

let session = null;

/** Runs a share; what is sent, and what goes with it. */
export async function answer({ module, scenario, share, noted, maxSteps }) {
  try {
    await load(() => module ?? new URL("core_bg.wasm", import.meta.url));
    session ??= new core.Session(scenario);
    const part = session.runShare(share, noted, maxSteps);
    return [{ part }, [part.memory.buffer]];
  } catch (error) {
    return [{ error: String(error?.message ?? error) }, []];
  }
}

// In a worker of a page; that of Node is `share-node.js`.
if (typeof WorkerGlobalScope === "function" && globalThis instanceof WorkerGlobalScope) {
  globalThis.onmessage = async ({ data }) => globalThis.postMessage(...(await answer(data)));
}
