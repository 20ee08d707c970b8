// Entry point for Node, whose `fetch` does not support files. `await init()` and `initSync()` read `core_bg.wasm` from the directory of
// this module.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { load, loadSync, moduleSource } from "./load.js";
import { setWorkerFactory } from "./workers.js";

export * from "./api.js";

const WASM_FILE = new URL("core_bg.wasm", import.meta.url);

setWorkerFactory(availableParallelism(), () => {
  const worker = new Worker(new URL("./share-node.js", import.meta.url));
  return {
    worker,
    listen(onMessage, onError) {
      worker.on("message", onMessage);
      worker.on("error", ({ message }) => onError(message));
    },
  };
});

export default async function init(source) {
  await load(async () => {
    const input = (await moduleSource(await source)) ?? WASM_FILE;
    const url = input instanceof URL || (typeof input === "string" && /^file:/.test(input)) ? new URL(input) : null;
    return url?.protocol === "file:" ? readFile(fileURLToPath(url)) : input;
  });
}

export function initSync(module) {
  loadSync(module, () => readFileSync(WASM_FILE));
}
