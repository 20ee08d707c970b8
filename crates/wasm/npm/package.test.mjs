// The package as its users get it: `npm pack`ed, installed into an empty project, imported by name.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { caseNames, runCorpus } from "./corpus.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const scale = await readFile(join(root, "crates/view/tests/data/scale.ptx"), "utf8");
let project;
let warpgrid;

before(async () => {
  project = await mkdtemp(join(tmpdir(), "warpgrid-"));
  await writeFile(join(project, "package.json"), `{ "private": true, "type": "module" }`);
  const npm = (...words) => execFileSync("npm", words, { cwd: project, encoding: "utf8", stdio: "pipe" });
  const archive = npm("pack", "--silent", join(root, "pkg")).trim();
  npm("install", "--offline", "--no-audit", "--no-fund", `./${archive}`);
  await writeFile(join(project, "door.js"), `export * from "warpgrid"; export { default } from "warpgrid";`);
  warpgrid = await import(pathToFileURL(join(project, "door.js")));
  await warpgrid.default();
});

after(() => rm(project, { recursive: true, force: true }));

test("init needs no argument in Node and may be called again", async () => {
  await warpgrid.default();
  assert.equal(typeof warpgrid.check, "function");
});

test("check accepts a good module", () => {
  const report = warpgrid.check(scale, {});
  assert.deepEqual(report.diagnostics.filter(({ severity }) => severity === "error"), []);
  assert.equal(report.accept, true);
});

test("a session runs to its end and back", () => {
  const session = new warpgrid.Session({ source: scale });
  assert.equal(session.run({ maxSteps: 1_000_000 }), true);
  assert.equal(session.memory("out").length, 256);
  const end = session.position;
  assert.ok(end > 0);
  assert.equal(session.back(), true);
  assert.equal(session.position, end - 1);
  session.free();
});

test("traffic, mbarriers and clusters are plain data", async () => {
  const source = await readFile(join(root, "public/examples/cluster-messages.ptx"), "utf8");
  const session = new warpgrid.Session({ source });
  assert.deepEqual(session.cluster(1).blocks.map(({ rank, block }) => [rank, block]), [[0, 0], [1, 1], [2, 2], [3, 3]]);
  assert.equal(session.cluster(99), undefined);
  while (session.mbarriers.length === 0) assert.equal(session.step(), true);
  assert.equal(session.mbarriers[0].name, "bar");
  session.run();
  const { steps, total, lines } = session.traffic();
  assert.equal(steps, session.position);
  assert.equal(total.global.sectors, 16);
  assert.ok(lines.every(({ line, opcode }) => line > 0 && opcode.length > 0));
  session.free();
});

test("a scenario that cannot run throws a WarpgridError", () => {
  const wrong = () => new warpgrid.Session({ source: ".version 8.0\n.target sm_90\n" });
  assert.throws(wrong, (error) => error.name === "WarpgridError" && /^W\d{4}$/.test(error.code));
});

test("every compiled kernel leaves the same bytes in wasm as natively", async () => {
  const corpus = join(root, "crates/view/tests/corpus");
  const result = await runCorpus(warpgrid, await caseNames(corpus), (file) => readFile(join(corpus, file), "utf8"));
  assert.deepEqual(result.wrong, []);
  assert.ok(result.nRuns >= 151 && result.nBuffers >= 424, `${result.nBuffers} buffers after ${result.nRuns} runs`);
});
