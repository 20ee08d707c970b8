// A run to the end whose blocks several workers share: each has a session of the same launch and a memory of its own, so that no host has to send headers.
import { loadedModule } from "./load.js";
import { runRounds } from "./rounds.js";

/** How long the caller runs blocks before it lets messages in, in milliseconds. */
const SLICE = 100;

/** Starts a worker: `{ worker, listen }`. Node has another kind. */
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

/** Cores that are used unasked. */
const MOST_CORES = 8;
let cores = globalThis.navigator?.hardwareConcurrency ?? 1;

/** Has workers started as a host does it, which has `nCores` cores. */
export function startWorkersBy(nCores, own) {
  [cores, start] = [nCores, own];
}

/** One worker, which answers one message after the other. */
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

/** Runs a session forward as `run` does, where a long run to the end leaves blocks to workers. `assertAlive` throws when the session was freed meanwhile. */
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
      // The interpreter has taken over.
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
    // Where workers cannot be had, there is this one.
    session.leaveShared();
    return session.run(options);
  } finally {
    for (const { end } of others) end();
  }
}
