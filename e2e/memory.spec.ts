// Tests the write history of a memory cell, and the navigation to events of a run.
import { expect, test, type Page } from "@playwright/test";
import { cells, open, paste, press, ready } from "./playground";

/** Kernel in which two warps count to 500 in a loop and store every tenth count. */
const LOOP_KERNEL = `//@ launch grid=1 block=64
//@ buffer out: u32[8] = 5
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<9>; .reg .b64 %rd<2>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;

LOOP:
    add.u32 %r2, %r2, 1;
    rem.u32 %r4, %r2, 10;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 st.global.u32 [%rd1+4], %r2;
    setp.lt.u32 %p2, %r2, 500;
    @%p2 bra LOOP;
    ret;
}
`;

/** Opens the kernel, runs to the end, and pins the cell that the kernel writes. */
async function pinned(page: Page) {
  await open(page);
  await paste(page, LOOP_KERNEL);
  await expect.poll(() => cells(page, "out")).toHaveLength(8);
  await ready(page);
  await press(page, "Run to end");
  await page.getByRole("group", { name: /^out, grid of/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const card = page.getByRole("region", { name: "Cell" });
  await expect(card).toContainText("out[1]");
  await expect(card).toContainText("to show the write history");
  await page.keyboard.press("Enter");
  return card;
}

test("write history lists all stores to a cell and navigates to them", async ({ page }) => {
  const card = await pinned(page);
  // Two warps with 32 lanes each store 50 counts, and the history lists the latest of these stores.
  await expect(card).toContainText("100 stores in");
  await expect(card).toContainText("36 earlier stores not shown");
  await expect(card.locator("tr[aria-current]")).toContainText("32 lanes, warp 1");
  await expect(card.locator("tr[aria-current]")).toContainText("500 → 500");
  await card.getByRole("button", { name: "launch" }).click();
  await ready(page);
  expect(await cells(page, "out")).toEqual(Array(8).fill("5"));
  await expect(card.locator("tr[aria-current]")).toContainText("launch");
  // At this position of the run, the history lists the first stores.
  await expect(card).toContainText("36 later stores not shown");
  const first = card.getByRole("row", { name: /5 → 10/ });
  await expect(first).toHaveCount(1);
  await first.getByRole("button", { name: /^step/ }).click();
  await ready(page);
  await expect.poll(async () => (await cells(page, "out"))[1]).toBe("10");
  await first.getByRole("button", { name: "line 17" }).click();
  await expect(page.getByRole("textbox", { name: "PTX source" })).toBeFocused();
});

test("data breakpoint runs forward and back to changes of a cell", async ({ page }) => {
  const card = await pinned(page);
  const changes = card.getByRole("group", { name: "Data breakpoint on this cell" });
  const status = page.getByRole("region", { name: "Run until" }).locator(".status-text");
  await changes.getByRole("button", { name: "back" }).click();
  await expect(status).toHaveText("out[1] changed from 490 to 500.");
  await changes.getByRole("button", { name: "back" }).click();
  await expect(status).toHaveText("out[1] changed from 480 to 490.");
  expect((await cells(page, "out"))[1]).toBe("490");
  await changes.getByRole("button", { name: "forward" }).click();
  await changes.getByRole("button", { name: "forward" }).click();
  await expect(status).toHaveText("No later step of the run meets the condition.");
});

test("Run until stops at a register condition and marks the position of a syntax error", async ({ page }) => {
  await open(page);
  await paste(page, LOOP_KERNEL);
  await expect.poll(() => cells(page, "out")).toHaveLength(8);
  await ready(page);
  await press(page, "Go to start");
  const card = page.getByRole("region", { name: "Run until" });
  const condition = card.getByRole("textbox", { name: "Condition on a register" });
  await condition.fill("lane 3: %r2 == 42");
  await condition.press("Enter");
  await expect(card).toContainText("%r2 = 42 in lane 3 of warp 0, block 0.");
  await condition.press("Enter");
  await expect(card).toContainText("%r2 = 42 in lane 3 of warp 1, block 0.");
  await condition.press("Shift+Enter");
  await expect(card).toContainText("%r2 = 42 in lane 3 of warp 0, block 0.");
  await condition.fill("lane 3: %r22 == 42");
  await card.getByRole("button", { name: "forward" }).click();
  await expect(card.locator("mark")).toHaveText("%r22");
  await expect(card).toContainText("the kernel has no register %r22; did you mean %r2?");
  await expect(condition).toHaveAttribute("aria-invalid", "true");
});

test("breakpoints follow their lines during edits and are reachable by keyboard shortcut", async ({ page }) => {
  await open(page);
  await paste(page, LOOP_KERNEL);
  await expect.poll(() => cells(page, "out")).toHaveLength(8);
  await ready(page);
  const card = page.getByRole("region", { name: "Run until" });
  const breakpoints = page.locator(".cm-lineNumbers .cm-breakpoint");
  await page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: /^17$/ }).click();
  await expect(breakpoints).toHaveText("17");
  await expect(card.getByRole("group", { name: "Breakpoints" })).toContainText("line 17");
  // The insertion of a line above the breakpoint moves the breakpoint down and starts a new run.
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("// a comment\n");
  await expect(breakpoints).toHaveText("18");
  await ready(page);
  // The keyboard shortcut adds a breakpoint and removes the breakpoint.
  await page.keyboard.press("F9");
  await expect(breakpoints).toHaveCount(2);
  await page.keyboard.press("F9");
  await expect(breakpoints).toHaveCount(1);
  // The breakpoint remains after a reload.
  await page.reload();
  await expect(breakpoints).toHaveText("18");
  await ready(page);
  await press(page, "Go to start");
  await page.keyboard.press("b");
  await expect(card).toContainText("Next: line 18, warp 0 of block 0.");
  const position = page.getByRole("status");
  const first = await position.textContent();
  await page.keyboard.press("b");
  await expect(position).not.toHaveText(first!);
  await page.keyboard.press("Shift+B");
  await expect(position).toHaveText(first!);
  await expect(card).toContainText("Next: line 18, warp 0 of block 0.");
  await card.getByRole("button", { name: "Clear all" }).click();
  await expect(breakpoints).toHaveCount(0);
  // A source that replaces the previous source has no breakpoints.
  await card.getByRole("button", { name: "at cursor" }).click();
  await expect(breakpoints).toHaveCount(1);
  await paste(page, "//@ launch grid=1 block=1\nst.global.u32 [p], 7;\n");
  await expect(breakpoints).toHaveCount(0);
});

test("editing an initial value of a cell, parameter or register updates its annotation", async ({ page }) => {
  await open(page);
  await paste(page, `//@ launch grid=1 block=32
//@ buffer x: f32[64] = 0
//@ buffer out: f32[32] = 0
//@ scalar n: s32 = 3
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 out, .param .s32 n)
{
    .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<6>;
    .shared .f32 tile[32];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [out];
    ld.param.s32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    cvt.rn.f32.s32 %f2, %r1;
    mul.f32 %f3, %f1, %f2;
    st.global.f32 [%rd5], %f3;
    ret;
}
`);
  await expect.poll(() => cells(page, "out")).toHaveLength(32);
  await ready(page);
  await press(page, "Run to end");
  await page.getByRole("group", { name: /^x, grid of/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const card = page.getByRole("region", { name: "Cell" });
  const field = card.getByRole("textbox", { name: "Initial value" });
  await expect(field).toHaveValue("0.0");
  await field.fill("seven");
  await field.press("Enter");
  await expect(card.getByRole("alert")).toContainText("Found seven, expected a number or bit pattern");
  await field.fill("1.5");
  await field.press("Enter");
  const source = page.getByRole("textbox", { name: "PTX source" });
  await expect(source).toContainText("//@ buffer x: f32[64] = 0, 1.5");
  await expect.poll(async () => (await cells(page, "out"))[1]).toBe("4.5");
  await expect(field).toHaveValue("1.5");
  await expect(field).toBeFocused();
  // The launch panel shows the parameter.
  await page.getByText("<<<1, 32>>>").click();
  const n = page.getByRole("textbox", { name: "Value of n" });
  await expect(n).toHaveValue("3");
  await n.fill("-2");
  await n.press("Enter");
  await expect(source).toContainText("//@ scalar n: s32 = -2");
  await expect.poll(async () => (await cells(page, "out"))[1]).toBe("-3.0");
  // Each edit is a single change that the user can undo.
  await page.keyboard.press("Escape");
  await source.click();
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("ControlOrMeta+z");
  await expect(source).toContainText("//@ buffer x: f32[64] = 0");
  await expect(source).not.toContainText("1.5");
  await ready(page);
  // If no annotation can set a value, the card explains the reason.
  await page.getByRole("group", { name: /^shared memory of block/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(card).toContainText("Shared memory cannot have an initial value");
});

test("initial value typed before the write history arrives is not overwritten", async ({ page }) => {
  await open(page);
  await paste(page, `//@ launch grid=1 block=32
//@ buffer x: u32[64] = iota
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r1;
    ret;
}
`);
  await expect.poll(() => cells(page, "x")).toHaveLength(64);
  await ready(page);
  // The test enters the value as soon as the field exists, before the worker sends the history.
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      const field = document.querySelector<HTMLInputElement>('input[aria-label="Initial value"]');
      if (field) {
        observer.disconnect();
        field.dataset.before = field.value;
        field.value = "77";
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole("group", { name: /^x, grid of/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const card = page.getByRole("region", { name: "Cell" });
  const value = card.getByRole("textbox", { name: "Initial value" });
  await expect(card).not.toContainText("Searching for stores");
  await expect(value).toHaveAttribute("data-before", "");
  await expect(value).toHaveValue("77");
  await value.press("Enter");
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("//@ buffer x: u32[64] = 77, 1, 2,");
});

test("buffer is initialized by a rule and displayed with another element type", async ({ page }) => {
  await open(page);
  await paste(page, `//@ launch grid=1 block=32
//@ buffer x: u32[2048] = 0
//@ buffer out: u32[32] = 0
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd3, %r1, 4, %rd1;
    mad.wide.u32 %rd4, %r1, 4, %rd2;
    ld.global.u32 %r2, [%rd3];
    st.global.u32 [%rd4], %r2;
    ret;
}
`);
  await expect.poll(() => cells(page, "out")).toHaveLength(32);
  await ready(page);
  await press(page, "Run to end");
  await page.getByText("<<<1, 32>>>").click();
  const source = page.getByRole("textbox", { name: "PTX source" });
  await page.getByRole("combobox", { name: "Initial contents of x" }).selectOption({ label: "0, 1, 2, …" });
  await expect(source).toContainText("//@ buffer x: u32[2048] = iota");
  await expect.poll(async () => (await cells(page, "out"))[5]).toBe("5");
  await page.getByRole("combobox", { name: "Initial contents of x" }).selectOption({ label: "random" });
  await expect(source).toContainText("//@ buffer x: u32[2048] = random 1");
  await page.keyboard.press("Escape");
  await ready(page);
  // The test sets a single cell of a long buffer in addition to the initialization rule.
  await page.getByRole("group", { name: /^x, grid of/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const card = page.getByRole("region", { name: "Cell" });
  const value = card.getByRole("textbox", { name: "Initial value" });
  await value.fill("0x40003f80");
  await value.press("Enter");
  await expect(source).toContainText("//@ buffer x: u32[2048] = random 1 [0]=0x40003f80");
  await expect.poll(async () => (await cells(page, "out"))[0]).toBe(String(0x40003f80));
  await page.locator(".card[data-memory=out]").getByRole("combobox", { name: "Element type" }).selectOption("bf16x2");
  await expect.poll(async () => (await cells(page, "out"))[0]).toBe("1.0 2.0");
});
