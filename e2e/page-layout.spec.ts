// Tests the regions of the page: the tabs of the header, the session history, and the grids and thumbnails of the stage.
import { expect, test, type Page } from "@playwright/test";
import { open, paste, pick, press, ready, text } from "./playground";

const exampleList = (page: Page) => page.getByRole("combobox", { name: "Example" });
const stageTab = (page: Page, name: string) => page.getByRole("navigation", { name: "Stage" }).getByRole("button", { name, exact: true });
const thumbnails = (page: Page) => page.getByRole("group", { name: "Other memories" }).locator("section");

/** Kernel that writes to two buffers, each of which fills the stage. */
const TWO_LONG_BUFFERS = `//@ launch grid=1 block=32
//@ buffer first: u32[512] = 0
//@ buffer second: u32[512] = 0
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 first, .param .u64 second)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [first];
    ld.param.u64 %rd2, [second];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd1, %rd1, %rd3;
    add.u64 %rd2, %rd2, %rd3;
    st.global.u32 [%rd1], %r1;
    st.global.u32 [%rd2], %r1;
    ret;
}
`;

test("Back returns to the previous view and to the previous example, and Forward repeats both", async ({ page }) => {
  await open(page);
  await pick(page, "Predicated store");
  await stageTab(page, "Layouts").click();
  await expect(page.getByRole("region", { name: "Layout Explorer" })).toBeVisible();
  await expect(stageTab(page, "Layouts")).toHaveAttribute("aria-current", "page");
  await page.getByRole("combobox", { name: "Type" }).first().selectOption({ index: 1 });
  await stageTab(page, "Memory model").click();
  await expect(page.getByRole("region", { name: "Litmus tests" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("region", { name: "Layout Explorer" })).toBeVisible();
  await page.goBack();
  await expect(stageTab(page, "Run")).toHaveAttribute("aria-current", "page");
  await expect(exampleList(page)).toHaveValue("guarded-store");
  await page.goBack();
  await expect(exampleList(page)).toHaveValue("row-and-column-stores");
  await ready(page);
  await page.goForward();
  await expect(exampleList(page)).toHaveValue("guarded-store");
  await page.goForward();
  await expect(page.getByRole("region", { name: "Layout Explorer" })).toBeVisible();
});

test("Back restores the edited kernel after an example", async ({ page }) => {
  await open(page);
  await paste(page, TWO_LONG_BUFFERS);
  await ready(page);
  await pick(page, "Predicated store");
  await page.goBack();
  await expect.poll(() => text(page)).toBe(TWO_LONG_BUFFERS);
});

test("stage shows the memory of the current store, and the other memory as a thumbnail", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 760 });
  await open(page);
  await paste(page, TWO_LONG_BUFFERS);
  await ready(page);
  await expect(thumbnails(page)).toHaveCount(1);
  await expect(thumbnails(page)).toHaveAccessibleName("second");
  await press(page, "Next store");
  await expect(thumbnails(page)).toHaveAccessibleName("first");
  await page.getByRole("button", { name: "first", exact: true }).click();
  await expect(thumbnails(page)).toHaveCount(0);
  // A wide window shows both memories side by side.
  await page.setViewportSize({ width: 2560, height: 1300 });
  await page.reload();
  await ready(page);
  await expect(thumbnails(page)).toHaveCount(0);
  const boxes = await Promise.all(["first", "second"].map((name) => page.getByRole("region", { name, exact: true }).boundingBox()));
  expect(boxes[0]!.y).toBe(boxes[1]!.y);
  expect(boxes[0]!.width).toBe(boxes[1]!.width);
});

test("target, version and launch are not truncated at 1280 pixels", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page);
  await paste(page, TWO_LONG_BUFFERS.replace("block=32", "block=32x8 shared=4096"));
  await ready(page);
  const launch = page.locator("header .launch:not(.js-popover) > summary");
  await expect(launch).toHaveText(/<<<1, 32 × 8, 4096>>>/);
  const isTruncated = (element: Element) => element.scrollWidth > element.clientWidth;
  expect(await launch.evaluate(isTruncated)).toBe(false);
  const last = (await page.getByRole("button", { name: "Help and keyboard shortcuts" }).boundingBox())!;
  expect(last.x + last.width).toBeLessThanOrEqual(1280);
});

test("kernel without memory shows its registers, and a wide header wraps", async ({ page }) => {
  await open(page);
  await paste(page, "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 7;\n");
  await ready(page);
  await press(page, "Run to end");
  const stage = page.getByRole("region", { name: /^Register %r/ });
  await expect(stage).toHaveCount(2);
  await expect(stage.first().getByRole("listitem").nth(31)).toContainText("31");
  await expect(stage.nth(1)).toContainText("in 32 lanes");
  await press(page, "Step back one instruction");
  await expect(stage).toHaveCount(1);
  await expect(stage).toContainText("written by this step");
  const help = (await page.getByRole("button", { name: "Help and keyboard shortcuts" }).boundingBox())!;
  expect(help.x + help.width).toBeLessThanOrEqual(1440);
});
