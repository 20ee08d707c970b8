// The door of the package: the same `await init()` in a page, in a worker and in Node.
import initCore from "./core.js";

export * from "./core.js";

/**
 * Loads the wasm once; later calls return at once. Without an argument it takes the file beside this module;
 * otherwise a URL, a `Response`, bytes or a `WebAssembly.Module`.
 */
export default async function init(source) {
  const input = (await source) ?? (await besideThisModule());
  return initCore({ module_or_path: input });
}

async function besideThisModule() {
  const file = new URL("core_bg.wasm", import.meta.url);
  if (file.protocol !== "file:" || !globalThis.process?.versions?.node) return file;
  // Node's `fetch` reads no files. The name is no literal, so that bundlers for pages leave it alone.
  const module = "node:fs/promises";
  const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ module);
  return readFile(file);
}
