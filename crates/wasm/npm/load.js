// The wasm goes in, in whatever form a host has it; the glue is connected to it once. All doors of the package share this.
import * as glue from "./core_bg.js";
import { WarpgridError, notLoaded, notReady, unreadable } from "./errors.js";

/** What the wasm asks of its host. */
const IMPORTS = { "./core_bg.js": glue };
let isLoaded = false;
/** The wasm as a module, which workers get; none where a bundler has connected it. */
let module = null;
/** The attempt that is under way. */
let loading = null;

export function assertLoaded() {
  if (!isLoaded) throw notReady("the WebAssembly module is not loaded: call `await init()` first");
}

/** Connects the glue to the exports of the wasm. */
export function connect(exports, compiled = null) {
  module = compiled;
  glue.__wbg_set_wasm(exports);
  // Puts `undefined`, `null`, `true` and `false` into the table through which values of JavaScript pass.
  exports.__wbindgen_start();
  isLoaded = true;
}

/** What a worker loads in place of a file. */
export const loadedModule = () => module;

/** Loads the wasm once, from what `find` gives: later calls return at once, and so do those while it loads. A failed attempt can be repeated. */
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

/** Loads the wasm from bytes or a module, or from what `find` gives where there is none, without waiting. */
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
/** Whether a value is of a class that this host has. */
const isA = (name, value) => typeof globalThis[name] === "function" && value instanceof globalThis[name];

async function instantiate(input) {
  if (typeof input === "string" || isA("URL", input) || isA("Request", input)) return instantiate(await fetch(input));
  if (isA("Response", input)) {
    if (!input.ok) throw new WarpgridError(`failed to load the WebAssembly module: ${input.status} ${input.statusText}`.trim(), "W0905");
    // Servers that do not know wasm send it under another type, which cannot be compiled while it arrives.
    const isTyped = input.headers.get("content-type")?.toLowerCase() === "application/wasm";
    if (isTyped) return WebAssembly.instantiateStreaming(input, IMPORTS);
    return instantiate(await input.arrayBuffer());
  }
  if (input instanceof WebAssembly.Module) return { module: input, instance: await WebAssembly.instantiate(input, IMPORTS) };
  if (isBytes(input)) return WebAssembly.instantiate(input, IMPORTS);
  throw unreadable("wasm", input, "a URL, a `Response`, bytes or a `WebAssembly.Module`");
}
