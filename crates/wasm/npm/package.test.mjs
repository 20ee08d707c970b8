// The package as its users get it: `npm pack`ed, installed into an empty project, imported by name.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

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

test("a scenario that cannot run throws a WarpgridError", () => {
  const wrong = () => new warpgrid.Session({ source: ".version 8.0\n.target sm_90\n" });
  assert.throws(wrong, (error) => error.name === "WarpgridError" && /^W\d{4}$/.test(error.code));
});

// A number that JavaScript and Rust both call zero loses its sign on the way; its bits do not.
const MINUS_ZERO = { f16: "0x8000", bf16: "0x8000", f32: "0x80000000", f64: "0x8000000000000000" };
const exact = (parameter) => {
  const fields = parameter.fields?.map(exact);
  const init = parameter.init?.map((value) => (Object.is(value, -0) ? MINUS_ZERO[parameter.type] : value));
  return { ...parameter, expect: undefined, one_of: undefined, ...(fields && { fields }), ...(init && { init }) };
};
const buffers = (parameter) => (parameter.fields ?? []).flatMap(buffers).concat(parameter.kind === "buffer" ? [parameter] : []);

test("every compiled kernel leaves the same bytes in wasm as natively", async () => {
  const corpus = join(root, "crates/view/tests/corpus");
  const folders = (await readdir(corpus, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  let n_runs = 0;
  for (const { name } of folders) {
    const given = JSON.parse(await readFile(join(corpus, name, "case.json"), "utf8"));
    for (const file of ["kernel.ptx", ...given.variants.map((variant) => variant.file)]) {
      const source = await readFile(join(corpus, name, file), "utf8");
      const { entry, grid, block, cluster, dynamic_shared } = given;
      const session = new warpgrid.Session({ source, entry, grid, block, cluster, dynamic_shared, params: given.params.map(exact) });
      assert.equal(session.run({ maxSteps: 50_000_000 }), true, `${name}/${file} ends`);
      assert.equal(session.fault?.kind, given.fault?.kind, `${name}/${file}: ${session.fault?.message}`);
      for (const buffer of given.params.flatMap(buffers).filter((buffer) => buffer.expect_sha256)) {
        const digest = createHash("sha256").update(session.memory(buffer.name)).digest("hex");
        assert.equal(digest, buffer.expect_sha256, `${buffer.name} of ${name}/${file}`);
      }
      session.free();
      n_runs += 1;
    }
  }
  assert.ok(n_runs >= 116, `${n_runs} runs`);
});
