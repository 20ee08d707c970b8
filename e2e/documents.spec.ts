// Tests small documents that contain a live snippet and that documentation tools have built (docs/hosts). Tools that are not installed are
// skipped by name.
import { expect, test } from "@playwright/test";
import { existsSync } from "node:fs";

const pages = { mdBook: "mdbook/stores.html", Sphinx: "sphinx/index.html", MkDocs: "mkdocs/index.html", "markdown-it": "markdown-it/stores.html", Vue: "markdown-it/vue.html", MDX: "mdx/stores.html", Docusaurus: "docusaurus/index.html" };

for (const [tool, path] of Object.entries(pages)) {
  test(`${tool} document steps through its recording and runs edited source`, async ({ page }) => {
    test.skip(!existsSync(new URL(`../target/hosts/${path}`, import.meta.url)), `${tool} has built no document here`);
    const [requestedUrls, pageErrors]: string[][] = [[], []];
    // Themes load external fonts and scripts, which a test cannot access.
    const isLocal = (url: string) => url === "" || (new URL(url).host === new URL(page.url()).host && !url.endsWith("favicon.ico"));
    page.on("console", (message) => { if (message.type() === "error" && isLocal(message.location().url)) pageErrors.push(message.text()); });
    page.on("request", (request) => requestedUrls.push(new URL(request.url()).pathname.split("/").pop() ?? ""));
    await page.goto(`/hosts/${path}`);
    const widget = page.getByRole("region", { name: "PTX playground" });
    await expect(widget.getByText("step 2 of 3")).toBeVisible();
    await expect(widget.getByRole("cell", { name: "31 lane 31", exact: true })).toBeVisible();
    expect(requestedUrls).not.toContain("core_ptx_bg.wasm");
    await widget.getByRole("button", { name: "Edit" }).click();
    await widget.getByRole("textbox", { name: "PTX source" }).fill("st.global.u32 [p], 6;");
    await expect(widget.getByRole("cell", { name: "6 lane 31", exact: true })).toBeVisible();
    // The installed versions of Docusaurus and React render their pages twice (React error 418), even without a widget.
    if (tool !== "Docusaurus") expect(pageErrors).toEqual([]);
  });

  test(`${tool} document shows source and grid without JavaScript`, async ({ browser }) => {
    test.skip(!existsSync(new URL(`../target/hosts/${path}`, import.meta.url)), `${tool} has built no document here`);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`/hosts/${path}`);
    await expect(page.locator(".warpgrid-snapshot pre code")).toContainText("st.global.u32 [p], %t;");
    await expect(page.locator(".warpgrid-snapshot td.lane-31")).toHaveText("31");
    await context.close();
  });
}

for (const [tool, path] of Object.entries(pages).filter(([tool]) => tool !== "Docusaurus")) {
  test(`${tool} document shows its layout diagram without JavaScript`, async ({ browser }) => {
    test.skip(!existsSync(new URL(`../target/hosts/${path}`, import.meta.url)), `${tool} has built no document here`);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`/hosts/${path}`);
    await expect(page.getByRole("img", { name: "Swizzle<2,0,3> o (8,8):(8,1): 64 elements at offsets 0 to 63" })).toBeVisible();
    await context.close();
  });
}

test("Docusaurus widgets keep working across client-side navigation", async ({ page }) => {
  test.skip(!existsSync(new URL("../target/hosts/docusaurus", import.meta.url)), "Docusaurus has built no document here");
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(error.message));
  await page.goto("/hosts/docusaurus/");
  const widget = page.getByRole("region", { name: "PTX playground" });
  await expect(widget.getByText("step 2 of 3")).toBeVisible();
  // The browser loads no new page, because the site replaces the document in place.
  await page.evaluate(() => { (globalThis as any).isSamePage = true; });
  await page.getByRole("link", { name: "Next: loads" }).click();
  await expect(page.getByRole("heading", { name: "Loads", exact: true })).toBeVisible();
  await expect(widget.getByRole("cell", { name: "31 lane 31", exact: true }).first()).toBeVisible();
  await widget.getByRole("button", { name: "Step back" }).click();
  await page.getByRole("link", { name: "Previous: stores" }).click();
  await expect(widget.getByText("step 2 of 3")).toBeVisible();
  expect(await page.evaluate(() => (globalThis as any).isSamePage)).toBe(true);
  expect(pageErrors).toEqual([]);
});
