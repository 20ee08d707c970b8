// The worker of the learning pages, which is started by the first request and ends with the page. Requests return promises of their
// results.

/** Returns a worker that is started by the first request. */
export function openCore() {
  let worker = null;
  let last = 0;
  const waiting = new Map();

  function fail(why) {
    for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
    worker = null;
  }

  function hear(words, part) {
    let answer = null;
    try { answer = JSON.parse(words); } catch { fail(`failed to load the emulator: ${words}`); return; }
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error === undefined) asked?.resolve(part ?? answer.found);
    else asked?.reject(new Error(answer.error));
  }

  function start() {
    const begun = globalThis.warpgridStart("extended");
    worker = begun.worker;
    worker.onmessage = ({ data }) => {
      // The worker has loaded.
      if (data === true) return;
      if (Array.isArray(data)) hear(...data);
      else hear(data);
    };
    worker.onerror = (event) => { event.preventDefault(); fail(event.message || "the emulator has stopped"); };
  }

  return {
    /** Sends the request `what` with its string arguments, and transfers `parts` of a run with it. */
    askWith(parts, what, ...facts) {
      if (!worker) start();
      return new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        const question = [last, what, ...facts].join("\0");
        worker.postMessage(parts.length === 0 ? question : [question, ...parts]);
      });
    },
    end() {
      worker?.terminate();
      fail("the emulator was terminated");
    },
  };
}

/** The worker for all requests without a dedicated worker. */
export const core = openCore();

/** Sends a `puzzle`, `check`, `tour` or `picture` request with its arguments in order (`web/worker/src/learn.rs`). */
export function ask(what, ...facts) {
  return core.askWith([], what, ...facts);
}

const texts = new Map();
/** Fetches the source of an example. */
export function example(file) {
  if (!texts.has(file)) {
    const text = fetch(new URL(`examples/${file}`, document.baseURI), { cache: "no-cache" }).then((answer) => {
      if (!answer.ok) throw new Error(`the server returned ${answer.status} ${answer.statusText}`.trim());
      return answer.text();
    });
    text.catch(() => texts.delete(file));
    texts.set(file, text);
  }
  return texts.get(file);
}

const pictures = new Map();
/** Returns a thumbnail of the memory that a kernel writes, as SVG. */
export function picture(source) {
  if (!pictures.has(source)) pictures.set(source, ask("picture", source));
  return pictures.get(source);
}
