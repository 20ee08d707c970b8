// Distributes the blocks of a run to the end among several workers. Each worker has a session of the same launch and a separate memory, so
// that the server does not need to send cross-origin isolation headers.
import { loadedModule } from "./load.js";
import { runRounds } from "./rounds.js";

/** Time slice in milliseconds after which the caller yields to the event loop. */
const SLICE_MS = 100;

/** Starts a worker and returns `{ worker, listen }`. Node overrides this function because its workers have a different API. */
let createWorker = () => {
  const worker = new Worker(new URL("./share.js", import.meta.url), { type: "module" });
  return {
    worker,
    listen(onMessage, onError) {
      worker.onmessage = ({ data }) => onMessage(data);
      worker.onerror = (event) => { event.preventDefault(); onError(event.message); };
    },
  };
};

/** Default maximum number of workers. */
const MAX_WORKERS = 8;
let coreCount = globalThis.navigator?.hardwareConcurrency ?? 1;

/** Sets the number of cores of the host and the function that starts a worker. */
export function setWorkerFactory(nCores, factory) {
  [coreCount, createWorker] = [nCores, factory];
}

/** Starts a worker that processes one request at a time. */
function openWorker() {
  const { worker, listen } = createWorker();
  let pendingRequest = null;
  const rejectPending = (reason) => pendingRequest?.reject(new Error(reason || "a worker has terminated"));
  listen((response) => (response.error === undefined ? pendingRequest.resolve(response.part) : rejectPending(response.error)), rejectPending);
  return {
    ask: (message) => new Promise((resolve, reject) => {
      pendingRequest = { resolve, reject };
      worker.postMessage(message);
    }),
    end: () => worker.terminate(),
  };
}

const yieldToEventLoop = () => new Promise((resolve) => { setTimeout(resolve); });

/** Runs a session like `run`, but distributes the blocks of a long run among workers. `assertAlive` throws an error if the session has been
 *  freed. */
export async function runOnWorkers(session, scenario, { workers = Math.min(coreCount, MAX_WORKERS), ...options }, assertAlive) {
  const shares = session.beginShared(options, workers);
  if (shares.length === 0) return session.over;
  const helpers = [];
  try {
    for (const share of shares) helpers.push({ share, ...openWorker() });
    const maxSteps = Math.min(Number(options.maxSteps ?? Infinity), Number.MAX_SAFE_INTEGER);
    const helperRuns = helpers.map(({ share, ask }) => (noted) => ask({ module: loadedModule(), scenario, share, noted, maxSteps }));
    const runMain = async () => {
      do {
        await yieldToEventLoop();
        assertAlive();
      } while (!session.goOn(SLICE_MS));
      // `goOn` is also true if the interpreter has completed the run.
      return session.over;
    };
    const mergeParts = (parts) => {
      assertAlive();
      return session.joinParts(parts) ? null : session.noted;
    };
    await runRounds(helperRuns, session.noted, runMain, mergeParts);
    return session.over;
  } catch {
    assertAlive();
    // If workers are unavailable or fail, the current thread executes all blocks.
    session.leaveShared();
    return session.run(options);
  } finally {
    for (const { end } of helpers) end();
  }
}
