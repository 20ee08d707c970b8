// Starts the workers that hold the Rust core, one for each language. The first one starts with the page, so that the core
// and the page's own wasm are loaded side by side: for the language that was asked for first the last time. Rust takes it
// over as `globalThis.warpgridCore` (see web/src/client.rs).
const place = document.querySelector("meta[name=warpgrid-core]").content;
const LANGUAGE = "warpgrid.language";

function start(language) {
  // `start.js` chooses the core by the name of the worker.
  const worker = new Worker(new URL(place, document.baseURI), { type: "module", name: language });
  const said = [];
  worker.onmessage = worker.onerror = (event) => said.push(event);
  return { language, worker, said };
}

function likely() {
  try { return localStorage.getItem(LANGUAGE) === "sass" ? "sass" : "ptx"; } catch { return "ptx"; }
}

let first = null;
try { first = start(likely()); } catch { /* it is tried again, and reported, when Rust asks */ }

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
