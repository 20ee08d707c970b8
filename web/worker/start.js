// The start of the worker: loads the core that lies beside it. What the page says before the core is there waits;
// when it cannot be loaded, the page learns why.
const early = [];
onmessage = (message) => early.push(message);
try {
  const { default: load } = await import("./warpgrid-core.js");
  await load();
  for (const message of early) onmessage(message);
} catch (error) {
  postMessage(String(error));
}
