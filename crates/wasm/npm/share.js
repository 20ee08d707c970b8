// Implements a worker that executes a range of blocks. The worker receives a message with the launch and the range, and posts `{ part }` or
// `{ error }`.
import * as core from "./core_bg.js";
import { load } from "./load.js";

let session = null;

/** Executes a range of blocks and returns the response message and its transferable objects. */
export async function executeShare({ module, scenario, share, noted, maxSteps }) {
  try {
    await load(() => module ?? new URL("core_bg.wasm", import.meta.url));
    session ??= new core.Session(scenario);
    const part = session.runShare(share, noted, maxSteps);
    return [{ part }, [part.memory.buffer]];
  } catch (error) {
    return [{ error: String(error?.message ?? error) }, []];
  }
}

// This handler is for web workers. `share-node.js` is the worker for Node.
if (typeof WorkerGlobalScope === "function" && globalThis instanceof WorkerGlobalScope) {
  globalThis.onmessage = async ({ data }) => globalThis.postMessage(...(await executeShare(data)));
}
