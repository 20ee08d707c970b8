// Entry point for bundlers and hosts that import WebAssembly as an ES module. The host instantiates the module before the importing code
// runs, so that `init` has no effect. `init` exists because programs must run with each entry point.
import * as wasm from "./core_bg.wasm";
import { connect } from "./load.js";

export * from "./api.js";

connect(wasm);

export default async function init() {}

export function initSync() {}
