// Tests the page and the npm package in Firefox. Playwright uses its own build of Firefox, but this test drives the installed Firefox.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { families, kernels, MIN_COUNTS, listings } from "../crates/wasm/npm/corpus.mjs";
import { runInWorker } from "./corpus-worker.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const server = spawn(process.execPath, [fileURLToPath(new URL("server.mjs", import.meta.url))]);
let browser, address, homeFolder;

before(async () => {
  const [serverOutput] = await once(server.stdout, "data");
  address = `http://127.0.0.1:${/served on port (\d+)/.exec(String(serverOutput))[1]}`;
  // Firefox rejects a home directory that belongs to another user, which occurs in containers.
  homeFolder = await mkdtemp(join(tmpdir(), "warpgrid-firefox-"));
  const env = { ...process.env, HOME: homeFolder };
  browser = await puppeteer.launch({ browser: "firefox", executablePath: process.env.FIREFOX, headless: true, protocolTimeout: 600_000, env });
});

after(async () => {
  await browser?.close();
  server.kill();
  await rm(homeFolder, { recursive: true, force: true });
});

/** Opens a page and collects the errors of the page. */
async function open(path) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(address + path);
  return { page, errors };
}

const position = (page) => page.$eval("footer [role=status]", (status) => status.textContent);

/** Waits until the status has changed and no navigation request is pending. */
async function waitForMove(page, previousStatus) {
  await page.waitForFunction((previousStatus) => {
    const status = document.querySelector("footer [role=status]");
    return status.dataset.ready === "true" && status.textContent !== previousStatus;
  }, {}, previousStatus);
}

test("page shows its first example, steps, and runs edited source", async () => {
  const { page, errors } = await open("/");
  await page.waitForSelector("footer [data-ready=true]");
  const start = await position(page);
  assert.match(start, /^store \d+ of \d+/);
  await page.keyboard.press("ArrowRight");
  await waitForMove(page, start);
  const nextStatus = await position(page);
  const text = ".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry mine(.param .u64 out)\n{\n.reg .b64 %a;\nld.param.u64 %a, [out];\nst.global.u32 [%a], 41;\nret;\n}\n";
  await page.evaluate((text) => globalThis.warpgridEditor.setText(text), text);
  await waitForMove(page, nextStatus);
  await page.waitForFunction(() => !document.querySelector(".accessible-grid[aria-busy]"));
  assert.equal(await page.$eval("[role=gridcell]", (cell) => cell.textContent), "41");
  assert.deepEqual(errors, []);
  await page.close();
});

/** Returns the results of the package for the test cases, computed in a worker. */
async function run(request) {
  const { page } = await open("/pages/host.html");
  const { result, error } = await page.evaluate(runInWorker, request);
  await page.close();
  assert.equal(error, undefined);
  assert.deepEqual(result.failures, []);
  return result;
}

test("compiled PTX, tensor instructions and SASS produce the expected memory contents", async () => {
  for (const [cases, minimum] of [[await kernels(root), MIN_COUNTS.runs], [await families(root), MIN_COUNTS.families], [await listings(root), MIN_COUNTS.listings]]) {
    assert.ok((await run({ cases })).nRuns >= minimum);
  }
});

test("JIT-compiled kernels produce the expected memory contents", async () => {
  assert.ok((await run({ cases: await kernels(root), engine: "translated" })).nTranslated >= MIN_COUNTS.translated);
});

test("generated kernels produce identical memory contents with both engines", async () => {
  const result = await run({ launches: JSON.parse(await readFile(process.env.GENERATED_KERNELS, "utf8")) });
  assert.ok(result.nRuns >= MIN_COUNTS.generated && 2 * result.nTranslated > result.nRuns);
});
