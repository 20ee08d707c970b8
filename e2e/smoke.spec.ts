// The page loads: its name is there, and nothing went wrong on the way.
import { expect, test } from "@playwright/test";

test("playground opens without errors", async ({ page }) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.goto("/");
  await expect(page).toHaveTitle(/Warpgrid/);
  await expect(page.getByRole("main")).toBeVisible();
  expect(errors).toEqual([]);
});
