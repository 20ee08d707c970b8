// After Trunk has built: the core's files move into a folder that is named by their content, so that no cache
// mixes two builds, and the page learns their place. Trunk hashes no worker, because a page must know its name.
// Minifies the glue of both wasm files, since Trunk's minifier does not know all of JavaScript. Beside each file that a first visit loads lies
// the same one compressed with brotli, for hosts that send such files.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { transform } from "esbuild";

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
const files = [...cores.flatMap((core) => [`${core}.js`, `${core}_bg.wasm`]), "start.js", "reference.bin"];

const hash = createHash("sha256");
for (const file of files) hash.update(await readFile(join(site, file)));
const folder = `core-${hash.digest("hex").slice(0, 16)}`;

await mkdir(join(site, folder));
for (const file of files) await rename(join(site, file), join(site, folder, file));

const page = join(site, "index.html");
const html = await readFile(page, "utf8");
const named = html.replace("core/start.js", `${folder}/start.js`);
if (named === html) throw new Error("index.html has no place for the name of the core");
await writeFile(page, named);

if (process.env.TRUNK_PROFILE === "release") {
  const compress = promisify(brotliCompress);
  const names = [...await readdir(site), ...(await readdir(join(site, folder))).map((file) => `${folder}/${file}`)];
  await Promise.all(names.filter((file) => /\.(?:wasm|js|css|html|bin)$/.test(file)).map(async (file) => {
    const plain = await readFile(join(site, file));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    await writeFile(join(site, `${file}.br`), await compress(plain, { params }));
  }));
}
