// Implements the benchmarks of the page: the time from a link to the first store, the duration of a pointer move over matrices of 4,096
// labeled cells, and the interactive performance. `cargo xtask bench --only page` prints the results with one JSON object per benchmark.
// The directory dist/ must contain the release site.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chromium } from "@playwright/test";
import { serveThrottled } from "./throttled-server.mjs";
import { median } from "./median.mjs";
import { measurePainting } from "./paint-latency.mjs";
import { printInteractionFigures } from "./interaction-benchmarks.mjs";

/** Kernel whose memory is a grid of 64 by 64 numbers. */
const GRID_KERNEL = `//@ launch grid=16 block=256
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

/** Moves the pointer over a canvas once per frame. Returns the time of the main thread per move, and the time between frames, in
 *  milliseconds. */
async function measureHover(canvas) {
  return canvas.evaluate(async (canvas) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    // The browser handles the message after the layout and the painting of the frame.
    const { port1, port2 } = new MessageChannel();
    const afterPaint = () => new Promise((resolve) => {
      port1.onmessage = () => resolve(performance.now());
      port2.postMessage(0);
    });
    const bounds = canvas.getBoundingClientRect();
    const mainThreadTimes = [], frameIntervals = [];
    let lastFrame = await frame();
    for (let i = 0; i < 180; i++) {
      const start = performance.now();
      const clientX = bounds.left + 40 + (i * 37) % Math.max(1, Math.min(bounds.width, innerWidth - bounds.left) - 60);
      const clientY = bounds.top + 30 + (i * 23) % Math.max(1, Math.min(bounds.height, innerHeight - bounds.top) - 60);
      canvas.dispatchEvent(new MouseEvent("mousemove", { clientX, clientY, bubbles: true }));
      mainThreadTimes.push((await afterPaint()) - start);
      const now = await frame();
      frameIntervals.push(now - lastFrame);
      lastFrame = now;
    }
    const percentile = (values, fraction) => values.sort((a, b) => a - b)[Math.floor(values.length * fraction)];
    return { median: percentile(mainThreadTimes, 0.5), slowest: percentile(mainThreadTimes, 0.95), frameInterval: percentile(frameIntervals, 0.5) };
  });
}

/** Returns the median time in milliseconds from the request of the page until the page has run and shows the source, with a warm cache. */
async function warmLoadTime(context, address, rounds = 9) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const page = await context.newPage();
    await page.goto(address, { waitUntil: "commit" });
    await page.locator("[data-ready=true]").first().waitFor();
    times.push(await page.evaluate(() => performance.now()));
    await page.close();
  }
  // The first round fills the browser cache.
  return median(times.slice(1));
}

/** Returns the median of the milliseconds from the request of the start page until its first store is shown, with an empty cache, and
 *  the transferred bytes. */
async function coldLoadTime(browser, network, rounds = 5) {
  const { server, connection, address } = await serveThrottled(network);
  const times = [];
  let bytes = 0;
  // In the first round, the server compresses the files that have no compressed copy.
  for (let round = 0; round <= rounds; round++) {
    connection.sent = 0;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(address, { waitUntil: "commit" });
    await page.locator("[data-ready=true]").first().waitFor({ timeout: 120_000 });
    bytes = connection.sent;
    if (round > 0) times.push(await page.evaluate(() => performance.now()));
    await context.close();
    // A pending response ends when its page closes.
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  server.close();
  return { milliseconds: median(times), bytes };
}

function printFigure(name, title, unit, value) {
  console.log(JSON.stringify({ name, title, unit, value, note: null }));
}

const server = spawn(process.execPath, [new URL("server.mjs", import.meta.url).pathname]);
const [serverOutput] = await once(server.stdout, "data");
const port = /served on port (\d+)/.exec(String(serverOutput))?.[1];
const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
try {
  for (const [name, title, network] of [
    ["visit", "10 Mbit/s and 40 ms", { bitsPerSecond: 10e6, delay: 40 }],
    ["slow visit", "1.6 Mbit/s and 150 ms", { bitsPerSecond: 1.6e6, delay: 150 }],
  ]) {
    const { milliseconds, bytes } = await coldLoadTime(browser, { ...network, encoding: "br" });
    printFigure(name, `from the start page to its first store, nothing cached, ${title}`, "ms", milliseconds);
    printFigure(`${name}, bytes`, "what it loads until then, brotli", "KB", bytes / 1000);
  }
  const warmContext = await browser.newContext();
  await warmContext.grantPermissions(["clipboard-read", "clipboard-write"]);
  const start = `http://127.0.0.1:${port}/`;
  printFigure("start", "from the start page to its first store, warm", "ms", await warmLoadTime(warmContext, start));
  const sharingPage = await warmContext.newPage();
  await sharingPage.goto(start);
  await sharingPage.locator("[data-ready=true]").first().waitFor();
  await sharingPage.keyboard.press("s");
  await sharingPage.getByText(/^Copied link/).waitFor();
  const link = await sharingPage.evaluate(() => navigator.clipboard.readText());
  await sharingPage.close();
  const recipientContext = await browser.newContext();
  printFigure("link", "from a link to its first store, warm", "ms", await warmLoadTime(recipientContext, link));
  printFigure("link, length", "the link of the start page", "characters", link.length);

  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`http://127.0.0.1:${port}/#layouts?op=mma.a&shape=m16n8k256&type=b1&target=sm_80`);
  const matrix = page.getByRole("group", { name: /^Matrix grid/ }).locator("canvas").nth(1);
  await matrix.waitFor();
  const fragment = await measureHover(matrix);
  printFigure("hover fragment", "hovering a fragment of 4,096 cells, a move", "ms", fragment.median);
  printFigure("hover fragment, slow", "the slowest twentieth of these moves", "ms", fragment.slowest);
  printFigure("hover fragment, frames", "between two frames of it", "ms", fragment.frameInterval);

  for (const [name, expression] of [["rows", "(128,256):(256,1)"], ["columns", "(128,256):(1,128)"], ["swizzle", "Swizzle<3,4,3> o (128,256):(256,1)"]]) {
    const address = `http://127.0.0.1:${port}/#layouts?op=layout&expression=${encodeURIComponent(expression)}`;
    const { boxes, shown, drawn } = await measurePainting(browser, address);
    printFigure(`tile ${name}`, `painting the tile ${expression}`, "ms", boxes);
    printFigure(`tile ${name}, frame`, "from its first box to the frame that shows all", "ms", shown);
    printFigure(`tile ${name}, choice`, "from a choice to its first box: laid out by the core and by the page", "ms", drawn);
  }

  await page.goto("about:blank");
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.getByRole("status").and(page.locator("[data-ready=true]")).waitFor();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((text) => navigator.clipboard.writeText(text), GRID_KERNEL);
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+v");
  await page.getByRole("group", { name: /^out, grid of/ }).waitFor();
  await page.getByRole("status").and(page.locator("[data-ready=true]")).waitFor();
  const memory = await measureHover(page.getByRole("group", { name: /^out, grid of/ }).locator("canvas"));
  printFigure("hover memory", "hovering a memory of 64 x 64 cells, a move", "ms", memory.median);
  printFigure("hover memory, slow", "the slowest twentieth of these moves", "ms", memory.slowest);
  printFigure("hover memory, frames", "between two frames of it", "ms", memory.frameInterval);
  await page.close();
  await printInteractionFigures(browser, start, printFigure);
} finally {
  await browser.close();
  server.kill();
}
