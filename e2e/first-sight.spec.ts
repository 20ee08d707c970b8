// A person opens the page for the first time, and comes back.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { cells, open, paste, pick, ready } from "./playground";

test("an example is shown and has already run", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("combobox", { name: "Example" })).toHaveValue("row-and-column-stores");
  await expect(page.getByText("each used whole")).toBeVisible();
  const now = page.getByRole("grid", { name: "rows" }).locator("[data-written=now]");
  await expect(now).toHaveCount(32);
  expect(await now.first().getAttribute("data-lane")).toBe("0");
});

test("the first grid does not wait for the core, and what is pressed meanwhile happens when it is there", async ({ page }) => {
  let arrive = () => {};
  const arrived = new Promise<void>((done) => { arrive = done; });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").pop() ?? ""));
  await page.route("**/warpgrid-core_bg.wasm", async (route) => { await arrived; await route.continue(); });
  await open(page);
  await expect(page.getByRole("status")).toHaveText(/store 5 of 8/);
  await expect(page.getByRole("grid", { name: "rows" }).locator("[data-written=now]")).toHaveCount(32);
  await expect(page.locator(".tok-keyword, .tok-mnemonic, .tok-comment").first()).toBeVisible();
  await page.getByRole("status").click();
  await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(300);
  expect(asked).not.toContain("warpgrid-core-both_bg.wasm");
  arrive();
  await expect(page.getByRole("status")).toHaveText(/store 6 of 8/);
  await ready(page);
  await page.keyboard.press("Home");
  await expect(page.getByRole("status")).toHaveText(/store 0 of 8/);
  // What looks for races comes after it.
  await expect.poll(() => asked).toContain("warpgrid-core-both_bg.wasm");
});

test("a core that does not arrive after the first grid is said", async ({ page }) => {
  let fail = () => {};
  const failed = new Promise<void>((done) => { fail = done; });
  await page.route("**/warpgrid-core_bg.wasm", async (route) => { await failed; await route.abort(); });
  await open(page);
  fail();
  await expect(page.getByRole("alert")).toContainText("The core has stopped");
  await expect(page.getByRole("grid", { name: "rows" })).toBeVisible();
  await page.unroute("**/warpgrid-core_bg.wasm");
  await page.getByRole("button", { name: "Try again" }).click();
  await ready(page);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("status")).toHaveText(/store [1-8] of 8/);
});

test("the text is kept over a reload", async ({ page }) => {
  await open(page);
  await paste(page, "// mine\n");
  await expect(page.getByRole("combobox", { name: "Example" })).toHaveValue("");
  await page.waitForTimeout(300);
  await page.reload();
  await expect(page.getByRole("textbox", { name: "PTX source" })).toHaveText(/\/\/ mine/);
});

test("the page can be read and used without a mouse and without eyes", async ({ page }) => {
  await open(page);
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    const found = await new AxeBuilder({ page }).analyze();
    expect(found.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  }
});

test("keys step, and help lists them", async ({ page }) => {
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
  await expect(page.getByRole("heading", { name: "What you see" })).toBeInViewport();
  await page.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("a picked example replaces the text and runs", async ({ page }) => {
  await open(page);
  await pick(page, "One store, two or four elements a lane");
  await page.keyboard.press("End");
  await ready(page);
  await expect(page.getByRole("status")).toHaveText(/finished|store/);
  expect((await cells(page, "singles")).length).toBe(32);
});

test("on a phone the transport stays in reach, and every card can be scrolled above it", async ({ page }) => {
  await page.setViewportSize({ width: 420, height: 900 });
  await open(page);
  const transport = page.getByRole("contentinfo");
  const bottom = async () => { const box = await transport.boundingBox(); return Math.round(box!.y + box!.height); };
  expect(await bottom()).toBe(900);
  await page.getByRole("tab", { name: "Threads" }).click();
  const registers = page.getByRole("region", { name: "Registers" });
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  expect(await bottom()).toBe(900);
  const [card, over] = [await registers.boundingBox(), await transport.boundingBox()];
  expect(card!.y + card!.height).toBeLessThanOrEqual(over!.y);
});

test("at 1,920 pixels two memories lie side by side", async ({ browser }) => {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
  await open(page);
  const [rows, columns] = await Promise.all(["rows", "columns"].map((name) => page.locator(`.memory[data-memory="${name}"]`).boundingBox()));
  expect(columns!.y).toBe(rows!.y);
  expect(columns!.x).toBeGreaterThanOrEqual(rows!.x + rows!.width);
  await page.close();
});
