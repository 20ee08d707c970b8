// Provides helper functions for all end-to-end tests. The functions open the page, find its grids by accessible name, and wait until the
// page is ready.
import { expect, type Page } from "@playwright/test";

/** Opens the page and waits until the current source has run. */
export async function open(page: Page) {
  await page.goto("/");
  await ready(page);
}

/** Waits until the grids show the source in the editor, no navigation request is pending, and the side column is up to date. */
export async function ready(page: Page) {
  await expect(page.getByRole("status")).toHaveAttribute("data-ready", "true");
  await expect(page.locator(".side[aria-busy]")).toHaveCount(0);
}

/** Selects an example by its title and waits for the run of the example. */
export async function pick(page: Page, title: string) {
  await page.getByRole("combobox", { name: "Example" }).selectOption({ label: title });
  await ready(page);
}

/** Returns the cells of a memory from the table next to the canvas of the memory. The page updates this table after the canvas. */
export async function cells(page: Page, memory: string) {
  await expect(page.locator(".accessible-grid[aria-busy]")).toHaveCount(0);
  return page.getByRole("grid", { name: memory, exact: true }).getByRole("gridcell").allTextContents();
}

/** Clicks a button of the transport controls and waits for the frame. */
export async function press(page: Page, name: string) {
  await page.getByRole("button", { name, exact: true }).click();
  await ready(page);
}

/** Pastes the text from the clipboard in place of the whole source. */
export async function paste(page: Page, text: string) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+v");
}

/** Selects a tab of the inspector: "Threads" or "Watch". */
export async function inspectorTab(page: Page, name: string) {
  await page.getByRole("tablist", { name: "Inspector" }).getByRole("tab", { name, exact: true }).click();
}

/** Opens a card of the tab "Watch", as in "Add watch" or "Compare two steps". */
export async function openTool(page: Page, name: string) {
  await inspectorTab(page, "Watch");
  await page.getByRole("button", { name }).click();
}

/** Opens the tab of the bottom panel with the analyses of the run. */
export async function openAnalysis(page: Page) {
  await page.getByRole("group", { name: "Panels" }).getByRole("button", { name: "Analysis" }).click();
}

/** Returns the source in the editor, or an empty string before the editor has loaded. */
export const text = (page: Page) => page.evaluate(() => ((globalThis as any).warpgridEditor?.text() ?? "") as string);

/** Shows a memory as a grid if the stage shows it as a thumbnail. */
export async function showMemory(page: Page, memory: string) {
  const thumbnail = page.getByRole("group", { name: "Other memories" }).getByRole("button", { name: memory, exact: true });
  if (await thumbnail.count() > 0) await thumbnail.click();
}
