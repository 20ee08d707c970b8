// The worker of the learning pages, which is started by the first request and ends with the page. Each request returns a promise of its
// result.

/** Returns a client, whose worker is started by the first request. */
export function createWorkerClient() {
  let worker = null;
  let lastId = 0;
  const pendingRequests = new Map();

  function rejectAll(message) {
    for (const { reject } of pendingRequests.values()) reject(new Error(message));
    pendingRequests.clear();
    worker = null;
  }

  function handleMessage(text, part) {
    let response = null;
    try { response = JSON.parse(text); } catch { rejectAll(`failed to load the emulator: ${text}`); return; }
    const request = pendingRequests.get(response.id);
    pendingRequests.delete(response.id);
    if (response.error === undefined) request?.resolve(part ?? response.found);
    else request?.reject(new Error(response.error));
  }

  function startWorker() {
    const started = globalThis.startWarpgridWorker("extended");
    worker = started.worker;
    worker.onmessage = ({ data }) => {
      // This message reports that the worker has loaded.
      if (data === true) return;
      if (Array.isArray(data)) handleMessage(...data);
      else handleMessage(data);
    };
    worker.onerror = (event) => { event.preventDefault(); rejectAll(event.message || "the emulator has stopped"); };
  }

  return {
    /** Sends a request with its string arguments. `parts` contains partitions of a run, which are transferred with the request. */
    sendWith(parts, request, ...requestArguments) {
      if (!worker) startWorker();
      return new Promise((resolve, reject) => {
        lastId += 1;
        pendingRequests.set(lastId, { resolve, reject });
        const message = [lastId, request, ...requestArguments].join("\0");
        worker.postMessage(parts.length === 0 ? message : [message, ...parts]);
      });
    },
    terminate() {
      worker?.terminate();
      rejectAll("the emulator was terminated");
    },
  };
}

/** Client whose worker handles all requests without a dedicated worker. */
export const sharedClient = createWorkerClient();

/** Sends a `puzzle`, `check`, `tour` or `picture` request with its arguments in order (`web/worker/src/learn.rs`). */
export function sendRequest(request, ...requestArguments) {
  return sharedClient.sendWith([], request, ...requestArguments);
}

const exampleSources = new Map();
/** Fetches the source of an example. */
export function fetchExample(file) {
  if (!exampleSources.has(file)) {
    const text = fetch(new URL(`examples/${file}`, document.baseURI), { cache: "no-cache" }).then((response) => {
      if (!response.ok) throw new Error(`the server returned ${response.status} ${response.statusText}`.trim());
      return response.text();
    });
    text.catch(() => exampleSources.delete(file));
    exampleSources.set(file, text);
  }
  return exampleSources.get(file);
}

const thumbnails = new Map();
/** Returns a thumbnail of the memory that a kernel writes, as SVG. */
export function thumbnail(source) {
  if (!thumbnails.has(source)) thumbnails.set(source, sendRequest("picture", source));
  return thumbnails.get(source);
}
