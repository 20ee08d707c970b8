// Tests the cards for access costs, for threads that wait for an mbarrier, for the blocks of a cluster, and for other schedules.
import { expect, test } from "@playwright/test";
import { cells, open, openAnalysis, paste, pick, ready } from "./playground";

const SCHEDULE_DEPENDENT_KERNEL = `//@ launch grid=1 block=64
//@ buffer out: u32[4] = 9
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %a;
    ld.param.u64 %a, [out];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    st.global.u32 [%a+4], %r2;
    ret;
}
`;

test("access costs are shown at their lines and linked from the memory traffic card", async ({ page }) => {
  await open(page);
  await pick(page, "Bank conflicts and padding");
  const costMarkers = page.locator(".cm-costs span");
  await expect(costMarkers.filter({ hasText: "×32" })).toHaveAttribute("title", /32 wavefronts of shared memory, 1 ideal/);
  await expect(costMarkers.filter({ hasText: /^×1$/ })).toHaveCount(2);
  await openAnalysis(page);
  const traffic = page.getByRole("region", { name: "Memory traffic" });
  await expect(traffic).toContainText("31 bank conflicts");
  await traffic.getByRole("row", { name: /32 wavefronts/ }).getByRole("button").click();
  await expect(page.getByRole("textbox", { name: "PTX source" })).toBeFocused();
  // After an edit, the source has different access costs or no access costs.
  await paste(page, "// nothing yet\n");
  await expect(costMarkers).toHaveCount(0);
});

test("two schedules with different results are compared, and either can be selected", async ({ page }) => {
  await open(page);
  await paste(page, SCHEDULE_DEPENDENT_KERNEL);
  await ready(page);
  await openAnalysis(page);
  const scheduleCard = page.getByRole("region", { name: "Schedules" });
  await expect(scheduleCard).toContainText("Result depends on the schedule");
  await expect(scheduleCard).toContainText("out[1]");
  await page.getByRole("status").click();
  await page.keyboard.press("End");
  await expect(page.getByRole("status")).toHaveText(/finished/);
  const resultBefore = (await cells(page, "out"))[1];
  await scheduleCard.getByRole("button", { name: "Switch to this schedule" }).click();
  await ready(page);
  await expect.poll(async () => (await cells(page, "out"))[1]).not.toBe(resultBefore);
  await expect(scheduleCard.getByRole("button", { name: "Switch to this schedule" })).toHaveCount(1);
});

test("blocks of a cluster are shown side by side, and mbarriers list the waiting warps", async ({ page }) => {
  await open(page);
  await pick(page, "Asynchronous stores within a cluster");
  const cluster = page.getByRole("region", { name: "Cluster" });
  await expect(cluster.getByRole("heading", { name: /^rank / })).toHaveText(["rank 0", "rank 1", "rank 2", "rank 3"]);
  await pick(page, "mbarrier deadlock");
  await page.getByRole("status").click();
  await page.keyboard.press("End");
  await ready(page);
  const mbarriers = page.getByRole("region", { name: "Mbarriers" });
  await expect(mbarriers).toContainText("40 of 64 arrivals");
  await expect(mbarriers).toContainText("warp 1 waits for phase parity 0");
  await mbarriers.getByRole("button", { name: "warp 1" }).click();
  await expect(page.getByRole("heading", { name: /^Warp 1/ })).toBeVisible();
});

test("buffer of 1 GiB can be opened, run and displayed", async ({ page }) => {
  await open(page);
  await paste(page, SCHEDULE_DEPENDENT_KERNEL.replace("u32[4] = 9", "u32[268435456] = 9").replace("%a+4", "%a+1073741820"));
  await ready(page);
  await expect(page.getByRole("group", { name: /^out, grid of/ })).toBeVisible();
  await page.getByRole("status").click();
  await page.keyboard.press("End");
  await expect(page.getByRole("status")).toContainText("finished");
  expect((await cells(page, "out"))[0]).toBe("9");
});
