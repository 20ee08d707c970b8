// Static server for the end-to-end tests: serves the site at the root, and each of `folders` below its name. Uses a free port and prints
// it, so that the tests never use a server of another build.
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

/** Returns the file for a path of a URL, which is never outside of the folders. */
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
    // A visitor with this cookie receives a newer build, whose service worker differs.
    const isNewer = pathname === "/sw.js" && request.headers.cookie?.includes("build=newer");
    const body = isNewer ? `${content}\n// newer` : content;
    response.writeHead(200, {
      "content-type": typeOf(file),
      // Other sites let browsers cache the files of the widget, and share them with other origins.
      ...(pathname.startsWith("/widget/") ? { "cache-control": "max-age=600", "access-control-allow-origin": "*" } : { "cache-control": "no-store" }),
    });
    response.end(body);
  } catch {
    response.writeHead(404, { "content-type": "text/plain" });
    response.end("not found\n");
  }
});
server.listen(0, "127.0.0.1", () => console.log(`test server: served on port ${server.address().port}`));
