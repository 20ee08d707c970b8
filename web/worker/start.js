// The start of the worker: loads the core that the worker is named by, `ptx`, `sass` or `both`; it lies beside this file. What the page says before the core is there waits;
// when it cannot be loaded, the page learns why.
const early = [];
onmessage = (message) => early.push(message);

// The pages of the reference lie beside the core, since a reader who never opens them should not wait for them.
globalThis.fetchReference = async () => {
  try {
    const answer = await fetch(new URL("./reference.bin", import.meta.url));
    if (!answer.ok) return `the server answered ${answer.status} ${answer.statusText}`.trim();
    return new Uint8Array(await answer.arrayBuffer());
  } catch (error) {
    return String(error);
  }
};

try {
  const core = name === "ptx" ? "warpgrid-core" : `warpgrid-core-${name}`;
  // Both are asked for at once, and the wasm is compiled while it arrives.
  const wasm = fetch(new URL(`./${core}_bg.wasm`, import.meta.url));
  wasm.catch(() => {});
  const { default: load } = await import(`./${core}.js`);
  await load({ module_or_path: wasm });
  for (const message of early) onmessage(message);
} catch (error) {
  postMessage(String(error));
}
