// The door for Node, whose `fetch` reads no files: `await init()` and `initSync()` read `core_bg.wasm` from beside this module.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { load, loadNow, namedOrGiven } from "./load.js";

export * from "./api.js";

const FILE = new URL("core_bg.wasm", import.meta.url);

export default async function init(source) {
  await load(async () => {
    const input = (await namedOrGiven(await source)) ?? FILE;
    const address = input instanceof URL || (typeof input === "string" && /^file:/.test(input)) ? new URL(input) : null;
    return address?.protocol === "file:" ? readFile(fileURLToPath(address)) : input;
  });
}

export function initSync(module) {
  loadNow(module, () => readFileSync(FILE));
}
