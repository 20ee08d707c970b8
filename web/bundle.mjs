// Bundles the page's JavaScript: every web/editor/*.js that is an entry goes in with what it imports
// from npm, one module each comes out in target/bundle/. Trunk runs this before each build.
import { build } from "esbuild";

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
  logLevel: "warning",
});
