// Kernels run by the npm package in a worker of a page that has nothing else of ours (`pages/host.html`). A browser's driver calls this
// in that page, so it names nothing from outside.

/** What the package makes of the cases or launches in a worker of the page. */
export const runInWorker = (asked) =>
  new Promise((resolve, reject) => {
    const worker = new Worker("/pages/corpus.worker.js", { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(asked);
  });
