// Helpers for all end-to-end tests: the page, its grids by accessible name, and its ready signal.
import { expect, type Page } from "@playwright/test";

/** Opens the page and waits until the current source has run. */
export async function open(page: Page) {
  await page.goto("/");
  await ready(page);
}

/** Waits until the grids belong to the source in the editor, no move is pending, and the side column is updated. */
export async function ready(page: Page) {
  await expect(page.getByRole("status")).toHaveAttribute("data-ready", "true");
  await expect(page.locator(".side[aria-busy]")).toHaveCount(0);
}

/** Selects an example by its title and waits for its run. */
export async function pick(page: Page, title: string) {
  await page.getByRole("combobox", { name: "Example" }).selectOption({ label: title });
  await ready(page);
}

/** Returns the cells of a memory from the table beside its canvas, which is updated later than the canvas. */
export async function cells(page: Page, memory: string) {
  await expect(page.locator(".accessible-grid[aria-busy]")).toHaveCount(0);
  return page.getByRole("grid", { name: memory, exact: true }).getByRole("gridcell").allTextContents();
}

/** Clicks a button of the transport and waits for the frame. */
export async function press(page: Page, name: string) {
  await page.getByRole("button", { name, exact: true }).click();
  await ready(page);
}

/** Replaces the whole source by the text from the clipboard. */
export async function paste(page: Page, text: string) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+v");
}
