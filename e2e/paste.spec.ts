// Tests pasted and dropped input other than PTX: C++ and Python with inline assembly, a log with its module, and compiled files.
import { readFileSync } from "node:fs";
import { expect, test, type Page } from "@playwright/test";
import { cells, open, paste, press, ready } from "./playground";

const root = new URL("..", import.meta.url);
const binary = (name: string) => [...readFileSync(new URL(`crates/paste/tests/data/binaries/${name}`, root))];

const SOURCE = `//@ launch grid=1 block=32
//@ buffer out: u32[64] = 0
__device__ void twice(unsigned *out, unsigned value) {
  asm volatile("st.global.u32 [%0], %1;\\n\\t"
               "st.global.u32 [%0 + 128], %1;"
               :: "l"(out), "r"(value) : "memory");
}
__device__ void broken(unsigned *out) {
  asm volatile("st.gobal.u32 [%0], 1;" :: "l"(out) : "memory");
}
__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
`;

const PYTHON = `import triton.language as tl

#@ launch grid=1 block=32

def doubled(x):
    y = tl.inline_asm_elementwise("shl.b32 $0, $1, 1;", "=r,r", [x], dtype=tl.uint32, is_pure=True, pack=1)
    return y
`;

const asmBlockList = (page: Page) => page.getByRole("region", { name: "asm blocks" });
const currentLine = (page: Page) => page.evaluate(() => document.querySelector(".cm-line.line-done")?.textContent);

async function drop(page: Page, name: string, bytes: number[]) {
  const data = await page.evaluateHandle(([name, bytes]) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes as number[])], name as string));
    return data;
  }, [name, bytes] as const);
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

test("asm blocks of C++ run separately, and diagnostics are shown in the C++ source", async ({ page }) => {
  await open(page);
  await paste(page, SOURCE);
  const buttons = asmBlockList(page).getByRole("button");
  await expect(buttons).toHaveText(["twice line 4", "broken line 9, rejected", "lane line 13"]);
  await ready(page);
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("__device__ void twice");
  const problem = page.locator(".diag.error");
  await expect(problem).toContainText("unknown modifier .gobal");
  await expect(problem.getByRole("button", { name: "line 9" })).toBeVisible();
  // The page runs the first asm block, even if other asm blocks contain errors.
  await press(page, "Run to end");
  expect((await cells(page, "out")).slice(0, 4)).toEqual(["0", "1", "2", "3"]);
  await press(page, "Previous store");
  expect(await currentLine(page)).toContain("[%0 + 128], %1;");
  await press(page, "Previous store");
  expect(await currentLine(page)).toContain("asm volatile");
  // The card shows the operands of the asm block, and the effects of its constraints on the compiler.
  await asmBlockList(page).locator("summary").click();
  await expect(asmBlockList(page)).toContainText("\"l\"(out)");
  await expect(asmBlockList(page)).toContainText("requires volatile and \"memory\"");
  // The test selects another asm block.
  await buttons.filter({ hasText: "lane" }).click();
  await ready(page);
  await expect(asmBlockList(page).locator("summary")).toHaveText(/^lane: 1 operand/);
  // The fix changes the text within the string literal.
  await page.getByRole("button", { name: "replace .gobal with .global" }).click();
  await expect(buttons.nth(1)).toHaveText("broken line 9");
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("st.global.u32 [%0], 1;");
});

test("asm blocks of Python run, and annotations are Python comments", async ({ page }) => {
  await open(page);
  await paste(page, PYTHON);
  await expect(asmBlockList(page).getByRole("button")).toHaveText(["doubled line 6"]);
  await ready(page);
  await asmBlockList(page).locator("summary").click();
  await expect(asmBlockList(page)).toContainText("requires neither");
});

test("ptxas log messages are shown at the lines of the module", async ({ page }) => {
  await page.goto("/#example=log-of-an-assembler");
  await expect(page.locator(".diag.warning")).toContainText("Instruction 'redux.f32' not supported");
  await ready(page);
  await expect(page.locator(".diag.warning")).toContainText("sm_100a");
  await expect(page.locator(".diag.warning").getByRole("button", { name: "line 18" })).toBeVisible();
  await press(page, "Run to end");
  expect((await cells(page, "out")).slice(0, 2)).toEqual(["31.0", "31.0"]);
});

test("fatbin contents are listed, its PTX opens in the editor, and the previous source is saved", async ({ page }) => {
  await open(page);
  await paste(page, "st.global.u32 [p], 7;\n");
  await ready(page);
  await drop(page, "two.fatbin", binary("zstd.fatbin"));
  const programs = page.getByRole("region", { name: "Embedded code objects" });
  await expect(programs.getByRole("button", { name: "PTX for sm_80" })).toBeVisible();
  await expect(programs).toContainText("10 registers");
  await programs.getByRole("button", { name: "PTX for sm_80" }).click();
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText(".visible .entry scale");
  await ready(page);
  await expect(page.getByRole("combobox", { name: "Kernel" })).toHaveValue("scale");
  // For SASS, the page shows the information in the file and the command that creates a listing.
  await programs.getByRole("button", { name: "SASS for sm_90" }).click();
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("Kernel reverse");
  await expect(programs).toContainText("cuobjdump -sass two.fatbin");
  await programs.getByRole("button", { name: "Close", exact: true }).click();
  await expect(programs).toHaveCount(0);
  const savedKernels = page.getByRole("combobox", { name: "Example" }).locator("optgroup[label='My kernels'] option");
  await expect(savedKernels).toHaveText([/^SASS for sm_90/, /^scale and 1 more/, /^st\./]);
});

test("corrupted and unsupported files are rejected with an error", async ({ page }) => {
  await open(page);
  const alert = page.getByRole("alert");
  const cubin = binary("sm_90.cubin");
  await drop(page, "cut.cubin", cubin.slice(0, 300));
  await expect(alert).toContainText("Cannot open “cut.cubin”: the cubin is truncated");
  await drop(page, "host.o", [...cubin.slice(0, 18), 62, 0, ...cubin.slice(20)]);
  await expect(alert).toContainText("no GPU code");
  // The page remains usable.
  await drop(page, "whole.cubin", cubin);
  await expect(page.getByRole("region", { name: "Embedded code objects" })).toContainText("scale");
  await ready(page);
});
