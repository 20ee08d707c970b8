// A person steps through kernels of the tensor units, and looks at what a copy moved and at what a product read.
import { expect, test } from "@playwright/test";
import { open, pick, press, ready } from "./playground";

test("a tensor copy is a picture: the box over the tensor, and each piece at its place", async ({ page }) => {
  await open(page);
  await pick(page, "A tensor copy at the edge");
  await page.getByRole("status").click();
  await page.keyboard.press("Home");
  await expect(page.getByRole("status")).toHaveText(/store 0 of/);
  for (let store = 0; store < 3; store++) {
    await page.keyboard.press("ArrowRight");
    await ready(page);
  }
  const card = page.getByRole("region", { name: "Tensor copy" });
  await expect(card).toContainText("landed");
  await expect(card).toContainText("hatched: 384 bytes outside of the tensor");
  await expect(card).toContainText("The mbarrier at 512 counts all 512 bytes");
  await expect(card.getByRole("img", { name: /The box over the tensor/ })).toHaveAccessibleName(
    "The box over the tensor. dimension 0: 24 to 55 of 40; dimension 1: 8 to 15 of 12",
  );
  const picture = card.getByRole("img", { name: /Pieces of the tile/ });
  const drawn = () => picture.locator("canvas").first().evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  const swizzled = await drawn();
  await card.getByRole("button", { name: "plain" }).click();
  await expect.poll(drawn).not.toBe(swizzled);
  await card.getByRole("button", { name: "swizzled" }).click();
  await expect.poll(drawn).toBe(swizzled);
  // The first piece of the second line: row 10, whose pieces the swizzle has moved.
  await picture.hover({ position: { x: 52, y: 56 } });
  await expect(card).toContainText("(32, 10): 16 bytes at byte 128 of shared memory, at 144 without the swizzle.");
});

test("a product says which tiles it reads, and leads to their layouts", async ({ page }) => {
  await open(page);
  await pick(page, "A product in tensor memory");
  await page.getByRole("status").click();
  await page.keyboard.press("Home");
  await expect(page.getByRole("status")).toHaveText(/store 0 of/);
  const tiles = page.getByRole("region", { name: "Tiles" });
  for (let store = 1; store <= 12 && !(await tiles.isVisible()); store++) {
    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("status")).toHaveText(new RegExp(`store ${store} of`));
    await ready(page);
  }
  await expect(tiles).toContainText("A 128 × 16 f16");
  await expect(tiles).toContainText("tensor:0 from lane 0, column 0");
  await expect(page.getByText("128 × 32", { exact: true })).toBeVisible();
  await tiles.getByRole("button", { name: "layout" }).first().click();
  await expect(page).toHaveURL(/matrix.*tcgen05\.shared\.a/);
});

test("a card of a matrix gives way to one of a tensor copy, and the page goes on", async ({ page }) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await open(page);
  for (const title of ["The manual's matrix stores", "An epilogue: stmatrix, then a tensor store", "The manual's matrix stores"]) await pick(page, title);
  await press(page, "Next store");
  await expect(page.locator(".core-broken")).toHaveCount(0);
  expect(errors).toEqual([]);
});
