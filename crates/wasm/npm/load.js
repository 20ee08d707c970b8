// Loads the WebAssembly module in any form that the host provides, and connects it to the generated bindings once. Shared by all entry points.
import * as glue from "./core_bg.js";
import { WarpgridError, notLoaded, notReady, unreadable } from "./errors.js";

/** Imports of the WebAssembly module. */
const IMPORTS = { "./core_bg.js": glue };
let isLoaded = false;
/** The compiled module, which workers receive. `null` if a bundler has instantiated it. */
let module = null;
/** Promise of the current load, or `null`. */
let loading = null;

export function assertLoaded() {
  if (!isLoaded) throw notReady("the WebAssembly module is not loaded: call `await init()` first");
}

/** Connects the generated bindings to the exports of the module. */
export function connect(exports, compiled = null) {
  module = compiled;
  glue.__wbg_set_wasm(exports);
  // Initializes the table of JavaScript values with `undefined`, `null`, `true` and `false`.
  exports.__wbindgen_start();
  isLoaded = true;
}

/** Returns the compiled module, which a worker loads instead of a file. */
export const loadedModule = () => module;

/** Loads the module from the source that `find` returns. Later calls return immediately, calls during a load wait for it, and a call after a failure retries. */
export async function load(find) {
  if (isLoaded) return;
  loading ??= (async () => {
    const { module, instance } = await instantiate(await find());
    connect(instance.exports, module);
  })();
  try {
    await loading;
  } catch (error) {
    throw notLoaded(error);
  } finally {
    loading = null;
  }
}

/** Loads the module synchronously from bytes or a module. Without an argument, `find` returns the source. */
export function loadNow(source, find = () => source) {
  if (isLoaded) return;
  const input = (isPlain(source) ? source.module : source) ?? find();
  if (!isBytes(input) && !(input instanceof WebAssembly.Module)) throw unreadable("wasm", input, "bytes or a `WebAssembly.Module`");
  try {
    const compiled = isBytes(input) ? new WebAssembly.Module(input) : input;
    connect(new WebAssembly.Instance(compiled, IMPORTS).exports, compiled);
  } catch (error) {
    throw notLoaded(error);
  }
}

/** `init({ module_or_path: source })` is the same as `init(source)`. */
export const namedOrGiven = (source) => (isPlain(source) ? source.module_or_path : source);

const isPlain = (value) => value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
const isBytes = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);
/** Checks whether a value is an instance of a global class, which the host may lack. */
const isA = (name, value) => typeof globalThis[name] === "function" && value instanceof globalThis[name];

async function instantiate(input) {
  if (typeof input === "string" || isA("URL", input) || isA("Request", input)) return instantiate(await fetch(input));
  if (isA("Response", input)) {
    if (!input.ok) throw new WarpgridError(`failed to load the WebAssembly module: ${input.status} ${input.statusText}`.trim(), "W0905");
    // A server can send another content type for WebAssembly; the host cannot compile such a response while it streams.
    const isTyped = input.headers.get("content-type")?.toLowerCase() === "application/wasm";
    if (isTyped) return WebAssembly.instantiateStreaming(input, IMPORTS);
    return instantiate(await input.arrayBuffer());
  }
  if (input instanceof WebAssembly.Module) return { module: input, instance: await WebAssembly.instantiate(input, IMPORTS) };
  if (isBytes(input)) return WebAssembly.instantiate(input, IMPORTS);
  throw unreadable("wasm", input, "a URL, a `Response`, bytes or a `WebAssembly.Module`");
}
