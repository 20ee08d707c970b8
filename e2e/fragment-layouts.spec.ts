// Tests the fragment layouts of the page. A user can find the lane that holds a matrix element without writing PTX.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { open, pick, press } from "./playground";

test("fragment layout is compared with another architecture and updated for stride and base", async ({ page }) => {
  await page.goto("/#layouts?op=store.d&shape=m16n16k16&type=f32&target=sm_70");
  const view = page.getByRole("region", { name: "Layout Explorer" });
  await expect(view.getByRole("combobox", { name: "Target" })).toHaveValue("sm_70");
  const properties = view.getByRole("region", { name: "Facts" });
  await expect(properties).toContainText("64 sectors, 1024 of 2048 bytes used");

  // The view compares the layout with the different layout of another architecture.
  await view.getByRole("combobox", { name: "Compare with" }).selectOption("sm_80");
  await expect(view.getByRole("region", { name: /^Matrix, wmma.store.d m16n16k16 f32, sm_/ })).toHaveCount(2);
  await view.getByRole("button", { name: "lane 1", exact: true }).focus();
  await expect(view.getByRole("table", { name: "Registers of lane 1" }).getByRole("row")).toHaveCount(8);

  // A larger stride increases the distance between rows. If the stride is odd, the view shows an explanation.
  await view.getByRole("spinbutton", { name: "Stride" }).fill("20");
  await expect(properties).toContainText("64 sectors, 1024 of 2048 bytes used");
  await view.getByRole("spinbutton", { name: "Stride" }).fill("17");
  await expect(properties).toContainText("the stride is not a multiple of the access size of 8 bytes");
  await expect(page).toHaveURL(/#layouts\?op=store\.d.*stride=17&beside=sm_80/);

  // The menu contains only the shapes that the selected operation supports.
  await view.getByRole("combobox", { name: "Operation" }).selectOption("mma.a");
  await expect(view.getByRole("combobox", { name: "Shape" })).not.toHaveValue("m16n16k16");
  await expect(view.getByRole("region", { name: "Matrix in memory" })).toHaveCount(0);
});

test("layout of a tensor instruction is shown with its decoded descriptor", async ({ page }) => {
  await page.goto("/#layouts?op=wgmma.shared.a&type=f16&swizzle=128B");
  const view = page.getByRole("region", { name: "Layout Explorer" });
  const properties = view.getByRole("region", { name: "Facts" });
  await expect(properties).toContainText("0x4000004000010000");
  await view.getByRole("group", { name: /^Matrix grid/ }).focus();
  for (const key of ["ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
  await expect(view).toContainText("row of A 1, k 0: byte 144");

  // The view shows the layout without a swizzle, and the URL contains the parameters.
  await view.getByRole("combobox", { name: "Swizzle" }).selectOption("none");
  await expect(properties).toContainText("(k*es/16)*LBO");
  await expect(page).toHaveURL(/swizzle=none/);
  await view.getByRole("textbox", { name: "Stride" }).fill("100");
  await view.getByRole("textbox", { name: "Stride" }).blur();
  await expect(view).toContainText("expected a multiple of 16");

  // Each operation starts with its own default parameters, and the same menu also contains the fragments.
  await view.getByRole("combobox", { name: "Operation" }).selectOption("tcgen05.ld");
  await expect(view.getByRole("combobox", { name: "Shape" })).toHaveValue("32x32b");
  await expect(view.getByRole("region", { name: "Registers" })).toBeVisible();
  await view.getByRole("combobox", { name: "Operation" }).selectOption("tcgen05.idesc");
  await view.getByRole("textbox", { name: "Descriptor" }).fill("0x08410490");
  await view.getByRole("textbox", { name: "Descriptor" }).blur();
  await expect(view.getByRole("region", { name: "Fields" })).toContainText("256 columns");
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await view.getByRole("combobox", { name: "Operation" }).selectOption("mma.a");
  await expect(view.getByRole("region", { name: "Lanes of the fragment" })).toBeVisible();
});

test("Layout Explorer cells are reachable by keyboard, and the tab Run restores the source", async ({ page }) => {
  await open(page);
  const text = await page.locator(".cm-content").textContent();
  await page.getByRole("button", { name: "Layouts", exact: true }).click();
  const view = page.getByRole("region", { name: "Layout Explorer" });
  await view.getByRole("group", { name: /^Matrix grid/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await expect(view).toContainText(/row 1, column 0: lane \d+, register 0; offset: byte 64/);
  const results = await new AxeBuilder({ page }).include(".explorer").analyze();
  expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(view).toBeHidden();
  expect(await page.locator(".cm-content").textContent()).toBe(text);
});

test("matrix store of a run links to its fragment layout", async ({ page }) => {
  await open(page);
  await pick(page, "wmma.store: fragments to memory");
  await page.getByRole("button", { name: "Show fragment layout" }).click();
  const view = page.getByRole("region", { name: "Layout Explorer" });
  await expect(view.getByRole("combobox", { name: "Shape" })).toHaveValue("m16n16k16");
  await expect(view.getByRole("combobox", { name: "Target" })).toHaveValue("sm_80");
  await expect(view.getByRole("combobox", { name: "Layout" })).toHaveValue("row");
});

test("sub-matrix store links to its fragment layout with stride and base", async ({ page }) => {
  await open(page);
  await pick(page, "wmma.store into a larger matrix");
  await page.getByRole("button", { name: "Show fragment layout" }).click();
  const view = page.getByRole("region", { name: "Layout Explorer" });
  await expect(view.getByRole("spinbutton", { name: "Stride" })).toHaveValue("40");
  await expect(view.getByRole("spinbutton", { name: "Base" })).toHaveValue("96");
});

test("hovering over a matrix element highlights its lane, register and memory cell", async ({ page }) => {
  await open(page);
  await pick(page, "wmma.store: fragments to memory");
  const fragment = page.getByRole("region", { name: "Fragment layout" });
  const registers = page.getByRole("region", { name: "Registers" });
  await fragment.getByRole("group", { name: /^Elements of matrix D/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  // The first register of lane 4 holds the element in row 1 and column 0.
  await expect(fragment).toContainText(/D\[1\]\[0\] = .*: lane 4, %f\d+; byte 64 of /);
  await expect(registers).toContainText("lane 4, hovered");
  await expect(registers.locator(".linked")).toHaveCount(1);
  await expect(page.locator(".lane.linked")).toHaveText(/^4/);
  // Conversely, hovering over a memory cell highlights the matrix element.
  const memory = page.getByRole("group", { name: /, grid of f32/ }).last();
  await memory.focus();
  await page.keyboard.press("ArrowRight");
  await expect(fragment).toContainText("D[0][0] = ");
});

test("executed MMA links to the Tensor Core arithmetic of an element", async ({ page }) => {
  await open(page);
  await pick(page, "Truncation in Tensor Core accumulation");
  while (!(await page.getByRole("button", { name: "Explain rounding" }).isVisible())) {
    await press(page, "Step back one instruction");
  }
  await page.getByRole("button", { name: "Explain rounding" }).click();
  const view = page.getByRole("region", { name: "Tensor Core arithmetic" });
  const result = view.getByRole("region", { name: "Result" });
  await expect(result).toContainText("low-order bits are truncated during alignment");
  await expect(result.getByRole("row", { name: /sequential f32 FMA/ })).toContainText("0x");
  await expect(view.getByRole("region", { name: /^Step 1 of/ })).toContainText("aligned to 2^");
  await expect(page).toHaveURL(/#product\?op=mma&shape=m16n8k16/);
  const results = await new AxeBuilder({ page }).include(".explorer").analyze();
  expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);

  // The view computes the same operands for another GPU generation, and then with a changed operand.
  await view.getByRole("combobox", { name: "Target" }).selectOption("sm_70");
  await expect(view.getByRole("alert")).toContainText("sm_70");
  await view.getByRole("combobox", { name: "Target" }).selectOption("sm_90");
  await expect(view.getByRole("alert")).toHaveCount(0);
  await view.getByRole("textbox", { name: "C", exact: true }).fill("0");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/&c=0$/);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(view).toBeHidden();
});

test("fragment layout can be exported as SVG, PNG and text", async ({ page }) => {
  await page.goto("/#layouts?op=load.a&shape=m16n16k16&type=f16&target=sm_80&layout=row");
  const view = page.getByRole("region", { name: "Layout Explorer" });
  for (const [button, name] of [["SVG", "svg"], ["PNG", "png"], ["Text", "txt"]] as const) {
    const download = page.waitForEvent("download");
    await view.getByRole("button", { name: button, exact: true }).click();
    expect((await download).suggestedFilename()).toBe(`load.a-m16n16k16-f16-sm_80.${name}`);
  }
});
