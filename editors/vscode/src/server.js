// Worker with the language server. The first message contains the bytes of the WebAssembly module, and all other messages are messages of
// the Language Server Protocol.
import * as glue from "warpgrid-lsp-wasm";
import { port } from "./port.js";

let server = null;
/** Messages that arrived before the module was instantiated. */
let queued = [];
let isWorking = false;

const send = (messages) => messages.forEach((message) => port.send(JSON.parse(message)));

/** Time without messages, in milliseconds, before kernels run, so that runs do not delay the diagnostics of the next keystroke. */
const IDLE = 400;
let lastMessage = 0;
let idleTimer = null;

/** Executes one task, and schedules the next task. Messages are processed between tasks. */
function work() {
  const messages = server.work(Date.now() - lastMessage >= IDLE);
  isWorking = messages !== undefined;
  if (!isWorking) return;
  send(messages);
  setTimeout(work);
}

function startWork() {
  if (isWorking) return;
  isWorking = true;
  setTimeout(work);
}

function receive(message) {
  if (!server) {
    queued.push(message);
    return;
  }
  send(server.receive(JSON.stringify(message)));
  lastMessage = Date.now();
  clearTimeout(idleTimer);
  idleTimer = setTimeout(startWork, IDLE);
  startWork();
}

async function start(wasm) {
  const { instance } = await WebAssembly.instantiate(wasm, { "./core_bg.js": glue });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  server = new glue.LanguageServer();
  const early = queued;
  queued = [];
  early.forEach(receive);
}

port.listen((message) => (message.wasm ? void start(message.wasm) : receive(message)));
