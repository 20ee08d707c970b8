// Benchmarks of the page: the time from a link to the first store, the time of a pointer move over matrices of 4,096 labeled cells, and the
// performance in use. `cargo xtask bench --only page` prints the results, one JSON object per figure. The release site must be in dist/.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chromium } from "@playwright/test";
import { serveOver } from "./throttled-server.mjs";
import { median } from "./median.mjs";
import { paintings } from "./paint-latency.mjs";
import { figuresOfUse } from "./interaction-benchmarks.mjs";

/** A kernel whose memory is a grid of 64 by 64 numbers. */
const grid = `//@ launch grid=16 block=256
//@ buffer out: u32[64][64] = 0
.version 8.5
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r1, 256, %r2;
    mul.wide.u32 %rd2, %r3, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}
`;

/** Moves the pointer over a canvas, once per frame. Returns the milliseconds of the main thread per move, and between frames. */
async function hover(canvas) {
  return canvas.evaluate(async (canvas) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    // A message is handled after the frame was laid out and painted.
    const { port1, port2 } = new MessageChannel();
    const painted = () => new Promise((done) => {
      port1.onmessage = () => done(performance.now());
      port2.postMessage(0);
    });
    const box = canvas.getBoundingClientRect();
    const busy = [], apart = [];
    let last = await frame();
    for (let i = 0; i < 180; i++) {
      const start = performance.now();
      const clientX = box.left + 40 + (i * 37) % Math.max(1, Math.min(box.width, innerWidth - box.left) - 60);
      const clientY = box.top + 30 + (i * 23) % Math.max(1, Math.min(box.height, innerHeight - box.top) - 60);
      canvas.dispatchEvent(new MouseEvent("mousemove", { clientX, clientY, bubbles: true }));
      busy.push((await painted()) - start);
      const now = await frame();
      apart.push(now - last);
      last = now;
    }
    const at = (values, share) => values.sort((a, b) => a - b)[Math.floor(values.length * share)];
    return { busy: at(busy, 0.5), slow: at(busy, 0.95), apart: at(apart, 0.5) };
  });
}

/** Returns the median of the milliseconds from the request of the page until its source has run and is shown, with a warm cache. */
async function arrival(context, address, rounds = 9) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const page = await context.newPage();
    await page.goto(address, { waitUntil: "commit" });
    await page.locator("[data-ready=true]").first().waitFor();
    times.push(await page.evaluate(() => performance.now()));
    await page.close();
  }
  // The first round fills the cache.
  return median(times.slice(1));
}

/** Returns the median of the milliseconds from the request of the start page until its first store is shown, with an empty cache, and
 *  the transferred bytes. */
async function firstVisit(browser, line, rounds = 5) {
  const { server, line: sent, address } = await serveOver(line);
  const times = [];
  let bytes = 0;
  // The first round compresses the files that have no compressed copy.
  for (let round = 0; round <= rounds; round++) {
    sent.sent = 0;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(address, { waitUntil: "commit" });
    await page.locator("[data-ready=true]").first().waitFor({ timeout: 120_000 });
    bytes = sent.sent;
    if (round > 0) times.push(await page.evaluate(() => performance.now()));
    await context.close();
    // A pending response ends with its page.
    await new Promise((done) => setTimeout(done, 200));
  }
  server.close();
  return { milliseconds: median(times), bytes };
}

function say(name, title, unit, value) {
  console.log(JSON.stringify({ name, title, unit, value, note: null }));
}

const server = spawn(process.execPath, [new URL("server.mjs", import.meta.url).pathname]);
const [line] = await once(server.stdout, "data");
const port = /served on port (\d+)/.exec(String(line))?.[1];
const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
try {
  for (const [name, title, line] of [
    ["visit", "10 Mbit/s and 40 ms", { bitsPerSecond: 10e6, delay: 40 }],
    ["slow visit", "1.6 Mbit/s and 150 ms", { bitsPerSecond: 1.6e6, delay: 150 }],
  ]) {
    const { milliseconds, bytes } = await firstVisit(browser, { ...line, encoding: "br" });
    say(name, `from the start page to its first store, nothing cached, ${title}`, "ms", milliseconds);
    say(`${name}, bytes`, "what it loads until then, brotli", "KB", bytes / 1000);
  }
  const first = await browser.newContext();
  await first.grantPermissions(["clipboard-read", "clipboard-write"]);
  const start = `http://127.0.0.1:${port}/`;
  say("start", "from the start page to its first store, warm", "ms", await arrival(first, start));
  const maker = await first.newPage();
  await maker.goto(start);
  await maker.locator("[data-ready=true]").first().waitFor();
  await maker.keyboard.press("s");
  await maker.getByText(/^Copied link/).waitFor();
  const link = await maker.evaluate(() => navigator.clipboard.readText());
  await maker.close();
  const other = await browser.newContext();
  say("link", "from a link to its first store, warm", "ms", await arrival(other, link));
  say("link, length", "the link of the start page", "characters", link.length);

  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`http://127.0.0.1:${port}/#layouts?op=mma.a&shape=m16n8k256&type=b1&target=sm_80`);
  const matrix = page.getByRole("group", { name: /^Matrix grid/ }).locator("canvas").nth(1);
  await matrix.waitFor();
  const fragment = await hover(matrix);
  say("hover fragment", "hovering a fragment of 4,096 cells, a move", "ms", fragment.busy);
  say("hover fragment, slow", "the slowest twentieth of these moves", "ms", fragment.slow);
  say("hover fragment, frames", "between two frames of it", "ms", fragment.apart);

  for (const [name, expression] of [["rows", "(128,256):(256,1)"], ["columns", "(128,256):(1,128)"], ["swizzle", "Swizzle<3,4,3> o (128,256):(256,1)"]]) {
    const address = `http://127.0.0.1:${port}/#layouts?op=layout&expression=${encodeURIComponent(expression)}`;
    const { boxes, shown, drawn } = await paintings(browser, address);
    say(`tile ${name}`, `painting the tile ${expression}`, "ms", boxes);
    say(`tile ${name}, frame`, "from its first box to the frame that shows all", "ms", shown);
    say(`tile ${name}, choice`, "from a choice to its first box: laid out by the core and by the page", "ms", drawn);
  }

  await page.goto("about:blank");
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.getByRole("status").and(page.locator("[data-ready=true]")).waitFor();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((text) => navigator.clipboard.writeText(text), grid);
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+v");
  await page.getByRole("group", { name: /^out, grid of/ }).waitFor();
  await page.getByRole("status").and(page.locator("[data-ready=true]")).waitFor();
  const memory = await hover(page.getByRole("group", { name: /^out, grid of/ }).locator("canvas"));
  say("hover memory", "hovering a memory of 64 x 64 cells, a move", "ms", memory.busy);
  say("hover memory, slow", "the slowest twentieth of these moves", "ms", memory.slow);
  say("hover memory, frames", "between two frames of it", "ms", memory.apart);
  await page.close();
  await figuresOfUse(browser, start, say);
} finally {
  await browser.close();
  server.kill();
}
