import type { InitInput } from "./core.js";

export * from "./core.js";

/**
 * Loads the wasm once; later calls return at once. Without an argument it takes the file beside this module;
 * otherwise a URL, a `Response`, bytes or a `WebAssembly.Module`.
 */
export default function init(source?: InitInput | Promise<InitInput>): Promise<unknown>;
