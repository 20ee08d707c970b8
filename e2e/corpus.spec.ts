// A page of another project runs kernels that real compilers made, in a module worker with the npm package.
import { expect, test } from "@playwright/test";
import { fileURLToPath } from "node:url";
import { caseNames } from "../crates/wasm/npm/corpus.mjs";

test("every compiled kernel leaves the expected bytes in a browser", async ({ page }) => {
  const names = await caseNames(fileURLToPath(new URL("../crates/view/tests/corpus", import.meta.url)));
  await page.goto("/pages/host.html");
  const { result, error } = await page.evaluate(
    (names) =>
      new Promise<any>((resolve, reject) => {
        const worker = new Worker("/pages/corpus.worker.js", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(names);
      }),
    names,
  );
  expect(error).toBeUndefined();
  expect(result.wrong).toEqual([]);
  expect(result.nRuns).toBeGreaterThanOrEqual(151);
  expect(result.nBuffers).toBeGreaterThanOrEqual(424);
});
