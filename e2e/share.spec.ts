// Tests links to the current view. One browser creates the link, and another browser opens the link at the same step with the same pinned
// cell. The tests also cover saved files and invalid links.
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { expect, test, type Browser, type Page } from "@playwright/test";
import { open, openTool, paste, pick, press, ready, text } from "./playground";

/** Returns the source in the editor. Returns an empty string if the editor has not been loaded. */
const panel = (page: Page) => page.locator("details.sharing");
const step = (page: Page) => page.getByRole("status").first();
const kernel = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry mine(.param .u64 out)\n{\n\t.reg .b64 %rd1;\n\tld.param.u64 %rd1, [out];\n\tst.global.u32 [%rd1], 7;\n\tret;\n}\n";
const code = (json: string) => `/#1=${deflateSync(json).toString("base64url")}`;

/** Creates a link to the current view with the keyboard shortcut. */
async function share(page: Page) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  // If the editor had the keyboard focus, the key would insert a letter.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("s");
  await expect(panel(page).getByRole("status")).toContainText("Copied link");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.keyboard.press("Escape");
  return link.slice(link.indexOf("/#"));
}

/** Opens a link in a new browser profile. */
async function openAsRecipient(browser: Browser, link: string) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(link);
  return page;
}

/** Drops files on the page. Each file has a name and contents. */
async function drop(page: Page, files: [string, string | number[]][]) {
  const data = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const [name, bytes] of files) data.items.add(new File([typeof bytes === "string" ? bytes : new Uint8Array(bytes)], name));
    return data;
  }, files);
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

test("shared link restores step, pinned cell and grid settings in another browser", async ({ page, browser }) => {
  await open(page);
  await pick(page, "Coalesced and strided stores");
  await press(page, "Next store");
  await page.getByRole("combobox", { name: "Target" }).selectOption("sm_100");
  await ready(page);
  const card = page.getByRole("region", { name: /^Memory$/ });
  const grid = card.locator(".scroller").first();
  await grid.focus();
  for (const key of ["ArrowDown", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  const cell = page.locator("section[aria-label='Cell']").first();
  await expect(cell).toContainText(/Write history\s*1 store/);
  const pinned = await cell.innerText();
  const position = await page.getByRole("status").innerText();
  const link = await share(page);
  expect(link.length).toBeLessThan(2_000);
  const other = await openAsRecipient(browser, link);
  await ready(other);
  expect(await text(other)).toBe(await text(page));
  await expect(other.getByRole("combobox", { name: "Target" })).toHaveValue("sm_100");
  expect(await other.getByRole("status").innerText()).toBe(position);
  await expect.poll(() => other.locator("section[aria-label='Cell']").first().innerText()).toBe(pinned);
  // The URL contains the link, even after a reload, until the user edits the source.
  expect(other.url()).toContain("#1=");
  expect(await share(other)).toBe(link);
  await other.reload();
  await ready(other);
  expect(await other.getByRole("status").innerText()).toBe(position);
  await other.getByRole("textbox", { name: "PTX source" }).click();
  await other.keyboard.press("ControlOrMeta+Home");
  await other.keyboard.type("// mine\n");
  await expect.poll(() => other.url()).not.toContain("#");
});

test("opening a shared link keeps the saved kernels of the recipient", async ({ page }) => {
  await open(page);
  await paste(page, kernel);
  await ready(page);
  const examplePicker = page.getByRole("combobox", { name: "Example" });
  await expect(examplePicker.locator("option:checked")).toContainText("mine");
  // In an open tab, the new link reloads the page.
  await page.goto(code('{"source":"st.global.u32 [p], 5;\\n","view":{"step":1}}'));
  await expect.poll(() => text(page).catch(() => "")).toBe("st.global.u32 [p], 5;\n");
  await ready(page);
  const savedOption = examplePicker.locator("option", { hasText: /^mine / });
  await expect(savedOption).toHaveCount(1);
  await examplePicker.selectOption(await savedOption.getAttribute("value"));
  await expect.poll(() => text(page)).toBe(kernel);
  expect(page.url()).not.toContain("#");
});

test("inferred launch configuration is stored in the link", async ({ page, browser }) => {
  await open(page);
  await paste(page, kernel);
  await ready(page);
  const link = await share(page);
  // The test simulates a link for which an earlier version of the page inferred a different launch configuration.
  const inferred = "//@ launch grid=1 block=64\n//@ buffer out: u32[24] = 3";
  const other = await openAsRecipient(browser, code(JSON.stringify({ source: kernel, guessed: inferred })));
  await ready(other);
  await expect(other.getByText("<<<1, 64>>>")).toBeVisible();
  await other.getByText("<<<1, 64>>>").click();
  await expect(other.locator("pre", { hasText: "u32[24] = 3" })).toBeVisible();
  await other.keyboard.press("Escape");
  expect(await share(other)).not.toBe(link);
  // After an edit, the page infers the launch configuration again.
  await other.getByRole("textbox", { name: "PTX source" }).click();
  await other.keyboard.press("ControlOrMeta+End");
  await other.keyboard.type("// more");
  await ready(other);
  await expect(other.getByText("<<<1, 64>>>")).toHaveCount(0);
});

test("shared link restores both compared kernels at the same store", async ({ page, browser }) => {
  await page.goto("/#compare=vector-addition");
  const view = (page: Page) => page.getByRole("region", { name: "Compare kernels" });
  await expect(view(page)).toContainText("at the end of both");
  await view(page).getByRole("button", { name: "Start" }).click();
  for (let n = 0; n < 3; n += 1) await page.keyboard.press("ArrowRight");
  await expect(view(page)).toContainText("after store 3 of each run");
  const other = await openAsRecipient(browser, await share(page));
  await expect(view(other)).toContainText("after store 3 of each run");
  expect(other.url()).toContain("#1=");
});

const testData = (name: string) => readFileSync(new URL(`../crates/share/tests/data/${name}`, import.meta.url), "utf8");

test("links of earlier versions can be opened", async ({ page }) => {
  for (const line of testData("links.txt").split("\n").filter((line) => line !== "" && !line.startsWith("//"))) {
    const [name, link] = line.split(" ");
    await page.goto("about:blank");
    await page.goto(`/${link}`);
    const shared = JSON.parse(testData(`${name}.warpgrid.json`));
    await expect.poll(async () => (await text(page)).endsWith(shared.source.replaceAll("\r", "").slice(-40)), name).toBe(true);
    await expect(page.locator(".banner")).toHaveCount(0);
  }
});

test("invalid links show an error, and the page stays usable", async ({ page }) => {
  await open(page);
  await paste(page, kernel);
  await ready(page);
  const validLink = code('{"source":"ret;"}');
  const cases: [string, RegExp][] = [
    [validLink.slice(0, -4), /^The link is incomplete or corrupted/],
    [`${validLink}AAAA`, /^The link is incomplete/],
    ["/#text=%%%&step=1", /^The link is incomplete/],
    ["/#3=AAAA", /^The link was created by a newer version of Warpgrid \(format 3; this version supports formats up to 1\)\./],
    [`/#1=${"A".repeat(100_000)}`, /^The link is incomplete/],
    [code(`{"source":"${" ".repeat(9_000_000)}"}`), /^The link exceeds the size limit of 8 million bytes/],
    [code('{"source":{"toString":1}}'), /^Invalid link: `source` must be a string/],
    [code('{"source":"","params":[{"kind":"struct","fields":7}]}'), /^Invalid link: `scenario` must be a valid launch configuration/],
    [code('{"__proto__":{"source":"x"},"view":7}'), /^Invalid link: `source`/],
  ];
  for (const [link, sentence] of cases) {
    await page.goto("about:blank");
    await page.goto(link);
    await expect(page.getByRole("alert")).toHaveText(new RegExp(sentence.source), { timeout: 15_000 });
    await ready(page);
    expect(await text(page)).toBe(kernel);
    expect(page.url()).not.toContain("#1");
  }
  await page.getByRole("alert").getByRole("button", { name: "Dismiss" }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("script in a shared source is not executed", async ({ page }) => {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => { dialogs.push(dialog.message()); void dialog.dismiss(); });
  const maliciousSource = '<img src=x onerror=alert(1)>\n//@ title <script>alert(2)</script>\nst.global.u32 [p], 5;\n';
  const pin = "cell 99999999999 of <img src=x onerror=alert(3)>";
  await page.goto(code(JSON.stringify({ source: maliciousSource, target: "<b>", entry: "<i>", seed: 9007199254740991, view: { step: 9007199254740991, pin, warp: "9 of block 9", grids: { "<u>": "f99 columns=999999999" } } })));
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("onerror");
  await expect(page.locator("img[src=x], u, header script")).toHaveCount(0);
  await page.goto("about:blank");
  await page.goto(code(JSON.stringify({ source: "st.global.u32 [p], 5;\n", seed: 9007199254740991, view: { step: 9007199254740991, pin, warp: "9 of block 9" } })));
  await ready(page);
  expect(dialogs).toEqual([]);
});

test("saved file has the contents of a link and opens when dropped", async ({ page, browser }) => {
  await open(page);
  await pick(page, "Predicated store");
  await press(page, "Next store");
  const position = await page.getByRole("status").innerText();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator("details.sharing > summary").click();
  const download = page.waitForEvent("download");
  await panel(page).getByRole("button", { name: "Save file" }).click();
  const savedFile = await download;
  expect(savedFile.suggestedFilename()).toBe("predicated-store.warpgrid.json");
  const file = readFileSync((await savedFile.path())!, "utf8");
  expect(JSON.parse(file).warpgrid).toBe(1);
  const other = await openAsRecipient(browser, "/");
  await ready(other);
  await drop(other, [[savedFile.suggestedFilename(), file]]);
  await expect.poll(() => text(other)).toBe(await text(page));
  await ready(other);
  await expect.poll(() => other.getByRole("status").innerText()).toBe(position);
  // The page saves a source file as a kernel.
  await drop(other, [["mine.ptx", kernel]]);
  await expect.poll(() => text(other)).toBe(kernel);
  await ready(other);
  await expect(other.getByRole("combobox", { name: "Example" }).locator("option:checked")).toContainText("mine");
  // The button has the same effect.
  await other.locator("details.sharing summary").click();
  const fileChooser = other.waitForEvent("filechooser");
  await panel(other).getByRole("button", { name: "Open file" }).click();
  await (await fileChooser).setFiles({ name: savedFile.suggestedFilename(), mimeType: "application/json", buffer: Buffer.from(file) });
  await expect.poll(() => text(other)).toBe(await text(page));
});

test("unsupported files show an error", async ({ page }) => {
  await open(page);
  const sourceBefore = await text(page);
  const tenFiles = Array.from({ length: 10 }, (_, n) => [`k${n}.ptx`, kernel] as [string, string]);
  const cases: [[string, string | number[]][], RegExp][] = [
    [tenFiles, /^Cannot open 10 files at once\. Drop a single file\./],
    [[["picture.png", [137, 80, 78, 71, 0, 0, 1, 2]]], /^Cannot open “picture\.png”: the file is not valid UTF-8\./],
    [[["later.warpgrid.json", '{"warpgrid": 2, "source": ""}']], /^The file was created by a newer version of Warpgrid/],
    [[["case.json", '{"entry": "k"}']], /^Invalid file: `source` must be a string/],
    [[["odd.json", "{"]], /^Invalid file: expected JSON with a `source`/],
  ];
  for (const [files, sentence] of cases) {
    await drop(page, files);
    await expect(page.getByRole("alert")).toHaveText(new RegExp(sentence.source));
    expect(await text(page)).toBe(sourceBefore);
  }
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(100_000_000)], "large.ptx"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await expect(page.getByRole("alert")).toContainText("Cannot open “large.ptx”: the file has 100 MB, but the limit for source files is 8 MB.");
});

test("share panel copies Markdown, issue text, test case and annotations, and offers a file for long sources", async ({ page }) => {
  await open(page);
  await pick(page, "Misaligned store");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator("details.sharing > summary").click();
  await expect(panel(page).getByRole("status")).toHaveText(/^Copied link \([\d,]+ characters\)\.$/);
  const copyAs = async (name: string) => {
    await panel(page).getByRole("button", { name, exact: true }).click();
    await expect(panel(page).getByRole("status")).toContainText("Copied");
    return page.evaluate(() => navigator.clipboard.readText());
  };
  // The unmodified example is shared by its name, unless the user selects the link to the current view.
  expect(await copyAs("Markdown")).toMatch(/^\[Misaligned store\]\(http.*#example=misaligned-store\)\n$/);
  await panel(page).getByRole("button", { name: "Current view" }).click();
  expect(await copyAs("Markdown")).toMatch(/^\[Misaligned store, step \d+\]\(http.*#1=[\w-]+\)\n$/);
  expect(await copyAs("Issue")).toMatch(/^### Misaligned store[^]*Actual \(step \d+\): [^]*Expected: [^]*```ptx\n/);
  const scenario = JSON.parse(await copyAs("case.json"));
  expect(scenario).toMatchObject({ fault: { kind: "misaligned" } });
  expect(Object.keys(scenario)).not.toContain("view");
  expect(await copyAs("//@ lines")).toMatch(/^\/\/@ /);
  const randomText = Array.from({ length: 6_000 }, () => `// ${Math.random().toString(36)}`).join("\n");
  await page.keyboard.press("Escape");
  await drop(page, [["long.ptx", `${kernel}${randomText}\n`]]);
  await ready(page);
  await page.locator("details.sharing > summary").click();
  await expect(panel(page).getByRole("status")).toContainText("Save a file instead");
  await expect(panel(page).getByRole("textbox", { name: "Link" })).toBeHidden();
});

test("share panel fits on a phone, and a link opens", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(code(JSON.stringify({ source: kernel, view: { step: 2 } })));
  await ready(page);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.locator("details.sharing > summary").click();
  const box = await panel(page).locator(".popover").boundingBox();
  expect(box!.x).toBeGreaterThanOrEqual(0);
  expect(box!.x + box!.width).toBeLessThanOrEqual(390);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test("watch expressions and breakpoints are stored in the link and kept by the recipient", async ({ page, browser }) => {
  await open(page);
  await pick(page, "Coalesced and strided stores");
  await openTool(page, "Add watch");
  const watchedExpressions = (page: Page) => page.getByRole("region", { name: "Watch", exact: true }).locator(".watch-list > li > code");
  for (const expression of ["rows[0][3] + 100", "lane 3: %r13 * 2"]) {
    await page.getByRole("textbox", { name: "Watch expression" }).fill(expression);
    await page.keyboard.press("Enter");
  }
  await page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: /^44$/ }).click();
  const link = await share(page);
  const other = await openAsRecipient(browser, link);
  await ready(other);
  await expect(watchedExpressions(other)).toHaveText(["rows[0][3] + 100", "lane 3: %r13 * 2"]);
  await expect(other.locator(".cm-lineNumbers .cm-breakpoint")).toHaveText(["44"]);
  expect(await share(other)).toBe(link);
  // The page shows the user's own watch expressions after the watch expressions of the link, even after a reload.
  await other.getByRole("textbox", { name: "Watch expression" }).fill("columns[5]");
  await other.keyboard.press("Enter");
  await expect(watchedExpressions(other)).toHaveCount(3);
  await other.reload();
  await ready(other);
  await expect(watchedExpressions(other)).toHaveText(["rows[0][3] + 100", "lane 3: %r13 * 2", "columns[5]"]);
  await expect(other.locator(".cm-lineNumbers .cm-breakpoint")).toHaveText(["44"]);
  // After an edit, the source becomes a saved kernel, which contains the watch expressions.
  await other.getByRole("textbox", { name: "PTX source" }).click();
  await other.keyboard.press("ControlOrMeta+End");
  await other.keyboard.type("// mine\n");
  await ready(other);
  await expect(watchedExpressions(other)).toHaveCount(3);
  // Another source has no watch expressions. The saved file restores the watch expressions.
  await pick(other, "Vector stores: one, two or four elements per lane");
  await expect(watchedExpressions(other)).toHaveCount(0);
  await expect(other.locator(".cm-lineNumbers .cm-breakpoint")).toHaveCount(0);
  await drop(other, [["watched.warpgrid.json", testData("watched.warpgrid.json")]]);
  await ready(other);
  await expect(watchedExpressions(other)).toHaveText(["out[3] + %r1", "lane 5: %r2", "f32(%r2)"]);
  await expect(other.locator(".cm-lineNumbers .cm-breakpoint")).toHaveText(["11", "15"]);
  await expect(other.locator(".banner")).toHaveCount(0);
});
