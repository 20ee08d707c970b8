// Post-build step of Trunk. Moves the worker files to a folder whose name contains a content hash, so that no cache mixes two builds, and
// writes the path of the folder into the page. Trunk does not hash the names of workers, because the page must contain these names. A
// release works offline: its service worker receives the list of its files. Minifies the JavaScript glue code of both WebAssembly modules,
// because the minifier of Trunk does not support all of JavaScript. Writes the chunks of the editor that the page preloads, and the
// external hosts of its Content-Security-Policy, into the page. Adds a brotli-compressed copy of each file that a first visit loads, for
// hosts that serve such files.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { build, transform } from "esbuild";
import { withExternalHosts } from "./external/hosts.mjs";

const site = process.env.TRUNK_STAGING_DIR;

if (process.env.TRUNK_PROFILE === "release") {
  for (const file of await readdir(site)) {
    if (!/^warpgrid-.*\.js$/.test(file)) continue;
    const glue = await readFile(join(site, file), "utf8");
    const { code } = await transform(glue, { minify: true, format: "esm", target: "es2022" });
    await writeFile(join(site, file), code);
  }
}

const workerModules = ["warpgrid-core", "warpgrid-core-sass", "warpgrid-core-extended"];
const files = [...workerModules.flatMap((module) => [`${module}.js`, `${module}_bg.wasm`]), "start.js", "reference.bin", "prerecorded.bin", "learn.js", "learn.json", "inspector.js", "buffer-import.js", "external.js"];

const hash = createHash("sha256");
for (const file of files) hash.update(await readFile(join(site, file)));
const folder = `core-${hash.digest("hex").slice(0, 16)}`;

await mkdir(join(site, folder));
for (const file of files) await rename(join(site, file), join(site, folder, file));

const shortHash = (content) => createHash("sha256").update(content).digest("hex").slice(0, 16);

/** Bundles a module of `web/offline` into one file. */
async function bundleModule(name, define = {}) {
  const { outputFiles } = await build({
    entryPoints: [`web/offline/${name}`], bundle: true, write: false, minify: true, format: "esm", target: "es2022", legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"', ...define }, logLevel: "warning",
  });
  return outputFiles[0].text;
}

/** Returns the precache entry of a file. A file with a content hash in its name has no revision, because its contents never change. */
async function precacheEntry(file) {
  const isHashed = /[-][0-9a-f]{16}(?:_bg)?[./]/.test(file);
  return { url: file === "index.html" ? "./" : file, revision: isHashed ? null : shortHash(await readFile(join(site, file))) };
}

/** Returns the files that the page needs offline, without files for other sites and without compressed copies. */
async function precachedPaths() {
  const files = (await readdir(site, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(site.length + 1).replaceAll("\\", "/"));
  return paths.filter((path) => !/\.br$|^(?:robots\.txt|preview\.png|sw\.js)$/.test(path)).sort();
}

const page = join(site, "index.html");
let html = withExternalHosts(await readFile(page, "utf8"));

/** Replaces the source path of a file in the page by the final path of the file. */
function replacePath(before, after) {
  if (!html.includes(before)) throw new Error(`index.html has no place for the name of ${before}`);
  html = html.replace(before, after);
}

// Without preloading, the browser would request the chunks only after it has parsed the editor.
const preloadedChunks = JSON.parse(await readFile("target/bundle/preloaded-chunks.json", "utf8"));
html = html.replace(/<script\b/, (start) => preloadedChunks.map((path) => `<link rel="modulepreload" href="${path}">`).join("") + start);

replacePath("core/start.js", `${folder}/start.js`);
if (process.env.TRUNK_PROFILE === "release") {
  const registration = await bundleModule("register-sw.js");
  const name = `offline-${shortHash(registration)}.js`;
  await writeFile(join(site, name), registration);
  replacePath("offline/register-sw.js", name);
  await writeFile(page, html);
  const files = await Promise.all((await precachedPaths()).map(precacheEntry));
  await writeFile(join(site, "sw.js"), await bundleModule("service-worker.js", { "self.__FILES": JSON.stringify(files) }));
} else {
  await writeFile(page, html);
  await writeFile(join(site, "sw.js"), await readFile("web/offline/unregister-sw.js"));
}

if (process.env.TRUNK_PROFILE === "release") {
  const compress = promisify(brotliCompress);
  const within = async (directory) => (await readdir(join(site, directory))).map((file) => `${directory}/${file}`);
  const compressible = [...await readdir(site), ...await within(folder), ...await within("editor")];
  await Promise.all(compressible.filter((file) => /\.(?:wasm|js|css|html|bin|json)$/.test(file)).map(async (file) => {
    const content = await readFile(join(site, file));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    await writeFile(join(site, `${file}.br`), await compress(content, { params }));
  }));
}
