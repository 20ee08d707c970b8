// Tests the response of the page to invalid input, from a misspelled modifier to unsupported targets.
import { expect, test } from "@playwright/test";
import { cells, open, paste, pick, ready } from "./playground";

test("misspelled modifier is reported, and its fix can be applied", async ({ page }) => {
  await open(page);
  const originalCells = await cells(page, "rows");
  await page.locator(".tok-modifier", { hasText: ".global" }).first().dblclick();
  await page.keyboard.insertText("globl");
  const problems = page.getByRole("region", { name: "Problems" });
  await expect(problems).toContainText("1 error");
  // The page dims the last run, but still shows its memory.
  await expect(page.locator(".right.stale")).toBeVisible();
  expect(await cells(page, "rows")).toEqual(originalCells);
  await problems.locator("button.action-button").first().click();
  await expect(problems).toContainText("No source errors");
  await ready(page);
});

test("selecting another target reports the instructions that it does not support", async ({ page }) => {
  await open(page);
  await pick(page, "128-bit register stores");
  await page.getByRole("combobox", { name: "Target" }).selectOption("sm_60");
  await expect(page.getByRole("region", { name: "Problems" })).toContainText(/error/);
  await page.getByRole("combobox", { name: "Target" }).selectOption("");
  await ready(page);
});

test("fix of the module header takes effect even if the target is overridden", async ({ page }) => {
  const registers = Array.from({ length: 8 }, () => "%r1").join(", ");
  await open(page);
  await paste(page, `.version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<2>; .reg .b64 %p;\nld.param.u64 %p, [p];\nst.global.v8.b32 [%p], {${registers}};\nret; }\n`);
  await ready(page);
  const target = page.getByRole("combobox", { name: "Target" });
  await target.selectOption("sm_90");
  const problems = page.getByRole("region", { name: "Problems" });
  await problems.getByRole("button", { name: /raise .*sm_100/ }).first().click();
  await expect(target).toHaveValue("");
  await expect(problems).toContainText("No source errors");
});

for (const [file, pattern] of [["the page's wasm", "**/warpgrid-web*.wasm"], ["the editor", "**/editor*.js"]] as const) {
  test(`failure to load ${file} shows an error and a retry button`, async ({ page }) => {
    await page.route(pattern, (route) => route.abort());
    await page.goto("/");
    const errorBanner = page.getByRole("alert");
    await expect(errorBanner).toContainText("Warpgrid failed to start");
    await page.unroute(pattern);
    await errorBanner.getByRole("button", { name: "Try again" }).click();
    await ready(page);
  });
}

test("failure to load the emulator is reported as such", async ({ page }) => {
  await page.route("**/start.js", (route) => route.abort());
  await page.goto("/");
  await expect(page.getByRole("alert")).toContainText(/failed to load the emulator/i);
  await expect(page.getByRole("region", { name: "Problems" })).toContainText("Not checked");
});

const header = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n";
const invalidSources: [string, string, RegExp][] = [
  ["an empty text", "", /Problems|no|nothing|empty|kernel/i],
  ["unbalanced braces", ".version 8.8\n.target sm_90\n.visible .entry k() {\n", /error/],
  ["a launch of 2^32 - 1 blocks", `//@ launch grid=4294967295 block=32\n${header}`, /grid.*4294967295|4294967295.*2147483647/],
  ["a buffer of 1 TB", `//@ buffer p: u8[1099511627776] = 0\n${header}`, /1099511627776|memory|bytes|TiB/],
  ["binary rubbish", "\u0001\u0002\ufffd\u0003MZ\u0000\ufffd\ufffd", /error/],
];
for (const [description, text, expectedMessage] of invalidSources) {
  test(`${description} is reported, and the page stays usable`, async ({ page }) => {
    await open(page);
    await page.evaluate((text) => (globalThis as any).warpgridEditor.setText(text), text);
    await page.waitForTimeout(400);
    await expect(page.getByRole("region", { name: "Problems" })).toContainText(expectedMessage);
    await pick(page, "Predicated store");
    expect((await cells(page, "out")).length).toBe(32);
  });
}

test("launch of 2^31 - 1 blocks is paused with a message, and the page stays responsive", async ({ page }) => {
  await open(page);
  await paste(page, `//@ launch grid=2147483647 block=32\n${header}`);
  await expect(page.getByText(/paused at step/)).toBeVisible();
  await pick(page, "Predicated store");
  expect((await cells(page, "out")).length).toBe(32);
});

test("line of 10 MB leaves the page responsive", async ({ page }) => {
  await open(page);
  await page.evaluate(() => (globalThis as any).warpgridEditor.setText(`// ${"x".repeat(10_000_000)}`));
  await page.waitForTimeout(800);
  const startTime = Date.now();
  await page.getByRole("button", { name: "Help and keyboard shortcuts" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  expect(Date.now() - startTime).toBeLessThan(2_000);
  await page.getByRole("button", { name: "Close" }).click();
  await pick(page, "Predicated store");
});

test("emulator load failure is reported, the source is kept, and a retry succeeds", async ({ page }) => {
  await page.route("**/start.js", (route) => route.fulfill({ contentType: "text/javascript", body: "throw new Error('gone')" }));
  await page.goto("/");
  const errorBanner = page.getByRole("alert");
  await expect(errorBanner).toContainText("gone");
  const editedSource = ".version 8.8\n.target sm_90\n.visible .entry k() { st.shred.u32 [0], 1; ret; }\n";
  await paste(page, editedSource);
  await expect(errorBanner).toBeVisible();
  await page.unroute("**/start.js");
  await errorBanner.getByRole("button", { name: "Try again" }).click();
  const problems = page.getByRole("region", { name: "Problems" });
  await expect(problems).toContainText("error");
  expect(await page.evaluate(() => (globalThis as any).warpgridEditor.text())).toBe(editedSource);
  await pick(page, "Predicated store");
  await expect(errorBanner).toHaveCount(0);
  expect((await cells(page, "out")).length).toBe(32);
});

test("fast typing ends with highlighting and diagnostics for the latest source", async ({ page }) => {
  await open(page);
  await paste(page, "");
  await page.locator(".cm-content").focus();
  await page.keyboard.type("// one\nst.global.u32 [p], 1; // two\nst.shred", { delay: 0 });
  await expect(page.locator(".tok-comment")).toHaveText(["// one", "// two"]);
  await expect(page.getByRole("region", { name: "Problems" })).toContainText("shred");
});
