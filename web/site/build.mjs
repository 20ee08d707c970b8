// Builds the pages next to the playground: a page per example and per instruction, the diagnostics, the documents of the project with live
// widgets, and the metadata for search engines and link previews. The command line is `node web/site/build.mjs SITE PACKAGE`. SITE contains
// the playground with the widget (`dist`), and PACKAGE is the npm package (`pkg`). WARPGRID_SITE is the URL of the site, and
// WARPGRID_REPOSITORY is the URL of the sources. If a URL is empty, the script omits the parts of the pages that depend on this URL.
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { documentPages } from "./documents.mjs";
import { examplePages } from "./examples.mjs";
import { renderPage, metaTags } from "./page-template.mjs";
import { referencePages } from "./reference.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const [site, packageFolder] = process.argv.slice(2).map((path) => resolve(path));
if (!packageFolder) throw new Error("usage: build.mjs SITE_FOLDER NPM_PACKAGE_FOLDER");

/** URL of the site with a trailing slash. */
const siteUrl = (process.env.WARPGRID_SITE ?? "").replace(/\/*$/, (slashes, offset) => (offset > 0 ? "/" : ""));
const repository = (process.env.WARPGRID_REPOSITORY ?? "").replace(/\/+$/, "");

const loadModule = (file) => import(pathToFileURL(join(packageFolder, file)));
const context = {
  root, siteUrl, repository,
  warpgrid: await loadModule("node.js"),
  recorder: await loadModule("record.js"),
  markdownPlugin: (await loadModule("tools/markdown-it.js")).default,
};

for (const folder of ["docs", "examples"]) await mkdir(join(site, folder), { recursive: true });
await rm(join(site, "docs"), { recursive: true });

const pages = [...(await examplePages(context)), ...(await referencePages(context)), ...(await documentPages(context))];
for (const page of pages) {
  const file = join(site, page.path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, renderPage(page, { siteUrl }));
}
await cp(join(root, "web/site/site.css"), join(site, "docs/site.css"));
await cp(join(root, "docs/playground.png"), join(site, "docs/playground.png"));

// Metadata of the playground page for search engines and link previews.
const index = join(site, "index.html");
const html = await readFile(index, "utf8");
const metadata = metaTags({ path: "", title: "Warpgrid: PTX playground", about: "Step through PTX and SASS kernels in the browser and see which lane wrote every byte of memory. No GPU required." }, siteUrl);
await writeFile(index, html.includes("og:title") ? html : html.replace("</head>", `${metadata}</head>`));

if (siteUrl) {
  const paths = ["", ...pages.filter((page) => page.isListed !== false).map((page) => page.path)];
  const urls = paths.map((path) => `  <url><loc>${siteUrl}${path}</loc></url>`).join("\n");
  await writeFile(join(site, "sitemap.xml"), `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}\n</urlset>\n`);
  await writeFile(join(site, "robots.txt"), `User-agent: *\nAllow: /\nSitemap: ${siteUrl}sitemap.xml\n`);
}
console.log(`  ${pages.length} pages generated${siteUrl ? ` for ${siteUrl}` : "; WARPGRID_SITE is not set, so no sitemap was written"}`);
