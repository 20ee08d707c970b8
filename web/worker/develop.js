// Worker script of development builds, which replaces start.js: one module serves workers of every name and generates the reference itself.
// Messages of the page are queued until the module has loaded. If the module cannot be loaded, the page receives the reason.
const queuedMessages = [];
onmessage = (message) => queuedMessages.push(message);

try {
  const { default: load, writeReference } = await import("./warpgrid-core-develop.js");
  globalThis.fetchReference = async () => writeReference();
  await load();
  for (const message of queuedMessages) onmessage(message);
} catch (error) {
  postMessage(String(error));
}
