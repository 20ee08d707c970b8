// Two texts of one kernel: PTX beside its machine code, step by store, and where they part.
import { readFileSync } from "node:fs";
import { expect, test, type Page } from "@playwright/test";
import { open, paste, pick, ready } from "./playground";

const listing = readFileSync(new URL("../public/examples/machine-code-of-a-kernel.sass", import.meta.url), "utf8");

/** The cells of a memory, as readers hear them. */
function cell(page: Page, words: string | RegExp) {
  return page.getByRole("region", { name: "Two texts of a kernel" }).getByLabel(words);
}

test("a link opens PTX beside its machine code, and both are stepped store by store", async ({ page }) => {
  await page.goto("/#beside=vector-addition");
  const view = page.getByRole("region", { name: "Two texts of a kernel" });
  await expect(view).toContainText("Both leave the same memory");
  const [ptx, code] = ["First text", "Second text"].map((name) => view.getByRole("region", { name }));
  await expect(ptx).toContainText("PTX for");
  await expect(code).toContainText("Machine code for sm_75");
  await expect(view).toContainText("at the end of both");
  await view.getByRole("button", { name: "Start" }).click();
  await expect(view).toContainText("before the first store");
  await page.keyboard.press("ArrowRight");
  await expect(view).toContainText("after store 1 of each");
  await expect(ptx.locator(".now")).toContainText("st.global");
  await expect(code.locator(".now")).toContainText("STG.E.SYS [R6], R9");
  await expect(code).toContainText("st.global.b32");
  await expect(code).toContainText("Its encoding says: stall 1 cycle");
  await expect(ptx).toContainText("STG.E");
  await expect(cell(page, /^c\[1\]: 1\.5 in both$/)).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(view).toHaveCount(0);
  await expect(page).toHaveURL(/#?$/);
});

test("a pasted text that differs is marked where it parts, with the stores of both", async ({ page }) => {
  await open(page);
  await pick(page, "Vector addition, with a tail that stays out");
  await page.getByRole("button", { name: "Beside" }).click();
  const view = page.getByRole("region", { name: "Two texts of a kernel" });
  await expect(view).toContainText("Both leave the same memory");
  await view.getByRole("button", { name: "Another text" }).click();
  const other = view.getByRole("textbox", { name: "The other text of the kernel" });
  await other.fill("");
  await view.getByRole("button", { name: "Run both" }).click();
  await expect(other).toBeFocused();
  await other.fill(listing.replace("FADD", "FMUL"));
  await view.getByRole("button", { name: "Run both" }).click();
  await expect(view).toContainText("They part: 1 of 3 memories differs");
  await expect(view).toContainText("c[0]");
  await expect(cell(page, /^c\[2\]: 2\.5 in the first text, 1\.0 in the second$/)).toHaveCount(1);
  await view.getByRole("button", { name: "Another text" }).click();
  await other.fill("st.shred.u32 [p], 1;");
  await view.getByRole("button", { name: "Run both" }).click();
  await expect(view.getByRole("alert")).toContainText("The second text does not run: unknown modifier .shred");
  await view.getByRole("button", { name: "Back to the kernel" }).click();
  await ready(page);
});

test("machine code has no PTX version to choose, and its store is said as PTX", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("combobox", { name: "PTX version" })).toHaveCount(1);
  await paste(page, listing);
  await ready(page);
  await expect(page.getByRole("combobox", { name: "PTX version" })).toHaveCount(0);
  await expect(page.getByRole("combobox", { name: "Target" })).toContainText("sm_75");
  await expect(page.getByText("In PTX, approximately: st.global.b32")).toBeVisible();
});
