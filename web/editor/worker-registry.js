// Hands the workers to the page, one per language. The first one starts in the head of `web/index.html`, before the page's own wasm and the
// editor, for the language that was requested first during the last visit. Rust accesses this module as `globalThis.warpgridCore` (see
// web/src/worker_client.rs). A deferred worker module (see `web/worker/start.js`) starts loading here: the first one once the page has loaded, and
// the one for deferred features after it.
const LANGUAGE = "warpgrid.language";
const start = globalThis.warpgridStart;

let first = globalThis.warpgridFirst;
/** Resolves once the first worker module has loaded or failed to load. */
let settle;
const settled = new Promise((done) => { settle = done; });

function take(language) {
  const early = first;
  if (!early) return start(language, language === "extended");
  first = null;
  try { localStorage.setItem(LANGUAGE, language); } catch { /* the first worker is only a guess */ }
  if (early.language === language) return early;
  early.worker.terminate();
  return start(language);
}

globalThis.warpgridCore = {
  worker(language, onMessage, onError) {
    const isFirst = first !== null;
    const { worker, said } = take(language);
    // An event without a message means that the worker script, or a script that it imports, failed to load.
    const failed = (event) => onError(event.message || "the emulator module could not be loaded");
    const hear = (event) => {
      if (typeof event.data !== "object") settle();
      if (event.data !== true) onMessage(event);
    };
    worker.onmessage = hear;
    worker.onerror = (event) => { event.preventDefault(); settle(); failed(event); };
    for (const event of said) (event.type === "error" ? failed : hear)(event);
    if (isFirst) worker.postMessage(true);
    else settled.then(() => worker.postMessage(true));
    return worker;
  },
};
