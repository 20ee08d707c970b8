// Entry point for bundlers and hosts that import WebAssembly as an ES module. The module is instantiated before the importing code runs, so
// `init` does nothing; it exists because programs must run with each entry point.
import * as wasm from "./core_bg.wasm";
import { connect } from "./load.js";

export * from "./api.js";

connect(wasm);

export default async function init() {}

export function initSync() {}
