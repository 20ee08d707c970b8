// Provides the workers of the page, one per kind. The first worker is started in the head of `web/index.html`, before the WebAssembly
// module of the page and the editor, for the language that was requested first during the last visit. Rust accesses this module as
// `globalThis.warpgridWorkers` (see web/src/worker_client.rs). Deferred worker modules (see `web/worker/start.js`) start loading in this
// file: the first module once the page has loaded, and the module for deferred features after it.
const LANGUAGE_STORAGE_KEY = "warpgrid.language";
const startWorker = globalThis.startWarpgridWorker;

let firstWorker = globalThis.warpgridFirstWorker;
let resolveFirstWorker;
/** Resolves when the first worker module has loaded or has failed to load. */
export const firstWorkerLoaded = new Promise((resolve) => { resolveFirstWorker = resolve; });

function acquireWorker(kind) {
  const likelyWorker = firstWorker;
  if (!likelyWorker) return startWorker(kind, kind === "extended");
  firstWorker = null;
  try { localStorage.setItem(LANGUAGE_STORAGE_KEY, kind); } catch { /* Without storage, the page starts with the default worker kind. */ }
  if (likelyWorker.kind === kind) return likelyWorker;
  likelyWorker.worker.terminate();
  return startWorker(kind);
}

globalThis.warpgridWorkers = {
  worker(kind, onMessage, onError) {
    const isFirst = firstWorker !== null;
    const { worker, queuedEvents } = acquireWorker(kind);
    // An event without a message means that the worker script, or a script that it imports, failed to load.
    const handleError = (event) => onError(event.message || "the emulator module could not be loaded");
    const handleMessage = (event) => {
      if (typeof event.data !== "object") resolveFirstWorker();
      if (event.data !== true) onMessage(event);
    };
    worker.onmessage = handleMessage;
    worker.onerror = (event) => { event.preventDefault(); resolveFirstWorker(); handleError(event); };
    for (const event of queuedEvents) (event.type === "error" ? handleError : handleMessage)(event);
    if (isFirst) worker.postMessage(true);
    else firstWorkerLoaded.then(() => worker.postMessage(true));
    return worker;
  },
};
