// Tests of the server of `cargo xtask serve`: the page that it creates from web/index.html, and the notification of open pages.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

let folder;
let server;
let port;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "warpgrid-serve-"));
  for (const file of ["warpgrid-web.js", "warpgrid-core-develop.js", "editor.js"]) await writeFile(join(folder, file), `// ${file}\n`);
  await writeFile(join(folder, "warpgrid-web_bg.wasm"), "");
  server = spawn(process.execPath, [fileURLToPath(new URL("serve.mjs", import.meta.url)), "0", folder], { stdio: ["pipe", "pipe", "inherit"] });
  const [firstOutput] = await once(server.stdout, "data");
  port = Number(String(firstOutput).match(/127\.0\.0\.1:(\d+)/)[1]);
});

after(async () => {
  const exited = once(server, "exit");
  server.stdin.end();
  assert.deepEqual(await exited, [0, null]);
  await rm(folder, { recursive: true });
});

const get = (path) => fetch(`http://127.0.0.1:${port}${path}`);

/** Requests a path that `fetch` would normalize, and returns the status. */
async function statusOf(path) {
  const [response] = await once(request({ host: "127.0.0.1", port, path }).end(), "response");
  response.resume();
  return response.statusCode;
}

/** Yields the messages that an open page receives after builds. */
async function* buildEvents() {
  for await (const chunk of (await get("/builds")).body) yield Number(Buffer.from(chunk).toString().match(/^data: (\d+)/)[1]);
}

test("waiting page is notified of the first build, and all files of the page are served", async () => {
  assert.match(await (await get("/")).text(), /compiled for the first time/);
  const events = buildEvents();
  assert.equal((await events.next()).value, 0);
  server.stdin.write("built\n");
  const built = (await events.next()).value;
  assert.ok(built > 0);
  await events.return();

  const html = await (await get("/")).text();
  assert.ok(html.includes(`!== ${built}`));
  assert.doesNotMatch(html, /data-trunk/);
  const referenced = [...html.matchAll(/(?:src|href|from)[= ]"(\.\/[^"]+)"/g)].map(([, path]) => path.slice(1));
  assert.deepEqual(referenced.toSorted(), ["/assist.css", "/editor.js", "/style.css", "/warpgrid-web.js"]);
  for (const path of [...referenced, "/icon.svg", "/warpgrid-web_bg.wasm"]) assert.equal((await get(path)).status, 200, path);
  assert.equal((await get("/warpgrid-web_bg.wasm")).headers.get("content-type"), "application/wasm");
});

test("worker URL serves the development worker script", async () => {
  assert.match(await (await get("/core/start.js")).text(), /writeReference/);
  assert.equal(await (await get("/core/warpgrid-core-develop.js")).text(), "// warpgrid-core-develop.js\n");
});

test("paths outside the page are not served", async () => {
  for (const path of ["/../Trunk.toml", "/%2e%2e%2fTrunk.toml", "/core/../../Trunk.toml", "/nothing.js"]) assert.equal(await statusOf(path), 404, path);
  assert.equal(await statusOf("/%zz"), 500);
});
