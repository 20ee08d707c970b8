// The door for pages, workers and bundlers: `await init()` loads `core_bg.wasm` from beside this module. The form of the address is the one
// that bundlers follow.
import { load, loadNow, namedOrGiven } from "./load.js";

export * from "./api.js";

export default async function init(source) {
  await load(async () => (await namedOrGiven(await source)) ?? new URL("core_bg.wasm", import.meta.url));
}

export function initSync(module) {
  loadNow(module);
}
