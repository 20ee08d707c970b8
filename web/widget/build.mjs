// Bundles the widget: writes the element, its worker, the page for an `<iframe>`, the recorder and the documentation tools to the given
// folder of the npm package. The second folder contains the WebAssembly module for widgets. `--site FOLDER` also copies the files for
// browsers to FOLDER.
import { build } from "esbuild";
import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { laneColorRules } from "./lane-colors.js";

const sourceFolder = dirname(fileURLToPath(import.meta.url));
const [packageFolder, coreFolder, , siteFolder] = process.argv.slice(2);
if (!coreFolder) throw new Error("usage: build.mjs PACKAGE_DIRECTORY WIDGET_CORE_DIRECTORY");

const shared = {
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  loader: { ".css": "text" },
  // URL of the project (see `crates/xtask/src/project_urls.rs`).
  define: { WARPGRID_SITE: JSON.stringify(process.env.WARPGRID_SITE ?? "") },
  logLevel: "warning",
};
const minifyCss = async (name) =>
  (await build({ ...shared, entryPoints: [join(sourceFolder, name)], loader: { ".css": "css" }, write: false })).outputFiles[0].text;

await build({
  ...shared,
  entryPoints: { "warpgrid-widget": join(sourceFolder, "element.js"), "warpgrid-embed": join(sourceFolder, "embed.js") },
  outdir: packageFolder,
});
// The element is also bundled as a classic script, because browsers do not load modules in documents that are opened as files.
await build({
  ...shared, format: "iife", entryPoints: { "warpgrid-widget-classic": join(sourceFolder, "element.js") }, outdir: packageFolder,
  banner: { js: "var warpgridWidget=document.currentScript.src;" }, define: { ...shared.define, "import.meta.url": "warpgridWidget" },
});
// A worker bundle contains the glue code of its WebAssembly module, so that the worker requests only the WebAssembly file.
await copyFile(join(sourceFolder, "ptx-entry.js"), join(coreFolder, "ptx-entry.js"));
await copyFile(join(coreFolder, "core_bg.wasm"), join(packageFolder, "core_ptx_bg.wasm"));
for (const [name, entry] of [["warpgrid-worker", join(coreFolder, "ptx-entry.js")], ["warpgrid-worker-sass", join(packageFolder, "warpgrid.js")]]) {
  await build({ ...shared, alias: { warpgrid: resolve(entry) }, entryPoints: { [name]: join(sourceFolder, "worker.js") }, outdir: packageFolder });
}
// The code for Node is not minified, so that the locations in error messages are readable.
await build({ ...shared, minify: false, external: ["warpgrid"], platform: "node", entryPoints: [join(sourceFolder, "record.js")], outdir: packageFolder });
await writeFile(join(packageFolder, "warpgrid-embed.css"), await minifyCss("embed.css"));
await writeFile(join(packageFolder, "warpgrid-snapshot.css"), `${await minifyCss("snapshot.css")}${laneColorRules(".warpgrid-snapshot ")}\n`);
for (const file of ["embed.html", "record.d.ts", "warpgrid-widget.d.ts"]) await copyFile(join(sourceFolder, file), join(packageFolder, file));
await cp(join(sourceFolder, "tools"), join(packageFolder, "tools"), { recursive: true });

const SERVED_FILES = ["warpgrid-widget.js", "warpgrid-widget-classic.js", "warpgrid-worker.js", "core_ptx_bg.wasm", "warpgrid-worker-sass.js", "core_bg.wasm", "warpgrid-embed.js", "warpgrid-embed.css", "warpgrid-snapshot.css", "embed.html"];
/** Files that a page loads before a widget is used. The next constant is the limit of their gzipped size in bytes. */
const FIRST_VIEW = ["warpgrid-widget.js", "warpgrid-snapshot.css"];
const FIRST_VIEW_LIMIT = 60_000;

if (siteFolder) {
  await mkdir(siteFolder, { recursive: true });
  const hashes = {};
  console.log(`  the widget            ${"bytes".padStart(9)} ${"gzip".padStart(9)}  integrity`);
  for (const file of SERVED_FILES) {
    await copyFile(join(packageFolder, file), join(siteFolder, file));
    const bytes = await readFile(join(siteFolder, file));
    hashes[file] = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
    const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length].map((size) => `${size}`.padStart(9));
    console.log(`  ${file.padEnd(21)} ${sizes.join(" ")}  ${hashes[file]}`);
  }
  await writeFile(join(siteFolder, "integrity.json"), `${JSON.stringify(hashes, null, 2)}\n`);
}
let firstViewBytes = 0;
for (const file of FIRST_VIEW) firstViewBytes += gzipSync(await readFile(join(packageFolder, file)), { level: 9 }).length;
if (firstViewBytes > FIRST_VIEW_LIMIT) throw new Error(`the first view of a widget has ${firstViewBytes} bytes, which exceeds the limit of ${FIRST_VIEW_LIMIT} bytes`);
