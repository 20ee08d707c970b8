// What every journey needs: the page, its grids as readers hear them, its ready signal.
import { expect, type Page } from "@playwright/test";

/** Opens the page and waits until the present text has run. */
export async function open(page: Page) {
  await page.goto("/");
  await ready(page);
}

/** Waits until the grids belong to the text in the editor, nothing is under way, and the column beside them has followed. */
export async function ready(page: Page) {
  await expect(page.getByRole("status")).toHaveAttribute("data-ready", "true");
  await expect(page.locator(".side[aria-busy]")).toHaveCount(0);
}

/** Picks an example by its title and waits for its run. */
export async function pick(page: Page, title: string) {
  await page.getByRole("combobox", { name: "Example" }).selectOption({ label: title });
  await ready(page);
}

/** The cells of a memory, as the table beside its canvas has them, which follows the canvas a moment later. */
export async function cells(page: Page, memory: string) {
  await expect(page.locator(".twin[aria-busy]")).toHaveCount(0);
  return page.getByRole("grid", { name: memory, exact: true }).getByRole("gridcell").allTextContents();
}

/** Presses a button of the transport and waits for the frame. */
export async function press(page: Page, name: string) {
  await page.getByRole("button", { name, exact: true }).click();
  await ready(page);
}

/** Replaces the whole text by what a person has copied. */
export async function paste(page: Page, text: string) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+v");
}
