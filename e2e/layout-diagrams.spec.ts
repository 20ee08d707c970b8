// Tests the layout diagrams: descriptors, layouts and memory accesses in the page, and diagrams in documents.
import AxeBuilder from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { open, openAnalysis, paste, pick } from "./playground";

const root = new URL("../", import.meta.url);
const questions = readFileSync(new URL("web/questions.txt", root), "utf8").trim().split("\n").map((line) => line.split(" | "));

/** Returns the card of the example that answers a question. */
const CARDS: Record<string, string> = { 2: "Data races", 3: "Bank conflicts", 4: "Fault", 8: "Problems", 10: "Data races", 14: "Data races", 16: "asm blocks", 17: "Uncoalesced accesses", 19: "Data races" };

const explorer = (page: Page) => page.getByRole("region", { name: "Layout Explorer" });

test("step slider moves the tile of a descriptor, and an intended descriptor marks the elements that differ", async ({ page }) => {
  await page.goto("/#lens?descriptor=0x4000004000010000");
  await expect(explorer(page).getByRole("region", { name: "Descriptor" })).toContainText("1024 bytes = 64 × 16 bytes = 512 elements");
  const step = explorer(page).getByRole("slider", { name: "Step" });
  await step.fill("3");
  await expect(explorer(page).getByRole("region", { name: "Descriptor" })).toContainText("byte 0x40");
  await expect(page).toHaveURL(/step=2/);
  await explorer(page).getByRole("textbox", { name: "Meant", exact: true }).fill("0x4000002000010000");
  await page.keyboard.press("Tab");
  await expect(explorer(page)).toContainText("1024 bytes = 64 × 16 bytes = 512 elements, intended: 512 bytes = 32 × 16 bytes = 256 elements");
  await expect(explorer(page)).toContainText(/\d+ of 1024 elements from wrong addresses/);
});

test("instruction descriptor links to the tiles that it selects", async ({ page }) => {
  await page.goto("/#lens?op=tcgen05.idesc&kind=f16&descriptor=0x08410490");
  await expect(explorer(page).getByRole("region", { name: "Fields" })).toContainText("256 columns = 32 × 8");
  await explorer(page).getByRole("link", { name: "The tile of B" }).click();
  await expect(explorer(page)).toContainText("bf16");
  await expect(page).toHaveURL(/op=tcgen05\.tile\.b.*idesc=0x8410490/);
  await page.goto("/#lens?op=tcgen05.idesc&kind=tf32&descriptor=0x08410490");
  await expect(explorer(page)).toContainText("encodes types that .kind::tf32 does not support");
});

for (const [index, [number, question, link]] of questions.entries()) {
  test(`question ${number}, ${index + 1}: ${question}`, async ({ page }) => {
    const pageErrors: string[] = [];
    page.on("pageerror", (error) => pageErrors.push(error.message));
    await page.goto(`/${link}`);
    if (link.startsWith("#example=")) {
      await expect(page.getByRole(number === "4" ? "alert" : "region", { name: CARDS[number] })).toBeInViewport();
    } else if (link.startsWith("#litmus=")) {
      await expect(page.getByRole("group", { name: "Allowed outcomes" })).toBeInViewport();
    } else {
      await expect(explorer(page).getByRole("heading").first()).toBeVisible();
      await expect(explorer(page).locator(".explorer-card, [aria-label=Fields]").first()).toBeInViewport();
      await expect(explorer(page).locator(".hint.bad")).toHaveCount(0);
      const results = await new AxeBuilder({ page }).include(".explorer").analyze();
      expect(results.violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
    }
    expect(pageErrors).toEqual([]);
  });
}

test("hovering over an access shows its inferred layout and a link to its diagram", async ({ page }) => {
  await open(page);
  await pick(page, "Bank conflicts and padding");
  const layouts = page.getByRole("region", { name: "Layouts" });
  await openAnalysis(page);
  await layouts.getByText("Inferred layouts of 3 accesses").click();
  await expect(layouts).toContainText("32:1");
  await page.locator(".cm-line", { hasText: "st.shared.u32" }).nth(2).getByText("st", { exact: true }).hover();
  const tooltip = page.locator(".cm-hover-info");
  await expect(tooltip).toContainText("32:33");
  await tooltip.getByRole("link", { name: "Layout Explorer" }).click();
  await expect(explorer(page).getByRole("textbox", { name: "Expression" })).toHaveValue("32:33");
});

test("layout diagram can be embedded and exported as SVG and text", async ({ page }) => {
  await page.goto("/#lens?op=layout&expression=%288%2C4%29%3A%284%2C1%29");
  for (const [button, extension] of [["SVG", "svg"], ["Text", "txt"]] as const) {
    const download = page.waitForEvent("download");
    await explorer(page).getByRole("button", { name: button, exact: true }).click();
    expect((await download).suggestedFilename()).toContain(`.${extension}`);
  }
  await page.locator("summary", { hasText: "Embed" }).click();
  const lines = page.getByRole("textbox", { name: "Embed code" });
  await expect(lines).toHaveValue(/<warpgrid-layout query="op=layout&amp;expression=%288%2C4%29:%284%2C1%29">/);
  await page.getByRole("combobox", { name: "Format" }).selectOption("Sphinx");
  await expect(lines).toHaveValue(".. warpgrid-layout::\n\n   op=layout\n   expression=(8,4):(4,1)\n");
});

test("invalid layout links show an error with its position", async ({ page }) => {
  for (const [link, sentence] of [
    ["#lens?op=layout&expression=%288%2C4", "found the end"],
    ["#lens?op=layout&expression=%288%2C1099511627776%29", "overflows"],
    ["#lens?op=layout&expression=%286%2C4%29%3A%281%2C7%29%20o%204%3A4", "are not divisible by each other"],
    ["#lens?op=layout&expression=%FF", "Unknown link parameter: expression=%FF"],
    ["#lens?descriptor=zzz", "expected bits such as"],
    ["#lens?descriptor=0xfffffffffffffffffff", "expected bits such as"],
    ["#lens?op=wgmma.tile.a&step=99", "found step 99"],
    ["#lens?op=chain&first=odd", "odd"],
    ["#lens?op=zzz", "Unknown link parameter: op=zzz"],
    ["#matrix?op=store.d&shape=m99", "Unknown link parameter: shape=m99"],
  ]) {
    await page.goto("about:blank");
    await page.goto(`/${link}`);
    await expect(explorer(page), link).toContainText(sentence);
  }
});

test("constant that is the whole source is decoded as a matrix descriptor", async ({ page }) => {
  await open(page);
  await paste(page, "0x4000004000010040\n");
  await page.getByRole("button", { name: "Decode matrix descriptor" }).click();
  await expect(page).toHaveURL(/#layouts\?op=wgmma\.tile\.a&.*descriptor=0x4000004000010040/);
  await expect(explorer(page)).toContainText("swizzle 128B");
});

// ---- documents

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types warpgrid";
const READING_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

async function serveDocument(page: Page, body: string, policy: string) {
  const head = `<title>Guide</title><link rel="stylesheet" href="/widget/warpgrid-snapshot.css"><script type="module" src="/widget/warpgrid-widget.js"></script>`;
  await page.route("**/guide.html", (route) => route.fulfill({
    contentType: "text/html; charset=utf-8", headers: { "content-security-policy": policy },
    body: `<!doctype html><html lang="en"><head><meta charset="utf-8">${head}</head><body><main><h1>Guide</h1>${body}</main></body></html>`,
  }));
  await page.goto("/guide.html");
}

test("recorded layout diagram is shown without loading the emulator", async ({ page }) => {
  const { layout } = await import(new URL("pkg/record.js", root).href);
  const { html, problems } = await layout("op=layout\nexpression=Swizzle<2,0,3> o (8,8):(8,1)", { label: "A swizzle", playground: "https://example.org/" });
  expect(problems).toEqual([]);
  const requestedFiles: string[] = [];
  page.on("request", (request) => requestedFiles.push(new URL(request.url()).pathname));
  await serveDocument(page, html, READING_POLICY);
  await expect(page.getByRole("img", { name: /Swizzle<2,0,3>/ })).toBeVisible();
  await expect(page.getByRole("link", { name: "Open in the playground" })).toHaveAttribute("href", /^https:\/\/example\.org\/#layouts\?op=layout&expression=Swizzle%3C2/);
  await page.getByText("Text version").click();
  await expect(page.getByText("Bases over GF(2)")).toBeVisible();
  expect(requestedFiles.filter((name) => /wasm|worker/.test(name))).toEqual([]);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
});

test("unrecorded layout diagram is drawn by the emulator, and an invalid query shows an error", async ({ page }) => {
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") pageErrors.push(message.text()); });
  await serveDocument(page, `<warpgrid-layout id="live" query="op=mma.a&amp;shape=m16n8k16&amp;type=f16&amp;target=sm_80"></warpgrid-layout>
    <warpgrid-layout id="words">op=layout\nexpression=(4,4):(4,1)</warpgrid-layout>
    <warpgrid-layout id="bad" query="expression=(8,4):(4"></warpgrid-layout>`, POLICY);
  await expect(page.locator("#live svg")).toBeVisible({ timeout: 30_000 });
  await expect(page.locator("#words svg")).toHaveAttribute("aria-label", "(4,4):(4,1): 16 elements at offsets 0 to 15");
  await expect(page.locator("#bad").getByRole("alert")).toContainText("column 9: found the end");
  await page.locator("#bad").evaluate((element) => element.setAttribute("query", "expression=(8,4):(4,1)"));
  await expect(page.locator("#bad svg")).toBeVisible();
  expect(pageErrors).toEqual([]);
});
