// A person asks what a few threads may do: every outcome is listed, an execution is drawn, a forbidden one has its axiom, and a repair rewrites the test.
import { expect, test, type Page } from "@playwright/test";
import { open } from "./playground";

const view = (page: Page) => page.getByRole("region", { name: "Outcomes" });
const allowed = (page: Page) => view(page).getByRole("group", { name: "Allowed outcomes" });
const forbidden = (page: Page) => view(page).getByRole("group", { name: "Forbidden outcomes" });

test("weak message passing shows the outcome that no interleaving reaches, and a repair forbids it", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Outcomes" }).click();
  await expect(allowed(page).getByRole("button")).toHaveCount(4);
  await expect(allowed(page).getByRole("button", { name: "no interleaving" })).toHaveCount(1);
  await expect(view(page).getByRole("img", { name: /is read by thread 1 read x: 0/ })).toBeVisible();
  await view(page).getByRole("button", { name: "Find the weakest repairs" }).click();
  const repairs = view(page).getByRole("region", { name: "Repairs" });
  await expect(repairs.getByRole("listitem")).toHaveCount(5);
  await repairs.getByRole("button", { name: "Rewrite" }).first().click();
  await expect(view(page).getByRole("textbox")).toHaveValue(/st\.release\.gpu\.global\.u32 \[flag\], 1;/);
  await expect(forbidden(page).getByRole("button")).toHaveCount(1);
  await forbidden(page).getByRole("button").click();
  await expect(view(page).getByRole("region", { name: "Execution" })).toContainText("in causality order");
});

test("an address opens a test, a mistake is named with its line, and Escape leads back", async ({ page }) => {
  await page.goto("/#outcomes=async-proxy");
  await expect(allowed(page).getByRole("button")).toHaveCount(2);
  await view(page).getByRole("textbox").fill("//@ location x: u32 = 0\n//@ thread\nld.global.u33 %r0, [x];\n//@ observe 0:%r0\n");
  await expect(view(page).getByRole("alert")).toContainText("line 3");
  await expect(page).toHaveURL(/#outcomes\?text=/);
  await view(page).getByRole("button", { name: "Back to the kernel" }).click();
  await expect(view(page)).toHaveCount(0);
});
