// Implements a static server for the end-to-end tests. The server serves the site at the root, and serves each directory of `folders` under
// its name. The server uses a free port and prints the port, so that a test never uses the server of another build.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { FOLDERS } from "../crates/wasm/npm/corpus.mjs";
import { typeOf } from "../web/media-types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const site = join(root, "dist");
const folders = {
  ...Object.fromEntries(Object.entries(FOLDERS).map(([name, path]) => [name, join(root, path)])),
  npm: join(root, "crates/wasm/npm"),
  pages: join(root, "e2e/pages"),
  consumers: join(root, "target/consumers"),
  hosts: join(root, "target/hosts"),
  pkg: join(root, "pkg"),
};

/** Returns the path of the file for a URL path. The returned path is never outside of the served directories. */
function fileFor(path) {
  const clean = normalize(decodeURIComponent(path)).replace(/^(\.\.[/\\])+/, "");
  const name = clean.endsWith("/") ? `${clean}index.html` : clean;
  const [, first, ...rest] = name.split("/");
  return Object.hasOwn(folders, first) && rest.length > 0 ? join(folders[first], ...rest) : join(site, name);
}

const server = createServer(async (request, response) => {
  try {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = fileFor(pathname);
    const content = await readFile(file);
    // With this cookie, the server sends a newer build with a different service worker.
    const isNewer = pathname === "/sw.js" && request.headers.cookie?.includes("build=newer");
    const body = isNewer ? `${content}\n// newer` : content;
    response.writeHead(200, {
      "content-type": typeOf(file),
      // Other sites permit browsers to cache the files of the widget, and permit other origins to load these files.
      ...(pathname.startsWith("/widget/") ? { "cache-control": "max-age=600", "access-control-allow-origin": "*" } : { "cache-control": "no-store" }),
    });
    response.end(body);
  } catch {
    response.writeHead(404, { "content-type": "text/plain" });
    response.end("not found\n");
  }
});
server.listen(0, "127.0.0.1", () => console.log(`test server: served on port ${server.address().port}`));
