// Tests the learning pages: the thumbnails, a tour, the puzzles, and the export of progress.
import { AxeBuilder } from "@axe-core/playwright";
import { readFile } from "node:fs/promises";
import { expect, test, type Page } from "@playwright/test";
import { cells, open, press, ready } from "./playground";

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Learn" });

/** Opens a view of the Learn dialog. */
async function learn(page: Page, view: string) {
  await page.getByRole("button", { name: "Learn", exact: true }).click();
  await dialogOf(page).getByRole("tab", { name: view }).click();
  return dialogOf(page);
}

/** Returns the axe violations in a part of the page. */
async function axeViolations(page: Page, part: string) {
  const results = await new AxeBuilder({ page }).include(part).analyze();
  return results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`);
}

test("learning material is loaded on demand", async ({ page }) => {
  const requestedFiles: string[] = [];
  page.on("request", (request) => requestedFiles.push(new URL(request.url()).pathname));
  await open(page);
  expect(requestedFiles.filter((path) => path.includes("learn"))).toEqual([]);
  await learn(page, "Examples");
  expect(requestedFiles.filter((path) => path.includes("learn")).map((path) => path.split("/").pop())).toEqual(["learn.js", "learn.json"]);
});

test("gallery lists chapters and thumbnails and opens an example", async ({ page }) => {
  await open(page);
  const dialog = await learn(page, "Examples");
  await expect(dialog.getByRole("navigation", { name: "Chapters" }).getByRole("button")).toHaveCount(13);
  // The page renders a thumbnail by running the example, and colors its cells by lane.
  const card = dialog.getByRole("listitem").filter({ hasText: "Coalesced and strided stores" });
  await expect(card.locator(".learn-diagram rect.lane-5").first()).toBeVisible();
  await dialog.getByRole("button", { name: /^Shared memory banks/ }).click();
  const swizzle = dialog.getByRole("button", { name: "XOR swizzle" });
  await expect(swizzle).toBeInViewport();
  await swizzle.click();
  await expect(dialog).toBeHidden();
  await ready(page);
  await expect(page.getByRole("combobox", { name: "Example" }).locator("option:checked")).toHaveText("XOR swizzle");
});

test("gallery of compiler bugs opens the comparison with an incorrect and a correct listing", async ({ page }) => {
  await open(page);
  const dialog = await learn(page, "Examples");
  await dialog.getByRole("button", { name: "Constants folded into a saturating addition (wrong)" }).click();
  const view = page.getByRole("region", { name: "Compare kernels" });
  await expect(view).toContainText("Different memory contents");
  await expect(view).toContainText("First differing values");
  await view.getByRole("button", { name: "Select both lines" }).click();
  await expect(view.getByRole("region", { name: "Kernel B" }).locator(".current")).toContainText("add.sat.s32");
  await page.goto("/#compare=miscompile-add-sat-right");
  await expect(view).toContainText("Identical memory contents");
  await expect(view).not.toContainText("First differing values");
});

test("tour follows the current step and highlights the objects that it names", async ({ page }) => {
  await open(page);
  const dialog = await learn(page, "Tours");
  await dialog.getByRole("button", { name: "Bank conflicts" }).click();
  const tour = page.getByRole("complementary", { name: "Tour: Bank conflicts" });
  await expect(tour.locator("[aria-current=step]")).toContainText("After line 19");
  const next = tour.getByRole("button", { name: "Next" });
  await expect(next).toBeFocused();
  await next.press("Enter");
  await next.press("Enter");
  await expect(tour.locator("[aria-current=step]")).toContainText("The warp stores the column");
  await expect(page.locator(".cm-line.line-done")).toContainText("st.shared.u32");
  // The page highlights the element of shared memory that the tour names.
  await tour.getByRole("button", { name: "shared:0[64] = 2" }).click();
  await expect(page.getByRole("region", { name: "Cell" })).toContainText("[64]");
  await tour.getByRole("button", { name: "wavefronts of line 23 = 32" }).click();
  await expect(page.locator(".cm-line.line-linked")).toContainText("st.shared.u32 [%at], %lane;");
  // The tour shows the text for a step that the user selects.
  await press(page, "Run to end");
  await expect(tour.locator("[aria-current=step]")).toContainText("One word of padding per row eliminates the conflicts");
  await press(page, "Go to start");
  await expect(tour.locator("[aria-current=step]")).toContainText("After line 19");
  // The link opens the tour.
  expect(page.url()).toContain("#learn=tour:bank-conflicts");
  await page.reload();
  await expect(tour).toBeVisible();
  // The selection of another source ends the tour.
  await page.getByRole("combobox", { name: "Example" }).selectOption({ label: "Little-endian byte order" });
  await expect(tour).toBeHidden();
});

test("coding puzzle reports the first wrong byte and persists the solved state", async ({ page }) => {
  await open(page);
  const dialog = await learn(page, "Puzzles");
  await expect(dialog.getByRole("heading", { name: /^Store the thread index/ })).toBeVisible();
  const lines = dialog.getByRole("textbox", { name: "Your code" });
  const verdict = dialog.locator(".learn-verdict");
  await lines.fill("mad.wide.u32 %rd2, %r4, 4, %rd1;\nst.global.u32 [%rd2], %r1;");
  await dialog.getByRole("button", { name: "Run and check" }).click();
  await expect(verdict).toHaveText("Found 0x00 in byte 128 of out (element 32), expected 0x20; written by lane 0 in line 18.");
  // The message of a syntax error contains the line.
  await lines.fill("st.global.u32 [%rd99], %r4;");
  await lines.press("Control+Enter");
  await expect(verdict).toContainText("Line 17: ");
  await dialog.getByRole("button", { name: "Hint 1 of 2" }).click();
  await expect(dialog.locator(".learn-hints")).toContainText("starts at byte 20");
  await dialog.getByRole("button", { name: "Hint 2 of 2" }).click();
  await dialog.getByRole("button", { name: "Show solution" }).click();
  await dialog.getByRole("button", { name: "Run and check" }).click();
  await expect(verdict).toHaveText("Correct: all bytes match in 2 launches.");
  await expect(dialog.getByText("1 of 40 solved")).toBeVisible();
  await dialog.getByRole("button", { name: "Next puzzle" }).click();
  await expect(dialog.getByRole("heading", { name: /^Squares modulo 16/ })).toBeFocused();
  // The next puzzle asks for a prediction.
  const answerField = dialog.getByRole("textbox", { name: "out[0..8] at the end" });
  await answerField.fill("0 1 4 9 16 9 4 1");
  await answerField.press("Enter");
  await expect(verdict).toHaveText("The first mismatch is in byte 16 of out: element 4 does not contain 16.");
  await answerField.fill("0 1 4 9 0 9 4 1");
  await answerField.press("Enter");
  await expect(verdict).toContainText("Correct: ");
  // The solved state remains after a reload, and the link opens the puzzle.
  expect(page.url()).toContain("#learn=puzzle:12-squares-of-lanes");
  await page.reload();
  await expect(dialog.getByText("2 of 40 solved")).toBeVisible();
  await expect(dialog.getByRole("textbox", { name: "out[0..8] at the end" })).toHaveValue("0 1 4 9 0 9 4 1");
});

test("outcome puzzle is answered by a choice, and progress is exported to and imported from a file", async ({ page }) => {
  await page.goto("/#learn=puzzle:63-half-of-a-block");
  const dialog = dialogOf(page);
  await dialog.getByRole("radio", { name: "races" }).check();
  await dialog.getByRole("button", { name: "Check", exact: true }).click();
  await expect(dialog.locator(".learn-verdict")).toContainText("the run has a different outcome");
  await dialog.getByRole("radio", { name: "hangs" }).check();
  await dialog.getByRole("button", { name: "Check", exact: true }).click();
  await expect(dialog.locator(".learn-verdict")).toHaveText("Correct: outcome is hangs.");
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export progress" }).click();
  const file = await (await download).path();
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ warpgridProgress: 1, solved: ["63-half-of-a-block"] });
  await page.evaluate(() => localStorage.removeItem("warpgrid.learn"));
  await page.reload();
  await expect(dialog.getByText("0 of 40 solved")).toBeVisible();
  await dialog.getByLabel("Progress file").setInputFiles({ name: "other.json", mimeType: "application/json", buffer: Buffer.from("{}") });
  await expect(dialog.getByText("Cannot import progress: the file has no")).toBeVisible();
  await dialog.getByLabel("Progress file").setInputFiles(file);
  await expect(dialog.getByText("1 of 40 solved")).toBeVisible();
});

test("saved answer with the former outcome name `ends` selects `completes`", async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem("warpgrid.learn", JSON.stringify({ warpgridProgress: 1, solved: [], answers: { "63-half-of-a-block": "ends" } })));
  await page.goto("/#learn=puzzle:63-half-of-a-block");
  await expect(dialogOf(page).getByRole("radio", { name: "completes" })).toBeChecked();
});

test("puzzle opens in the editor and can be stepped", async ({ page }) => {
  await page.goto("/#learn=puzzle:13-backwards");
  const dialog = dialogOf(page);
  await dialog.getByRole("textbox", { name: "Your code" }).fill("mad.wide.u32 %rd4, %r1, 4, %rd2;\nst.global.u32 [%rd4], %r5;");
  await dialog.getByRole("button", { name: "Open in editor" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("launch grid=1 block=32");
  await ready(page);
  await press(page, "Run to end");
  expect((await cells(page, "out"))[3]).toBe("3");
});

test("learn dialog is operable by keyboard and passes axe in light and dark mode", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Learn", exact: true }).focus();
  await page.keyboard.press("Enter");
  const dialog = dialogOf(page);
  await expect(dialog.getByRole("tab", { name: "Examples" })).toBeFocused();
  for (const view of ["Examples", "Tours", "Puzzles"]) {
    await expect(dialog.getByRole("tab", { name: view })).toHaveAttribute("aria-selected", "true");
    if (view === "Puzzles") await expect(dialog.getByRole("textbox", { name: "Your code" })).toBeVisible();
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      expect(await axeViolations(page, "dialog.learn"), `${view}, ${scheme}`).toEqual([]);
    }
    await page.keyboard.press("ArrowRight");
  }
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: "Learn", exact: true })).toBeFocused();
  await page.goto("/#learn=tour:vector-stores");
  await expect(page.getByRole("complementary", { name: /^Tour/ })).toBeVisible();
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    expect(await axeViolations(page, "aside.learn-tour"), scheme).toEqual([]);
  }
});

test("invalid tour and puzzle links show an error", async ({ page }) => {
  await page.goto("/#learn=puzzle:none");
  await expect(dialogOf(page)).toContainText("Unknown puzzle “none”.");
  await page.goto("/#learn=tour:none");
  await expect(page.getByText("Unknown tour “none”")).toBeVisible();
});
