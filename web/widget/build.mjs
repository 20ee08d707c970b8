// Bundles the widget: sources go in; the element, its worker, the page for an `<iframe>`, the recorder and the documentation tools come out beside
// the core of the npm package, in the folder that is named; the second folder has the core of widgets. `--site FOLDER` also lays what browsers need into FOLDER.
import { build } from "esbuild";
import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { laneColours } from "./colours.js";

const here = dirname(fileURLToPath(import.meta.url));
const [folder, core, , site] = process.argv.slice(2);
if (!core) throw new Error("usage: build.mjs PACKAGE_DIRECTORY WIDGET_CORE_DIRECTORY");

const shared = {
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  loader: { ".css": "text" },
  // The address of the project (see `crates/xtask/src/address.rs`).
  define: { WARPGRID_SITE: JSON.stringify(process.env.WARPGRID_SITE ?? "") },
  logLevel: "warning",
};
const minified = async (name) =>
  (await build({ ...shared, entryPoints: [join(here, name)], loader: { ".css": "css" }, write: false })).outputFiles[0].text;

await build({
  ...shared,
  entryPoints: { "warpgrid-widget": join(here, "element.js"), "warpgrid-embed": join(here, "embed.js") },
  outdir: folder,
});
// The element as a plain script, for documents that are opened as files: browsers load no module from one.
await build({
  ...shared, format: "iife", entryPoints: { "warpgrid-widget-classic": join(here, "element.js") }, outdir: folder,
  banner: { js: "var warpgridWidget=document.currentScript.src;" }, define: { ...shared.define, "import.meta.url": "warpgridWidget" },
});
// A worker has the glue of its core in it, so that it asks its server for nothing but the wasm.
await copyFile(join(here, "door.js"), join(core, "door.js"));
await copyFile(join(core, "core_bg.wasm"), join(folder, "core_ptx_bg.wasm"));
for (const [name, door] of [["warpgrid-worker", join(core, "door.js")], ["warpgrid-worker-sass", join(folder, "warpgrid.js")]]) {
  await build({ ...shared, alias: { warpgrid: resolve(door) }, entryPoints: { [name]: join(here, "worker.js") }, outdir: folder });
}
// Node's side is read by people who look for the reason of an error.
await build({ ...shared, minify: false, external: ["warpgrid"], platform: "node", entryPoints: [join(here, "record.js")], outdir: folder });
await writeFile(join(folder, "warpgrid-embed.css"), await minified("embed.css"));
await writeFile(join(folder, "warpgrid-snapshot.css"), `${await minified("snapshot.css")}${laneColours(".warpgrid-snapshot ")}\n`);
for (const file of ["embed.html", "record.d.ts", "warpgrid-widget.d.ts"]) await copyFile(join(here, file), join(folder, file));
await cp(join(here, "tools"), join(folder, "tools"), { recursive: true });

const SERVED = ["warpgrid-widget.js", "warpgrid-widget-classic.js", "warpgrid-worker.js", "core_ptx_bg.wasm", "warpgrid-worker-sass.js", "core_bg.wasm", "warpgrid-embed.js", "warpgrid-embed.css", "warpgrid-snapshot.css", "embed.html"];
/** What a page loads before somebody touches a widget; bytes, gzipped. */
const FIRST_VIEW = ["warpgrid-widget.js", "warpgrid-snapshot.css"];
const FIRST_VIEW_LIMIT = 60_000;

if (site) {
  await mkdir(site, { recursive: true });
  const hashes = {};
  console.log(`  the widget            ${"bytes".padStart(9)} ${"gzip".padStart(9)}  integrity`);
  for (const file of SERVED) {
    await copyFile(join(folder, file), join(site, file));
    const bytes = await readFile(join(site, file));
    hashes[file] = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
    const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length].map((size) => `${size}`.padStart(9));
    console.log(`  ${file.padEnd(21)} ${sizes.join(" ")}  ${hashes[file]}`);
  }
  await writeFile(join(site, "integrity.json"), `${JSON.stringify(hashes, null, 2)}\n`);
}
let weight = 0;
for (const file of FIRST_VIEW) weight += gzipSync(await readFile(join(folder, file)), { level: 9 }).length;
if (weight > FIRST_VIEW_LIMIT) throw new Error(`the first view of a widget has ${weight} bytes, which exceeds the limit of ${FIRST_VIEW_LIMIT} bytes`);
