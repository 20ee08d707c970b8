// Measures the interactive performance of the page: the frame rate while a long memory is scrolled and while a run is played, the time from
// a step command to its frame, the time from a keystroke to its diagnostics, and the growth of memory. `cargo xtask bench --only page`
// prints the results (`e2e/page-benchmarks.mjs`).
import { median } from "./median.mjs";

const MODULE_HEADER = ".version 8.5\n.target sm_80\n.address_size 64\n";

/** Kernel with a memory of 64 MiB. Each lane of the kernel stores once. */
const LONG_MEMORY_KERNEL = `//@ launch grid=1 block=32
//@ buffer out: u32[16777216] = 0
${MODULE_HEADER}.visible .entry fill(.param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
`;

/** Returns a kernel of `block` threads per block, whose warps perform `stores` stores in total. */
const storingKernel = (block, stores) => `//@ launch grid=${stores / (block / 32)} block=${block}
//@ buffer out: u32[${stores * 32}] = 0
${MODULE_HEADER}.visible .entry fill(.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd2, %r4, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
    ret;
}
`;

/** Returns a kernel of `n` lines. */
const longKernel = (n) => `${MODULE_HEADER}.visible .entry long()\n{\n    .reg .b32 %r<4>;\n${"    add.u32 %r1, %r2, %r3;\n".repeat(n - 8)}    ret;\n}\n`;

const ready = (page) => page.getByRole("status").and(page.locator("[data-ready=true]")).waitFor({ timeout: 120_000 });

/** Opens the page with a source. */
export async function openSource(browser, address, text) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  await ready(page);
  await page.evaluate((text) => globalThis.warpgridEditor.setText(text), text);
  // The page no longer shows the previous source.
  await page.waitForFunction((text) => globalThis.warpgridEditor.text() === text, text);
  await page.locator("[data-ready=false]").first().waitFor({ timeout: 2_000 }).catch(() => {});
  await ready(page);
  return page;
}

/** Returns the frame rate in frames per second while `action(element, n)` is called before each frame. */
function frameRateDuring(locator, seconds, action) {
  return locator.evaluate(async (element, [seconds, action]) => {
    const runAction = new Function("element", "n", action);
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await frame();
    const start = performance.now();
    let frames = 0;
    while (performance.now() - start < seconds * 1000) {
      runAction(element, frames);
      await frame();
      frames += 1;
    }
    return frames * 1000 / (performance.now() - start);
  }, [seconds, action]);
}

/** Returns the frame rates in frames per second while 64 MiB are scrolled, first as values and then as cells of one pixel. */
async function scrollRates(browser, address) {
  const page = await openSource(browser, address, LONG_MEMORY_KERNEL);
  const memory = page.locator(".memory").first();
  const rows = memory.locator(".scroller").first();
  const values = await frameRateDuring(rows, 3, "element.scrollTop += 97");
  for (let n = 0; n < 5; n += 1) await memory.getByRole("button", { name: /^Zoom out/ }).click();
  await memory.locator(".pixel-grid canvas").first().waitFor();
  await page.waitForTimeout(1_000);
  const pixels = await frameRateDuring(memory.locator(".pixel-grid .scroller"), 3, "element.scrollTop += 23");
  await page.close();
  return { values, pixels };
}

/** Returns the frame rate in frames per second while 100,000 stores are played, and the growth of the JavaScript heap in bytes. The growth
 *  is the difference between the first and the second half of a playback of several minutes. */
async function playbackMetrics(browser, address, minutes) {
  const page = await openSource(browser, address, storingKernel(1_024, 100_000));
  const session = await page.context().newCDPSession(page);
  const restartPlayback = async () => {
    await page.getByRole("button", { name: "Go to start" }).click();
    await ready(page);
    await page.getByRole("button", { name: /^Play/ }).click();
  };
  await restartPlayback();
  const frames = await frameRateDuring(page.locator("body"), 3, "");
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
    return usedSize + embedderHeapUsedSize + backingStorageSize;
  };
  const play = async (milliseconds) => {
    const end = Date.now() + milliseconds;
    while (Date.now() < end) {
      await page.waitForTimeout(Math.min(4_000, Math.max(end - Date.now(), 0)));
      await restartPlayback();
    }
  };
  await play(minutes * 30_000);
  const halfwayHeap = await heap();
  await play(minutes * 30_000);
  const heapGrowth = await heap() - halfwayHeap;
  await page.close();
  return { frames, heapGrowth };
}

/** Returns the median time in milliseconds from a press of → to the frame with the store, for a launch of 1,024 threads. */
async function stepLatency(browser, address) {
  const page = await openSource(browser, address, storingKernel(1_024, 320));
  await page.getByRole("button", { name: "Go to start" }).click();
  await ready(page);
  const times = [];
  for (let n = 0; n < 40; n += 1) {
    times.push(await page.evaluate(() => new Promise((resolve) => {
      const status = document.querySelector("footer [role=status]");
      const previousText = status.textContent;
      const start = performance.now();
      const { port1, port2 } = new MessageChannel();
      // The browser handles the message after the layout and the painting of the frame.
      port1.onmessage = () => resolve(performance.now() - start);
      const observer = new MutationObserver(() => {
        if (status.textContent === previousText) return;
        observer.disconnect();
        requestAnimationFrame(() => port2.postMessage(0));
      });
      observer.observe(status, { subtree: true, childList: true, characterData: true });
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
    })));
    await ready(page);
  }
  await page.close();
  return median(times);
}

/** Returns the median time in milliseconds from a keystroke that introduces or fixes an error to the diagnostics, for a source of 2,000
 *  lines. */
async function diagnosticsLatency(browser, address) {
  const page = await openSource(browser, address, longKernel(2_000));
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+Home");
  for (let n = 0; n < 4; n += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  const times = [];
  for (let n = 0; n < 20; n += 1) {
    const time = page.evaluate(() => new Promise((resolve) => {
      let start = 0;
      addEventListener("keydown", () => { start = performance.now(); }, { capture: true, once: true });
      const problems = document.querySelector(".problems");
      const previousText = problems.textContent;
      const observer = new MutationObserver(() => {
        if (start === 0 || problems.textContent === previousText) return;
        observer.disconnect();
        resolve(performance.now() - start);
      });
      observer.observe(problems, { subtree: true, childList: true, characterData: true });
    }));
    await page.waitForTimeout(150);
    if (n % 2 === 0) await page.keyboard.type("x");
    else await page.keyboard.press("Backspace");
    times.push(await time);
    await page.waitForTimeout(400);
  }
  await page.close();
  return median(times);
}

/** Prints the results of the interaction benchmarks. */
export async function printInteractionFigures(browser, address, printFigure) {
  const minutes = Number(process.env.WARPGRID_PLAY_MINUTES ?? 1);
  const { values, pixels } = await scrollRates(browser, address);
  printFigure("scroll", "scrolling a memory of 64 MiB", "frames/s", values);
  printFigure("scroll pixels", "scrolling it with cells of one pixel", "frames/s", pixels);
  printFigure("step paint", "from a step to its picture, 1,024 threads", "ms", await stepLatency(browser, address));
  printFigure("keystroke", "from a keystroke to its diagnostics, 2,000 lines", "ms", await diagnosticsLatency(browser, address));
  const { frames, heapGrowth } = await playbackMetrics(browser, address, minutes);
  printFigure("play", "playing 100,000 stores", "frames/s", frames);
  printFigure("play, memory", `what its heap grows by in the second half of ${minutes} minutes of play`, "MB", heapGrowth / 1e6);
}
