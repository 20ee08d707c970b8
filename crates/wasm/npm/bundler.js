// The door where wasm is a module of its own: bundlers that import it so, and hosts that do. It is loaded before the first line of whoever
// imports this, so that `init` has nothing left to do; a program that calls it runs with every door.
import * as wasm from "./core_bg.wasm";
import { connect } from "./load.js";

export * from "./api.js";

connect(wasm);

export default async function init() {}

export function initSync() {}
