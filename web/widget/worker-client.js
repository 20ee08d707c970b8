// Connection between a page and the emulator: one worker per language for all elements, which is started by the first element that requires
// it. A worker that does not respond is terminated, and the next request starts another worker, so that no source can block the page.

/** Timeout of a request in milliseconds, after which its worker is terminated. */
const RESPONSE_TIMEOUT_MS = 20_000;

/** Trusted Types policy. A page that requires Trusted Types must allow a policy with this name. */
const policy = globalThis.trustedTypes?.createPolicy.bind(globalThis.trustedTypes, "warpgrid", { createScriptURL: (url) => url });
let trustedPolicy = null;
function trustedScriptUrl(url) {
  try {
    return policy ? (trustedPolicy ??= policy()).createScriptURL(url) : url;
  } catch {
    throw new Error("failed to load the emulator: the Content-Security-Policy of this page must allow `trusted-types warpgrid`");
  }
}

/** Returns the absolute URL of a file, because some bundlers return only a path. */
const absoluteUrl = (file) => new URL(file.href, document.baseURI);

/** Starts the worker of a module. In a page of another origin, and in a sandboxed frame, which has no origin, only workers from blobs of
 *  the page may be started, and these must not be modules. In this case, the blob imports the module and queues earlier messages. */
function startWorker(module) {
  if (module.origin === self.origin) return new Worker(trustedScriptUrl(module.href), { type: "module" });
  const bootstrap = `const early=[];onmessage=(message)=>early.push(message);import(${JSON.stringify(module.href)})`
    + ".then(()=>early.forEach((message)=>onmessage(message)),(error)=>setTimeout(()=>{throw error}))";
  return new Worker(trustedScriptUrl(URL.createObjectURL(new Blob([bootstrap], { type: "text/javascript" }))));
}

class WorkerClient {
  #module;
  #wasm;
  #worker = null;
  #lastId = 0;
  #pendingRequests = new Map();

  constructor(module, wasm) { [this.#module, this.#wasm] = [module, wasm]; }

  get isRunning() { return this.#worker !== null; }

  #terminate(reason) {
    this.#worker?.terminate();
    this.#worker = null;
    const rejected = [...this.#pendingRequests.values()];
    this.#pendingRequests.clear();
    for (const { reject } of rejected) reject(new Error(reason));
  }

  #start() {
    const worker = (this.#worker = startWorker(absoluteUrl(this.#module)));
    worker.onmessage = ({ data: { number, answer: response, error } }) => {
      const request = this.#pendingRequests.get(number);
      this.#pendingRequests.delete(number);
      clearTimeout(request?.timer);
      if (error === undefined) request?.resolve(response);
      else request?.reject(new Error(error));
    };
    // The names of the files are sent to the worker, because bundlers rename the files and only this module receives the new names.
    worker.postMessage({ wasm: absoluteUrl(this.#wasm).href });
    worker.onerror = (event) => {
      event.preventDefault();
      this.#terminate("failed to load the emulator");
    };
  }

  async send(request, parameters) {
    if (!this.#worker) this.#start();
    const number = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#terminate("the emulator timed out"), RESPONSE_TIMEOUT_MS);
      this.#pendingRequests.set(number, { resolve, reject: (error) => { clearTimeout(timer); reject(error); }, timer });
      this.#worker.postMessage({ number, question: request, ...parameters });
    });
  }
}

/** The worker for PTX, and the larger one that also supports SASS, which is loaded for SASS sources. */
const ptxClient = new WorkerClient(new URL("./warpgrid-worker.js", import.meta.url), new URL("./core_ptx_bg.wasm", import.meta.url));
/** Checks whether the instructions are embedded in source code or a log, which the PTX worker does not support. */
const isEmbeddedSource = (source) => /\b(?:asm|__asm__|__asm)\b[\s\w]*\(|\binline_asm|\bInlineAsm\(|\bptxas /.test(source);
const sassClient = new WorkerClient(new URL("./warpgrid-worker-sass.js", import.meta.url), new URL("./core_bg.wasm", import.meta.url));
/** IDs of the elements that have a SASS source. */
const sassElementIds = new Set();

/** Sends a request to the worker for the language of an element. The promise is rejected with the reason if the worker cannot respond.
 *  Layout diagrams require the larger worker. */
export async function sendRequest(request, parameters) {
  if (request === "picture") return sassClient.send(request, parameters);
  if (request === "open") {
    const isSass = parameters.scenario.front === "sass" || isEmbeddedSource(parameters.scenario.source);
    const previousClient = sassElementIds.has(parameters.id) ? sassClient : ptxClient;
    if (isSass) sassElementIds.add(parameters.id);
    else sassElementIds.delete(parameters.id);
    if (previousClient !== (isSass ? sassClient : ptxClient) && previousClient.isRunning) previousClient.send("close", { id: parameters.id }).catch(() => {});
  }
  return (sassElementIds.has(parameters.id) ? sassClient : ptxClient).send(request, parameters);
}
