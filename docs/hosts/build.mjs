// Builds the example documents. `node docs/hosts/build.mjs mdbook|sphinx|mkdocs|markdown-it|mdx|docusaurus FOLDER` writes pages and the
// files of the widget to FOLDER. The script requires `pkg/` (`cargo xtask package`) and the documentation tool. The tools are the commands
// `mdbook`, `sphinx-build` and `mkdocs`, the npm packages `markdown-it` and `vue`, the npm packages `@mdx-js/mdx` and `react-dom`, and the
// npm packages of Docusaurus.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const sourceFolder = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const FILES = ["warpgrid-widget.js", "warpgrid-widget-classic.js", "warpgrid-worker.js", "core_ptx_bg.wasm", "warpgrid-snapshot.css"];

const [kind, targetFolder] = process.argv.slice(2);
const outputFolder = resolve(targetFolder);
const runCommand = (command, ...commandArguments) => execFileSync(command, commandArguments, { stdio: ["ignore", "inherit", "inherit"] });

/** Copies the files of the widget to the directory to which the document refers. */
function copyWidgetFiles(directory) {
  mkdirSync(join(outputFolder, directory), { recursive: true });
  for (const file of FILES) cpSync(join(root, "pkg", file), join(outputFolder, directory, file));
}

const builders = {
  mdbook() {
    const source = join(outputFolder, "..", `${kind}-source`);
    const copy = join(source, "docs/hosts/mdbook");
    cpSync(join(sourceFolder, "mdbook"), copy, { recursive: true });
    cpSync(join(root, "pkg"), join(source, "pkg"), { recursive: true });
    runCommand(process.env.MDBOOK ?? "mdbook", "build", copy, "--dest-dir", outputFolder);
    rmSync(source, { recursive: true });
    copyWidgetFiles("warpgrid");
  },
  sphinx() {
    runCommand(process.env.SPHINX_BUILD ?? "sphinx-build", "-q", "-W", "-b", "html", join(sourceFolder, "sphinx"), outputFolder);
    copyWidgetFiles("_static/warpgrid");
  },
  mkdocs() {
    runCommand(process.env.MKDOCS ?? "mkdocs", "build", "-q", "-f", join(sourceFolder, "mkdocs/mkdocs.yml"), "-d", outputFolder);
    copyWidgetFiles("warpgrid");
  },
  async "markdown-it"() {
    const require = createRequire(join(process.env.MARKDOWN_IT_PROJECT ?? root, "package.json"));
    const MarkdownIt = require("markdown-it");
    const { createSSRApp } = require("vue");
    const { renderToString } = require("vue/server-renderer");
    const { default: warpgrid } = await import(pathToFileURL(join(root, "pkg/tools/markdown-it.js")));
    const text = readFileSync(join(sourceFolder, "markdown-it/stores.md"), "utf8");
    const headHtml = `<meta charset="utf-8"><title>Stores</title><link rel="stylesheet" href="warpgrid/warpgrid-snapshot.css">`
      + `<script type="module" src="warpgrid/warpgrid-widget.js"></script>`;
    const page = (body) => `<!doctype html><html lang="en"><head>${headHtml}</head><body>${body}</body></html>`;
    copyWidgetFiles("warpgrid");
    writeFileSync(join(outputFolder, "stores.html"), page(new MarkdownIt({ html: true }).use(warpgrid).render(text)));
    // The code renders a Vue template on the server, as VitePress does.
    const template = new MarkdownIt({ html: true }).use(warpgrid, { vue: true }).render(text);
    writeFileSync(join(outputFolder, "vue.html"), page(await renderToString(createSSRApp({ template: `<div>${template}</div>` }))));
  },
  async mdx() {
    // The resolver finds modules in the directory of the tools.
    const require = createRequire(join(process.env.MDX_PROJECT ?? root, "package.json"));
    const load = (name) => import(pathToFileURL(require.resolve(name)));
    const [{ evaluate }, runtime, { createElement }, { renderToStaticMarkup }] =
      await Promise.all(["@mdx-js/mdx", "react/jsx-runtime", "react", "react-dom/server"].map(load));
    const { default: warpgrid } = await import(pathToFileURL(join(root, "pkg/tools/remark.js")));
    const text = readFileSync(join(sourceFolder, "mdx/stores.mdx"), "utf8");
    const { default: Page } = await evaluate(text, { ...runtime, remarkPlugins: [warpgrid] });
    const headHtml = `<meta charset="utf-8"><title>Stores</title><link rel="stylesheet" href="warpgrid/warpgrid-snapshot.css">`
      + `<script type="module" src="warpgrid/warpgrid-widget.js"></script>`;
    copyWidgetFiles("warpgrid");
    writeFileSync(join(outputFolder, "stores.html"), `<!doctype html><html lang="en"><head>${headHtml}</head><body>${renderToStaticMarkup(createElement(Page))}</body></html>`);
  },
  docusaurus() {
    // The build uses a separate site with links to the installed packages and to the built package.
    const source = join(outputFolder, "..", `${kind}-source`);
    const installed = join(process.env.DOCUSAURUS_PROJECT ?? root, "node_modules");
    rmSync(source, { recursive: true, force: true });
    cpSync(join(sourceFolder, "docusaurus"), source, { recursive: true });
    mkdirSync(join(source, "node_modules"));
    for (const name of readdirSync(installed)) symlinkSync(join(installed, name), join(source, "node_modules", name));
    symlinkSync(join(root, "pkg"), join(source, "node_modules/warpgrid"));
    for (const file of FILES) cpSync(join(root, "pkg", file), join(source, "static/warpgrid", file));
    execFileSync(join(installed, ".bin/docusaurus"), ["build", "--out-dir", outputFolder], { cwd: source, stdio: ["ignore", "inherit", "inherit"] });
    rmSync(source, { recursive: true });
  },
};
if (!builders[kind] || !targetFolder) throw new Error("usage: build.mjs mdbook|sphinx|mkdocs|markdown-it|mdx|docusaurus FOLDER");
rmSync(outputFolder, { recursive: true, force: true });
await builders[kind]();
