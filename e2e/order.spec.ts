// A person opens a published bug: the page names the race, offers the weakest repair, and is quiet once it is applied. A launch that hangs says why.
import { expect, test, type Page } from "@playwright/test";
import { pick, open, ready } from "./playground";

const races = (page: Page) => page.getByRole("region", { name: "Data races" });
const text = (page: Page) => page.evaluate(() => (globalThis as any).warpgridEditor.text() as string);

test("a race is named with both its lines, and the repair that is offered ends it", async ({ page }) => {
  await open(page);
  await pick(page, "A state tile leaves without a proxy fence (before)");
  const card = races(page);
  await expect(card).toContainText("fence.proxy.async");
  await expect(card.getByRole("button", { name: /^line \d+$/ })).toHaveCount(2);
  await card.getByRole("button", { name: "Apply fix" }).click();
  await expect.poll(() => text(page)).toContain("fence.proxy.async.shared::cta;");
  await ready(page);
  await expect(card).toHaveCount(0);
});

test("the mended kernel is quiet", async ({ page }) => {
  await open(page);
  // That the core is there and looks is seen at the kernel before.
  await pick(page, "A state tile leaves without a proxy fence (before)");
  await expect(races(page)).toBeVisible();
  await pick(page, "A state tile leaves without a proxy fence (after)");
  await expect(races(page)).toHaveCount(0);
  await page.waitForTimeout(1_000);
  await expect(races(page)).toHaveCount(0);
});

test("a launch that never ends says who waits, what is missing and which line is at fault", async ({ page }) => {
  await open(page);
  await pick(page, "A deadlock");
  const story = page.getByText(/wait for the mbarrier/).last();
  await expect(story).toContainText("24 arrivals");
  await expect(story).toContainText("line 23");
});

test("a column in one bank is drawn pass by pass, and the text that is free of conflicts comes with its proof", async ({ page }) => {
  await open(page);
  await pick(page, "Bank conflicts, and the padding that ends them");
  const card = page.getByRole("region", { name: "Bank conflicts" });
  await expect(card).toContainText("takes 32 passes, 1 would do");
  await expect(card).toContainText("Lanes 0 and 1 meet in bank 0");
  await expect(card.getByRole("img", { name: /^Lanes 0 to 31 in the banks/ })).toBeVisible();
  await card.getByRole("button", { name: "Rewrite the text without them" }).click();
  await expect(card).toContainText("31 conflicts before, 0 after");
  await card.getByRole("button", { name: "Put it into the editor" }).click();
  await expect.poll(() => text(page)).toContain("xor.b32");
  await ready(page);
  await expect(card).toHaveCount(0);
});
