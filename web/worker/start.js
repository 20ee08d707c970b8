// Worker script: loads the WebAssembly module that the name of the worker specifies, `ptx`, `sass` or `extended`, from the folder of this
// file. Messages of the page are queued until the module has loaded. If the module cannot be loaded, the page receives the reason. A module
// whose name has the suffix `deferred` is loaded when the page sends `true`, and each worker sends `true` once it has loaded, so that the
// modules that are needed first have the full bandwidth. In the meantime, the requests of a first visit are answered from a recording
// (web/worker/src/prerecorded.rs). The module later receives the same requests, and its responses are dropped as long as they equal the
// recorded responses. Afterwards, the state of the module is the state that the page shows.
const [kind, isDeferred] = name.split(" ");
const queuedMessages = [];
let handleMessage = (message) => {
  if (message.data === true) return loadModule();
  queuedMessages.push(message);
  respondFromRecording(message);
};
const dispatchMessage = (message) => handleMessage(message);
onmessage = dispatchMessage;

// The reference pages are in a separate file, so that they are loaded only for readers who open them.
globalThis.fetchReference = async () => {
  try {
    const response = await fetch(new URL("./reference.bin", import.meta.url));
    if (!response.ok) return `the server returned ${response.status} ${response.statusText}`.trim();
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    return String(error);
  }
};

/** Recorded pairs `{ request, responses }` as bytes. */
const prerecorded = kind === "ptx" ? readRecording() : Promise.resolve([]);

async function readRecording() {
  try {
    const file = await fetch(new URL("./prerecorded.bin", import.meta.url));
    const bytes = new Uint8Array(file.ok ? await file.arrayBuffer() : 0);
    const view = new DataView(bytes.buffer);
    let offset = 0;
    const readCount = () => view.getUint32((offset += 4) - 4, true);
    const readBlock = () => { const n = readCount(); return bytes.slice(offset, offset += n); };
    const recorded = [];
    while (offset < bytes.length) recorded.push({ request: readBlock(), responses: Array.from({ length: readCount() }, readBlock) });
    return recorded;
  } catch {
    return [];
  }
}

const equalBytes = (a, b) => a.length === b?.length && a.every((byte, index) => byte === b[index]);

/** Recorded responses that have been sent to the page, by request message. */
const prerecordedResponses = new Map();
let isModuleLoaded = false;

async function respondFromRecording(message) {
  const recorded = (await prerecorded).find(({ request }) => equalBytes(message.data, request));
  if (!recorded || isModuleLoaded) return;
  prerecordedResponses.set(message, recorded.responses);
  for (const bytes of recorded.responses) postMessage(bytes);
}

/** Sends the queued messages to the module. A message after a recorded request waits until the module has also answered this request. */
async function replayQueue(moduleHandler) {
  isModuleLoaded = true;
  handleMessage = (message) => queuedMessages.push(message);
  onmessage = dispatchMessage;
  const postToPage = self.postMessage;
  let expectedResponses = [];
  let resolveReplay;
  self.postMessage = (bytes, transfer) => {
    if (equalBytes(bytes, expectedResponses[0])) expectedResponses.shift();
    else {
      expectedResponses = [];
      postToPage.call(self, bytes, transfer);
    }
    if (expectedResponses.length === 0) resolveReplay?.();
  };
  while (queuedMessages.length > 0) {
    const message = queuedMessages.shift();
    expectedResponses = [...(prerecordedResponses.get(message) ?? [])];
    moduleHandler(message);
    if (expectedResponses.length > 0) await new Promise((resolve) => { resolveReplay = resolve; });
  }
  self.postMessage = postToPage;
  onmessage = moduleHandler;
}

let isLoading = false;
async function loadModule() {
  if (isLoading) return;
  isLoading = true;
  try {
    const moduleName = kind === "ptx" ? "warpgrid-core" : `warpgrid-core-${kind}`;
    // Both files are requested at the same time, and the WebAssembly module is compiled while it is being received.
    const wasm = fetch(new URL(`./${moduleName}_bg.wasm`, import.meta.url));
    wasm.catch(() => {});
    const { default: initialize } = await import(`./${moduleName}.js`);
    await initialize({ module_or_path: wasm });
    await replayQueue(onmessage);
    postMessage(true);
  } catch (error) {
    postMessage(String(error));
  }
}
if (!isDeferred) loadModule();
