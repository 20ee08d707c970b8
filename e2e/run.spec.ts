// A person steps through kernels, looks closer, and stops them.
import { expect, test } from "@playwright/test";
import { readFileSync } from "node:fs";
import { cells, open, pick, press } from "./playground";

test("stepping forward fills cells, and stepping back returns them", async ({ page }) => {
  await open(page);
  await press(page, "To the start");
  const empty = await cells(page, "rows");
  expect(new Set(empty)).toEqual(new Set(["0"]));
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
  await expect.poll(() => cells(page, "rows")).toEqual(empty);
});

test("rows that a step changes are drawn as if all were", async ({ page }) => {
  await open(page);
  await press(page, "To the start");
  const canvas = page.getByRole("group", { name: /^rows, cells of/ }).locator("canvas");
  // Two frames of the screen later the canvas shows what was asked for.
  const drawn = () => canvas.evaluate(async (canvas: HTMLCanvasElement) => {
    for (let n = 0; n < 2; n += 1) await new Promise((done) => { requestAnimationFrame(done); });
    return canvas.toDataURL();
  });
  const seen = new Set<string>();
  for (let n = 0; n < 4; n += 1) {
    await press(page, "Next store");
    const after = await drawn();
    // Ages have colours everywhere, so that all is drawn again.
    const card = page.locator("[data-memory=rows]").getByRole("group", { name: "Cells show" });
    await card.getByRole("button", { name: "step" }).click();
    await expect.poll(drawn).not.toBe(after);
    await card.getByRole("button", { name: "value" }).click();
    await expect.poll(drawn).toBe(after);
    seen.add(after);
  }
  expect(seen.size).toBe(4);
});

test("a cell, its lane and its line light up together", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: /^lane 13,/ }).click();
  await expect(page.getByRole("heading", { name: /lane 13, pointed at/ })).toBeVisible();
  const grid = page.getByRole("group", { name: /^rows, cells of/ });
  await grid.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const card = page.getByRole("region", { name: "Cell" });
  await expect(card).toContainText("rows[0][1]");
  await expect(card).toContainText("lane 1, at step");
  await expect(card).toContainText("st.global.u32");
  await expect(page.locator(".line-linked")).toHaveCount(1);
  // A reader hears the same.
  await expect(page.locator("[aria-live]", { hasText: /^rows\[0\]\[1\]: \d+, written .* lane 1, step/ })).toHaveCount(1);
});

test("a misaligned store stops with a fault in words, and earlier stores remain", async ({ page }) => {
  await open(page);
  await pick(page, "A misaligned store stops the launch");
  await expect(page.getByRole("alert")).toContainText(/misaligned/);
  await expect(page.getByRole("status")).toHaveText(/faulted/);
});

test("an endless kernel can be stopped, and the page lives on", async ({ page }) => {
  await open(page);
  await pick(page, "A loop that never ends");
  await page.getByRole("button", { name: "Run to the end" }).click();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeHidden();
  await press(page, "To the start");
  await press(page, "Next store");
  await expect(page.getByRole("grid", { name: "out" }).locator("[data-written=now]")).toHaveCount(32);
});

test("a playback goes from the start to the end", async ({ page }) => {
  await open(page);
  await press(page, "To the start");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(page.getByRole("status")).toHaveText(/store 8 of 8/);
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
});

test("the column beside the memories follows steps however far apart they come", async ({ page }) => {
  await open(page);
  const next = page.getByRole("button", { name: "Next store", exact: true });
  // Two steps, the second one before, while and after the column follows the first.
  for (let wait = 0; wait <= 60; wait += 4) {
    await press(page, "To the start");
    await next.evaluate((button: HTMLElement, wait) => {
      button.click();
      setTimeout(() => button.click(), wait);
    }, wait);
    await expect(page.getByRole("status")).toHaveText(/store 2 of 8/);
    await expect(page.locator(".side[aria-busy]")).toHaveCount(0, { timeout: 2000 });
  }
});

test("a memory is saved as a drawing, a picture, a table and an array", async ({ page }) => {
  await open(page);
  await pick(page, "One store, two or four elements a lane");
  await press(page, "Run to the end");
  const card = page.getByRole("region", { name: "quads", exact: true });
  const list = card.getByRole("combobox", { name: "Save as a file" });
  const saved = async (ending: string) => {
    const [download] = await Promise.all([page.waitForEvent("download"), list.selectOption(ending)]);
    expect(download.suggestedFilename()).toBe(`quads.${ending}`);
    await expect(list).toHaveValue("");
    return readFileSync(await download.path());
  };
  expect(`${await saved("svg")}`).toMatch(/^<svg[^]*lane 31[^]*<\/svg>\n$/);
  expect((await saved("png")).subarray(1, 4).toString()).toBe("PNG");
  expect(`${await saved("animated.svg")}`).toContain("@keyframes");
  expect(`${await saved("csv")}`.split("\n")[0].split(",").length).toBeGreaterThan(1);
  expect((await saved("npy")).subarray(1, 6).toString()).toBe("NUMPY");
});
