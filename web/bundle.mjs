// Bundles the page's JavaScript: every entry goes in with what it imports from npm,
// one module each comes out in target/bundle/. Trunk runs this before each build.
// What is loaded when somebody opens “Learn” goes there, too: its module, and its texts in one file; so does what is loaded when somebody watches values, or fills a buffer from a file.
import { mkdir, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { readLessons } from "./learn/lessons.mjs";

const release = process.env.TRUNK_PROFILE === "release";

await build({
  entryPoints: ["web/editor/editor.js"],
  outdir: "target/bundle",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: release,
  sourcemap: release ? false : "inline",
  legalComments: "none",
  // The text that the editor opens with before the core has arrived.
  alias: { "first-example": "./public/examples/row-and-column-stores.ptx" },
  loader: { ".ptx": "text" },
  logLevel: "warning",
});

await build({
  entryPoints: ["web/learn/learn.js", "web/look/look.js", "web/look/fill.js"],
  outdir: "target/bundle",
  entryNames: "[name]",
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
