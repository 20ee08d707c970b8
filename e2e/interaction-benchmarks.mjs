// Performance of the page in use: frames per second while a long memory is scrolled and while a run is played, the time from a step to its
// frame and from a keystroke to its diagnostics, and the growth of memory. `cargo xtask bench --only page` prints the figures
// (`e2e/page-benchmarks.mjs`).
import { median } from "./median.mjs";

const head = ".version 8.5\n.target sm_80\n.address_size 64\n";

/** A kernel with a memory of 64 MiB, whose lanes store once each. */
const LONG = `//@ launch grid=1 block=32
//@ buffer out: u32[16777216] = 0
${head}.visible .entry fill(.param .u64 out)
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
const storing = (block, stores) => `//@ launch grid=${stores / (block / 32)} block=${block}
//@ buffer out: u32[${stores * 32}] = 0
${head}.visible .entry fill(.param .u64 out)
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
const lines = (n) => `${head}.visible .entry long()\n{\n    .reg .b32 %r<4>;\n${"    add.u32 %r1, %r2, %r3;\n".repeat(n - 8)}    ret;\n}\n`;

const ready = (page) => page.getByRole("status").and(page.locator("[data-ready=true]")).waitFor({ timeout: 120_000 });

/** Opens the page with a source. */
export async function openText(browser, address, text) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  await ready(page);
  await page.evaluate((text) => globalThis.warpgridEditor.setText(text), text);
  // The previous source is no longer shown.
  await page.waitForFunction((text) => globalThis.warpgridEditor.text() === text, text);
  await page.locator("[data-ready=false]").first().waitFor({ timeout: 2_000 }).catch(() => {});
  await ready(page);
  return page;
}

/** Returns the frames per second while `move(element, n)` is called before each of them. */
function framesWhile(locator, seconds, move) {
  return locator.evaluate(async (element, [seconds, move]) => {
    const act = new Function("element", "n", move);
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    const start = performance.now();
    let frames = 0;
    while (performance.now() - start < seconds * 1000) {
      act(element, frames);
      await frame();
      frames += 1;
    }
    return frames * 1000 / (performance.now() - start);
  }, [seconds, move]);
}

/** Returns the frames per second while 64 MiB are scrolled, as values and as cells of one pixel. */
async function scrolling(browser, address) {
  const page = await openText(browser, address, LONG);
  const memory = page.locator(".memory").first();
  const rows = memory.locator(".scroller").first();
  const values = await framesWhile(rows, 3, "element.scrollTop += 97");
  for (let n = 0; n < 5; n += 1) await memory.getByRole("button", { name: /^Zoom out/ }).click();
  await memory.locator(".pixel-grid canvas").first().waitFor();
  await page.waitForTimeout(1_000);
  const pixels = await framesWhile(memory.locator(".pixel-grid .scroller"), 3, "element.scrollTop += 23");
  await page.close();
  return { values, pixels };
}

/** Returns the frames per second while 100,000 stores are played, and the growth of the JavaScript heap in bytes from the first half of
 *  some minutes to the second. */
async function playing(browser, address, minutes) {
  const page = await openText(browser, address, storing(1_024, 100_000));
  const session = await page.context().newCDPSession(page);
  const again = async () => {
    await page.getByRole("button", { name: "Go to start" }).click();
    await ready(page);
    await page.getByRole("button", { name: /^Play/ }).click();
  };
  await again();
  const frames = await framesWhile(page.locator("body"), 3, "");
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
    return usedSize + embedderHeapUsedSize + backingStorageSize;
  };
  const play = async (milliseconds) => {
    const end = Date.now() + milliseconds;
    while (Date.now() < end) {
      await page.waitForTimeout(Math.min(4_000, Math.max(end - Date.now(), 0)));
      await again();
    }
  };
  await play(minutes * 30_000);
  const half = await heap();
  await play(minutes * 30_000);
  const grown = await heap() - half;
  await page.close();
  return { frames, grown };
}

/** Returns the median of the milliseconds from a press of → to the frame with its store, at 1,024 threads. */
async function stepping(browser, address) {
  const page = await openText(browser, address, storing(1_024, 320));
  await page.getByRole("button", { name: "Go to start" }).click();
  await ready(page);
  const times = [];
  for (let n = 0; n < 40; n += 1) {
    times.push(await page.evaluate(() => new Promise((done) => {
      const status = document.querySelector("footer [role=status]");
      const before = status.textContent;
      const start = performance.now();
      const { port1, port2 } = new MessageChannel();
      // A message is handled after the frame was laid out and painted.
      port1.onmessage = () => done(performance.now() - start);
      const watcher = new MutationObserver(() => {
        if (status.textContent === before) return;
        watcher.disconnect();
        requestAnimationFrame(() => port2.postMessage(0));
      });
      watcher.observe(status, { subtree: true, childList: true, characterData: true });
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
    })));
    await ready(page);
  }
  await page.close();
  return median(times);
}

/** Returns the median of the milliseconds from a keystroke that introduces or fixes an error to its report, in a source of 2,000 lines. */
async function typing(browser, address) {
  const page = await openText(browser, address, lines(2_000));
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+Home");
  for (let n = 0; n < 4; n += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  const times = [];
  for (let n = 0; n < 20; n += 1) {
    const time = page.evaluate(() => new Promise((done) => {
      let start = 0;
      addEventListener("keydown", () => { start = performance.now(); }, { capture: true, once: true });
      const problems = document.querySelector(".problems");
      const before = problems.textContent;
      const watcher = new MutationObserver(() => {
        if (start === 0 || problems.textContent === before) return;
        watcher.disconnect();
        done(performance.now() - start);
      });
      watcher.observe(problems, { subtree: true, childList: true, characterData: true });
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

/** Prints the figures of use. */
export async function figuresOfUse(browser, address, say) {
  const minutes = Number(process.env.WARPGRID_PLAY_MINUTES ?? 1);
  const { values, pixels } = await scrolling(browser, address);
  say("scroll", "scrolling a memory of 64 MiB", "frames/s", values);
  say("scroll pixels", "scrolling it with cells of one pixel", "frames/s", pixels);
  say("step paint", "from a step to its picture, 1,024 threads", "ms", await stepping(browser, address));
  say("keystroke", "from a keystroke to its diagnostics, 2,000 lines", "ms", await typing(browser, address));
  const { frames, grown } = await playing(browser, address, minutes);
  say("play", "playing 100,000 stores", "frames/s", frames);
  say("play, memory", `what its heap grows by in the second half of ${minutes} minutes of play`, "MB", grown / 1e6);
}
