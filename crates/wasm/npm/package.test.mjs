// The package as its users get it: `npm pack`ed, installed into an empty project, imported by name.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { kernels, listings, readCase, runCorpus } from "./corpus.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const scale = await readFile(join(root, "crates/view/tests/data/scale.ptx"), "utf8");
let project;
let warpgrid;
/** What calls threw before `init`. */
const beforeInit = [];

before(async () => {
  project = await mkdtemp(join(tmpdir(), "warpgrid-"));
  await writeFile(join(project, "package.json"), `{ "private": true, "type": "module" }`);
  const npm = (...words) => execFileSync("npm", words, { cwd: project, encoding: "utf8", stdio: "pipe" });
  const archive = npm("pack", "--silent", join(root, "pkg")).trim();
  npm("install", "--offline", "--no-audit", "--no-fund", `./${archive}`);
  await writeFile(join(project, "door.js"), `export * from "warpgrid"; export { default } from "warpgrid";`);
  warpgrid = await import(pathToFileURL(join(project, "door.js")));
  for (const call of [() => warpgrid.check(scale), () => new warpgrid.Session({ source: scale })]) {
    try {
      call();
      beforeInit.push("answered");
    } catch (error) {
      beforeInit.push(`${error.name} ${error.code} ${error.message}`);
    }
  }
  await warpgrid.default();
});

after(() => rm(project, { recursive: true, force: true }));

test("a call before init says so", () => {
  for (const call of beforeInit) assert.match(call, /^WarpgridError W0905 the wasm is not loaded/);
});

test("the door has everything that the core exports", async () => {
  const core = await import(pathToFileURL(join(project, "node_modules/warpgrid/core.js")));
  assert.deepEqual(Object.keys(warpgrid).sort(), Object.keys(core).sort());
});

test("arguments of a wrong kind are refused in a sentence", () => {
  const refused = (call) => {
    let message;
    assert.throws(call, (error) => {
      message = error.message;
      return error.name === "WarpgridError" && error.code === "W0901";
    });
    return message;
  };
  assert.equal(refused(() => warpgrid.check(5)), "the source cannot be read: found 5, expected a string");
  for (const call of [
    () => warpgrid.check(), () => warpgrid.check(null), () => warpgrid.format({}), () => warpgrid.explain(1n),
    () => warpgrid.hover(scale), () => warpgrid.hover(scale, -1), () => warpgrid.complete("st.", 4),
  ]) assert.match(refused(call), /^the \w+ cannot be read: found .*, expected .+$/);
  const session = new warpgrid.Session({ source: scale });
  for (const call of [() => session.memory(), () => session.grid(7), () => session.land(), () => session.land(1.5)]) refused(call);
  session.free();
});

test("a freed session says so, and may be freed again", () => {
  const session = new warpgrid.Session({ source: scale });
  session.free();
  session.free();
  const gone = (error) => error.name === "WarpgridError" && error.code === "W0905" && /freed/.test(error.message);
  for (const call of [
    () => session.step(), () => session.position, () => session.memory("out"), () => session.frame({}), () => session.land(0),
  ]) assert.throws(call, gone);
});

test("the types come first among the conditions, as resolvers ask", async () => {
  const manifest = JSON.parse(await readFile(join(root, "pkg/package.json"), "utf8"));
  assert.deepEqual(Object.keys(manifest.exports["."]), ["types", "default"]);
});

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

const read = (path) => readCase(root, path);

test("every compiled kernel leaves the same bytes in wasm as natively", async () => {
  const result = await runCorpus(warpgrid, await kernels(root), read);
  assert.deepEqual(result.wrong, []);
  assert.ok(result.nRuns >= 151 && result.nBuffers >= 424, `${result.nBuffers} buffers after ${result.nRuns} runs`);
});

test("the machine code of the same kernels leaves the same bytes in wasm", async () => {
  const cases = await listings(root);
  const result = await runCorpus(warpgrid, cases, read);
  assert.deepEqual(result.wrong, []);
  assert.ok(cases.length >= 47 && result.nRuns >= cases.length && result.nBuffers > result.nRuns, JSON.stringify(result));
});
