// Compiled kernels: the source view, and the list of all findings.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { open, paste, press, ready } from "./playground";

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
  await page.getByRole("button", { name: "Show source" }).click();
  await expect(card(page, "Source file")).toContainText("does not contain the text of the file");
  await card(page, "Source file").locator("input[type=file]").setInputFiles("crates/view/tests/source_lines/transpose.cu");
  await expect(card(page, "Source file").getByRole("listitem")).toHaveCount(17);
  expect(await page.evaluate(() => (globalThis as any).warpgridEditor.text())).toContain("//@ source transpose.cu\n// __device__");
});

test("kernel without line information says how to record it", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Show source" }).click();
  await expect(card(page, "Source file")).toContainText("nvcc -lineinfo");
});

test("findings list races and conflicts of all kernels with links and filters", async ({ page }) => {
  await open(page);
  await paste(page, `${LAUNCH}${read("transpose.ptx")}`);
  await ready(page);
  await page.getByRole("button", { name: "List findings" }).click();
  const findings = card(page, "Findings");
  await expect(findings.locator(".findings-verdict")).toContainText("clean No errors and no warnings.");
  const conflict = findings.getByRole("listitem").filter({ hasText: "bank conflict" }).last();
  await expect(conflict).toContainText("transpose.cu:16");
  await conflict.getByRole("button", { name: "line", exact: false }).first().click();
  await findings.getByRole("button", { name: /^performance \d/ }).click();
  await expect(findings.getByText("bank conflict")).toHaveCount(0);
  const results = await new AxeBuilder({ page }).include(".findings").analyze();
  expect(results.violations).toEqual([]);
});

test("fix of a finding changes the kernel and clears the finding", async ({ page }) => {
  await open(page);
  await paste(page, "//@ launch grid=1 block=64\n//@ buffer out: u32[64] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry swap(.param .u64 out)\n{\n.reg .b32 %t, %s, %v; .reg .b64 %p;\n.shared .u32 tile[64];\nmov.u32 %t, %tid.x;\nmov.u32 %s, tile;\nmad.lo.u32 %s, %t, 4, %s;\nst.shared.u32 [%s], %t;\nxor.b32 %s, %s, 128;\nld.shared.u32 %v, [%s];\nld.param.u64 %p, [out];\nmad.wide.u32 %p, %t, 4, %p;\nst.global.u32 [%p], %v;\nret;\n}\n");
  await ready(page);
  await page.getByRole("button", { name: "List findings" }).click();
  const findings = card(page, "Findings");
  await expect(findings.locator(".findings-verdict")).toContainText("findings");
  await findings.getByRole("button", { name: "Apply fix" }).first().click();
  await expect(findings.locator(".findings-verdict")).toContainText("clean", { timeout: 15_000 });
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("bar.sync 0;");
});
