// Implements the development server of `cargo xtask serve`. The server serves the sources with the WebAssembly modules of the last build,
// and reloads open pages after each build. The command line is `node web/serve.mjs PORT FOLDER`, and FOLDER contains the compiled files.
// Each line on standard input reports a completed build, and the server exits when standard input ends.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { basename, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { withExternalHosts } from "./external/hosts.mjs";
import { typeOf } from "./media-types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [port, compiled] = process.argv.slice(2);
const PAGE = "warpgrid-web";

/** Folders that contain the files of the page. The first folder that contains a requested file is used. */
const folders = [join(root, "web"), compiled, join(root, "target/bundle"), join(root, "public")];
/** Files that are served under another URL. The worker scripts are in a separate folder, and one script serves every worker. The service
 *  worker is replaced, so that no file is cached offline. */
const remappedFiles = { "/core/start.js": join(root, "web/worker/develop.js"), "/sw.js": join(root, "web/offline/unregister-sw.js") };

/** Identifier of the last successful build, which is 0 before the first build. Open pages compare this identifier. */
let build = 0;
const listeners = new Set();

const reloadScript = () => `<script type="module">
  // Reload the page after the next build.
  new EventSource("./builds").onmessage = ({ data }) => { if (Number(data) !== ${build}) location.reload(); };
</script>`;

const startScript = `<script type="module">
  import load, * as bindings from "./${PAGE}.js";
  const wasm = await load();
  window.wasmBindings = bindings;
  dispatchEvent(new CustomEvent("TrunkApplicationStarted", { detail: { wasm } }));
</script>`;

/** Returns the replacement of an element that Trunk would replace, because `web/index.html` is written for Trunk. */
function replaceTrunkElement(element) {
  const attribute = (name) => element.match(new RegExp(`\\s${name}="([^"]*)"`))?.[1];
  if (element.startsWith("<script")) return `<script type="module" src="./${basename(attribute("src"))}"></script>`;
  switch (attribute("rel")) {
    case "css":
      return `<link rel="stylesheet" href="./${attribute("href")}" />`;
    case "rust":
      return attribute("data-type") === "worker" ? "" : startScript;
    // These files are served from their source folders, so that their elements are removed.
    case "copy-file":
    case "copy-dir":
      return "";
    default:
      throw new Error(`web/index.html has an element that web/serve.mjs does not know: ${element}`);
  }
}

async function renderPage() {
  const html = withExternalHosts(await readFile(join(root, "web/index.html"), "utf8"));
  const withoutTrunk = html.replace(/<(?:link|script)\s+data-trunk\b[^>]*>(?:<\/script>)?/g, replaceTrunkElement);
  return withoutTrunk.replace("</head>", `${reloadScript()}\n</head>`);
}

const waitingPage = () => `<!doctype html><html lang="en"><meta charset="utf-8" /><title>Warpgrid</title>${reloadScript()}
<p>The page is compiled for the first time; the terminal says how far it is. It opens here by itself.</p></html>`;

/** Returns the first readable file for a requested path. */
async function findFile(path) {
  const normalized = normalize(path).replaceAll("\\", "/");
  if (normalized.includes("..")) return;
  const relative = normalized.replace(/^\/core\//, "/");
  const files = remappedFiles[normalized] ? [remappedFiles[normalized]] : folders.map((folder) => join(folder, relative));
  for (const file of files) {
    try {
      return [file, await readFile(file)];
    } catch {
      // The next folder may contain the file.
    }
  }
}

async function handleRequest(request, response) {
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const writeHead = (status, type) => response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
  if (path === "/builds") {
    writeHead(200, "text/event-stream").write(`data: ${build}\n\n`);
    listeners.add(response);
    request.on("close", () => listeners.delete(response));
  } else if (path === "/" || path === "/index.html") {
    const html = build === 0 ? waitingPage() : await renderPage();
    writeHead(200, typeOf("index.html")).end(html);
  } else {
    const result = await findFile(path);
    if (result) writeHead(200, typeOf(result[0])).end(result[1]);
    else writeHead(404, "text/plain").end("not found\n");
  }
}

const server = createServer((request, response) => {
  handleRequest(request, response).catch((error) => {
    if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
    response.end(`${error.message}\n`);
  });
});
server.listen(Number(port), "127.0.0.1", () => console.log(`  serving http://127.0.0.1:${server.address().port} (Ctrl-C ends it)`));

for await (const _ of createInterface({ input: process.stdin })) {
  // The identifier is a timestamp instead of a counter, so that a page that an earlier server has served also reloads after a build of this
  // server.
  build = Date.now();
  for (const listener of listeners) listener.write(`data: ${build}\n\n`);
}
process.exit();
