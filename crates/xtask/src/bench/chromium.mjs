// Measures translated kernels with the npm package in Chromium, whose WebAssembly engine most visitors use. The command line is `node
// chromium.mjs PACKAGE-DIR LAUNCHES.json`, with the path of the browser in the variable CHROMIUM. The script reads the launches that
// `translated.mjs` measures in Node, and prints one JSON line per benchmark.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { typeOf } from "../../../../web/media-types.mjs";

const [folder, file] = process.argv.slice(2);
const { alone } = JSON.parse(await readFile(file, "utf8"));
const sourceFolder = dirname(fileURLToPath(import.meta.url));

/** Starts a server for an empty page, the package, and the benchmark module. */
const server = createServer(async ({ url }, response) => {
  const name = basename(url);
  try {
    const body = name === "" ? "<!doctype html><title>Rates</title>" : await readFile(join(name === "throughput.mjs" ? sourceFolder : folder, name));
    response.writeHead(200, { "content-type": name === "" ? "text/html" : typeOf(name) });
    response.end(body);
  } catch {
    response.writeHead(404);
    response.end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  for (const { name, title, scenario } of alone) {
    const figure = await page.evaluate(async (scenario) => {
      const [{ default: init, Session }, { bestRate }] = await Promise.all([import("/warpgrid.js"), import("/throughput.mjs")]);
      await init();
      return bestRate(Session, scenario, "translated");
    }, scenario);
    console.log(JSON.stringify({ name: `${name} chromium`, title: `${title}, Chromium`, unit: "M lane-instr/s", ...figure }));
  }
} finally {
  await browser.close();
  server.close();
}
