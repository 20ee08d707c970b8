// Tests the saved kernels. A kernel must not be lost when an example is selected, when another kernel is pasted, when the page is reloaded,
// when the kernel is large, or when a second tab is open.
import { expect, test, type Page } from "@playwright/test";
import { open, paste, pick, press, ready, text } from "./playground";

const kernel = (name: string, value: number) =>
  `.version 8.8\n.target sm_90\n.address_size 64\n.visible .entry ${name}(.param .u64 out)\n{\n\t.reg .b64 %rd1;\n` +
  `\tld.param.u64 %rd1, [out];\n\tst.global.u32 [%rd1], ${value};\n\tret;\n}\n`;
const picker = (page: Page) => page.getByRole("combobox", { name: "Example" });
/** Selects a saved kernel by the start of its name. */
async function selectKernel(page: Page, name: string) {
  const option = picker(page).locator("option", { hasText: new RegExp(`^${name} `) }).first();
  await expect(option).toBeAttached();
  await picker(page).selectOption(await option.getAttribute("value"));
}

test("saved kernels persist when an example is selected, another kernel is pasted or the page is reloaded", async ({ page }) => {
  await open(page);
  await paste(page, kernel("first", 1));
  await ready(page);
  await paste(page, kernel("second", 2));
  await ready(page);
  await pick(page, "Predicated store");
  await page.reload();
  await ready(page);
  await expect(picker(page)).toHaveValue("guarded-store");
  await selectKernel(page, "first");
  await expect.poll(() => text(page)).toBe(kernel("first", 1));
  await selectKernel(page, "second");
  await expect.poll(() => text(page)).toBe(kernel("second", 2));
  await page.reload();
  await ready(page);
  expect(await text(page)).toBe(kernel("second", 2));
  // The page removes only the deleted kernel.
  page.on("dialog", (dialog) => dialog.accept());
  await page.getByRole("button", { name: "Delete kernel" }).click();
  await expect(picker(page)).toHaveValue("row-and-column-stores");
  await expect(picker(page).locator("option", { hasText: /^second / })).toHaveCount(0);
  await selectKernel(page, "first");
  await expect.poll(() => text(page)).toBe(kernel("first", 1));
});

test("source is saved when the page closes immediately after an edit", async ({ page }) => {
  await open(page);
  await paste(page, kernel("brief", 4));
  await ready(page);
  // The example replaces the kernel, and the test reloads the page before IndexedDB responds.
  await picker(page).selectOption({ label: "Predicated store" });
  await page.reload();
  await ready(page);
  await selectKernel(page, "brief");
  await expect.poll(() => text(page)).toBe(kernel("brief", 4));
});

test("source replaced before its first run is saved under its kernel name", async ({ page }) => {
  await open(page);
  await paste(page, kernel("hasty", 5));
  await picker(page).selectOption({ label: "Predicated store" });
  await page.reload();
  await ready(page);
  await selectKernel(page, "hasty");
  await expect.poll(() => text(page)).toBe(kernel("hasty", 5));
});

test("reload restores the current step", async ({ page }) => {
  await open(page);
  const position = page.getByRole("status");
  let stepBefore = await position.textContent();
  for (let n = 0; n < 2; n += 1) {
    await press(page, "Step back one instruction");
    await expect(position).not.toHaveText(stepBefore!);
    stepBefore = await position.textContent();
  }
  await page.reload();
  await ready(page);
  await expect(position).toHaveText(stepBefore!);
});

test("unavailable browser storage is reported", async ({ page }) => {
  await page.addInitScript(() => {
    const denyStorage = () => { throw new DOMException("refused", "QuotaExceededError"); };
    Storage.prototype.setItem = denyStorage;
    IDBFactory.prototype.open = denyStorage;
  });
  await open(page);
  await paste(page, kernel("lost", 4));
  await expect(page.getByText(/The kernel could not be saved/)).toBeVisible();
});

test("source of 6 MB persists across a reload", async ({ page }) => {
  await open(page);
  const longSource = `${kernel("long", 3)}// ${"x".repeat(1_000)}\n`.padEnd(6_000_000, `// ${"y".repeat(96)}\n`);
  await page.evaluate((text) => (globalThis as any).warpgridEditor.setText(text), longSource);
  await expect(picker(page)).toHaveValue("");
  await expect(picker(page).locator("option:checked")).toContainText("·");
  await page.reload();
  await expect.poll(async () => (await text(page)).length).toBe(longSource.length);
  expect(await text(page)).toBe(longSource);
});

test("edits of one kernel in two tabs are saved as two kernels", async ({ page, context }) => {
  await open(page);
  await paste(page, kernel("shared", 4));
  await ready(page);
  await expect(picker(page).locator("option:checked")).toContainText("shared");
  const otherPage = await context.newPage();
  await open(otherPage);
  expect(await text(otherPage)).toBe(kernel("shared", 4));
  for (const [tab, comment] of [[page, "// here\n"], [otherPage, "// there\n"]] as const) {
    await tab.getByRole("textbox", { name: "PTX source" }).click();
    await tab.keyboard.press("ControlOrMeta+Home");
    await tab.keyboard.insertText(comment);
    await tab.waitForTimeout(500);
  }
  for (const [tab, comment] of [[page, "// here\n"], [otherPage, "// there\n"]] as const) {
    await tab.reload();
    await ready(tab);
    expect(await text(tab)).toBe(comment + kernel("shared", 4));
  }
});

test("emulator module of each language is loaded on demand", async ({ page }) => {
  const requestedFiles: string[] = [];
  page.on("request", (request) => requestedFiles.push(new URL(request.url()).pathname.split("/").pop() ?? ""));
  await open(page);
  await expect.poll(() => requestedFiles).toContain("warpgrid-core_bg.wasm");
  expect(requestedFiles).not.toContain("warpgrid-core-sass_bg.wasm");
  await pick(page, "SASS store instructions");
  // The cells are elements 5 to 8 of shared memory after the stores of all lanes.
  const storedValues = async () => (await page.getByRole("grid").first().getByRole("gridcell").allTextContents()).slice(5, 9);
  const expected = ["0x00000100", "0x00000001", "0x00000100", "0x00000002"];
  await expect.poll(storedValues).toEqual(expected);
  expect(requestedFiles.filter((name) => name === "warpgrid-core-sass_bg.wasm")).toHaveLength(1);
  // Each emulator module runs the sources of its language again.
  await pick(page, "Stores of all lanes to one address");
  await pick(page, "SASS store instructions");
  await expect.poll(storedValues).toEqual(expected);
});
