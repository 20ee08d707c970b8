// Tests the comparison of two sources of one kernel. The sources are PTX and the SASS of the kernel. The tests step both versions store by
// store, and find the first difference.
import { readFileSync } from "node:fs";
import { expect, test, type Page } from "@playwright/test";
import { open, paste, pick, ready } from "./playground";

const listing = readFileSync(new URL("../public/examples/machine-code-of-a-kernel.sass", import.meta.url), "utf8");

/** Returns a cell of a memory grid by the accessible name of the grid. */
function cell(page: Page, cellLabel: string | RegExp) {
  return page.getByRole("region", { name: "Compare kernels" }).getByLabel(cellLabel);
}

test("compare link opens PTX and SASS and steps both store by store", async ({ page }) => {
  await page.goto("/#compare=vector-addition");
  const view = page.getByRole("region", { name: "Compare kernels" });
  await expect(view).toContainText("Identical memory contents");
  const [ptx, sass] = ["Kernel A", "Kernel B"].map((name) => view.getByRole("region", { name }));
  await expect(ptx).toContainText("PTX for");
  await expect(sass).toContainText("SASS for sm_75");
  await expect(view).toContainText("at the end of both");
  await view.getByRole("button", { name: "Start" }).click();
  await expect(view).toContainText("before the first store");
  await page.keyboard.press("ArrowRight");
  await expect(view).toContainText("after store 1 of each run");
  await expect(ptx.locator(".current")).toContainText("st.global");
  await expect(sass.locator(".current")).toContainText("STG.E.SYS [R6], R9");
  await expect(sass).toContainText("st.global.b32");
  await expect(sass).toContainText("Scheduling: stall 1 cycle");
  await expect(ptx).toContainText("STG.E");
  await expect(cell(page, /^c\[1\]: A and B: 1\.5$/)).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(view).toHaveCount(0);
  await expect(page).toHaveURL(/#?$/);
});

test("compare marks the first difference with a pasted kernel and shows the stores of both versions", async ({ page }) => {
  await open(page);
  await pick(page, "Vector addition with a bounds check");
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  const view = page.getByRole("region", { name: "Compare kernels" });
  await expect(view).toContainText("Identical memory contents");
  await view.getByRole("button", { name: "Change kernel B…" }).click();
  const otherKernel = view.getByRole("textbox", { name: "Source of kernel B" });
  await otherKernel.fill("");
  await view.getByRole("button", { name: "Compare", exact: true }).click();
  await expect(otherKernel).toBeFocused();
  await otherKernel.fill(listing.replace("FADD", "FMUL"));
  await view.getByRole("button", { name: "Compare", exact: true }).click();
  await expect(view).toContainText("Different memory contents: 1 of 3 buffers and variables");
  await expect(view).toContainText("c[0]");
  await expect(cell(page, /^c\[2\]: A: 2\.5, B: 1\.0$/)).toHaveCount(1);
  await view.getByRole("button", { name: "Change kernel B…" }).click();
  await otherKernel.fill("st.shred.u32 [p], 1;");
  await view.getByRole("button", { name: "Compare", exact: true }).click();
  await expect(view.getByRole("alert")).toContainText("Kernel B cannot run: unknown modifier .shred");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await ready(page);
});

test("SASS hides the PTX version picker and shows the equivalent PTX of a store", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("combobox", { name: "PTX version" })).toHaveCount(1);
  await paste(page, listing);
  await ready(page);
  await expect(page.getByRole("combobox", { name: "PTX version" })).toHaveCount(0);
  await expect(page.getByRole("combobox", { name: "Target" })).toContainText("sm_75");
  await expect(page.getByText("Equivalent PTX (approximate): st.global.b32")).toBeVisible();
});
