// Tests the static pages next to the playground: an example, the reference and the documents. Visitors open these pages from a search
// engine or a link.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const site = fileURLToPath(new URL("../dist", import.meta.url));

/** Returns all pages of a directory and its subdirectories as paths relative to the root of the site. */
function pagesOf(folder: string): string[] {
  return readdirSync(join(site, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? pagesOf(path) : path.endsWith(".html") ? [path] : [];
  });
}
const pages = ["docs", "examples"].flatMap(pagesOf);

test("every example, instruction and document has a page with its own title and description", () => {
  const examples = readdirSync(join(site, "examples")).filter((file) => /\.(ptx|sass)$/.test(file));
  for (const file of examples) expect(pages).toContain(`examples/${file.replace(/\.\w+$/, ".html")}`);
  for (const page of ["docs/reference/st.html", "docs/reference/wmma.html", "docs/reference/diagnostics.html", "docs/guide.html", "docs/package.html", "docs/architecture.html", "docs/changelog.html"]) expect(pages).toContain(page);
  const titles = new Set();
  for (const page of pages) {
    const html = readFileSync(join(site, page), "utf8");
    const [, title] = /<title>(.+) · Warpgrid<\/title>/.exec(html) ?? [];
    expect(title, page).toBeTruthy();
    expect(titles.has(title), `${page}: ${title}`).toBe(false);
    titles.add(title);
    expect(/<meta name="description" content="([^"]{20,})">/.test(html), page).toBe(true);
  }
});

test("reference pages describe operands and group modifiers", () => {
  const html = readFileSync(join(site, "docs/reference/wgmma.html"), "utf8");
  expect(html).toContain("<h2><code>wgmma.mma_async.sync</code></h2>");
  expect(html).toContain("<code>.m64n{8…256 step 8}k16</code>");
  expect(html).toContain("64-bit descriptor of a matrix in shared memory");
  expect(html).not.toContain("m64n16k16</code></th>");
});

test("internal links of the site resolve", () => {
  const brokenLinks: string[] = [];
  for (const page of pages) {
    const html = readFileSync(join(site, page), "utf8");
    for (const [, href] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      const [path, hash] = href.split("#");
      const file = path === "" ? page : normalize(join(dirname(page), path));
      // The playground itself interprets the URL fragment of this link.
      if (!existsSync(join(site, file))) brokenLinks.push(`${page}: ${href}`);
      else if (hash && file !== "index.html" && !readFileSync(join(site, file), "utf8").includes(`id="${hash}"`)) brokenLinks.push(`${page}: ${href}`);
    }
  }
  expect(brokenLinks).toEqual([]);
});

test("manual page has its navigation beside the article", async ({ page }) => {
  await page.goto("/docs/getting-started.html");
  const article = await page.locator(".with-manual > article").boundingBox();
  const navigation = await page.locator(".with-manual > nav").boundingBox();
  expect(article && navigation && article.x >= navigation.x + navigation.width && article.width > 600).toBe(true);
});

test("example page runs its example and links to the playground", async ({ page }) => {
  await page.goto("/docs/examples.html");
  await page.getByRole("link", { name: "XOR swizzle" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("XOR swizzle");
  const widget = page.getByRole("region", { name: "XOR swizzle" });
  const positionLabel = await widget.getByText(/^step \d+ of/).textContent();
  await widget.getByRole("button", { name: "Step forward" }).click();
  await expect(widget.getByText(/^step \d+ of/)).not.toHaveText(positionLabel ?? "");
  await page.getByRole("link", { name: "Open in the playground" }).first().click();
  await expect(page.getByRole("combobox", { name: "Example" })).toContainText("XOR swizzle");
});

test("instruction page contains a runnable example", async ({ page }) => {
  await page.goto("/docs/reference.html");
  await page.getByRole("link", { name: "st", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("PTX st");
  await expect(page.locator("warpgrid-playground")).toHaveCount(1);
});

for (const path of ["docs/reference/st.html", "docs/guide.html", "docs/examples.html", "examples/swizzled-tile.html"]) {
  test(`${path} passes axe, also on a phone`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`/${path}`);
    const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(scrollWidth).toBeLessThanOrEqual(390);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)).toEqual([]);
  });
}
