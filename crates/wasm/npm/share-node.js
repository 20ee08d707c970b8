// Implements the worker of `share.js` for Node worker threads.
import { parentPort } from "node:worker_threads";
import { executeShare } from "./share.js";

parentPort.on("message", async (message) => parentPort.postMessage(...(await executeShare(message))));
