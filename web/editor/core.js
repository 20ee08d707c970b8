// Hands the workers that hold the Rust core to the page, one for each language. The first one starts in the head of `web/index.html`, before the page's own
// wasm and the editor: for the language that was asked for first the last time. Rust takes it over as `globalThis.warpgridCore` (see web/src/client.rs).
// A core that waits (see `web/worker/start.js`) begins to load here: the first one when the page is there, the one for what is loaded later after it.
const LANGUAGE = "warpgrid.language";
const start = globalThis.warpgridStart;

let first = globalThis.warpgridFirst;
/** The first core is there, or it will not come. */
let settle;
const settled = new Promise((done) => { settle = done; });

function take(language) {
  const early = first;
  if (!early) return start(language, language === "both");
  first = null;
  try { localStorage.setItem(LANGUAGE, language); } catch { /* it is a guess only */ }
  if (early.language === language) return early;
  early.worker.terminate();
  return start(language);
}

globalThis.warpgridCore = {
  worker(language, onMessage, onError) {
    const isFirst = first !== null;
    const { worker, said } = take(language);
    // An event without words: the worker's file, or one that it imports, did not come.
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
