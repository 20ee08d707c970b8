// Tests that a page of another project can run kernels from real compilers in a module worker with the npm package.
import { expect, type Page, test } from "@playwright/test";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { families, kernels, MIN_COUNTS, listings } from "../crates/wasm/npm/corpus.mjs";
import { runInWorker } from "./corpus-worker.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Returns the results of the package for the test cases, computed in a worker of the page. */
async function run(page: Page, request: { cases?: unknown[]; engine?: string; launches?: unknown[] }) {
  await page.goto("/pages/host.html");
  const { result, error } = await page.evaluate(runInWorker, request) as any;
  expect(error).toBeUndefined();
  expect(result.failures).toEqual([]);
  return result;
}

test("compiled PTX kernels produce the expected memory contents in the browser", async ({ page }) => {
  const result = await run(page, { cases: await kernels(root) });
  expect(result.nRuns).toBeGreaterThanOrEqual(MIN_COUNTS.runs);
  expect(result.nBuffers).toBeGreaterThanOrEqual(MIN_COUNTS.buffers);
});

test("kernels with tensor instructions produce the expected memory contents in the browser", async ({ page }) => {
  const result = await run(page, { cases: await families(root) });
  expect(result.nRuns).toBeGreaterThanOrEqual(MIN_COUNTS.families);
  expect(result.nBuffers).toBeGreaterThanOrEqual(result.nRuns);
});

test("SASS of the same kernels produces the expected memory contents in the browser", async ({ page }) => {
  const cases = await listings(root);
  expect(cases.length).toBeGreaterThanOrEqual(MIN_COUNTS.listings);
  const result = await run(page, { cases });
  expect(result.nRuns).toBeGreaterThanOrEqual(cases.length);
});

test("JIT-compiled kernels produce the expected memory contents in the browser", async ({ page }) => {
  const result = await run(page, { cases: await kernels(root), engine: "translated" });
  expect(result.nTranslated).toBeGreaterThanOrEqual(MIN_COUNTS.translated);
});

test("generated kernels produce identical memory contents with both engines in the browser", async ({ page }) => {
  const result = await run(page, { launches: JSON.parse(await readFile(process.env.GENERATED_KERNELS!, "utf8")) });
  expect(result.nRuns).toBeGreaterThanOrEqual(MIN_COUNTS.generated);
  expect(2 * result.nTranslated).toBeGreaterThan(result.nRuns);
});
