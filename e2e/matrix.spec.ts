// A person looks up which lane holds which element of a matrix, without writing PTX.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { open, pick, press } from "./playground";

test("a fragment is looked up, laid beside another architecture's, and moved in memory", async ({ page }) => {
  await page.goto("/#matrix?op=store.d&shape=m16n16k16&type=f32&target=sm_70");
  const view = page.getByRole("region", { name: "Matrix view" });
  await expect(view.getByRole("combobox", { name: "Target" })).toHaveValue("sm_70");
  const facts = view.getByRole("region", { name: "Facts" });
  await expect(facts).toContainText("64 sectors touched, 1024 of 2048 bytes used");

  // Beside the map of another architecture, which differs.
  await view.getByRole("combobox", { name: "Beside" }).selectOption("sm_80");
  await expect(view.getByRole("region", { name: /^Matrix, wmma.store.d m16n16k16 f32, sm_/ })).toHaveCount(2);
  await view.getByRole("button", { name: "lane 1", exact: true }).focus();
  await expect(view.getByRole("table", { name: "Registers of lane 1" }).getByRole("row")).toHaveCount(8);

  // Another stride moves the rows apart, and an odd one is explained.
  await view.getByRole("spinbutton", { name: "Stride" }).fill("20");
  await expect(facts).toContainText("64 sectors touched, 1024 of 2048 bytes used");
  await view.getByRole("spinbutton", { name: "Stride" }).fill("17");
  await expect(facts).toContainText("the stride is no multiple of 8 bytes");
  await expect(page).toHaveURL(/#matrix\?op=store\.d.*stride=17&beside=sm_80/);

  // What does not exist is never offered.
  await view.getByRole("combobox", { name: "Operation" }).selectOption("mma.a");
  await expect(view.getByRole("combobox", { name: "Shape" })).not.toHaveValue("m16n16k16");
  await expect(view.getByRole("region", { name: "Memory of the matrix" })).toHaveCount(0);
});

test("a layout of a tensor instruction is looked up, and its descriptor read", async ({ page }) => {
  await page.goto("/#matrix?op=wgmma.shared.a&type=f16&swizzle=128B");
  const view = page.getByRole("region", { name: "Matrix view" });
  const facts = view.getByRole("region", { name: "Facts" });
  await expect(facts).toContainText("0x4000004000010000");
  await view.getByRole("group", { name: /^Matrix, cells/ }).focus();
  for (const key of ["ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
  await expect(view).toContainText("row of A 1, k 0: byte 144");

  // Without a swizzle, and with the words in the address.
  await view.getByRole("combobox", { name: "Swizzle" }).selectOption("none");
  await expect(facts).toContainText("(k*es/16)*LBO");
  await expect(page).toHaveURL(/swizzle=none/);
  await view.getByRole("textbox", { name: "Stride" }).fill("100");
  await view.getByRole("textbox", { name: "Stride" }).blur();
  await expect(view).toContainText("expected a multiple of 16");

  // Another operation begins with words of its own; a fragment is one choice away.
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

test("the keyboard walks over the cells, and the way back leads to the text as it was", async ({ page }) => {
  await open(page);
  const text = await page.locator(".cm-content").textContent();
  await page.getByRole("button", { name: "Matrices" }).click();
  const view = page.getByRole("region", { name: "Matrix view" });
  await view.getByRole("group", { name: /^Matrix, cells/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await expect(view).toContainText(/row 1, column 0: lane \d+, register 0; byte 64 of the matrix/);
  const found = await new AxeBuilder({ page }).include(".matrix").analyze();
  expect(found.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(view).toBeHidden();
  expect(await page.locator(".cm-content").textContent()).toBe(text);
});

test("a matrix store of a run leads to its fragment", async ({ page }) => {
  await open(page);
  await pick(page, "A matrix leaves its fragments");
  await page.getByRole("button", { name: "Which lane held which element" }).click();
  const view = page.getByRole("region", { name: "Matrix view" });
  await expect(view.getByRole("combobox", { name: "Shape" })).toHaveValue("m16n16k16");
  await expect(view.getByRole("combobox", { name: "Target" })).toHaveValue("sm_80");
  await expect(view.getByRole("combobox", { name: "Layout" })).toHaveValue("row");
});

test("a sub-matrix store leads to its fragment with stride and base", async ({ page }) => {
  await open(page);
  await pick(page, "A tile of a larger matrix");
  await page.getByRole("button", { name: "Which lane held which element" }).click();
  const view = page.getByRole("region", { name: "Matrix view" });
  await expect(view.getByRole("spinbutton", { name: "Stride" })).toHaveValue("40");
  await expect(view.getByRole("spinbutton", { name: "Base" })).toHaveValue("96");
});

test("an element, its lane, its register and its cell in memory light up together", async ({ page }) => {
  await open(page);
  await pick(page, "A matrix leaves its fragments");
  const fragment = page.getByRole("region", { name: "Fragment" });
  const registers = page.getByRole("region", { name: "Registers" });
  await fragment.getByRole("group", { name: /^Matrix D, elements/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  // Row 1, column 0 is lane 4's first register.
  await expect(fragment).toContainText(/D\[1\]\[0\] = .*: lane 4, %f\d+; byte 64 of /);
  await expect(registers).toContainText("lane 4, pointed at");
  await expect(registers.locator(".linked")).toHaveCount(1);
  await expect(page.locator(".lane.linked")).toHaveText(/^4/);
  // And back: a cell of the memory names the element.
  const memory = page.getByRole("group", { name: /, cells of f32/ }).last();
  await memory.focus();
  await page.keyboard.press("ArrowRight");
  await expect(fragment).toContainText("D[0][0] = ");
});

test("a product that ran leads to how the tensor core computed an element", async ({ page }) => {
  await open(page);
  await pick(page, "A sum that a tensor core truncates");
  while (!(await page.getByRole("button", { name: "Why?" }).isVisible())) {
    await press(page, "One instruction back");
  }
  await page.getByRole("button", { name: "Why?" }).click();
  const view = page.getByRole("region", { name: "Tensor core" });
  const result = view.getByRole("region", { name: "Result" });
  await expect(result).toContainText("bits that a block has no place for are cut off");
  await expect(result.getByRole("row", { name: /chain of f32 fma/ })).toContainText("0x");
  await expect(view.getByRole("region", { name: /^Step 1 of/ })).toContainText("aligned to 2^");
  await expect(page).toHaveURL(/#product\?op=mma&shape=m16n8k16/);
  const found = await new AxeBuilder({ page }).include(".matrix").analyze();
  expect(found.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);

  // The same operands on another generation, and with an operand changed.
  await view.getByRole("combobox", { name: "Tensor cores of" }).selectOption("sm_70");
  await expect(view.getByRole("alert")).toContainText("sm_70");
  await view.getByRole("combobox", { name: "Tensor cores of" }).selectOption("sm_90");
  await expect(view.getByRole("alert")).toHaveCount(0);
  await view.getByRole("textbox", { name: "C", exact: true }).fill("0");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/&c=0$/);
  await page.getByRole("button", { name: "Back to the kernel" }).click();
  await expect(view).toBeHidden();
});

test("a drawing, an image and a table can be taken along", async ({ page }) => {
  await page.goto("/#matrix?op=load.a&shape=m16n16k16&type=f16&target=sm_80&layout=row");
  const view = page.getByRole("region", { name: "Matrix view" });
  for (const [button, name] of [["SVG", "svg"], ["PNG", "png"], ["Text", "txt"]] as const) {
    const waiting = page.waitForEvent("download");
    await view.getByRole("button", { name: button, exact: true }).click();
    expect((await waiting).suggestedFilename()).toBe(`load.a-m16n16k16-f16-sm_80.${name}`);
  }
});
