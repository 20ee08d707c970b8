// Entry point for pages, workers and bundlers. `await init()` loads `core_bg.wasm` from the directory of this module. Bundlers recognize
// the expression `new URL("core_bg.wasm", import.meta.url)`.
import { load, loadSync, moduleSource } from "./load.js";

export * from "./api.js";

export default async function init(source) {
  await load(async () => (await moduleSource(await source)) ?? new URL("core_bg.wasm", import.meta.url));
}

export function initSync(module) {
  loadSync(module);
}
