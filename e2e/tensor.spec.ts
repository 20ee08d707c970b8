// Tests kernels with Tensor Core operations. The page shows the data that a tensor copy transferred, and the tiles that a matrix
// multiplication read.
import { expect, test } from "@playwright/test";
import { open, pick, press, ready } from "./playground";

test("tensor copy shows its box within the tensor and the address of each 16-byte chunk", async ({ page }) => {
  await open(page);
  await pick(page, "TMA load with out-of-bounds fill");
  await page.getByRole("status").click();
  await page.keyboard.press("Home");
  await expect(page.getByRole("status")).toHaveText(/store 0 of/);
  for (let store = 0; store < 3; store++) {
    await page.keyboard.press("ArrowRight");
    await ready(page);
  }
  const card = page.getByRole("region", { name: "Tensor copy (TMA)" });
  await expect(card).toContainText("completed");
  await expect(card).toContainText("Hatched chunks: 384 bytes out of bounds");
  await expect(card).toContainText("The mbarrier at 512 tracks 512 bytes");
  await expect(card.getByRole("img", { name: /Box within the tensor/ })).toHaveAccessibleName(
    "Box within the tensor. dimension 0: 24 to 55 of 40; dimension 1: 8 to 15 of 12",
  );
  const picture = card.getByRole("img", { name: /16-byte chunks of the tile/ });
  const drawn = () => picture.locator("canvas").first().evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  const swizzled = await drawn();
  await card.getByRole("button", { name: "linear" }).click();
  await expect.poll(drawn).not.toBe(swizzled);
  await card.getByRole("button", { name: "swizzled" }).click();
  await expect.poll(drawn).toBe(swizzled);
  // The cell is in the first chunk of the second line, which is row 10. The swizzle has moved the chunks of this row.
  await picture.hover({ position: { x: 52, y: 56 } });
  await expect(card).toContainText("(32, 10): 16 bytes at shared-memory offset 128, which would be offset 144 without the swizzle.");
});

test("tensor operation lists the tiles that it reads and links to their layouts", async ({ page }) => {
  await open(page);
  await pick(page, "tcgen05 matrix multiplication");
  await page.getByRole("status").click();
  await page.keyboard.press("Home");
  await expect(page.getByRole("status")).toHaveText(/store 0 of/);
  const tiles = page.getByRole("region", { name: "Tensor operation" });
  for (let store = 1; store <= 12 && !(await tiles.isVisible()); store++) {
    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("status")).toHaveText(new RegExp(`store ${store} of`));
    await ready(page);
  }
  await expect(tiles).toContainText("A 128 × 16 f16");
  await expect(tiles).toContainText("tensor:0 from lane 0, column 0");
  await expect(page.getByText("128 × 32", { exact: true })).toBeVisible();
  await tiles.getByRole("button", { name: "layout" }).first().click();
  await expect(page).toHaveURL(/layouts.*tcgen05\.shared\.a/);
});

test("switching between matrix and tensor copy examples keeps the page usable", async ({ page }) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await open(page);
  for (const title of ["wmma.store examples of the PTX ISA manual", "Epilogue with stmatrix and a TMA store", "wmma.store examples of the PTX ISA manual"]) await pick(page, title);
  await press(page, "Next store");
  await expect(page.locator(".crash-banner")).toHaveCount(0);
  expect(errors).toEqual([]);
});
