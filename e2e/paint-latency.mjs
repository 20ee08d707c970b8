// Measures the painting of a tile layout. The result is the time of the main thread in milliseconds from the first to the last box, and the
// time until the browser shows the frame with all boxes.

import { median } from "./median.mjs";

/** Instruments the painting of large canvases. The function must run before the scripts of the page. */
export function instrumentPainting() {
  const recordedPaints = (globalThis.paints = []);
  const { prototype } = CanvasRenderingContext2D;
  const { clearRect } = prototype;
  // Each painting starts by clearing its canvas, and no other task interrupts a painting.
  prototype.clearRect = function (...clearArguments) {
    clearRect.apply(this, clearArguments);
    // The page paints highlights on a canvas above the canvas of the boxes.
    if (this.canvas.width * this.canvas.height < 100_000 || this.canvas.nextElementSibling?.localName !== "canvas") return;
    const start = performance.now();
    queueMicrotask(() => {
      const paint = { start, boxes: performance.now() - start, shown: null };
      recordedPaints.push(paint);
      const { port1, port2 } = new MessageChannel();
      // The browser handles the message after the layout and the painting of the frame.
      port1.onmessage = () => { paint.shown = performance.now() - start; };
      requestAnimationFrame(() => port2.postMessage(0));
    });
  };
}

/** Paints the diagram of a URL several times by changing the shown contents. Returns the median of the milliseconds for all boxes, from
 *  the first box to the frame with them, and from the change to the first box. */
export async function measurePainting(browser, address, rounds = 9) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(instrumentPainting);
  await page.goto(address);
  await page.getByRole("group", { name: /^Matrix grid/ }).waitFor();
  const contentsPicker = page.getByRole("combobox", { name: "Shown" });
  const samples = [];
  for (let round = 0; round < rounds; round += 1) {
    await page.waitForTimeout(300);
    await contentsPicker.evaluate((select, value) => {
      globalThis.paints.length = 0;
      globalThis.chosen = performance.now();
      select.value = value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    }, round % 2 ? "offset" : "bank");
    await page.waitForFunction(() => globalThis.paints.length > 0 && globalThis.paints.every(({ shown }) => shown !== null));
    samples.push(await page.evaluate(() => ({ ...globalThis.paints[0], drawn: globalThis.paints[0].start - globalThis.chosen })));
  }
  await page.close();
  const medianOf = (name) => median(samples.map((paint) => paint[name]));
  return { boxes: medianOf("boxes"), shown: medianOf("shown"), drawn: medianOf("drawn") };
}
