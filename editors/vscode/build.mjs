// Builds the extension in a directory, from which `vsce` creates the archive: `build.mjs OUTPUT SERVER PACKAGE`. SERVER contains the
// WebAssembly module of the language server and its bindings, and PACKAGE is the npm package, which contains the playground.
// `EDITOR_TOOLS` is the directory of the npm packages of the extension.
import { build } from "esbuild";
import { copyFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const folders = process.argv.slice(2).map((path) => resolve(path));
if (folders.length !== 3) throw new Error("usage: build.mjs OUTPUT SERVER PACKAGE");
const [output, server, npmPackage] = folders;
const out = join(output, "out");
const playground = join(out, "playground");

await rm(output, { recursive: true, force: true });
await mkdir(playground, { recursive: true });
await mkdir(join(output, "images"));

const shared = {
  bundle: true,
  minify: true,
  format: "cjs",
  target: "es2022",
  legalComments: "none",
  external: ["vscode", "node:*"],
  nodePaths: [join(process.env.EDITOR_TOOLS, "node_modules")],
  alias: { "warpgrid-lsp-wasm": join(server, "core_bg.js") },
  logLevel: "warning",
};
const source = (name) => join(folder, "src", name);
await build({ ...shared, platform: "node", entryPoints: { desktop: source("desktop.js") }, outdir: out });
await build({ ...shared, platform: "browser", entryPoints: { web: source("web.js") }, outdir: out });
// The bundle runs in a web worker and in a worker thread of Node.
await build({ ...shared, platform: "browser", format: "iife", entryPoints: { server: source("server.js") }, outdir: out });
await build({ ...shared, platform: "browser", format: "esm", entryPoints: { "playground-page": source("playground-page.js") }, outdir: playground });
await copyFile(join(server, "core_bg.wasm"), join(out, "server.wasm"));
for (const file of ["warpgrid-widget.js", "warpgrid-worker.js", "core_ptx_bg.wasm"]) await copyFile(join(npmPackage, file), join(playground, file));

for (const name of ["CHANGELOG.md", "README.md", "language-configuration.json", "snippets", "syntaxes"]) {
  await cp(join(folder, name), join(output, name), { recursive: true });
}
await copyFile(join(root, "public/icon-512.png"), join(output, "images/icon.png"));
const licenses = await Promise.all(["LICENSE-MIT", "LICENSE-APACHE"].map((name) => readFile(join(root, name), "utf8")));
await writeFile(join(output, "LICENSE.txt"), licenses.join("\n\n"));
const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
const { WARPGRID_REPOSITORY: repository, WARPGRID_SITE: site } = process.env;
if (repository) manifest.repository = { type: "git", url: repository };
if (site) manifest.homepage = site;
await writeFile(join(output, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
