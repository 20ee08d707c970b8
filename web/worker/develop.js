// The start of the worker while one works on the page, in place of start.js: one core serves workers of every name, and writes the reference
// itself. What the page says before the core is there waits; when it cannot be loaded, the page learns why.
const early = [];
onmessage = (message) => early.push(message);

try {
  const { default: load, writeReference } = await import("./warpgrid-core-develop.js");
  globalThis.fetchReference = async () => writeReference();
  await load();
  for (const message of early) onmessage(message);
} catch (error) {
  postMessage(String(error));
}
