// Bundles the JavaScript of the page with its npm dependencies into one module per entry point in target/bundle/. Trunk runs this script
// before each build. The parts of the editor that the first picture does not need are separate chunks. The script also bundles the parts
// that the page loads on demand: the learning pages with their lessons in one file, the inspector, the initialization of buffers from
// files, and the features that contact external hosts.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { readLessons } from "./learn/build-lessons.mjs";

const release = process.env.TRUNK_PROFILE === "release";

// Chunks of an earlier build have other names.
await rm("target/bundle/editor", { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ["web/editor/editor.js"],
  outdir: "target/bundle",
  bundle: true,
  splitting: true,
  chunkNames: "editor/[name]-[hash]",
  metafile: true,
  format: "esm",
  target: "es2022",
  minify: release,
  sourcemap: release ? false : "inline",
  legalComments: "none",
  // Initial source of the editor, which is shown before the worker has loaded.
  alias: { "first-example": "./public/examples/row-and-column-stores.ptx" },
  loader: { ".ptx": "text" },
  logLevel: "warning",
});
/** Chunks that the editor imports at its start, which `web/finish.mjs` adds to the page as preloaded modules. */
const preloadedChunks = metafile.outputs["target/bundle/editor.js"].imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path.replace("target/bundle/", ""));
await writeFile("target/bundle/preloaded-chunks.json", JSON.stringify(preloadedChunks));

await build({
  entryPoints: { learn: "web/learn/learn.js", inspector: "web/inspector/main.js", "buffer-import": "web/inspector/buffer-import.js", external: "web/external/main.js" },
  outdir: "target/bundle",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: release,
  legalComments: "none",
  loader: { ".css": "text" },
  logLevel: "warning",
});
await mkdir("target/bundle", { recursive: true });
await writeFile("target/bundle/learn.json", JSON.stringify(await readLessons(".")));
