// The worker of `share.js` as Node has workers.
import { parentPort } from "node:worker_threads";
import { answer } from "./share.js";

parentPort.on("message", async (message) => parentPort.postMessage(...(await answer(message))));
