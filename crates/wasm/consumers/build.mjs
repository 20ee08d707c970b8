// Builds a project that uses the package in the same way as a user. The script installs the packed archive in an empty directory, and
// bundles the project with a build tool. `node crates/wasm/consumers/build.mjs vite|vite-modules|webpack|esbuild|plain FOLDER` writes a
// page to FOLDER. The script requires `pkg/` (`cargo xtask package`) and the tools in `$CONSUMER_TOOLS`.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const sourceFolder = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));
const SOURCES = ["app.js", "main.js", "worker.js", "index.html"];

/** Imports a module from the directory of the tools. */
async function importTool(name) {
  const folders = [process.env.CONSUMER_TOOLS, root].filter(Boolean);
  for (const folder of folders) {
    try {
      return await import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)));
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error(`${name} is not installed`);
}

/** Creates a project, and installs the package from its archive. */
export function createProject(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `{ "private": true, "type": "module" }\n`);
  const npm = (...commandArguments) => execFileSync("npm", commandArguments, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const archive = npm("pack", "--silent", join(root, "pkg")).trim();
  npm("install", "--offline", "--no-audit", "--no-fund", "--silent", `./${archive}`);
  return folder;
}

/** Builds a page with Vite, which emits the WebAssembly module as an asset. With `modules`, Vite imports the WebAssembly as an ES module
 *  (export condition `bundler`). */
async function vite(source, target, { modules = false } = {}) {
  const [{ build }, wasm] = await Promise.all([importTool("vite"), modules ? importTool("vite-plugin-wasm") : null]);
  const plugins = () => (wasm ? [wasm.default()] : []);
  await build({
    root: source,
    base: "./",
    configFile: false,
    logLevel: "error",
    plugins: plugins(),
    worker: { format: "es", plugins },
    resolve: modules ? { conditions: ["bundler", "module", "browser"] } : {},
    build: { outDir: target, emptyOutDir: true, target: "esnext" },
  });
}

async function webpack(source, target) {
  const { default: run } = await importTool("webpack");
  const compiler = run({
    mode: "production", context: source, entry: "./main.js", output: { path: target, filename: "main.js" }, experiments: { outputModule: true },
    performance: { hints: false },
  });
  const stats = await new Promise((resolve, reject) => compiler.run((error, stats) => (error ? reject(error) : resolve(stats))));
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString({ all: false, errors: true, warnings: true }));
  cpSync(join(source, "index.html"), join(target, "index.html"));
}

/** Files that pages load from the directory of the package or of the widget. */
const FETCHED_FILES = ["core_bg.wasm", "core_ptx_bg.wasm", "warpgrid-worker.js", "warpgrid-worker-sass.js"];

/** Builds a page with esbuild. esbuild does not rewrite URLs, so that the files are copied to the directory of the bundle. */
async function esbuild(source, target) {
  const { build } = await importTool("esbuild");
  const entryPoints = ["main.js", "worker.js"].map((name) => join(source, name));
  await build({ entryPoints, bundle: true, format: "esm", target: "es2022", minify: true, outdir: target, logLevel: "error" });
  for (const file of FETCHED_FILES) cpSync(join(source, "node_modules/warpgrid", file), join(target, file));
  cpSync(join(source, "index.html"), join(target, "index.html"));
}

/** Builds a page without a tool. Workers do not support import maps, so that a URL replaces the package name. */
async function plain(source, target) {
  const { readFileSync } = await import("node:fs");
  mkdirSync(target, { recursive: true });
  for (const name of SOURCES) {
    const text = readFileSync(join(source, name), "utf8");
    writeFileSync(join(target, name), text.replace(`from "warpgrid"`, `from "./warpgrid/warpgrid.js"`).replace(`"warpgrid/widget"`, `"./warpgrid/warpgrid-widget.js"`));
  }
  cpSync(join(source, "node_modules/warpgrid"), join(target, "warpgrid"), { recursive: true });
}

const builders = {
  vite, webpack, esbuild, plain,
  "vite-modules": (source, target) => vite(source, target, { modules: true }),
};

if (resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [kind, targetFolder] = process.argv.slice(2);
  if (!builders[kind] || !targetFolder) throw new Error(`name ${Object.keys(builders).join(", ")}, and a folder`);
  const target = resolve(targetFolder);
  const source = createProject(`${target}-source`);
  for (const name of SOURCES) cpSync(join(sourceFolder, name), join(source, name));
  rmSync(target, { recursive: true, force: true });
  await builders[kind](source, target);
  rmSync(source, { recursive: true });
}
