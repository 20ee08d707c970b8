// Starts the workers that hold the Rust core. The first one starts with the page, so that the core and the page's
// own wasm are loaded side by side; Rust takes it over as `globalThis.warpgridCore` (see web/src/client.rs).
const place = document.querySelector("meta[name=warpgrid-core]").content;

function start() {
  const worker = new Worker(new URL(place, document.baseURI), { type: "module" });
  const said = [];
  worker.onmessage = worker.onerror = (event) => said.push(event);
  return { worker, said };
}

let first = null;
try { first = start(); } catch { /* it is tried again, and reported, when Rust asks */ }

globalThis.warpgridCore = {
  worker(onMessage, onError) {
    const { worker, said } = first ?? start();
    first = null;
    // An event without words: the worker's file, or one that it imports, did not come.
    const failed = (event) => onError(event.message || "the file of the core did not arrive");
    worker.onmessage = onMessage;
    worker.onerror = (event) => { event.preventDefault(); failed(event); };
    for (const event of said) (event.type === "error" ? failed : onMessage)(event);
    return worker;
  },
};
