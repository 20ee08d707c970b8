// The page's side of the core: one worker for all elements, started by the first that needs it. A worker that does not answer is
// ended, and the next question starts another, so that no text can hold up the page.

/** A question that takes longer ends the worker. */
const PATIENCE_MS = 20_000;

let worker = null;
let last = 0;
const waiting = new Map();

/** The worker beside this module. From another origin a page may start only what a blob of its own imports. */
function start() {
  const address = new URL("./warpgrid-worker.js", import.meta.url);
  if (address.origin === location.origin) return new Worker(address, { type: "module" });
  const door = URL.createObjectURL(new Blob([`import ${JSON.stringify(address.href)};`], { type: "text/javascript" }));
  return new Worker(door, { type: "module" });
}

function stop(why) {
  worker?.terminate();
  worker = null;
  const lost = [...waiting.values()];
  waiting.clear();
  for (const { reject } of lost) reject(new Error(why));
}

/** Asks the core; rejects with the reason when it cannot answer. */
export function ask(question, facts) {
  if (!worker) {
    worker = start();
    worker.onmessage = ({ data: { number, answer, error } }) => {
      const asked = waiting.get(number);
      waiting.delete(number);
      clearTimeout(asked?.timer);
      if (error === undefined) asked?.resolve(answer);
      else asked?.reject(new Error(error));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      stop("the core could not be loaded");
    };
  }
  const number = (last += 1);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => stop("the core took too long and was stopped"), PATIENCE_MS);
    waiting.set(number, { resolve, reject: (error) => { clearTimeout(timer); reject(error); }, timer });
    worker.postMessage({ number, question, ...facts });
  });
}
