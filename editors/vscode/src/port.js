// Message port of the server in its worker. The same bundle runs in a web worker and in a worker thread of Node.

const nodePort = () => require("node:worker_threads").parentPort;

const isWebWorker = typeof globalThis.importScripts === "function";

export const port = isWebWorker
  ? {
    send: (message) => self.postMessage(message),
    listen: (handler) => self.addEventListener("message", ({ data }) => handler(data)),
  }
  : {
    send: (message) => nodePort().postMessage(message),
    listen: (handler) => nodePort().on("message", handler),
  };
