// Tests the view for litmus tests. The view lists every outcome, draws an execution graph, shows the axiom that forbids an outcome, and
// applies a fix to the test.
import { expect, test, type Page } from "@playwright/test";
import { open } from "./playground";

const litmusView = (page: Page) => page.getByRole("region", { name: "Litmus tests" });
const allowedOutcomes = (page: Page) => litmusView(page).getByRole("group", { name: "Allowed outcomes" });
const forbiddenOutcomes = (page: Page) => litmusView(page).getByRole("group", { name: "Forbidden outcomes" });

test("weak message passing lists an outcome that is not sequentially consistent, and a fix forbids it", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Memory model" }).click();
  await expect(allowedOutcomes(page).getByRole("button")).toHaveCount(4);
  await expect(allowedOutcomes(page).getByRole("button", { name: "not sequentially consistent" })).toHaveCount(1);
  await expect(litmusView(page).getByRole("img", { name: /is read by thread 1 read x: 0/ })).toBeVisible();
  await litmusView(page).getByRole("button", { name: "Find weakest fixes" }).click();
  const fixes = litmusView(page).getByRole("region", { name: "Fixes" });
  await expect(fixes.getByRole("listitem")).toHaveCount(5);
  await fixes.getByRole("button", { name: "Apply to test" }).first().click();
  await expect(litmusView(page).getByRole("textbox")).toHaveValue(/st\.release\.gpu\.global\.u32 \[flag\], 1;/);
  await expect(forbiddenOutcomes(page).getByRole("button")).toHaveCount(1);
  await forbiddenOutcomes(page).getByRole("button").click();
  await expect(litmusView(page).getByRole("region", { name: "Execution" })).toContainText("in causality order");
});

test("unknown litmus test of a link is reported", async ({ page }) => {
  await page.goto("/#outcomes=xyz");
  await expect(page.getByRole("alert")).toContainText("unknown litmus test “xyz” in the link");
});

test("link opens a litmus test, a syntax error names its line, and the tab Run closes the view", async ({ page }) => {
  await page.goto("/#litmus=async-proxy");
  await expect(allowedOutcomes(page).getByRole("button")).toHaveCount(2);
  await litmusView(page).getByRole("textbox").fill("//@ location x: u32 = 0\n//@ thread\nld.global.u33 %r0, [x];\n//@ observe 0:%r0\n");
  await expect(litmusView(page).getByRole("alert")).toContainText("line 3");
  await expect(page).toHaveURL(/#litmus\?text=/);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(litmusView(page)).toHaveCount(0);
});
