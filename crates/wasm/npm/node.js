// Entry point for Node, whose `fetch` does not support files: `await init()` and `initSync()` read `core_bg.wasm` from the directory of this module.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { load, loadNow, namedOrGiven } from "./load.js";
import { startWorkersBy } from "./workers.js";

export * from "./api.js";

const FILE = new URL("core_bg.wasm", import.meta.url);

startWorkersBy(availableParallelism(), () => {
  const worker = new Worker(new URL("./share-node.js", import.meta.url));
  return {
    worker,
    listen(hear, fail) {
      worker.on("message", hear);
      worker.on("error", ({ message }) => fail(message));
    },
  };
});

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
