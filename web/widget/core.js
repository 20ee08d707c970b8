// The page's side of the core: one worker for all elements and each language, started by the first that needs it. A worker that does not
// answer is ended, and the next question starts another, so that no text can hold up the page.

/** A question that takes longer ends the worker. */
const PATIENCE_MS = 20_000;

/** Pages that ask for trusted types allow a policy of this name. */
const policy = globalThis.trustedTypes?.createPolicy.bind(globalThis.trustedTypes, "warpgrid", { createScriptURL: (address) => address });
let trusted = null;
function scriptAddress(address) {
  try {
    return policy ? (trusted ??= policy()).createScriptURL(address) : address;
  } catch {
    throw new Error("failed to load the emulator: the Content-Security-Policy of this page must allow `trusted-types warpgrid`");
  }
}

/** A file as a full address: what some bundlers give has a path alone. */
const fullAddress = (file) => new URL(file.href, document.baseURI);

/**
 * The worker of a module. From another origin, and in a sandboxed frame, which has none, a page may start only a blob of its own, and
 * no module from it: the blob imports the module, and what the page says before waits.
 */
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
    // Bundlers give the files other names, and only this module learns them.
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

/** The core of PTX, and the one that reads machine code, too: it is larger, and loaded when a text is that. */
const ptx = new Core(new URL("./warpgrid-worker.js", import.meta.url), new URL("./core_ptx_bg.wasm", import.meta.url));
/** Whether the instructions of a text are within source code or a log, which the core of PTX alone does not read. */
const isWrapped = (source) => /\b(?:asm|__asm__|__asm)\b[\s\w]*\(|\binline_asm|\bInlineAsm\(|\bptxas /.test(source);
const sass = new Core(new URL("./warpgrid-worker-sass.js", import.meta.url), new URL("./core_bg.wasm", import.meta.url));
/** Elements whose text is machine code. */
const elsewhere = new Set();

/** Asks the core of an element's language; rejects with the reason when it cannot answer. Pictures are those of the larger core. */
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
