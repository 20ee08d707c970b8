// Tests stepping through kernels, the details of a step, and the termination of a run.
import { expect, test } from "@playwright/test";
import { readFileSync } from "node:fs";
import { cells, open, pick, press } from "./playground";

test("stepping forward updates cells, and stepping back restores them", async ({ page }) => {
  await open(page);
  await press(page, "Go to start");
  const initialCells = await cells(page, "rows");
  expect(new Set(initialCells)).toEqual(new Set(["0"]));
  await press(page, "Next store");
  await expect(page.getByRole("grid", { name: "rows" }).locator("[data-written=now]")).toHaveCount(32);
  const first = await cells(page, "rows");
  await press(page, "Next store");
  await press(page, "Next store");
  expect(await cells(page, "rows")).not.toEqual(first);
  await press(page, "Previous store");
  await press(page, "Previous store");
  await expect.poll(() => cells(page, "rows")).toEqual(first);
  await press(page, "Previous store");
  await expect.poll(() => cells(page, "rows")).toEqual(initialCells);
});

test("partial repaint of changed rows equals a full repaint", async ({ page }) => {
  await open(page);
  await press(page, "Go to start");
  const canvas = page.getByRole("group", { name: /^rows, grid of/ }).locator("canvas");
  // After two animation frames, the canvas shows the requested state.
  const paintedImage = () => canvas.evaluate(async (canvas: HTMLCanvasElement) => {
    for (let n = 0; n < 2; n += 1) await new Promise((done) => { requestAnimationFrame(done); });
    return canvas.toDataURL();
  });
  const images = new Set<string>();
  for (let n = 0; n < 4; n += 1) {
    await press(page, "Next store");
    const image = await paintedImage();
    // The age overlay changes the color of all cells, so that the page repaints all rows.
    const card = page.locator("[data-memory=rows]").getByRole("group", { name: "Cell contents" });
    await card.getByRole("button", { name: "step" }).click();
    await expect.poll(paintedImage).not.toBe(image);
    await card.getByRole("button", { name: "value" }).click();
    await expect.poll(paintedImage).toBe(image);
    images.add(image);
  }
  expect(images.size).toBe(4);
});

test("hovering over a cell highlights its lane and source line", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: /^lane 13,/ }).click();
  await expect(page.getByRole("heading", { name: /lane 13, hovered/ })).toBeVisible();
  const grid = page.getByRole("group", { name: /^rows, grid of/ });
  await grid.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const card = page.getByRole("region", { name: "Cell" });
  await expect(card).toContainText("rows[0][1]");
  await expect(card).toContainText("lane 1 in step");
  await expect(card).toContainText("st.global.u32");
  await expect(page.locator(".line-linked")).toHaveCount(1);
  // A live region announces the same information to screen readers.
  await expect(page.locator("[aria-live]", { hasText: /^rows\[0\]\[1\]: \d+, written .* lane 1, step/ })).toHaveCount(1);
});

test("misaligned store reports a fault and keeps the effects of earlier stores", async ({ page }) => {
  await open(page);
  await pick(page, "Misaligned store");
  await expect(page.getByRole("alert")).toContainText(/misaligned/);
  await expect(page.getByRole("status")).toHaveText(/faulted/);
});

test("infinite loop can be stopped, and the page stays usable", async ({ page }) => {
  await open(page);
  await pick(page, "Infinite loop");
  await page.getByRole("button", { name: "Run to end" }).click();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeHidden();
  await press(page, "Go to start");
  await press(page, "Next store");
  await expect(page.getByRole("grid", { name: "out" }).locator("[data-written=now]")).toHaveCount(32);
});

test("playback runs from start to end", async ({ page }) => {
  await open(page);
  await press(page, "Go to start");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(page.getByRole("status")).toHaveText(/store 8 of 8/);
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
});

test("thread cards update after steps at any rate", async ({ page }) => {
  await open(page);
  const next = page.getByRole("button", { name: "Next store", exact: true });
  // The test makes two steps. The second step occurs before, during or after the update of the side column for the first step.
  for (let delay = 0; delay <= 60; delay += 4) {
    await press(page, "Go to start");
    await next.evaluate((button: HTMLElement, delay) => {
      button.click();
      setTimeout(() => button.click(), delay);
    }, delay);
    await expect(page.getByRole("status")).toHaveText(/store 2 of 8/);
    await expect(page.locator(".side[aria-busy]")).toHaveCount(0, { timeout: 2000 });
  }
});

test("buffer can be exported as SVG, PNG, CSV and .npy", async ({ page }) => {
  await open(page);
  await pick(page, "Vector stores: one, two or four elements per lane");
  await press(page, "Run to end");
  const card = page.getByRole("region", { name: "quads", exact: true });
  const exportMenu = card.getByRole("combobox", { name: "Export" });
  const exportAs = async (extension: string) => {
    const [download] = await Promise.all([page.waitForEvent("download"), exportMenu.selectOption(extension)]);
    expect(download.suggestedFilename()).toBe(`quads.${extension}`);
    await expect(exportMenu).toHaveValue("");
    return readFileSync(await download.path());
  };
  expect(`${await exportAs("svg")}`).toMatch(/^<svg[^]*lane 31[^]*<\/svg>\n$/);
  expect((await exportAs("png")).subarray(1, 4).toString()).toBe("PNG");
  expect(`${await exportAs("animated.svg")}`).toContain("@keyframes");
  expect(`${await exportAs("csv")}`.split("\n")[0].split(",").length).toBeGreaterThan(1);
  expect((await exportAs("npy")).subarray(1, 6).toString()).toBe("NUMPY");
});
