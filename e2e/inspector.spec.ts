// Tests the inspection of a run: watch expressions with a value at each step, and the comparison of two steps.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { open, openTool, paste, pick, press, ready } from "./playground";

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** Adds a watch expression. */
async function watch(page: Page, expression: string) {
  await card(page, "Watch").getByRole("textbox", { name: "Watch expression" }).fill(expression);
  await page.keyboard.press("Enter");
}
const row = (page: Page, expression: string) => card(page, "Watch").locator(".watch-list > li").filter({ has: page.locator(`code:text-is("${expression}")`) });

test("inspector module is loaded on demand or after the emulator", async ({ page }) => {
  let releaseModule = () => {};
  const moduleReleased = new Promise<void>((done) => { releaseModule = done; });
  const requestedFiles: string[] = [];
  page.on("request", (request) => requestedFiles.push(new URL(request.url()).pathname.split("/").pop()!));
  await page.route("**/warpgrid-core_bg.wasm", async (route) => { await moduleReleased; await route.continue(); });
  await open(page);
  await page.waitForTimeout(1_000);
  expect(requestedFiles).not.toContain("inspector.js");
  await openTool(page, "Add watch");
  await expect(page.getByRole("textbox", { name: "Watch expression" })).toBeFocused();
  expect(requestedFiles).toContain("inspector.js");
  releaseModule();
  await page.reload();
  // The summary of the findings requires the module.
  await expect.poll(() => requestedFiles.filter((file) => file === "inspector.js").length).toBe(2);
});

test("watch expressions show their values at each step and mark changes", async ({ page }) => {
  await open(page);
  await press(page, "Go to start");
  await openTool(page, "Add watch");
  await watch(page, "rows[0][3] + 100");
  await watch(page, "%r13");
  await watch(page, "lane 3: %r13 * 2");
  await watch(page, "%nothing");
  await expect(row(page, "rows[0][3] + 100").locator(".value")).toHaveText("100");
  await expect(row(page, "%nothing")).toContainText("this function has no register %nothing");
  await press(page, "Next store");
  await expect(row(page, "rows[0][3] + 100").locator(".value")).toHaveText("103");
  await expect(row(page, "rows[0][3] + 100")).toHaveClass(/changed/);
  await expect(row(page, "rows[0][3] + 100")).toContainText("100 at step 0");
  await expect(row(page, "%r13").getByRole("list", { name: "Values by lane" }).getByRole("listitem").nth(31)).toHaveText("31");
  await expect(row(page, "lane 3: %r13 * 2").locator(".value")).toHaveText("6");
  await press(page, "Go to start");
  await expect(row(page, "rows[0][3] + 100").locator(".value")).toHaveText("100");
});

test("watch expressions persist across reloads and edits but not across kernels", async ({ page }) => {
  await open(page);
  await openTool(page, "Add watch");
  await watch(page, "columns[5]");
  await expect(row(page, "columns[5]").locator(".value")).toBeVisible();
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("// mine\n");
  await ready(page);
  await expect(row(page, "columns[5]").locator(".value")).toBeVisible();
  await page.reload();
  await ready(page);
  await expect(row(page, "columns[5]").locator(".value")).toBeVisible();
  await pick(page, "Vector stores: one, two or four elements per lane");
  await expect(card(page, "Watch").locator(".watch-list > li")).toHaveCount(0);
  await pick(page, "Coalesced and strided stores");
  await expect(row(page, "columns[5]").locator(".value")).toBeVisible();
  await row(page, "columns[5]").getByRole("button", { name: "Remove watch columns[5]" }).click();
  await expect(card(page, "Watch").locator(".watch-list > li")).toHaveCount(0);
});

test("comparing two steps lists differing cells and registers with links to the stores", async ({ page }) => {
  await open(page);
  await press(page, "Go to start");
  await openTool(page, "Compare two steps");
  const stepComparison = card(page, "Compare steps");
  await expect(stepComparison).toContainText("Memory and registers do not differ between step 0 and step 0");
  await press(page, "Next store");
  await press(page, "Next store");
  await expect(stepComparison).toContainText("62 cells and");
  await expect(stepComparison.getByRole("row").filter({ hasText: "rows[0][3]" })).toContainText("0 → 3");
  await expect(stepComparison.getByRole("row").filter({ hasText: "%r13" })).toContainText("warp 0 of block 0");
  const position = await page.getByRole("status").textContent();
  await stepComparison.getByRole("button", { name: "rows[0][3]" }).click();
  await expect(card(page, "Cell")).toContainText("rows[0][3]");
  await stepComparison.getByRole("row").filter({ hasText: "rows[0][3]" }).getByRole("button", { name: /^step/ }).click();
  await expect(page.getByRole("status")).toContainText("store 1 of 8");
  await expect(page.getByRole("status")).not.toHaveText(position!);
  // A fixed end of the comparison does not change with the current step.
  await stepComparison.getByRole("spinbutton", { name: "To step" }).fill("0");
  await expect(stepComparison).toContainText("Memory and registers do not differ between step 0 and step 0");
  await stepComparison.getByRole("spinbutton", { name: "From step" }).fill("99999999999");
  await expect(stepComparison).toContainText("support at most 20000000 steps");
});

test("watch expressions work for SASS and inline assembly", async ({ page }) => {
  await open(page);
  await paste(page, 'void f(int *p, int v) {\n  asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory");\n}\n');
  await ready(page);
  await press(page, "Run to end");
  await openTool(page, "Compare two steps");
  await card(page, "Compare steps").getByRole("spinbutton", { name: "From step" }).fill("0");
  await expect(card(page, "Compare steps")).toContainText("differ");
});

test("watch and step comparison cards pass axe in light and dark mode and on a phone", async ({ page }) => {
  await open(page);
  await openTool(page, "Add watch");
  await watch(page, "%r13");
  await card(page, "Watch").getByText("Expression syntax").click();
  await card(page, "Compare steps").getByRole("spinbutton", { name: "From step" }).fill("0");
  await expect(card(page, "Compare steps")).toContainText("differ");
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    const results = await new AxeBuilder({ page }).include(".inspect").analyze();
    expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("tab", { name: "Threads" }).click();
  await card(page, "Compare steps").scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test("custom layout shows a buffer by strides or a CuTe layout and navigates to its elements", async ({ page }) => {
  await open(page);
  await openTool(page, "Custom layout");
  const view = card(page, "Custom layout");
  const grid = view.getByRole("grid");
  // The initial layout exchanges rows and columns.
  await expect(view.getByRole("textbox", { name: "Layout" })).toHaveValue("(16,8):(1,16)");
  await expect(grid.getByRole("row").nth(4).getByRole("gridcell").nth(2)).toHaveText("35");
  await view.getByRole("spinbutton", { name: "Columns" }).fill("2");
  await expect(view.getByRole("textbox", { name: "Layout" })).toHaveValue("(16,2):(1,16)");
  await expect(grid.getByRole("row").nth(1).getByRole("gridcell")).toHaveCount(2);
  await view.getByRole("textbox", { name: "Layout" }).fill("Swizzle<2,0,2> o (4,4):(4,1)");
  await expect(grid.getByRole("row").nth(2).getByRole("gridcell").nth(0)).toHaveText("5");
  await view.getByRole("textbox", { name: "Layout" }).fill("(2,2):(1000,1)");
  await expect(view).toContainText("2 out of bounds");
  await view.getByRole("textbox", { name: "Layout" }).fill("(2,2:(1");
  await expect(view).toContainText("column 5");
  // The layout view shows the current step. The arrow keys select cells of the layout without a step of the run.
  await view.getByRole("textbox", { name: "Layout" }).fill("(2,4):(4,1)");
  await press(page, "Go to start");
  await expect(grid.getByRole("row").nth(1).getByRole("gridcell").nth(3)).toHaveAttribute("data-written", "never");
  await press(page, "Next store");
  await expect(grid.getByRole("row").nth(1).getByRole("gridcell").nth(3)).toHaveAttribute("title", "element 3, lane 3");
  await grid.getByRole("row").nth(1).getByRole("gridcell").first().focus();
  for (const key of ["ArrowDown", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await expect(card(page, "Cell")).toContainText("rows[0][5]");
  await expect(page.getByRole("status")).toContainText("store 1 of 8");
  await view.getByRole("combobox", { name: "Memory" }).selectOption({ label: "columns" });
  await view.getByRole("combobox", { name: "Element type of the view" }).selectOption("u8");
  await expect(view.getByRole("textbox", { name: "Layout" })).toHaveValue("(16,8):(1,16)");
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    const results = await new AxeBuilder({ page }).include(".custom-layout").analyze();
    expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  }
  await view.getByRole("button", { name: "Close" }).click();
  await expect(view).toBeHidden();
});

test("memory overview shows a large buffer and navigates to each region", async ({ page }) => {
  await open(page);
  await paste(page, "//@ launch grid=1 block=1\n//@ buffer p: u32[16777216] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [p];\n  st.global.u32 [%rd1+8], 1;\n  st.global.u32 [%rd1+67108860], 2;\n  ret;\n}\n");
  await ready(page);
  await press(page, "Run to end");
  for (let n = 0; n < 2; n += 1) await press(page, "Previous store");
  await openTool(page, "Memory overview");
  const overview = card(page, "Memory overview");
  const region = overview.getByRole("slider", { name: "Region" });
  await expect(region).toHaveAttribute("aria-valuetext", "Elements 0 to 16,383 of 16,777,216: 1 written; last write by lane 0 to element 2 in this step.");
  await region.focus();
  await page.keyboard.press("End");
  await expect(overview).toContainText("Elements 16,760,832 to 16,777,215 of 16,777,216");
  await press(page, "Next store");
  await expect(overview).toContainText("1 written; last write by lane 0 to element 16,777,215 in this step");
  await overview.getByRole("button", { name: "Go to region" }).click();
  await expect(card(page, "Cell")).toContainText("p[16777215]");
  const results = await new AxeBuilder({ page }).include(".memory-overview").analyze();
  expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  await overview.getByRole("button", { name: "Close" }).click();
  await expect(overview).toBeHidden();
});

test("JIT run shows the final memory or reports why the launch cannot be compiled", async ({ page }) => {
  const loopKernel = (lines: string) => `//@ launch grid=64 block=64\n//@ buffer p: u32[4096] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n  .reg .b64 %rd<3>;\n  .reg .b32 %r<6>;\n  ld.param.u64 %rd1, [p];\n  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %tid.x;\n  mad.lo.u32 %r3, %r1, 64, %r2;\n${lines}  mul.wide.u32 %rd2, %r3, 4;\n  add.s64 %rd1, %rd1, %rd2;\n  st.global.u32 [%rd1], %r3;\n  ret;\n}\n`;
  await open(page);
  await paste(page, loopKernel(""));
  await ready(page);
  await press(page, "Go to start");
  await openTool(page, "Run with JIT");
  const jitCard = card(page, "JIT run");
  await expect(jitCard).toContainText(/Compiled in .* ms and run in .* ms: .* million lane-instructions per second\. 1,024 steps, 128 stores\./);
  await expect(jitCard.getByRole("group", { name: "Final memory" })).toContainText("u32 · first 32 of 4,096");
  await expect(jitCard.getByRole("group", { name: "Final memory" })).toContainText("28 29 30 31");
  // The inspector does not change the run of the page.
  await expect(page.getByRole("status")).toContainText("step 0");
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    const violations = (await new AxeBuilder({ page }).include(".jit-run").analyze()).violations;
    expect(violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  }
  await paste(page, loopKernel("  mov.u32 %r4, %clock;\n"));
  await ready(page);
  await expect(jitCard).toBeHidden();
  await openTool(page, "Run with JIT");
  await expect(jitCard).toContainText("Cannot run with JIT: the JIT compiler does not support mov.u32 %r4, %clock (line 14). To interpret the launch, select Run to end.");
  await jitCard.getByRole("button", { name: "Close" }).click();
  await expect(jitCard).toBeHidden();
});

test("long JIT run distributes blocks to workers and produces identical memory contents", async ({ page }) => {
  // The test sets the reported number of cores to a fixed value, independently of the machine.
  await page.addInitScript(() => Object.defineProperty(navigator, "hardwareConcurrency", { value: 3 }));
  const longKernel = "//@ launch grid=3000 block=32\n//@ buffer out: u32[96000] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n  .reg .b32 %i, %x, %t, %n;\n  .reg .pred %p;\n  .reg .b64 %q, %o;\n  mov.u32 %t, %tid.x;\n  mov.u32 %n, %ctaid.x;\n  mad.lo.u32 %t, %n, 32, %t;\n  mul.wide.u32 %o, %t, 4;\n  mov.u32 %i, 0;\n  mov.u32 %x, %t;\nagain:\n  mad.lo.u32 %x, %x, %x, %i;\n  add.u32 %i, %i, 1;\n  setp.lt.u32 %p, %i, 20000;\n  @%p bra again;\n  ld.param.b64 %q, [out];\n  add.s64 %q, %q, %o;\n  st.global.u32 [%q], %x;\n  ret;\n}\n";
  let x = 5;
  for (let i = 0; i < 20_000; i += 1) x = (Math.imul(x, x) + i) >>> 0;
  await open(page);
  await paste(page, longKernel);
  await ready(page);
  await openTool(page, "Run with JIT");
  const jitCard = card(page, "JIT run");
  await expect(jitCard).toContainText(/Compiled in .* ms and run in .* in 3 parts: .*\. 240,030,000 steps, 3,000 stores\./, { timeout: 60_000 });
  await expect(jitCard.getByRole("group", { name: "Final memory" })).toContainText(` ${x} `);
});
