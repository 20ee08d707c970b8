// A page of another project runs kernels that real compilers made, in a module worker with the npm package.
import { expect, type Page, test } from "@playwright/test";
import { fileURLToPath } from "node:url";
import { families, kernels, listings } from "../crates/wasm/npm/corpus.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What the package makes of the cases in a worker of that page. */
async function run(page: Page, cases: unknown[]) {
  await page.goto("/pages/host.html");
  const { result, error } = await page.evaluate(
    (cases) =>
      new Promise<any>((resolve, reject) => {
        const worker = new Worker("/pages/corpus.worker.js", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(cases);
      }),
    cases,
  );
  expect(error).toBeUndefined();
  expect(result.wrong).toEqual([]);
  return result;
}

test("every compiled kernel leaves the expected bytes in a browser", async ({ page }) => {
  const result = await run(page, await kernels(root));
  expect(result.nRuns).toBeGreaterThanOrEqual(151);
  expect(result.nBuffers).toBeGreaterThanOrEqual(424);
});

test("kernels of tensor instructions leave the expected bytes in a browser", async ({ page }) => {
  const result = await run(page, await families(root));
  expect(result.nRuns).toBeGreaterThanOrEqual(195);
  expect(result.nBuffers).toBeGreaterThanOrEqual(result.nRuns);
});

test("the machine code of the same kernels leaves the expected bytes in a browser", async ({ page }) => {
  const cases = await listings(root);
  expect(cases.length).toBeGreaterThanOrEqual(47);
  const result = await run(page, cases);
  expect(result.nRuns).toBeGreaterThanOrEqual(cases.length);
});
