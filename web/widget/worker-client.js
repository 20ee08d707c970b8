// Page side of the emulator: one worker per language for all elements, started by the first element that needs it. A worker that does not
// respond is terminated, and the next request starts another one, so that no source can block the page.

/** Timeout of a request in milliseconds, after which the worker is terminated. */
const PATIENCE_MS = 20_000;

/** A page that requires Trusted Types must allow a policy of this name. */
const policy = globalThis.trustedTypes?.createPolicy.bind(globalThis.trustedTypes, "warpgrid", { createScriptURL: (address) => address });
let trusted = null;
function scriptAddress(address) {
  try {
    return policy ? (trusted ??= policy()).createScriptURL(address) : address;
  } catch {
    throw new Error("failed to load the emulator: the Content-Security-Policy of this page must allow `trusted-types warpgrid`");
  }
}

/** Returns the absolute URL of a file, because some bundlers return only a path. */
const fullAddress = (file) => new URL(file.href, document.baseURI);

/** Starts the worker of a module. From another origin, and in a sandboxed frame, which has no origin, a page may start only workers from
 *  its own blobs, which must not be modules. The blob imports the module and queues earlier messages. */
function start(module) {
  if (module.origin === self.origin) return new Worker(scriptAddress(module.href), { type: "module" });
  const door = `const early=[];onmessage=(message)=>early.push(message);import(${JSON.stringify(module.href)})`
    + ".then(()=>early.forEach((message)=>onmessage(message)),(error)=>setTimeout(()=>{throw error}))";
  return new Worker(scriptAddress(URL.createObjectURL(new Blob([door], { type: "text/javascript" }))));
}

class Core {
  #module;
  #wasm;
  #worker = null;
  #last = 0;
  #waiting = new Map();

  constructor(module, wasm) { [this.#module, this.#wasm] = [module, wasm]; }

  get isRunning() { return this.#worker !== null; }

  #stop(why) {
    this.#worker?.terminate();
    this.#worker = null;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of lost) reject(new Error(why));
  }

  #begin() {
    const worker = (this.#worker = start(fullAddress(this.#module)));
    worker.onmessage = ({ data: { number, answer, error } }) => {
      const asked = this.#waiting.get(number);
      this.#waiting.delete(number);
      clearTimeout(asked?.timer);
      if (error === undefined) asked?.resolve(answer);
      else asked?.reject(new Error(error));
    };
    // Bundlers rename the files, and only this module receives the new names.
    worker.postMessage({ wasm: fullAddress(this.#wasm).href });
    worker.onerror = (event) => {
      event.preventDefault();
      this.#stop("failed to load the emulator");
    };
  }

  async ask(question, facts) {
    if (!this.#worker) this.#begin();
    const number = (this.#last += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#stop("the emulator timed out"), PATIENCE_MS);
      this.#waiting.set(number, { resolve, reject: (error) => { clearTimeout(timer); reject(error); }, timer });
      this.#worker.postMessage({ number, question, ...facts });
    });
  }
}

/** The worker for PTX, and the larger one that also supports SASS, which is loaded for SASS sources. */
const ptx = new Core(new URL("./warpgrid-worker.js", import.meta.url), new URL("./core_ptx_bg.wasm", import.meta.url));
/** Checks whether the instructions are embedded in source code or a log, which the PTX worker does not support. */
const isWrapped = (source) => /\b(?:asm|__asm__|__asm)\b[\s\w]*\(|\binline_asm|\bInlineAsm\(|\bptxas /.test(source);
const sass = new Core(new URL("./warpgrid-worker-sass.js", import.meta.url), new URL("./core_bg.wasm", import.meta.url));
/** IDs of the elements with a SASS source. */
const elsewhere = new Set();

/** Sends a request to the worker for the language of an element. Rejects with the reason if the worker cannot respond. Layout diagrams
 *  require the larger worker. */
export async function ask(question, facts) {
  if (question === "picture") return sass.ask(question, facts);
  if (question === "open") {
    const isSass = facts.scenario.front === "sass" || isWrapped(facts.scenario.source);
    const before = elsewhere.has(facts.id) ? sass : ptx;
    if (isSass) elsewhere.add(facts.id);
    else elsewhere.delete(facts.id);
    if (before !== (isSass ? sass : ptx) && before.isRunning) before.ask("close", { id: facts.id }).catch(() => {});
  }
  return (elsewhere.has(facts.id) ? sass : ptx).ask(question, facts);
}
