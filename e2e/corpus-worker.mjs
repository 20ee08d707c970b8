// Runs kernels with the npm package in a worker of a page that contains no other part of the project (`pages/host.html`). A browser driver
// evaluates this function in the page, so that the function must not reference outer names.

/** Returns the results of the package for cases or launches in a worker of the page. */
export const runInWorker = (request) =>
  new Promise((resolve, reject) => {
    const worker = new Worker("/pages/corpus.worker.js", { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(request);
  });
