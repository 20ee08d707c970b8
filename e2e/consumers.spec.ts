// Tests pages of other projects that build tools have bundled with the packed package (crates/wasm/consumers). Each page uses the package
// in the page and in a worker. Tools that are not installed are skipped by name.
import { expect, test } from "@playwright/test";
import { existsSync } from "node:fs";

const tools = { "no tool": "plain", esbuild: "esbuild", Vite: "vite", "Vite, with the wasm as a module": "vite-modules", webpack: "webpack" };

for (const [tool, folder] of Object.entries(tools)) {
  test(`${tool} bundle runs the npm package, also in a worker, and renders a widget`, async ({ page }) => {
    test.skip(!existsSync(new URL(`../target/consumers/${folder}`, import.meta.url)), `${tool} has built no page here`);
    const wasm: number[] = [];
    page.on("response", (response) => { if (response.url().endsWith(".wasm")) wasm.push(response.status()); });
    await page.goto(`/consumers/${folder}/`);
    const expectedResult = JSON.stringify({ accept: true, sum: 496, isClass: true, code: "W0901" });
    await expect(page.locator("#page")).toHaveText(expectedResult);
    await expect(page.locator("#worker")).toHaveText(expectedResult);
    // The page finds the widget files by the names that the build tool assigns.
    const [ptx, sass] = [page.locator("warpgrid-playground").first(), page.locator("warpgrid-playground").last()];
    await expect(ptx.getByRole("cell", { name: "31 lane 31", exact: true })).toBeVisible();
    await expect(sass.getByRole("status")).toContainText("STS");
    expect(wasm.every((status) => status === 200)).toBe(true);
  });
}
