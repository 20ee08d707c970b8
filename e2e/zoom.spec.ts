// Tests the zoom levels from the full value to one pixel per cell, and the minimap of a long memory next to its rows.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { inspectorTab, open, paste, pick, press, ready } from "./playground";

/** Kernel in which each of 64 blocks stores the lane index of its first warps at every 2,048th element of 1 MiB. */
const LONG_KERNEL = `//@ launch grid=64 block=64
//@ buffer p: u32[262144] = 0
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 2048, %r2;
  mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
`;

const memory = (page: Page, name: string) => page.locator(`.memory[data-memory="${name}"]`);
const viewOptions = (page: Page, name: string) => memory(page, name).locator(".pixel-grid").getAttribute("data-view-options");
const zoomOutButton = (page: Page, name: string) => memory(page, name).getByRole("button", { name: /^Zoom out/ });
const zoomInButton = (page: Page, name: string) => memory(page, name).getByRole("button", { name: /^Zoom in/ });
/** Returns the color of a pixel of the pixel grid at a position in CSS pixels. */
const pixelColor = (page: Page, name: string, x: number, y: number) => memory(page, name).locator(".pixel-grid canvas").evaluate((canvas: HTMLCanvasElement, [x, y]) => {
  const density = devicePixelRatio;
  return [...canvas.getContext("2d")!.getImageData(Math.floor(x * density), Math.floor(y * density), 1, 1).data].join(" ");
}, [x, y]);

async function openLongBuffer(page: Page) {
  await open(page);
  await paste(page, LONG_KERNEL);
  await expect(memory(page, "p")).toBeVisible();
  await ready(page);
  await press(page, "Run to end");
}

test("grid zooms from one-pixel cells to full values by buttons and keys", async ({ page }) => {
  await open(page);
  const rows = memory(page, "rows");
  await expect(rows.locator(".pixel-grid")).toHaveCount(0);
  await zoomOutButton(page, "rows").click();
  await expect(rows.locator(".pixel-grid .status-text")).toHaveText("16 columns, coloured by value, visible range 0 to 95.");
  expect(await viewOptions(page, "rows")).toContain("cell=12");
  // Screen readers can still read the values.
  await expect(page.getByRole("grid", { name: "rows", exact: true }).getByRole("gridcell")).toHaveCount(128);
  await rows.getByRole("button", { name: "lane", exact: true }).click();
  await expect(rows.locator(".pixel-grid .status-text")).toHaveText("16 columns, coloured by lane of the last write.");
  // Lane 0 has written elements 0 and 32, and lane 1 has written the next element.
  await expect.poll(async () => (await pixelColor(page, "rows", 3, 3)) === (await pixelColor(page, "rows", 3, 27)) && (await pixelColor(page, "rows", 3, 3)) !== (await pixelColor(page, "rows", 15, 3))).toBe(true);
  // The grid retains the keyboard focus at every zoom level.
  await rows.getByRole("button", { name: "value", exact: true }).focus();
  await page.keyboard.press("+");
  await rows.locator(".scroller:has(> div > canvas)").focus();
  for (let n = 0; n < 5; n += 1) await page.keyboard.press("-");
  await expect(rows.locator(".pixel-grid .scroller")).toBeFocused();
  expect(await viewOptions(page, "rows")).toContain("cell=1 ");
  await expect(zoomOutButton(page, "rows")).toHaveAttribute("aria-disabled", "true");
  await expect.poll(async () => (await pixelColor(page, "rows", 0, 0)) === (await pixelColor(page, "rows", 0, 2)) && (await pixelColor(page, "rows", 0, 0)) !== (await pixelColor(page, "rows", 1, 0))).toBe(true);
  for (let n = 0; n < 5; n += 1) await page.keyboard.press("+");
  await expect(rows.locator(".pixel-grid")).toHaveCount(0);
  await expect(rows.locator(".scroller")).toBeFocused();
  const canvas = rows.locator(".scroller canvas");
  const width = (await canvas.boundingBox())!.width;
  await zoomInButton(page, "rows").click();
  await expect(zoomInButton(page, "rows")).toHaveAttribute("aria-disabled", "true");
  await expect.poll(() => rows.locator(".scroller > div").evaluate((node) => node.clientWidth)).toBeGreaterThan(width);
  // The keyboard shortcuts of the transport controls have their usual effect again.
  await expect(page.getByRole("status")).toContainText("store 5 of 8");
});

test("Ctrl+scroll zooms around the pointer", async ({ page }) => {
  await openLongBuffer(page);
  const cells = memory(page, "p");
  await cells.locator(".scroller").hover();
  const scrollWheel = async (pixels: number) => {
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, pixels);
    await page.keyboard.up("Control");
  };
  await scrollWheel(120);
  await expect.poll(() => viewOptions(page, "p")).toContain("cell=12");
  await scrollWheel(120);
  await expect.poll(() => viewOptions(page, "p")).toContain("cell=8");
  await expect(cells.locator(".pixel-grid .status-text")).toContainText("by value");
  // After the grid has been scrolled far down, a click shows the value and pins the cell.
  await cells.locator(".pixel-grid .scroller").evaluate((node) => { node.scrollTop = node.scrollHeight / 2; });
  await page.waitForTimeout(300);
  await cells.locator(".pixel-grid canvas").hover({ position: { x: 12, y: 200 } });
  await expect(cells.locator(".pixel-grid .status-text")).toContainText("Element ");
  const caption = await cells.locator(".pixel-grid .status-text").textContent();
  const index = /Element ([\d,]+)/.exec(caption!)![1].replaceAll(",", "");
  await scrollWheel(-120);
  await expect.poll(() => viewOptions(page, "p")).toContain("cell=12");
  expect(await viewOptions(page, "p")).toContain(`reveal=${index}`);
  await cells.locator(".pixel-grid canvas").click({ position: { x: 20, y: 200 } });
  await expect(cells.locator(".pixel-grid")).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Cell", exact: true })).toContainText(/p\[\d+\]/);
});

test("pinch gesture zooms the grid", async ({ browser }) => {
  const page = await (await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })).newPage();
  await open(page);
  const { x, y } = (await memory(page, "rows").locator(".scroller").boundingBox())!;
  const session = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", fingerDistance?: number) => session.send("Input.dispatchTouchEvent", {
    type, touchPoints: fingerDistance === undefined ? [] : [{ x: x + 150 - fingerDistance, y: y + 80, id: 0 }, { x: x + 150 + fingerDistance, y: y + 80, id: 1 }],
  });
  await touch("touchStart", 100);
  for (const fingerDistance of [90, 80, 70]) await touch("touchMove", fingerDistance);
  await touch("touchEnd");
  await expect.poll(() => viewOptions(page, "rows")).toContain("cell=12");
  await page.context().close();
});

test("zoom level is stored in a shared link", async ({ page }) => {
  await open(page);
  for (let n = 0; n < 3; n += 1) await zoomOutButton(page, "columns").click();
  await expect.poll(() => viewOptions(page, "columns")).toContain("cell=4");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("status").click();
  await page.keyboard.press("s");
  await expect(page.locator("details.sharing").getByRole("status")).toContainText("Copied link");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto("about:blank");
  await page.goto(link.slice(link.indexOf("/#")));
  await ready(page);
  expect(await viewOptions(page, "columns")).toContain("cell=4");
});

test("minimap of a long buffer scrolls by click, drag and keyboard", async ({ page }) => {
  await openLongBuffer(page);
  const minimap = memory(page, "p").getByRole("slider", { name: "Minimap of p" });
  const rows = memory(page, "p").locator(".scroller");
  const visibleFraction = () => rows.evaluate((node) => node.scrollTop / (node.scrollHeight - node.clientHeight));
  await expect(minimap).toHaveAttribute("aria-valuetext", /^elements 0 to \d\d\d of 262,144$/);
  const box = (await minimap.boundingBox())!;
  await page.mouse.move(box.x + 8, box.y + box.height / 2);
  await page.mouse.down();
  await expect.poll(visibleFraction).toBeCloseTo(0.5, 1);
  await page.mouse.move(box.x + 8, box.y + box.height * 0.75, { steps: 3 });
  await page.mouse.up();
  await expect.poll(visibleFraction).toBeCloseTo(0.75, 1);
  await page.mouse.move(box.x + 8, box.y + 5);
  expect(await visibleFraction()).toBeGreaterThan(0.7);
  await minimap.focus();
  await page.keyboard.press("End");
  await expect.poll(visibleFraction).toBeCloseTo(1, 3);
  await expect(minimap).toHaveAttribute("aria-valuetext", /to 262,143 of 262,144$/);
  await page.keyboard.press("Home");
  await expect.poll(visibleFraction).toBe(0);
  // Written parts have the color of the lane that wrote last, and the other parts are transparent.
  const opacities = () => minimap.locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    const [half, third] = [canvas.width * canvas.height / 2, 3];
    const written = (from: number, to: number) => { let n = 0; for (let at = from; at < to; at += 1) n += data[at * 4 + third] > 0 ? 1 : 0; return n; };
    return [written(0, half), written(half, half * 2)];
  });
  // The 64 blocks store to the first half of the memory.
  await expect.poll(opacities).toEqual([64, 0]);
  // A short memory has no minimap and retains its small size.
  await pick(page, "Coalesced and strided stores");
  await expect(memory(page, "rows")).toBeVisible();
  await expect(page.getByRole("slider", { name: /^Minimap of/ })).toHaveCount(0);
});

test("column list offers a custom layout", async ({ page }) => {
  await open(page);
  const card = memory(page, "columns");
  await card.getByRole("combobox", { name: "Element type" }).selectOption("u16");
  await card.getByRole("combobox", { name: "Columns" }).selectOption("Custom layout…");
  const view = page.getByRole("region", { name: "Custom layout", exact: true });
  await expect(view.getByRole("combobox", { name: "Memory" })).toHaveValue("columns");
  await expect(view.getByRole("combobox", { name: "Element type of the view" })).toHaveValue("u16");
  await expect(view.getByRole("textbox", { name: "Layout" })).toBeFocused();
  await expect(card.getByRole("combobox", { name: "Columns" })).toHaveValue("");
  // The watch cards have not changed.
  await inspectorTab(page, "Watch");
  await expect(page.getByRole("button", { name: "Add watch" })).toBeVisible();
});

test("pixel grid and minimap pass axe in light and dark mode", async ({ page }) => {
  await openLongBuffer(page);
  await zoomOutButton(page, "p").click();
  await expect(memory(page, "p").locator(".pixel-grid .status-text")).toContainText("by value");
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    const results = await new AxeBuilder({ page }).include(".memory").analyze();
    expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  }
});
