// The panel above the transport: the list of all findings, and the timeline of the run.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { open, paste, pick, press, ready } from "./playground";

const read = (name: string) => readFileSync(`crates/view/tests/source_lines/${name}`, "utf8");
const LAUNCH = "//@ launch grid=1 block=32x8\n//@ scalar w: s32 = 32\n//@ scalar h: s32 = 32\n";
const panel = (page: Page) => page.getByRole("region", { name: "Findings, timeline and analysis" });
const button = (page: Page, name: string) => page.getByRole("group", { name: "Panels" }).getByRole("button", { name, exact: false });

test("findings list races and conflicts of all kernels with links and filters", async ({ page }) => {
  await open(page);
  await paste(page, `${LAUNCH}${read("transpose.ptx")}`);
  await ready(page);
  await button(page, "Findings").click();
  const findings = panel(page);
  await expect(findings.locator(".findings-verdict")).toContainText("clean No errors and no warnings.");
  const conflict = findings.getByRole("listitem").filter({ hasText: "bank conflict" }).last();
  await expect(conflict).toContainText("transpose.cu:16");
  await conflict.getByRole("button", { name: "Details" }).click();
  const selected = findings.locator("[aria-current=true]");
  await expect(selected).toContainText("transpose.cu:16");
  const card = selected.getByRole("region", { name: "Bank conflicts" });
  await expect(card).toBeVisible();
  await expect(selected.getByRole("region", { name: "Memory traffic" })).toBeHidden();
  await findings.getByRole("tab", { name: "Analysis" }).click();
  await expect(findings.getByRole("region", { name: "Memory traffic" })).toBeVisible();
  await findings.getByRole("tab", { name: "Findings" }).click();
  await expect(card).toBeVisible();
  await findings.getByRole("list", { name: "Findings" }).press("ArrowDown");
  await expect(selected).toHaveCount(1);
  await selected.getByRole("button", { name: "line", exact: false }).first().click();
  await findings.getByRole("button", { name: /^performance \d/ }).click();
  await expect(findings.getByText("bank conflict")).toHaveCount(0);
  const results = await new AxeBuilder({ page }).include(".bottom-panel").analyze();
  expect(results.violations).toEqual([]);
});

// Each philosopher takes the left fork and then the right fork. The schedules of the analysis complete.
const PHILOSOPHERS = `//@ launch grid=5 block=1
//@ buffer forks: u32[5] = 0
.version 8.6
.target sm_90
.address_size 64
.visible .entry dine(.param .u64 forks)
{
    .reg .pred %p;
    .reg .b32 %left, %right, %old;
    .reg .b64 %forks, %l, %r;
    ld.param.u64 %forks, [forks];
    mov.u32 %left, %ctaid.x;
    add.u32 %right, %left, 1;
    rem.u32 %right, %right, 5;
    mad.wide.u32 %l, %left, 4, %forks;
    mad.wide.u32 %r, %right, 4, %forks;
TAKE_LEFT:
    atom.acquire.gpu.global.exch.b32 %old, [%l], 1;
    setp.ne.u32 %p, %old, 0;
    @%p bra TAKE_LEFT;
TAKE_RIGHT:
    atom.acquire.gpu.global.exch.b32 %old, [%r], 1;
    setp.ne.u32 %p, %old, 0;
    @%p bra TAKE_RIGHT;
    st.release.gpu.global.u32 [%r], 0;
    st.release.gpu.global.u32 [%l], 0;
    ret;
}
`;

test("exploration of all schedules finds a rare deadlock, plays it, and proves the corrected kernel", async ({ page }) => {
  await open(page);
  await paste(page, PHILOSOPHERS);
  await ready(page);
  await button(page, "No findings").click();
  const findings = panel(page);
  const schedules = findings.getByRole("region", { name: "All schedules" });
  await schedules.getByRole("button", { name: "Explore all schedules" }).click();
  await expect(schedules).toContainText("A schedule has an error: thread 0 of block 0 polls forks+4");
  await schedules.getByRole("button", { name: "Play this schedule" }).click();
  await ready(page);
  await expect(findings.getByRole("listitem").filter({ hasText: "hang" }).last()).toContainText("no remaining thread writes");
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("grid=5 block=1 schedule=0.0:");
  // The last philosopher takes the forks in the opposite order.
  const ordered = PHILOSOPHERS.replaceAll("5", "3").replace(/ rem.u32 .*\n/, (line) => `${line}    min.u32 %old, %left, %right;\n    max.u32 %right, %left, %right;\n    mov.u32 %left, %old;\n`);
  await paste(page, ordered);
  await ready(page);
  await schedules.getByRole("button", { name: "Explore all schedules" }).click();
  await expect(schedules).toContainText("Clean in every schedule");
  const results = await new AxeBuilder({ page }).include(".bottom-panel").analyze();
  expect(results.violations).toEqual([]);
});

test("fix of a finding changes the kernel and clears the finding", async ({ page }) => {
  await open(page);
  await paste(page, "//@ launch grid=1 block=64\n//@ buffer out: u32[64] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry swap(.param .u64 out)\n{\n.reg .b32 %t, %s, %v; .reg .b64 %p;\n.shared .u32 tile[64];\nmov.u32 %t, %tid.x;\nmov.u32 %s, tile;\nmad.lo.u32 %s, %t, 4, %s;\nst.shared.u32 [%s], %t;\nxor.b32 %s, %s, 128;\nld.shared.u32 %v, [%s];\nld.param.u64 %p, [out];\nmad.wide.u32 %p, %t, 4, %p;\nst.global.u32 [%p], %v;\nret;\n}\n");
  await ready(page);
  await button(page, "Findings").click();
  const findings = panel(page);
  await expect(findings.locator(".findings-verdict")).toContainText("findings");
  await page.keyboard.press("F8");
  await expect(findings.getByRole("list", { name: "Changes of the fix" })).toContainText("bar.sync 0;");
  await expect(findings.locator("[aria-current=true]").getByRole("region", { name: "Data races" })).toBeVisible();
  await findings.getByRole("button", { name: "Apply fix" }).first().click();
  await expect(findings.locator(".findings-verdict")).toContainText("clean", { timeout: 15_000 });
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("bar.sync 0;");
  await expect(page.locator(".fix-report")).toContainText(/^Fix applied\. Before: .+ Now: (No findings|\d+ performance)\.$/);
});

test("transport shows the number of findings, and F8 moves through them", async ({ page }) => {
  await open(page);
  await pick(page, "mbarrier deadlock");
  await ready(page);
  await expect(button(page, "Findings")).toHaveText("1 error", { timeout: 15_000 });
  await expect(button(page, "Findings")).toHaveAccessibleName("Findings: 1 error");
  await page.keyboard.press("F8");
  await expect(panel(page).locator("[aria-current=true]")).toContainText("wait for the mbarrier");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);
});

test("findings of a source that cannot run are counted", async ({ page }) => {
  await open(page);
  await paste(page, ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { st.global.u32 [%rd1], 1; ret; }\n");
  await expect(button(page, "Findings")).toHaveText("1 error", { timeout: 15_000 });
  await button(page, "Findings").click();
  await expect(panel(page).locator(".findings-verdict")).toContainText("error The kernel cannot run.");
  await button(page, "Timeline").click();
  await expect(panel(page).locator(".timeline .status-text")).toHaveClass(/bad/);
});

test("timeline shows the hang of a kernel and goes to the step of a span", async ({ page }) => {
  await open(page);
  await pick(page, "mbarrier deadlock");
  await ready(page);
  await button(page, "Timeline").click();
  const timeline = panel(page).locator(".timeline");
  const status = timeline.locator(".status-text");
  await expect(status).toContainText("17 steps, 4 tracks");
  await timeline.locator(".scroller").focus();
  await page.keyboard.press("ArrowRight");
  await expect(status).toContainText("warp 0, steps 0 to 4 (5): runs with all lanes");
  await page.keyboard.press("ArrowRight");
  await expect(status).toContainText("warp 0, steps 5 to 9 (5): waits at barrier 0 · line 20 bar.sync 0;");
  await page.keyboard.press("Enter");
  await expect(page.locator("footer")).toContainText("step 6 of 17");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(status).toContainText("bar, from step 3, never ends: phase 0 (parity 0): 40 arrivals; 24 arrivals pending");
  const results = await new AxeBuilder({ page }).include(".bottom-panel").analyze();
  expect(results.violations).toEqual([]);
});

test("timeline is zoomed by keyboard and pointer, filtered by block, and exported", async ({ page }) => {
  await open(page);
  await pick(page, "Asynchronous stores within a cluster");
  await ready(page);
  await button(page, "Timeline").click();
  const timeline = panel(page).locator(".timeline");
  const status = timeline.locator(".status-text");
  await expect(status).toContainText("124 steps, 13 tracks");
  await panel(page).getByRole("combobox", { name: "Blocks" }).selectOption("block 1");
  await expect(status).toContainText("124 steps, 3 tracks");
  const box = (await timeline.locator(".scroller").boundingBox())!;
  // The first third of the first track is the wait of warp 0 at the barrier of the cluster.
  await page.mouse.move(box.x + 132 + (box.width - 132) * 25 / 124, box.y + 28);
  await expect(status).toContainText("waits at the barrier of the cluster");
  await page.mouse.down();
  await page.mouse.up();
  await expect(page.locator("footer")).toContainText(/step 2[4-7] of 124/);
  await timeline.locator(".scroller").focus();
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await expect(status).toContainText("124 steps");
  const download = page.waitForEvent("download");
  await panel(page).getByRole("button", { name: "Export trace" }).click();
  const trace = JSON.parse(readFileSync(await (await download).path(), "utf8"));
  expect(trace.traceEvents.filter((event: { ph: string }) => event.ph === "X").length).toBeGreaterThan(30);
});

test("timeline follows the edited kernel", async ({ page }) => {
  await open(page);
  await pick(page, "mbarrier deadlock");
  await ready(page);
  await button(page, "Timeline").click();
  const status = panel(page).locator(".timeline .status-text");
  await expect(status).toContainText("17 steps");
  await paste(page, "//@ launch grid=1 block=32\n.version 8.0\n.target sm_80\n.address_size 64\n.entry k() { bar.sync 0; ret; }\n");
  await expect(status).toContainText("2 steps, 2 tracks");
  await press(page, "Next store");
  await expect(status).toContainText("2 steps, 2 tracks");
});
