// Tests the accessibility of every view. axe must find no violations in light, dark and forced colors, at 200 % zoom, and on a phone.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { open, paste, ready } from "./playground";

const control = (page: Page, role: "button" | "tab", text: string) => page.getByRole(role, { name: text, exact: true });

/** Names of the views, with functions that open each view and wait for the contents of the view. */
const VIEWS: [string, (page: Page) => Promise<void>][] = [
  ["Debugger with a pinned cell", async (page) => {
    await open(page);
    await page.locator("[data-memory=rows] canvas").first().click({ position: { x: 60, y: 40 } });
    await expect(page.getByRole("region", { name: "Cell", exact: true })).toContainText("Write history");
  }],
  ["Fault card", async (page) => {
    await open(page);
    await paste(page, "//@ launch grid=1 block=32\n//@ buffer p: u32[4] = 0\nst.global.u32 [p], 7;\n");
    await ready(page);
    await expect(page.getByRole("alert", { name: "Fault" })).toBeVisible();
  }],
  ["Problems panel", async (page) => {
    await open(page);
    await paste(page, "st.shred.u32 [p], 7;\n");
    await expect(page.locator(".diag.error")).toHaveCount(1);
  }],
  ["Buffer as a table", async (page) => {
    await open(page);
    await page.getByRole("region", { name: "rows", exact: true }).getByRole("button", { name: "Show as a table" }).click();
    await expect(page.getByRole("grid", { name: "rows", exact: true })).toBeVisible();
  }],
  ["Launch menu", async (page) => { await open(page); await page.locator("header details.launch:not(.js-popover) > summary").click(); }],
  ["Share", async (page) => {
    await open(page);
    await page.locator("details.sharing > summary").click();
    await expect(page.getByRole("textbox", { name: "Link" })).not.toHaveValue("");
  }],
  ["Embed", async (page) => { await open(page); await page.locator("details.embed > summary").click(); }],
  ["Layouts", async (page) => { await open(page); await control(page, "button", "Layouts").click(); await expect(page.locator(".explorer canvas").first()).toBeVisible(); }],
  ["Tensor Core arithmetic", async (page) => { await open(page); await control(page, "button", "Layouts").click(); await control(page, "button", "Tensor Core arithmetic").click(); await expect(page.locator(".explorer")).toBeVisible(); }],
  ["Litmus tests", async (page) => { await page.goto("/#litmus=message"); await expect(page.locator(".litmus-outcome").first()).toBeVisible({ timeout: 30_000 }); }],
  ["Compare", async (page) => { await open(page); await control(page, "button", "Compare").click(); await expect(page.getByRole("heading", { name: "Compare kernels" })).toBeVisible(); }],
  ["Reference", async (page) => { await open(page); await control(page, "button", "Reference").click(); await expect(page.getByRole("dialog")).toBeVisible(); }],
  ["Help", async (page) => { await open(page); await control(page, "button", "Help and keyboard shortcuts").click(); await expect(page.getByRole("dialog")).toBeVisible(); }],
  ["Learn", async (page) => { await open(page); await control(page, "button", "Learn").click(); await expect(page.getByRole("dialog", { name: "Learn" })).toBeVisible(); }],
];

/** Accessibility rules that depend on colors, and rules that depend on sizes and positions. All other rules return the same result in each
 *  mode. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
const LAYOUT_RULES = ["color-contrast", "target-size", "scrollable-region-focusable"];

async function violationsOf(page: Page, rules?: string[]) {
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules ? axe.withRules(rules) : axe.withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])).analyze();
  return violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html.slice(0, 200)}`);
}

for (const [view, openView] of VIEWS) {
  test(`${view} passes axe in light, dark and forced colors at 200 % zoom`, async ({ page }) => {
    // Four axe analyses of a long list take almost a minute on a loaded machine.
    test.slow();
    await openView(page);
    const violations: Record<string, string[]> = {};
    await page.emulateMedia({ colorScheme: "light" });
    violations.light = await violationsOf(page);
    await page.emulateMedia({ colorScheme: "dark" });
    violations.dark = await violationsOf(page, COLOR_RULES);
    await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
    violations.forced = await violationsOf(page, COLOR_RULES);
    await page.emulateMedia({ forcedColors: "none" });
    // A window of 1440 by 900 pixels is tested at 200 % zoom. The right edge must cut off no content, and texts must not overlap.
    await page.setViewportSize({ width: 720, height: 450 });
    violations["200 %"] = await violationsOf(page, LAYOUT_RULES);
    expect(violations).toEqual({ light: [], dark: [], forced: [], "200 %": [] });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(720);
  });
}
