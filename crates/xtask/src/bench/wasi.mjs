// Runs the harness, compiled for WASI, in Node. The command line is `node wasi.mjs harness.wasm INPUT-DIR [BENCHMARK…]`.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, folder, ...figures] = process.argv.slice(2);
const wasi = new WASI({
  version: "preview1",
  args: ["harness", "measure", "/inputs", ...figures],
  preopens: { "/inputs": folder },
});
const module = await WebAssembly.compile(await readFile(program));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
