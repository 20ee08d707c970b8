// Loads the WebAssembly module in any form that the host provides, and connects the module to the generated bindings once. All entry points
// share this module.
import * as glue from "./core_bg.js";
import { WarpgridError, loadError, notReadyError, argumentError } from "./errors.js";

/** Imports of the WebAssembly module. */
const IMPORTS = { "./core_bg.js": glue };
let isLoaded = false;
/** Compiled module, which workers receive; `null` if a bundler has instantiated the module. */
let module = null;
/** Memory of the module. */
let coreMemory = null;
/** Promise of the current load; `null` if no load is in progress. */
let pendingLoad = null;

export function assertLoaded() {
  if (!isLoaded) throw notReadyError("the WebAssembly module is not loaded: call `await init()` first");
}

/** Connects the generated bindings to the exports of the module. */
export function connect(exports, compiled = null) {
  module = compiled;
  coreMemory = exports.memory;
  glue.__wbg_set_wasm(exports);
  // The call initializes the table of JavaScript values with `undefined`, `null`, `true` and `false`.
  exports.__wbindgen_start();
  isLoaded = true;
}

/** Returns the size of the memory of the module in bytes. The memory never shrinks. */
export const memorySize = () => coreMemory?.buffer.byteLength ?? 0;

/** Returns the compiled module, which a worker loads instead of a file. */
export const loadedModule = () => module;

/** Loads the module from the source that `locate` returns. After a successful load, later calls return immediately. A call during a load
 *  waits for this load, and a call after a failure starts a new load. */
export async function load(locate) {
  if (isLoaded) return;
  pendingLoad ??= (async () => {
    const { module, instance } = await instantiate(await locate());
    connect(instance.exports, module);
  })();
  try {
    await pendingLoad;
  } catch (error) {
    throw loadError(error);
  } finally {
    pendingLoad = null;
  }
}

/** Loads the module synchronously from bytes or a module. Without an argument, `locate` returns the source. */
export function loadSync(source, locate = () => source) {
  if (isLoaded) return;
  const input = (isPlain(source) ? source.module : source) ?? locate();
  if (!isBytes(input) && !(input instanceof WebAssembly.Module)) throw argumentError("wasm", input, "bytes or a `WebAssembly.Module`");
  try {
    const compiled = isBytes(input) ? new WebAssembly.Module(input) : input;
    connect(new WebAssembly.Instance(compiled, IMPORTS).exports, compiled);
  } catch (error) {
    throw loadError(error);
  }
}

/** `init({ module_or_path: source })` has the same effect as `init(source)`. */
export const moduleSource = (source) => (isPlain(source) ? source.module_or_path : source);

const isPlain = (value) => value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
const isBytes = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);
/** Checks whether a value is an instance of a global class. The host may not provide this class. */
const isInstanceOf = (name, value) => typeof globalThis[name] === "function" && value instanceof globalThis[name];

async function instantiate(input) {
  if (typeof input === "string" || isInstanceOf("URL", input) || isInstanceOf("Request", input)) return instantiate(await fetch(input));
  if (isInstanceOf("Response", input)) {
    if (!input.ok) throw new WarpgridError(`failed to load the WebAssembly module: ${input.status} ${input.statusText}`.trim(), "W0905");
    // A server can send another content type for WebAssembly. The host cannot compile such a response while the response streams.
    const hasWasmContentType = input.headers.get("content-type")?.toLowerCase() === "application/wasm";
    if (hasWasmContentType) return WebAssembly.instantiateStreaming(input, IMPORTS);
    return instantiate(await input.arrayBuffer());
  }
  if (input instanceof WebAssembly.Module) return { module: input, instance: await WebAssembly.instantiate(input, IMPORTS) };
  if (isBytes(input)) return WebAssembly.instantiate(input, IMPORTS);
  throw argumentError("wasm", input, "a URL, a `Response`, bytes or a `WebAssembly.Module`");
}
