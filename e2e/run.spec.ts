// A person runs kernels that a CUDA compiler made, and looks at the memory they leave.
import { expect, test } from "@playwright/test";
import { cells, open, pick, press } from "./playground";

test("a compiled matrix product leaves the expected memory", async ({ page }) => {
  await open(page);
  await pick(page, "A matrix product through shared tiles");
  await press(page, "Run to the end");
  await expect(page.getByRole("status")).toHaveText(/finished/);
  const iota = (row: number, column: number) => row * 16 + column;
  const expected = Array.from({ length: 256 }, (_, i) => {
    const [row, column] = [i >> 4, i & 15];
    return Array.from({ length: 16 }, (_, k) => iota(row, k) * iota(k, column)).reduce((a, b) => a + b);
  });
  expect((await cells(page, "c")).map(Number)).toEqual(expected);
});

test("a compiled strided store leaves gaps", async ({ page }) => {
  await open(page);
  await pick(page, "A stride leaves gaps in every sector");
  await press(page, "Run to the end");
  const expected = Array.from({ length: 128 }, (_, i) => (i % 4 === 1 ? 0xa0000000 + (i >> 2) : 0));
  expect((await cells(page, "out")).map(Number)).toEqual(expected);
});

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
});

test("a misaligned store stops with a fault in words, and what came before stands", async ({ page }) => {
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
