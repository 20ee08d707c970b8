// Tests the page on a phone and with a large zoom. The page shows one view at a time, starts with the memory view, and has a button that
// expands the header.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { open, paste, pick, press, ready } from "./playground";

const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true });
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

async function expectNoViolations(page: Page) {
  const results = await new AxeBuilder({ page }).analyze();
  expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
}

for (const width of [360, 390, 430]) {
  test(`at ${width} pixels memory is shown first below two header rows, and tabs select the other views`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 });
    await open(page);
    const tabs = await page.getByRole("tablist", { name: "View" }).boundingBox();
    expect(tabs!.y + tabs!.height).toBeLessThanOrEqual(90);
    await expect(region(page, "rows")).toBeInViewport();
    await expect(region(page, "Registers")).toBeHidden();
    await expect(region(page, "Source")).toBeHidden();
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const [name, shown] of [["Memory", "rows"], ["Threads", "Registers"], ["Source", "Source"]]) {
        await tab(page, name).click();
        await expect(tab(page, name)).toHaveAttribute("aria-selected", "true");
        await expect(region(page, shown)).toBeVisible();
        expect(await widthOf(page)).toBeLessThanOrEqual(width);
        await expectNoViolations(page);
      }
    }
  });
}

test("transport works in every view of a narrow window, and arrow keys move between its tabs", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  await tab(page, "Memory").focus();
  const position = await page.getByRole("status").textContent();
  await page.keyboard.press("ArrowRight");
  await expect(tab(page, "Threads")).toBeFocused();
  await expect(region(page, "Registers")).toBeVisible();
  await expect(page.getByRole("status")).toHaveText(position!);
  await page.keyboard.press("ArrowRight");
  await press(page, "Go to start");
  await expect(page.getByRole("status")).toContainText("store 0 of 8");
  // The line of the current step is visible, and the selected view remains after a reload.
  await press(page, "Next store");
  await expect(page.locator(".line-done")).toBeInViewport();
  await page.reload();
  await ready(page);
  await expect(tab(page, "Source")).toHaveAttribute("aria-selected", "true");
});

test("More actions reveals the controls that do not fit into the header", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  const moreActions = page.getByRole("button", { name: "More actions" });
  const target = page.getByRole("combobox", { name: "Target" });
  await expect(target).toBeHidden();
  await moreActions.click();
  await expect(moreActions).toHaveAttribute("aria-expanded", "true");
  await expect(target).toBeVisible();
  await expectNoViolations(page);
  await page.keyboard.press("Escape");
  await expect(target).toBeHidden();
  await expect(moreActions).toBeFocused();
  // The command Layouts collapses the header and opens a view without tabs.
  await moreActions.click();
  await page.getByRole("button", { name: "Layouts", exact: true }).click();
  await expect(page.getByRole("tablist", { name: "View" })).toBeHidden();
  await expect(page.getByRole("button", { name: "Memory model" })).toBeHidden();
});

test("clicked cell opens its card above the transport, and the card can be closed", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  await page.locator("[data-memory=rows] canvas, [data-memory=\"rows\"] .scroller canvas").first().click({ position: { x: 60, y: 40 } });
  const cell = region(page, "Cell");
  await expect(cell).toContainText("written by");
  const [card, transport] = [await cell.boundingBox(), await page.getByRole("contentinfo").boundingBox()];
  expect(card!.y + card!.height).toBeLessThanOrEqual(transport!.y + 1);
  await cell.getByRole("button", { name: "Close" }).click();
  await expect(cell).toBeHidden();
});

test("error is visible in every view of a narrow window, and its line link opens the source view", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  await tab(page, "Source").click();
  await paste(page, "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nst.shred.u32 [p], 7;\n");
  await expect(page.locator(".diag.error")).toHaveCount(1);
  await tab(page, "Memory").click();
  await tab(page, "Source has errors").click();
  await paste(page, "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nst.global.u32 [p], 7;\nst.global.u32 [p], 8;\n");
  await ready(page);
  await tab(page, "Memory").click();
  await page.locator("[data-memory] canvas").first().click({ position: { x: 34, y: 34 } });
  await region(page, "Cell").getByRole("button", { name: /^line \d/ }).first().click();
  await expect(region(page, "Source")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "PTX source" })).toBeFocused();
});

test("command palette reaches controls of hidden views", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("Registers");
  await page.keyboard.press("Enter");
  await expect(region(page, "Registers")).toBeInViewport();
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("Share");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Link" })).toBeVisible();
});

test("source, memory and transport are reachable at 400 % zoom", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await open(page);
  expect(await widthOf(page)).toBeLessThanOrEqual(320);
  await expect(tab(page, "Memory")).toBeInViewport();
  await region(page, "columns").scrollIntoViewIfNeeded();
  await expect(region(page, "columns")).toBeInViewport();
  await tab(page, "Source").click();
  await expect(page.getByRole("textbox", { name: "PTX source" })).toBeInViewport();
  await expectNoViolations(page);
});

test("on touch devices the step summary is collapsed until tapped", async ({ browser }) => {
  const page = await (await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })).newPage();
  await open(page);
  const memoryTop = async () => (await page.locator("div.memory-cards").boundingBox())!.y;
  const summary = page.locator(".step-summary");
  await expect(summary.locator(".aside")).toBeHidden();
  const collapsedTop = await memoryTop();
  expect(collapsedTop).toBeLessThan(220);
  await summary.tap({ position: { x: 372, y: 12 } });
  await expect(summary.locator(".aside")).toBeVisible();
  expect(await memoryTop()).toBeGreaterThan(collapsedTop + 15);
  await page.locator(".about").tap();
  await expect(summary.locator(".aside")).toBeHidden();
  await pick(page, "Histogram in distributed shared memory");
  expect(await memoryTop()).toBeLessThan(220);
  // With a mouse, as in a window with a large zoom, the page shows the full text.
  await page.context().close();
  const mousePage = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await open(mousePage);
  await expect(mousePage.locator(".step-summary .aside")).toBeVisible();
  await mousePage.close();
});
