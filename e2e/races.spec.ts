// Tests examples with published bugs. The page reports the race, proposes the weakest fix, and reports no race after the fix has been
// applied. For a launch that hangs, the page shows a diagnosis.
import { expect, test, type Page } from "@playwright/test";
import { open, openAnalysis, pick, ready } from "./playground";

const raceCard = (page: Page) => page.getByRole("region", { name: "Data races" });
const sourceText = (page: Page) => page.evaluate(() => (globalThis as any).warpgridEditor.text() as string);

test("data race names both lines, and applying its fix resolves it", async ({ page }) => {
  await open(page);
  await pick(page, "Missing proxy fence before a bulk store (bug)");
  await openAnalysis(page);
  const card = raceCard(page);
  await expect(card).toContainText("fence.proxy.async");
  await expect(card.getByRole("button", { name: /^line \d+$/ })).toHaveCount(2);
  await card.getByRole("button", { name: "Apply fix" }).click();
  await expect.poll(() => sourceText(page)).toContain("fence.proxy.async.shared::cta;");
  await ready(page);
  await expect(card).toHaveCount(0);
});

test("fixed kernel reports no data race", async ({ page }) => {
  await open(page);
  // The finding for the previous kernel shows that the worker has been loaded and reports races.
  await pick(page, "Missing proxy fence before a bulk store (bug)");
  await openAnalysis(page);
  await expect(raceCard(page)).toBeVisible();
  await pick(page, "Missing proxy fence before a bulk store (fixed)");
  await expect(raceCard(page)).toHaveCount(0);
  await page.waitForTimeout(1_000);
  await expect(raceCard(page)).toHaveCount(0);
});

test("hang diagnosis names the waiting threads, the missing arrivals and the responsible line", async ({ page }) => {
  await open(page);
  await pick(page, "mbarrier deadlock");
  const hangMessage = page.getByText(/wait for the mbarrier/).last();
  await expect(hangMessage).toContainText("pending count 24");
  await expect(hangMessage).toContainText("line 23");
});

test("bank conflicts are shown per wavefront, and the conflict-free rewrite is verified and applied", async ({ page }) => {
  await open(page);
  await pick(page, "Bank conflicts and padding");
  await openAnalysis(page);
  const card = page.getByRole("region", { name: "Bank conflicts" });
  await expect(card).toContainText("32 wavefronts, 1 ideal");
  await expect(card).toContainText("Lanes 0 and 1 access different words of bank 0");
  await expect(card.getByRole("img", { name: /^Shared-memory banks accessed by lanes 0 to 31/ })).toBeVisible();
  await card.getByRole("button", { name: "Apply conflict-free rewrite" }).click();
  await expect(card).toContainText("Bank conflicts: 31 before the rewrite, 0 after the rewrite");
  await card.getByRole("button", { name: "Apply to editor" }).click();
  await expect.poll(() => sourceText(page)).toContain("xor.b32");
  await ready(page);
  await expect(card).toHaveCount(0);
});
