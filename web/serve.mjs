// The page while one works on it, for `cargo xtask serve`: serves the sources as they are, with the wasm of the last build beside them, and
// lets open pages load again after each build. `node web/serve.mjs PORT FOLDER`, where FOLDER has what was compiled; each line of standard
// input is a build that is done, and the server ends with it.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { basename, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { typeOf } from "./types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [port, compiled] = process.argv.slice(2);
const PAGE = "warpgrid-web";

/** Where the files of the page are, by their address; the first of `places` that has one counts. */
const places = [join(root, "web"), compiled, join(root, "target/bundle"), join(root, "public")];
/** Files with another address: the core is in a folder of its own, and one core serves every worker; nothing is kept for times without a network. */
const moved = { "/core/start.js": join(root, "web/worker/develop.js"), "/sw.js": join(root, "web/offline/none.js") };

/** Number of the last good build, 0 before the first; what open pages are compared with. */
let build = 0;
const listeners = new Set();

const reload = () => `<script type="module">
  // Loads the page again after the next build.
  new EventSource("./builds").onmessage = ({ data }) => { if (Number(data) !== ${build}) location.reload(); };
</script>`;

const start = `<script type="module">
  import load, * as bindings from "./${PAGE}.js";
  const wasm = await load();
  window.wasmBindings = bindings;
  dispatchEvent(new CustomEvent("TrunkApplicationStarted", { detail: { wasm } }));
</script>`;

/** What takes the place of an element that Trunk would replace: `web/index.html` is written for it. */
function replaced(element) {
  const attribute = (name) => element.match(new RegExp(`\\s${name}="([^"]*)"`))?.[1];
  if (element.startsWith("<script")) return `<script type="module" src="./${basename(attribute("src"))}"></script>`;
  switch (attribute("rel")) {
    case "css":
      return `<link rel="stylesheet" href="./${attribute("href")}" />`;
    case "rust":
      return attribute("data-type") === "worker" ? "" : start;
    // These are served from where they are.
    case "copy-file":
    case "copy-dir":
      return "";
    default:
      throw new Error(`web/index.html has an element that web/serve.mjs does not know: ${element}`);
  }
}

async function page() {
  const html = await readFile(join(root, "web/index.html"), "utf8");
  const there = html.replace(/<(?:link|script)\s+data-trunk\b[^>]*>(?:<\/script>)?/g, replaced);
  return there.replace("</head>", `${reload()}\n</head>`);
}

const waiting = () => `<!doctype html><html lang="en"><meta charset="utf-8" /><title>Warpgrid</title>${reload()}
<p>The page is compiled for the first time; the terminal says how far it is. It opens here by itself.</p></html>`;

/** The first file that an address may mean and that can be read. */
async function find(path) {
  const clean = normalize(path).replaceAll("\\", "/");
  if (clean.includes("..")) return;
  const inner = clean.replace(/^\/core\//, "/");
  const files = moved[clean] ? [moved[clean]] : places.map((place) => join(place, inner));
  for (const file of files) {
    try {
      return [file, await readFile(file)];
    } catch {
      // The next place may have it.
    }
  }
}

async function answer(request, response) {
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const head = (status, type) => response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
  if (path === "/builds") {
    head(200, "text/event-stream").write(`data: ${build}\n\n`);
    listeners.add(response);
    request.on("close", () => listeners.delete(response));
  } else if (path === "/" || path === "/index.html") {
    const html = build === 0 ? waiting() : await page();
    head(200, typeOf("index.html")).end(html);
  } else {
    const found = await find(path);
    if (found) head(200, typeOf(found[0])).end(found[1]);
    else head(404, "text/plain").end("not found\n");
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
    response.end(`${error.message}\n`);
  });
});
server.listen(Number(port), "127.0.0.1", () => console.log(`  serving http://127.0.0.1:${server.address().port} (Ctrl-C ends it)`));

for await (const _ of createInterface({ input: process.stdin })) {
  // A time rather than a count: a page that an earlier server sent learns of this one's build, too.
  build = Date.now();
  for (const listener of listeners) listener.write(`data: ${build}\n\n`);
}
process.exit();
