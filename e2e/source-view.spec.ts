// Compiled kernels: the source view.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { open, openTool, paste, press, ready } from "./playground";

const read = (name: string) => readFileSync(`crates/view/tests/source_lines/${name}`, "utf8");
const LAUNCH = "//@ launch grid=1 block=32x8\n//@ scalar w: s32 = 32\n//@ scalar h: s32 = 32\n";
const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const currentLine = (page: Page) => card(page, "Source file").locator("li[data-frame=current]");

test("kernel with its source file shows the source line of each step", async ({ page }) => {
  await open(page);
  const comments = read("transpose.cu").trimEnd().split("\n").map((line) => `// ${line}`.trimEnd()).join("\n");
  await paste(page, `${LAUNCH}//@ source transpose.cu\n${comments}\n\n${read("transpose.ptx")}`);
  await ready(page);
  await expect(card(page, "Source file").getByRole("listitem")).toHaveCount(17);
  await press(page, "Run to end");
  await expect(currentLine(page)).toContainText("}");
  await press(page, "Previous store");
  await expect(currentLine(page)).toContainText("out[flat(y + j, x, h)] = t[threadIdx.x][threadIdx.y + j];");
  // The load of a column conflicts in all banks.
  await expect(card(page, "Source file").getByRole("listitem").nth(15)).toContainText("×32");
  await card(page, "Source file").getByRole("button", { name: "Breakpoint at line 16" }).click();
  await expect(card(page, "Source file").getByRole("button", { name: "Breakpoint at line 16" })).toHaveAttribute("aria-pressed", "true");
  await press(page, "Go to start");
  await page.keyboard.press("b");
  await expect(currentLine(page)).not.toHaveCount(0);
  await card(page, "Source file").getByRole("button", { name: "Breakpoint at line 16" }).click();
  await expect(card(page, "Source file").getByRole("button", { name: "Breakpoint at line 16" })).toHaveAttribute("aria-pressed", "false");
  // A click on a source line selects the PTX that was generated from it.
  await card(page, "Source file").getByRole("button", { name: "return row * width + column;" }).click();
  await expect(card(page, "Source file")).toContainText(/Line 2: PTX line \d+, range 1 of \d+/);
  const results = await new AxeBuilder({ page }).include(".source-view").analyze();
  expect(results.violations).toEqual([]);
});

test("source file of an open kernel is added to the kernel", async ({ page }) => {
  await open(page);
  await paste(page, LAUNCH + read("transpose.ptx"));
  await ready(page);
  await openTool(page, "Show source");
  await expect(card(page, "Source file")).toContainText("does not contain the text of the file");
  await card(page, "Source file").locator("input[type=file]").setInputFiles("crates/view/tests/source_lines/transpose.cu");
  await expect(card(page, "Source file").getByRole("listitem")).toHaveCount(17);
  expect(await page.evaluate(() => (globalThis as any).warpgridEditor.text())).toContain("//@ source transpose.cu\n// __device__");
});

test("kernel without line information says how to record it", async ({ page }) => {
  await open(page);
  await openTool(page, "Show source");
  await expect(card(page, "Source file")).toContainText("nvcc -lineinfo");
});
