// Tests the built extension: the language server in a worker thread of Node and in a web worker of Chromium, the bundle of the extension for
// browsers, and the playground with the Content-Security-Policy of its webview. `VSCODE_EXTENSION` is the directory of the built extension.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import test, { after, before } from "node:test";
import { Worker } from "node:worker_threads";
import puppeteer from "puppeteer-core";
import { playgroundPage } from "../src/playground-html.js";

const folder = process.env.VSCODE_EXTENSION;
const SOURCE = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n  mov.shred.u32 %r1, 1;\n  ret;\n}\n";
const URI = "file:///kernel.ptx";
/** Messages of a client that opens one document. */
const MESSAGES = [
  { jsonrpc: "2.0", id: 1, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } },
  { jsonrpc: "2.0", method: "initialized", params: {} },
  { jsonrpc: "2.0", method: "textDocument/didOpen", params: { textDocument: { uri: URI, languageId: "ptx", version: 1, text: SOURCE } } },
];

/** Checks the diagnostics of the invalid instruction. */
function assertDiagnostics({ uri, diagnostics }) {
  assert.equal(uri, URI);
  const found = diagnostics.find(({ message }) => message.includes("`.shred`"));
  assert.ok(found, JSON.stringify(diagnostics));
  assert.equal(found.range.start.line, 5);
}

/** Returns a server for the given files, which are functions by path. Files of the extension have the prefix `/extension/`. */
async function serve(pages, headers = {}) {
  const types = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const page = pages[pathname];
    try {
      const body = page ? page() : readFileSync(join(folder, normalize(pathname.replace(/^\/extension\//, ""))));
      response.writeHead(200, { "content-type": types[extname(pathname)] ?? "text/html", ...headers }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  servers.push(server);
  return `http://127.0.0.1:${server.address().port}`;
}

const servers = [];
let browser;
before(async () => {
  browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
});
after(async () => {
  await browser.close();
  servers.forEach((server) => server.close());
});

test("language server reports diagnostics in a worker thread of Node", async () => {
  const worker = new Worker(join(folder, "out/server.js"));
  const published = new Promise((resolve, reject) => {
    worker.on("error", reject);
    worker.on("message", ({ method, params }) => method === "textDocument/publishDiagnostics" && resolve(params));
  });
  worker.postMessage({ wasm: readFileSync(join(folder, "out/server.wasm")) });
  MESSAGES.forEach((message) => worker.postMessage(message));
  assertDiagnostics(await published);
  await worker.terminate();
});

test("language server reports diagnostics in a web worker", async () => {
  const origin = await serve({ "/": () => "<!DOCTYPE html>" });
  const page = await browser.newPage();
  await page.goto(origin);
  const published = await page.evaluate(async (messages) => {
    const worker = new globalThis.Worker("/extension/out/server.js");
    const diagnostics = new Promise((resolve, reject) => {
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.onmessage = ({ data: { method, params } }) => method === "textDocument/publishDiagnostics" && resolve(params);
    });
    const wasm = await (await fetch("/extension/out/server.wasm")).arrayBuffer();
    worker.postMessage({ wasm: new Uint8Array(wasm) });
    messages.forEach((message) => worker.postMessage(message));
    return diagnostics;
  }, MESSAGES);
  assertDiagnostics(published);
  await page.close();
});

test("bundle for browsers imports only the API of VS Code", async () => {
  const origin = await serve({ "/": () => "<!DOCTYPE html>" });
  const page = await browser.newPage();
  await page.goto(origin);
  const { imported, activate } = await page.evaluate(async () => {
    const names = new Set();
    // The bundle derives classes from classes of VS Code, so that each property is a class.
    const api = new Proxy(class {}, { get: (target, name) => (name in target ? target[name] : api) });
    const module = { exports: {} };
    const code = await (await fetch("/extension/out/web.js")).text();
    new Function("module", "exports", "require", code)(module, module.exports, (name) => { names.add(name); return api; });
    return { imported: [...names], activate: typeof module.exports.activate };
  });
  assert.deepEqual(imported, ["vscode"]);
  assert.equal(activate, "function");
  await page.close();
});

test("playground displays the document with the Content-Security-Policy of the webview", async () => {
  const files = await serve({}, { "access-control-allow-origin": "*" });
  const fileUrl = (name) => `${files}/extension/out/playground/${name}`;
  const origin = await serve({ "/": () => playgroundPage({ nonce: "0123", source: files, fileUrl }) });
  const page = await browser.newPage();
  const errors = [];
  page.on("console", (message) => message.type() === "error" && !message.text().includes("favicon") && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  // The webview API of VS Code: the page reports that its script has started, and the extension then sends the document.
  await page.evaluateOnNewDocument(() => {
    globalThis.acquireVsCodeApi = () => ({ postMessage: ({ ready }) => { globalThis.isReady = ready; } });
  });
  await page.goto(origin);
  await page.waitForFunction(() => globalThis.isReady);
  await page.evaluate(() => postMessage({ text: "mov.u32 %t, %tid.x;\nst.global.u32 [p], %t;\n", target: null }));
  await page.waitForFunction(() => document.querySelector("warpgrid-playground")?.position === 3);
  await page.evaluate(() => postMessage({ text: "mov.u32 %t, %tid.x;\nmov.u32 %s, %t;\nst.global.u32 [p], %s;", target: "sm_90" }));
  await page.waitForFunction(() => document.querySelector("warpgrid-playground").length === 4);
  assert.deepEqual(errors, []);
  await page.close();
});
