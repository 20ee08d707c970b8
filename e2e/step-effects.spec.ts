// Tests that the page scrolls to the effects of a step and highlights these effects: the written memory, the lanes that stopped the step,
// and the block.
import { expect, test } from "@playwright/test";
import { open, paste, pick, press, ready } from "./playground";

const moduleHeader = ".version 8.8\n.target sm_90\n.address_size 64\n";
const registers = "\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<99>;\n";

test("buffer written by the current step is scrolled into view and linked from the step summary", async ({ page }) => {
  const names = Array.from({ length: 40 }, (_, i) => `buf${i}`);
  const stores = names.map((name, i) => `\tld.param.u64 %rd${i}, [${name}];\n\tst.global.u32 [%rd${i}], ${i + 1};\n`);
  const text = `${names.map((name) => `//@ buffer ${name}: u32[64] = 0\n`).join("")}${moduleHeader}.visible .entry k(${names.map((name) => `.param .u64 ${name}`).join(", ")})\n{\n${registers}${stores.join("")}\tret;\n}\n`;
  await open(page);
  await paste(page, text);
  await ready(page);
  const where = page.getByRole("status");
  await expect(where).toHaveText(/store 1 of 40/);
  await where.click();
  for (let i = 2; i <= 25; i += 1) {
    await page.keyboard.press("ArrowRight");
    await expect(where).toHaveText(new RegExp(`store ${i} of 40`));
  }
  const card = page.getByRole("region", { name: "buf24", exact: true });
  await expect(card).toBeInViewport();
  await expect(page.getByRole("grid", { name: "buf24" }).locator("[data-written=now]")).toHaveCount(1);
  await page.locator(".cards").evaluate((cards) => { cards.scrollTop = 0; });
  await expect(card).not.toBeInViewport();
  await page.getByRole("button", { name: "buf24" }).first().click();
  await expect(card).toBeInViewport();
});

test("pasted kernel starts at its first store even if it is similar to the previous source", async ({ page }) => {
  const kernel = (n: number) => `//@ launch grid=1 block=32\n//@ buffer out: u32[64] = 0\n${moduleHeader}.visible .entry k(.param .u64 out)\n{\n${registers}\tld.param.u64 %rd1, [out];\n${`\tst.global.u32 [%rd1], ${n};\n`.repeat(n)}\tret;\n}\n`;
  await open(page);
  for (const n of [12, 3, 9]) {
    await paste(page, kernel(n));
    await expect(page.getByRole("status")).toHaveText(new RegExp(`store 1 of ${n} `));
    await press(page, "Run to end");
    // The button is now disabled, but still has the keyboard focus.
    await expect(page.getByRole("button", { name: "Run to end" })).toBeFocused();
  }
});

test("source line of the initial store of a pasted kernel is scrolled into view", async ({ page }) => {
  const longBody = "\tadd.u32 %r2, %r2, 1;\n".repeat(150);
  await open(page);
  await paste(page, `//@ launch grid=1 block=32\n//@ buffer out: u32[64] = 0\n${moduleHeader}.visible .entry k(.param .u64 out)\n{\n${registers}\tld.param.u64 %rd1, [out];\n${longBody}\tst.global.u32 [%rd1], %r2;\n${longBody}\tret;\n}\n`);
  await expect(page.locator(".line-done")).toContainText("st.global.u32");
  await expect(page.locator(".line-done")).toBeInViewport();
});

test("block is selectable by index and in the block map, and each of its warps can be shown", async ({ page }) => {
  const body = "\tld.param.u64 %rd1, [out];\n\tmov.u32 %r1, %ctaid.x;\n\tst.global.u32 [%rd1], %r1;\n";
  await open(page);
  await paste(page, `//@ launch grid=1000 block=96\n//@ buffer out: u32[64] = 0\n${moduleHeader}.visible .entry k(.param .u64 out)\n{\n${registers}${body}\tret;\n}\n`);
  await ready(page);
  const blocks = page.getByRole("region", { name: "Blocks" });
  await blocks.getByRole("spinbutton", { name: "Block" }).fill("610");
  await page.keyboard.press("Enter");
  const warp = page.getByRole("region", { name: "Warp", exact: true });
  await expect(warp).toContainText("block 610");
  await blocks.getByRole("button", { name: /^warp 2,/ }).click();
  await expect(warp.getByRole("heading")).toContainText("Warp 2");
  // The test selects a block that exited many steps earlier.
  await blocks.locator("[data-cell='20']").click();
  await expect(warp).toContainText("block 40");
  await blocks.getByRole("button", { name: "follow" }).click();
  await press(page, "Next store");
  await page.getByRole("button", { name: /^warp \d of block \d+$/ }).click();
  await expect(blocks.getByRole("button", { name: "follow" })).toBeVisible();
});

test("faulted lanes are marked, and the first faulted lane is selected", async ({ page }) => {
  const body = "\tld.param.u64 %rd1, [out];\n\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %rd2, %r1, 9;\n\tadd.u64 %rd3, %rd1, %rd2;\n\tst.global.u8 [%rd3], %r1;\n";
  await open(page);
  await paste(page, `//@ launch grid=1 block=32\n//@ buffer out: u8[270] = 0\n${moduleHeader}.visible .entry k(.param .u64 out)\n{\n${registers}${body}\tret;\n}\n`);
  await expect(page.getByRole("alert")).toContainText("just after the end");
  await expect(page.getByRole("button", { name: /^lane \d+,.*faulted$/ })).toHaveCount(2);
  await expect(page.getByRole("heading", { name: /Registers/ })).toContainText("lane 30, faulted");
});

test("pending asynchronous store marks its destination and can be completed manually", async ({ page }) => {
  await open(page);
  await pick(page, "Asynchronous stores within a cluster");
  await press(page, "Go to start");
  const card = page.getByRole("region", { name: "In flight" });
  for (let i = 0; i < 120 && (await card.count()) === 0; i += 1) {
    await press(page, "Step one instruction");
  }
  await expect(card).toContainText("st.async");
  // The store completes in the shared memory of another block in the cluster.
  const blocks = page.getByRole("region", { name: "Blocks" });
  const block = /shared:(\d+)/.exec((await card.textContent())!)![1];
  await blocks.locator(`[data-cell='${block}']`).click();
  await ready(page);
  await expect(page.locator("td[data-pending]").first()).toBeAttached();
  const pendingCount = await page.locator("td[data-pending]").count();
  await card.getByRole("button", { name: "Complete now" }).first().click();
  await ready(page);
  await expect(page.locator("td[data-pending]")).not.toHaveCount(pendingCount);
  await expect(page.locator(".step-summary")).toContainText(/store completed: \d+ bytes to/);
});

test("grid is a single tab stop, and arrow keys move between its cells and toolbar", async ({ page }) => {
  await open(page);
  const card = page.locator("section[data-memory='rows']");
  const cells = card.getByRole("group", { name: /^rows, grid of/ });
  await cells.focus();
  await page.keyboard.press("ArrowUp");
  await expect(card.getByRole("button", { name: "rows", exact: true })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(card.getByRole("button", { name: "value", exact: true })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(cells).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+ArrowUp");
  await expect(card.getByRole("button", { name: "rows", exact: true })).toBeFocused();
  await page.keyboard.press("Tab");
  const focusedMemory = () => page.evaluate(() => document.activeElement?.closest("[data-memory]")?.getAttribute("data-memory") ?? "");
  await expect.poll(focusedMemory).not.toBe("rows");
});
