// Worker script: loads the wasm module that the name of the worker specifies, `ptx`, `sass` or `extended`, from the folder of this file.
// Messages of the page are queued until the module has loaded. If it cannot be loaded, the page receives the reason. A module with the
// suffix `waits` in its name is loaded when the page sends `true`, and each worker sends `true` once it has loaded, so that the modules
// that are needed first have the full bandwidth.
//
// In the meantime, the requests of a first visit are answered from a recording (web/worker/src/prerecorded.rs). The module later receives the
// same requests, and its responses are dropped as long as they equal the recorded ones. After that, its state is the one that the page
// shows.
const [language, waits] = name.split(" ");
const early = [];
let hear = (message) => {
  if (message.data === true) return load();
  early.push(message);
  answer(message);
};
const receive = (message) => hear(message);
onmessage = receive;

// The reference pages are in a separate file, so that readers who never open them do not wait for them.
globalThis.fetchReference = async () => {
  try {
    const answer = await fetch(new URL("./reference.bin", import.meta.url));
    if (!answer.ok) return `the server returned ${answer.status} ${answer.statusText}`.trim();
    return new Uint8Array(await answer.arrayBuffer());
  } catch (error) {
    return String(error);
  }
};

/** The recorded `{ request, answers }` as bytes. */
const recording = language === "ptx" ? readRecording() : Promise.resolve([]);

async function readRecording() {
  try {
    const file = await fetch(new URL("./prerecorded.bin", import.meta.url));
    const bytes = new Uint8Array(file.ok ? await file.arrayBuffer() : 0);
    const view = new DataView(bytes.buffer);
    let at = 0;
    const count = () => view.getUint32((at += 4) - 4, true);
    const block = () => { const n = count(); return bytes.slice(at, at += n); };
    const recorded = [];
    while (at < bytes.length) recorded.push({ request: block(), answers: Array.from({ length: count() }, block) });
    return recorded;
  } catch {
    return [];
  }
}

const same = (a, b) => a.length === b?.length && a.every((byte, index) => byte === b[index]);

/** The recorded responses that were sent to the page, by request message. */
const answered = new Map();
let isThere = false;

async function answer(message) {
  const recorded = (await recording).find(({ request }) => same(message.data, request));
  if (!recorded || isThere) return;
  answered.set(message, recorded.answers);
  for (const bytes of recorded.answers) postMessage(bytes);
}

/** Sends the queued messages to the module. A message after a recorded request waits until the module has answered that request, too. */
async function repeat(core) {
  isThere = true;
  hear = (message) => early.push(message);
  onmessage = receive;
  const post = self.postMessage;
  let expected = [];
  let said;
  self.postMessage = (bytes, moved) => {
    if (same(bytes, expected[0])) expected.shift();
    else {
      expected = [];
      post.call(self, bytes, moved);
    }
    if (expected.length === 0) said?.();
  };
  while (early.length > 0) {
    const message = early.shift();
    expected = [...(answered.get(message) ?? [])];
    core(message);
    if (expected.length > 0) await new Promise((done) => { said = done; });
  }
  self.postMessage = post;
  onmessage = core;
}

let isLoading = false;
async function load() {
  if (isLoading) return;
  isLoading = true;
  try {
    const core = language === "ptx" ? "warpgrid-core" : `warpgrid-core-${language}`;
    // Both files are requested at once, and the wasm is compiled while it arrives.
    const wasm = fetch(new URL(`./${core}_bg.wasm`, import.meta.url));
    wasm.catch(() => {});
    const { default: start } = await import(`./${core}.js`);
    await start({ module_or_path: wasm });
    await repeat(onmessage);
    postMessage(true);
  } catch (error) {
    postMessage(String(error));
  }
}
if (!waits) load();
