// Tests the page without a network connection after a first visit, and the update to a newer build, which the page applies only on request.
import { type Page, expect, test } from "@playwright/test";
import { cells, open, paste, pick, ready } from "./playground";

test.use({ serviceWorkers: "allow" });

/** Waits until the service worker has cached the page for offline use. */
async function waitUntilCached(page: Page) {
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
}

test("page works offline after the first visit", async ({ page, context }) => {
  await open(page);
  await paste(page, "mov.u32 %t, %tid.x;\nst.global.u32 [mine], %t;\n");
  await waitUntilCached(page);
  await context.setOffline(true);
  await page.reload();
  await ready(page);
  await expect(page.getByRole("textbox", { name: "PTX source" })).toHaveText(/mine/);
  await page.keyboard.press("End");
  await ready(page);
  expect((await cells(page, "mine")).length).toBe(32);
  // The test opens an example that was not opened before, and uses the worker modules that the page loads later.
  await pick(page, "Vector stores: one, two or four elements per lane");
  await ready(page);
  await page.goto("/#lens?op=layout&expression=(8,4):(4,1)");
  await page.reload();
  await expect(page.getByText("(8,4):(4,1)").first()).toBeVisible();
  await page.goto("/?a=puzzle#learn=puzzle:21-four-in-one");
  await page.reload();
  await page.getByRole("button", { name: "Run and check" }).click();
  await expect(page.locator(".learn-verdict.incorrect")).toContainText("not written by any lane");
  await page.goto("/?from=a-link#litmus=message");
  await page.reload();
  await expect(page.getByText(/outcomes? (?:is|are)? ?allowed|allowed/i).first()).toBeVisible();
});

test("update is offered and applied on request", async ({ page, context, baseURL }) => {
  await open(page);
  await paste(page, "// mine\nst.global.u32 [p], 7;\n");
  await waitUntilCached(page);
  await page.reload();
  await ready(page);
  const updateBanner = page.getByRole("status").filter({ hasText: "A new version of Warpgrid" });
  await expect(updateBanner).toBeHidden();
  await context.addCookies([{ name: "build", value: "newer", url: baseURL ?? "" }]);
  await page.evaluate(async () => { await (await navigator.serviceWorker.getRegistration())?.update(); });
  await expect(updateBanner).toBeVisible({ timeout: 20_000 });
  await updateBanner.getByRole("button", { name: "Later" }).click();
  await expect(updateBanner).toBeHidden();
  await page.reload();
  await expect(updateBanner).toBeVisible({ timeout: 20_000 });
  const reloaded = page.waitForEvent("load");
  await updateBanner.getByRole("button", { name: "Reload" }).click();
  await reloaded;
  await ready(page);
  await expect(page.getByRole("textbox", { name: "PTX source" })).toHaveText(/\/\/ mine/);
  await page.waitForTimeout(4000);
  await expect(updateBanner).toBeHidden();
});

test("page is installable as an app", async ({ page, request }) => {
  await open(page);
  const manifestUrl = await page.locator("link[rel=manifest]").getAttribute("href");
  const manifest = await (await request.get(`/${manifestUrl}`)).json();
  expect(manifest).toMatchObject({ name: "Warpgrid", display: "standalone", start_url: "./" });
  for (const { src, type } of manifest.icons) {
    const icon = await request.get(`/${src}`);
    expect(icon.headers()["content-type"]).toBe(type);
  }
});
