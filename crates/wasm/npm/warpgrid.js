// Entry point for pages, workers and bundlers: `await init()` loads `core_bg.wasm` from the directory of this module. Bundlers recognize the
// expression `new URL("core_bg.wasm", import.meta.url)`.
import { load, loadNow, namedOrGiven } from "./load.js";

export * from "./api.js";

export default async function init(source) {
  await load(async () => (await namedOrGiven(await source)) ?? new URL("core_bg.wasm", import.meta.url));
}

export function initSync(module) {
  loadNow(module);
}
