// Smoke test, which verifies that the page loads with its name and without errors.
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
