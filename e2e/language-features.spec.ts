// Tests the language features of the editor: the documentation of a modifier, completion, and signature help.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { open, paste, ready } from "./playground";

const kernel = `.version 8.8
.target sm_90
.address_size 64
// what stays
.visible .entry k(.param .u64 p) {
  .reg .b64 %p; .reg .b32 %r<2>; // two registers
  ld.param.u64 %p, [p];
  mov.u32 %r0, 7;
  st.global.
  ret;
}
`;

test("hovering over a modifier shows its documentation", async ({ page }) => {
  await open(page);
  await page.locator(".tok-modifier", { hasText: ".global" }).first().hover();
  await expect(page.locator(".cm-hover-info")).toContainText(/global memory/);
  // The keyboard shortcut shows the same documentation at the cursor, without a pointer.
  await page.locator(".tok-type", { hasText: ".pred" }).first().click();
  await expect(page.locator(".cm-hover-info")).toHaveCount(0);
  await page.mouse.move(900, 700);
  await page.keyboard.press("ControlOrMeta+i");
  await expect(page.locator(".cm-hover-info")).toContainText(".pred");
  await page.keyboard.press("Escape");
  await expect(page.locator(".cm-hover-info")).toHaveCount(0);
});

test("completion lists only valid items, and signature help appears while typing operands", async ({ page }) => {
  await open(page);
  await paste(page, kernel);
  await page.locator(".cm-line", { hasText: "st.global." }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Control+Space");
  const list = page.getByRole("listbox");
  await expect(list.getByRole("option", { name: /^u32/ })).toBeVisible();
  await expect(list.getByRole("option", { name: /^shared/ })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(list).toBeHidden();
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Escape");
  // The completion list opens automatically at the start of a modifier.
  await page.keyboard.type(".");
  await expect(list).toBeVisible();
  await page.keyboard.type("u3");
  await expect(list.getByRole("option")).toHaveCount(1);
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  await page.keyboard.type(" [%p], %r");
  await expect(page.locator(".cm-signature-help")).toContainText(/^st.*\[a\], b/);
  await expect(page.locator(".cm-signature-help b")).toHaveText("b");
  await page.keyboard.type("0;");
  await expect(page.getByRole("region", { name: "Problems" })).toContainText("No source errors");
  await ready(page);
});

test("formatting preserves comments and the cursor position and is a single undo step", async ({ page }) => {
  await open(page);
  const unformatted = kernel.replace("st.global.", "st.global.u32    [%p]  , %r0;");
  await paste(page, unformatted);
  await page.locator(".cm-line", { hasText: "st.global" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Shift+Alt+f");
  const text = () => page.evaluate(() => (globalThis as any).warpgridEditor.text() as string);
  await expect.poll(text).toContain("st.global.u32 [%p], %r0;");
  expect(await text()).toContain("// what stays");
  expect(await text()).toContain("// two registers");
  await expect(page.locator(".cm-activeLine").last()).toContainText("st.global.u32");
  await page.keyboard.press("ControlOrMeta+z");
  expect(await text()).toBe(unformatted);
  await page.getByRole("button", { name: "Format" }).click();
  await expect.poll(text).toContain("st.global.u32 [%p], %r0;");
});

test("reference is searchable by keyboard, and a diagnostic code opens its reference page", async ({ page }) => {
  await open(page);
  const button = page.getByRole("button", { name: "Reference" });
  await button.click();
  const dialog = page.getByRole("dialog", { name: "Reference" });
  await page.keyboard.type("st.async");
  await expect(page.locator(".reference-line").first()).toContainText("st.async");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("article", { name: "Page" })).toContainText("st.async");
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    const results = await new AxeBuilder({ page }).include("dialog.reference").analyze();
    expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  }
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
  await paste(page, kernel.replace("st.global.", "st.globl.u32 [%p], %r0;"));
  const diagnosticCode = page.getByRole("region", { name: "Problems" }).getByRole("button", { name: /^W\d{4}$/ }).first();
  const name = await diagnosticCode.textContent();
  await diagnosticCode.click();
  await expect(dialog.getByRole("article", { name: "Page" })).toContainText(`${name}`);
});

test("reference documents special registers and terms", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Reference" }).click();
  const search = page.getByRole("searchbox");
  for (const [query, title, part] of [["bank", "bank", "32 banks"], ["%tid", "%tid.x to %tid.z", "index of the thread"], ["misaligned", "misaligned", "multiple of n"]]) {
    await search.fill(query);
    await expect(page.locator(".reference-line b").filter({ hasText: title }).first()).toBeVisible();
    await search.press("Enter");
    await expect(page.getByRole("article", { name: "Page" })).toContainText(part);
  }
});
