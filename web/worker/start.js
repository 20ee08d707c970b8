// The start of a worker: loads the core that the worker is named by, `ptx`, `sass` or `both`; it lies beside this file. What the page says before the core is
// there waits; when it cannot be loaded, the page learns why. A core whose name goes on with `waits` is loaded when the page says `true`, and each says `true`
// when it is there: so what is needed first has the line for itself.
//
// Meanwhile a first visit is answered with what was recorded of one (web/worker/src/first.rs). The core is asked the same later, and its answers are dropped
// as long as they are those that were recorded: then it is where the page is.
const [language, waits] = name.split(" ");
const early = [];
let hear = (message) => {
  if (message.data === true) return load();
  early.push(message);
  answer(message);
};
const receive = (message) => hear(message);
onmessage = receive;

// The pages of the reference lie beside the core, since a reader who never opens them should not wait for them.
globalThis.fetchReference = async () => {
  try {
    const answer = await fetch(new URL("./reference.bin", import.meta.url));
    if (!answer.ok) return `the server returned ${answer.status} ${answer.statusText}`.trim();
    return new Uint8Array(await answer.arrayBuffer());
  } catch (error) {
    return String(error);
  }
};

/** What was recorded: `{ request, answers }`, all of them bytes. */
const recording = language === "ptx" ? readRecording() : Promise.resolve([]);

async function readRecording() {
  try {
    const file = await fetch(new URL("./first.bin", import.meta.url));
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

/** What the page has been answered already, by the message that asked. */
const answered = new Map();
let isThere = false;

async function answer(message) {
  const recorded = (await recording).find(({ request }) => same(message.data, request));
  if (!recorded || isThere) return;
  answered.set(message, recorded.answers);
  for (const bytes of recorded.answers) postMessage(bytes);
}

/** Lets the core hear what came before it was there. What follows a request that was answered waits until the core has answered it, too. */
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
    // Both are asked for at once, and the wasm is compiled while it arrives.
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
