// A static server for the journeys: `dist/` at the top, the host pages of `e2e/pages/` below `/pages/`.
// Usage: node server.mjs PORT
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const site = join(here, "..", "dist");
const types = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".ptx": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

/** The file that a path of the address names; never one outside the two folders. */
function fileFor(path) {
  const clean = normalize(decodeURIComponent(path)).replace(/^(\.\.[/\\])+/, "");
  const name = clean.endsWith("/") ? `${clean}index.html` : clean;
  return join(name.startsWith("/pages/") ? here : site, name);
}

createServer(async (request, response) => {
  try {
    const file = fileFor(new URL(request.url, "http://localhost").pathname);
    const body = await readFile(file);
    response.writeHead(200, {
      "content-type": types[extname(file)] ?? "application/octet-stream",
      "cache-control": "no-store",
    });
    response.end(body);
  } catch {
    response.writeHead(404, { "content-type": "text/plain" });
    response.end("not found\n");
  }
}).listen(Number(process.argv[2] ?? 8799), "127.0.0.1");
