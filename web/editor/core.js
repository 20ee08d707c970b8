// Hands the workers that hold the Rust core to the page, one for each language. The first one starts in the head of `web/index.html`, before the page's own
// wasm and the editor: for the language that was asked for first the last time. Rust takes it over as `globalThis.warpgridCore` (see web/src/client.rs).
const LANGUAGE = "warpgrid.language";
const start = globalThis.warpgridStart;

let first = globalThis.warpgridFirst;

function take(language) {
  const early = first;
  if (!early) return start(language);
  first = null;
  try { localStorage.setItem(LANGUAGE, language); } catch { /* it is a guess only */ }
  if (early.language === language) return early;
  early.worker.terminate();
  return start(language);
}

globalThis.warpgridCore = {
  worker(language, onMessage, onError) {
    const { worker, said } = take(language);
    // An event without words: the worker's file, or one that it imports, did not come.
    const failed = (event) => onError(event.message || "the file of the core could not be loaded");
    worker.onmessage = onMessage;
    worker.onerror = (event) => { event.preventDefault(); failed(event); };
    for (const event of said) (event.type === "error" ? failed : onMessage)(event);
    return worker;
  },
};
