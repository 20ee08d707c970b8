// Tests that the command palette finds all commands of the page by name.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { open, ready } from "./playground";

test("command palette finds and runs a command by keyboard", async ({ page }) => {
  await open(page);
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Command" });
  await expect(field).toBeFocused();
  await field.fill("lane rows");
  await expect(page.getByRole("dialog", { name: "Commands" }).getByRole("option").first()).toHaveText(/^lane/);
  await page.keyboard.press("Enter");
  await expect(field).toBeHidden();
  await expect(page.locator(".card", { hasText: "rows" }).first().getByRole("button", { name: "lane", exact: true })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("Control+k");
  await field.fill("vector stores: one");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await ready(page);
  await expect(page.getByRole("combobox", { name: "Example" }).locator("option:checked")).toHaveText(/Vector stores: one, two or four/);
  await page.keyboard.press("Control+k");
  await field.fill("layouts");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Operation" })).toBeVisible();
});

test("command palette opens from the editor, reports no matches and restores the focus", async ({ page }) => {
  await open(page);
  const text = page.getByRole("textbox", { name: "PTX source" });
  await text.click();
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Command" });
  await field.fill("no such thing at all");
  await expect(page.getByText("No matching entries")).toBeVisible();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await expect(field).toBeHidden();
  await expect(text).toBeFocused();
});

test("command palette finds reference pages, diagnostics, terms, tours, puzzles, questions and settings", async ({ page }) => {
  await open(page);
  const field = page.getByRole("combobox", { name: "Command" });
  const results = page.getByRole("dialog", { name: "Commands" }).getByRole("option");
  await page.keyboard.press("Control+k");
  for (const [query, expected] of [
    ["descriptor", /descriptor/i], ["coalesc", /coalesced/i], ["hang", /hang/i], ["race", /race/i], ["timeline", /^Timeline/], ["sass", /SASS/],
    ["fence.proxy.async", /fence\.proxy\.async/], ["parity", /parity/i], ["cubin", /^Open file/], ["block size", /^<<<1, 32>>>/], ["dark", /^Theme/],
    ["theme", /^Theme/], ["undo", /^Undo edit/], ["export", /Export$/], ["W0101", /^W0101/], ["swizzle puzzle", /puzzle$/], ["bank conflicts tour", /tour$/],
    ["why are there still bank conflicts", /question$/],
  ] as const) {
    await field.fill(query);
    await expect(results.first(), query).toContainText(expected);
  }
  await field.fill("W0101");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Reference" })).toContainText("W0101");
});

test("command palette passes axe in light and dark mode", async ({ page }) => {
  await open(page);
  await page.keyboard.press("Control+k");
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    const results = await new AxeBuilder({ page }).include("dialog.palette").analyze();
    expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  }
});

test("command palette finds values and elements in memory and reports missing ones", async ({ page }) => {
  await open(page);
  await page.keyboard.press("End");
  await ready(page);
  const field = page.getByRole("combobox", { name: "Command" });
  const search = async (text: string) => {
    await page.keyboard.press("Control+k");
    await field.fill(text);
    await page.getByRole("dialog", { name: "Commands" }).getByRole("option", { name: /in memory/ }).click();
  };
  const card = page.getByRole("region", { name: "Cell" });
  await search("77");
  await expect(card).toContainText("rows[4][13]");
  // A repeated search selects the next match.
  await search("77");
  await expect(card).toContainText("columns[4][13]");
  await search("rows[100]");
  await expect(card).toContainText("rows[6][4]");
  await search("7777");
  await expect(page.getByText("no memory location contains `7777` at this step")).toBeVisible();
});
