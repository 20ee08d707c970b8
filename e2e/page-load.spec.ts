// Tests the first visit to the page, and later visits.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { cells, open, paste, pick, ready } from "./playground";

test("initial page shows an example with its first store executed", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("combobox", { name: "Example" })).toHaveValue("row-and-column-stores");
  await expect(page.getByText("4 sectors, ideal 4")).toBeVisible();
  const currentCells = page.getByRole("grid", { name: "rows" }).locator("[data-written=now]");
  await expect(currentCells).toHaveCount(32);
  expect(await currentCells.first().getAttribute("data-lane")).toBe("0");
});

test("first grid renders before the emulator loads, and input queued meanwhile is processed after loading", async ({ page }) => {
  let releaseModule = () => {};
  const moduleReleased = new Promise<void>((done) => { releaseModule = done; });
  const requestedFiles: string[] = [];
  page.on("request", (request) => requestedFiles.push(new URL(request.url()).pathname.split("/").pop() ?? ""));
  await page.route("**/warpgrid-core_bg.wasm", async (route) => { await moduleReleased; await route.continue(); });
  await open(page);
  await expect(page.getByRole("status")).toHaveText(/store 5 of 8/);
  await expect(page.getByRole("grid", { name: "rows" }).locator("[data-written=now]")).toHaveCount(32);
  await expect(page.locator(".tok-opcode, .tok-comment").first()).toBeVisible();
  await page.getByRole("status").click();
  await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(300);
  expect(requestedFiles).not.toContain("warpgrid-core-extended_bg.wasm");
  releaseModule();
  await expect(page.getByRole("status")).toHaveText(/store 6 of 8/);
  await ready(page);
  await page.keyboard.press("Home");
  await expect(page.getByRole("status")).toHaveText(/store 0 of 8/);
  // The page loads the worker for data races afterwards.
  await expect.poll(() => requestedFiles).toContain("warpgrid-core-extended_bg.wasm");
});

test("failure to load the emulator after the first grid is reported", async ({ page }) => {
  let failRequest = () => {};
  const requestFailed = new Promise<void>((done) => { failRequest = done; });
  await page.route("**/warpgrid-core_bg.wasm", async (route) => { await requestFailed; await route.abort(); });
  await open(page);
  failRequest();
  await expect(page.getByRole("alert")).toContainText("The emulator has stopped");
  await expect(page.getByRole("grid", { name: "rows" })).toBeVisible();
  await page.unroute("**/warpgrid-core_bg.wasm");
  await page.getByRole("button", { name: "Try again" }).click();
  await ready(page);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("status")).toHaveText(/store [1-8] of 8/);
});

test("source persists across a reload", async ({ page }) => {
  await open(page);
  await paste(page, "// mine\n");
  await expect(page.getByRole("combobox", { name: "Example" })).toHaveValue("");
  await page.waitForTimeout(300);
  await page.reload();
  await expect(page.getByRole("textbox", { name: "PTX source" })).toHaveText(/\/\/ mine/);
});

test("page is operable with keyboard and screen reader", async ({ page }) => {
  await open(page);
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    const results = await new AxeBuilder({ page }).analyze();
    expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  }
});

test("keyboard shortcuts step the run and are listed in the help dialog", async ({ page }) => {
  await open(page);
  await page.getByRole("status").click();
  await page.keyboard.press("Home");
  await expect(page.getByRole("status")).toHaveText(/store 0 of 8/);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("status")).toHaveText(/store 1 of 8/);
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("status")).toHaveText(/store 0 of 8/);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("to the next store");
  await expect(page.getByRole("heading", { name: "Help", exact: true })).toBeInViewport();
  await page.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("selecting an example replaces the source and runs it", async ({ page }) => {
  await open(page);
  await pick(page, "Vector stores: one, two or four elements per lane");
  await page.keyboard.press("End");
  await ready(page);
  await expect(page.getByRole("status")).toHaveText(/finished|store/);
  expect((await cells(page, "singles")).length).toBe(32);
});

test("on a phone the transport stays visible and does not cover any card", async ({ page }) => {
  await page.setViewportSize({ width: 420, height: 900 });
  await open(page);
  const transport = page.getByRole("contentinfo");
  const bottom = async () => { const box = await transport.boundingBox(); return Math.round(box!.y + box!.height); };
  expect(await bottom()).toBe(900);
  await page.getByRole("tab", { name: "Threads" }).click();
  const registers = page.getByRole("region", { name: "Registers" });
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  expect(await bottom()).toBe(900);
  const [cardBox, transportBox] = [await registers.boundingBox(), await transport.boundingBox()];
  expect(cardBox!.y + cardBox!.height).toBeLessThanOrEqual(transportBox!.y);
});

test("two grids are shown side by side at a width of 1,920 pixels", async ({ browser }) => {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
  await open(page);
  const [rows, columns] = await Promise.all(["rows", "columns"].map((name) => page.locator(`.memory[data-memory="${name}"]`).boundingBox()));
  expect(columns!.y).toBe(rows!.y);
  expect(columns!.x).toBeGreaterThanOrEqual(rows!.x + rows!.width);
  await page.close();
});
