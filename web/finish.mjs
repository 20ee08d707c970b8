// After Trunk has built: the core's files move into a folder that is named by their content, so that no cache
// mixes two builds, and the page learns their place. Trunk hashes no worker, because a page must know its name.
// A release can do without a network: its service worker gets the list of its files.
// Minifies the glue of both wasm files, since Trunk's minifier does not know all of JavaScript. Beside each file that a first visit loads lies
// the same one compressed with brotli, for hosts that send such files.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { build, transform } from "esbuild";

const site = process.env.TRUNK_STAGING_DIR;

if (process.env.TRUNK_PROFILE === "release") {
  for (const file of await readdir(site)) {
    if (!/^warpgrid-.*\.js$/.test(file)) continue;
    const glue = await readFile(join(site, file), "utf8");
    const { code } = await transform(glue, { minify: true, format: "esm", target: "es2022" });
    await writeFile(join(site, file), code);
  }
}

const cores = ["warpgrid-core", "warpgrid-core-sass", "warpgrid-core-both"];
const files = [...cores.flatMap((core) => [`${core}.js`, `${core}_bg.wasm`]), "start.js", "reference.bin", "first.bin", "learn.js", "learn.json", "look.js", "fill.js"];

const hash = createHash("sha256");
for (const file of files) hash.update(await readFile(join(site, file)));
const folder = `core-${hash.digest("hex").slice(0, 16)}`;

await mkdir(join(site, folder));
for (const file of files) await rename(join(site, file), join(site, folder, file));

const digest = (content) => createHash("sha256").update(content).digest("hex").slice(0, 16);

/** A module of `web/offline` as one file. */
async function bundled(name, define = {}) {
  const { outputFiles } = await build({
    entryPoints: [`web/offline/${name}`], bundle: true, write: false, minify: true, format: "esm", target: "es2022", legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"', ...define }, logLevel: "warning",
  });
  return outputFiles[0].text;
}

/** What is known of a file to a service worker: a file whose name says its content is the same for ever. */
async function kept(file) {
  const isNamed = /[-][0-9a-f]{16}(?:_bg)?[./]/.test(file);
  return { url: file === "index.html" ? "./" : file, revision: isNamed ? null : digest(await readFile(join(site, file))) };
}

/** The files of the page, which it needs without a network: not those that are for others to load, and nothing that is there twice. */
async function ownFiles() {
  const files = (await readdir(site, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(site.length + 1).replaceAll("\\", "/"));
  return paths.filter((path) => !/\.br$|^(?:robots\.txt|preview\.png|sw\.js)$/.test(path)).sort();
}

const page = join(site, "index.html");
let html = await readFile(page, "utf8");

/** Writes the place of a file where the page has the one that it has in the sources. */
function place(before, after) {
  if (!html.includes(before)) throw new Error(`index.html has no place for the name of ${before}`);
  html = html.replace(before, after);
}

place("core/start.js", `${folder}/start.js`);
if (process.env.TRUNK_PROFILE === "release") {
  const registers = await bundled("page.js");
  const name = `offline-${digest(registers)}.js`;
  await writeFile(join(site, name), registers);
  place("offline/page.js", name);
  await writeFile(page, html);
  const files = await Promise.all((await ownFiles()).map(kept));
  await writeFile(join(site, "sw.js"), await bundled("worker.js", { "self.__FILES": JSON.stringify(files) }));
} else {
  await writeFile(page, html);
  await writeFile(join(site, "sw.js"), await readFile("web/offline/none.js"));
}

if (process.env.TRUNK_PROFILE === "release") {
  const compress = promisify(brotliCompress);
  const names = [...await readdir(site), ...(await readdir(join(site, folder))).map((file) => `${folder}/${file}`)];
  await Promise.all(names.filter((file) => /\.(?:wasm|js|css|html|bin|json)$/.test(file)).map(async (file) => {
    const plain = await readFile(join(site, file));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    await writeFile(join(site, `${file}.br`), await compress(plain, { params }));
  }));
}
