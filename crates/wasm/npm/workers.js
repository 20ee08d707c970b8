// Distributes the blocks of a run to the end among several workers. Each worker has a session of the same launch and a separate memory, so
// that the server does not need to send cross-origin isolation headers.
import { loadedModule } from "./load.js";
import { runRounds } from "./rounds.js";

/** Time slice in milliseconds after which the caller yields to the event loop. */
const SLICE = 100;

/** Starts a worker and returns `{ worker, listen }`. Node overrides this function because its workers have a different API. */
let start = () => {
  const worker = new Worker(new URL("./share.js", import.meta.url), { type: "module" });
  return {
    worker,
    listen(hear, fail) {
      worker.onmessage = ({ data }) => hear(data);
      worker.onerror = (event) => { event.preventDefault(); fail(event.message); };
    },
  };
};

/** Maximum number of workers by default. */
const MOST_CORES = 8;
let cores = globalThis.navigator?.hardwareConcurrency ?? 1;

/** Sets the number of cores of the host and its function to start workers. */
export function startWorkersBy(nCores, own) {
  [cores, start] = [nCores, own];
}

/** Starts a worker that processes one request at a time. */
function open() {
  const { worker, listen } = start();
  let settle = null;
  const failed = (why) => settle?.reject(new Error(why || "a worker has terminated"));
  listen((answer) => (answer.error === undefined ? settle.resolve(answer.part) : failed(answer.error)), failed);
  return {
    ask: (message) => new Promise((resolve, reject) => {
      settle = { resolve, reject };
      worker.postMessage(message);
    }),
    end: () => worker.terminate(),
  };
}

const letMessagesIn = () => new Promise((done) => { setTimeout(done); });

/** Runs a session like `run`, but distributes the blocks of a long run among workers. `assertAlive` throws if the session was freed. */
export async function runOnWorkers(session, scenario, { workers = Math.min(cores, MOST_CORES), ...options }, assertAlive) {
  const shares = session.beginShared(options, workers);
  if (shares.length === 0) return session.over;
  const others = [];
  try {
    for (const share of shares) others.push({ share, ...open() });
    const maxSteps = Math.min(Number(options.maxSteps ?? Infinity), Number.MAX_SAFE_INTEGER);
    const asks = others.map(({ share, ask }) => (noted) => ask({ module: loadedModule(), scenario, share, noted, maxSteps }));
    const runOwn = async () => {
      do {
        await letMessagesIn();
        assertAlive();
      } while (!session.goOn(SLICE));
      // `goOn` is also true if the interpreter has completed the run.
      return session.over;
    };
    const join = (parts) => {
      assertAlive();
      return session.joinParts(parts) ? null : session.noted;
    };
    await runRounds(asks, session.noted, runOwn, join);
    return session.over;
  } catch {
    assertAlive();
    // If workers are unavailable or fail, run all blocks on the current thread.
    session.leaveShared();
    return session.run(options);
  } finally {
    for (const { end } of others) end();
  }
}
