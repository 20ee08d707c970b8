// Tests the packed package (`npm pack`). The tests install the package in an empty project and import the package by name.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createProject } from "../consumers/build.mjs";
import { compareEngines, families, kernels, MIN_COUNTS, listings, readBytes, readCase, runCorpus } from "./corpus.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const scale = await readFile(join(root, "crates/view/tests/data/scale.ptx"), "utf8");
let folder;
let warpgrid;
/** Errors that calls before `init` throw. */
const callsBeforeInit = [];

before(async () => {
  folder = createProject(join(await mkdtemp(join(tmpdir(), "warpgrid-")), "project"));
  await writeFile(join(folder, "door.js"), `export * from "warpgrid"; export { default } from "warpgrid";`);
  warpgrid = await import(pathToFileURL(join(folder, "door.js")));
  for (const call of [() => warpgrid.check(scale), () => new warpgrid.Session({ source: scale })]) {
    try {
      call();
      callsBeforeInit.push("answered");
    } catch (error) {
      callsBeforeInit.push(`${error instanceof warpgrid.WarpgridError} ${error.name} ${error.code} ${error.message}`);
    }
  }
  await assert.rejects(warpgrid.default(5), { name: "WarpgridError", code: "W0901" });
  await warpgrid.default();
});

after(() => rm(join(folder, ".."), { recursive: true, force: true }));

test("call before `init` throws W0905", () => {
  for (const call of callsBeforeInit) assert.match(call, /^true WarpgridError W0905 the WebAssembly module is not loaded/);
});

test("every entry point exports the public functions of the core and nothing else", async () => {
  const load = (name) => import(pathToFileURL(join(folder, "node_modules/warpgrid", name)));
  const coreExports = Object.keys(await load("core_bg.js")).filter((name) => !name.startsWith("__"));
  const expected = [...coreExports, "WarpgridError", "default", "initSync"].sort();
  for (const entry of ["node.js", "warpgrid.js"]) assert.deepEqual(Object.keys(await load(entry)).sort(), expected, entry);
});

test("arguments of a wrong type are rejected with a message", () => {
  const rejection = (call) => {
    let message;
    assert.throws(call, (error) => {
      message = error.message;
      return error instanceof warpgrid.WarpgridError && error.code === "W0901";
    });
    return message;
  };
  assert.equal(rejection(() => warpgrid.check(5)), "cannot read the source: found 5, expected a string");
  for (const call of [
    () => warpgrid.check(), () => warpgrid.check(null), () => warpgrid.format({}), () => warpgrid.explain(1n),
    () => warpgrid.hover(scale), () => warpgrid.hover(scale, -1), () => warpgrid.complete("st.", 4),
    () => warpgrid.check(scale, "sm_90"), () => warpgrid.tokens(scale, []), () => warpgrid.fragment(), () => warpgrid.product(3),
    () => new warpgrid.Session(), () => new warpgrid.Session("ret;"),
  ]) assert.match(rejection(call), /^cannot read the \w+: found .*, expected .+$/);
  const session = new warpgrid.Session({ source: scale });
  for (const call of [
    () => session.memory(), () => session.memoryView(1), () => session.grid(7), () => session.land(), () => session.land(1.5), () => session.seek("3"),
    () => session.lanes("0", 0), () => session.cluster(-1), () => session.events(0), () => session.run(5), () => session.frame("p"),
  ]) rejection(call);
  session.free();
});

test("value of a wrong type is rejected with the path of its field at every depth", () => {
  const source = scale;
  const buffer = { kind: "buffer", name: "out", type: "f32", len: 64 };
  const scenario = (overrides) => () => new warpgrid.Session({ source, ...overrides });
  const session = new warpgrid.Session({ source });
  for (const [message, call] of [
    ["cannot read the scenario: `grid[0]` is -1, expected an integer from 0 to 4294967295", scenario({ grid: [-1, 1, 1] })],
    ["cannot read the scenario: `grid` is 5, expected an array of three integers", scenario({ grid: 5 })],
    ["cannot read the scenario: `params` is \"x\", expected an array", scenario({ params: "x" })],
    ["cannot read the scenario: `params[0]` is 3, expected an object", scenario({ params: [3] })],
    ["cannot read the scenario: `params[1].init[2]` is true, expected a number or a string", scenario({ params: [buffer, { ...buffer, init: [1, 2, true] }] })],
    ["cannot read the scenario: `params[0].fields[0].value` is an object, expected a number or a string",
      scenario({ params: [{ kind: "struct", name: "s", size: 8, fields: [{ kind: "scalar", name: "a", type: "u32", value: {}, offset: 0 }] }] })],
    ["cannot read the scenario: `front` is \"basic\", expected one of \"ptx\", \"sass\"", scenario({ front: "basic" })],
    ["cannot read the scenario: `fault.width` is 1.5, expected an integer from 0 to 4294967295", scenario({ fault: { kind: "misaligned", width: 1.5 } })],
    ["cannot read the scenario: `beside` is \"ret;\", expected an object", () => warpgrid.compare({ source, beside: "ret;" })],
    ["cannot read the options: `target` is 90, expected a string", () => warpgrid.check(source, { target: 90 })],
    ["cannot read the options: found a `Map`, expected an object", () => warpgrid.check(source, new Map([["target", "sm_90"]]))],
    ["cannot read the options: `target` cannot be read: no", () => warpgrid.check(source, { get target() { throw new Error("no"); } })],
    ["cannot read the options: `maxSteps` is -1, expected a nonnegative integer or `Infinity`", () => session.run({ maxSteps: -1 })],
    ["cannot read the options: `columns` is \"8\", expected an integer from 0 to 4294967295", () => session.grid("out", { columns: "8" })],
    ["cannot read the request: `grids[0].memory` is 1, expected a string", () => session.frame({ grids: [{ memory: 1 }] })],
    ["cannot read the query: `a` is \"1\", expected an array", () => warpgrid.product({ op: "mma", shape: "m16n8k8", types: ["f16"], target: "sm_80", a: "1" })],
  ]) assert.throws(call, (error) => error instanceof warpgrid.WarpgridError && error.code === "W0901" && (assert.equal(error.message, message), true), message);
  session.free();
});

test("error about a source has the position, the help and the code in its message", () => {
  const source = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\nst.shred.u32 [p], 5;\nret;\n}";
  assert.throws(() => new warpgrid.Session({ source }), { code: "W0101", message: "5:4: unknown modifier `.shred`; did you mean `.shared`? (W0101)" });
});

test("`diagnostics` of an error is `null` if the source did not cause the error", () => {
  assert.throws(() => warpgrid.check(scale, { tagret: 1 }), { code: "W0901", diagnostics: null });
  assert.throws(() => warpgrid.fragment({ op: "nothing", shape: "", type: "", target: "" }), { diagnostics: null });
});

test("`bigint`, sparse arrays, missing kinds and counts of zero are read with the path of their field", () => {
  const source = lanes;
  const session = new warpgrid.Session({ source });
  assert.equal(session.run({ maxSteps: 5n }), true);
  session.free();
  assert.equal(warpgrid.analyze({ source }, { seeds: 2n }).kernels[0].seeds, 2);
  const sparse = [];
  sparse[2] = 1;
  const buffer = { kind: "buffer", name: "p", type: "u32", len: 32 };
  for (const [message, scenario] of [
    ["`params[0].init[0]` is undefined, expected a number or a string", { params: [{ ...buffer, init: sparse }] }],
    ["missing field `kind` in `params[0]`", { params: [{ name: "p" }] }],
    ["`resident` is 0, expected an integer from 1 to 4294967295", { resident: 0 }],
  ]) assert.throws(() => new warpgrid.Session({ source, ...scenario }), { code: "W0901", message: `cannot read the scenario: ${message}` });
});

test("unknown field of `runOnWorkers` is rejected with all known fields", async () => {
  const session = new warpgrid.Session({ source: lanes });
  await assert.rejects(session.runOnWorkers({ worker: 2 }), { message: /unknown field `worker`, expected one of `maxSteps`, `engine`, `workers`/ });
  session.free();
});

test("`null` fields are unset, and typed arrays are accepted as lists", () => {
  assert.equal(warpgrid.check(scale, { front: null, target: null, ptx_version: undefined }).accept, true);
  const source = "ld.global.u32 %r, [p];\nst.global.u32 [p], %r;";
  const session = new warpgrid.Session({ source, front: null, grid: null, params: [{ kind: "buffer", name: "p", type: "u32", len: 2, init: new Uint32Array([7, 8]), expect: null }] });
  assert.deepEqual([...new Uint32Array(session.memory("p").buffer)], [7, 8]);
  session.free();
});

test("getter of an options object can call the session without corrupting it", () => {
  const session = new warpgrid.Session({ source: scale });
  assert.equal(session.run({ get maxSteps() { session.step(); return 1; } }), false);
  assert.equal(session.position, 2);
  session.free();
});

test("method called without its session throws W0905", () => {
  const session = new warpgrid.Session({ source: scale });
  const { step, memory } = session;
  for (const call of [() => step(), () => memory("out"), () => step.call({})]) {
    assert.throws(call, (error) => error instanceof warpgrid.WarpgridError && error.code === "W0905" && /without a session/.test(error.message));
  }
  session.free();
});

test("failed `init` throws a WarpgridError with its cause", async () => {
  // The test uses a separate process, in which no module has been loaded.
  const script = `import init, { WarpgridError, initSync } from "warpgrid";
    const failed = [];
    const note = (error) => failed.push([error instanceof WarpgridError, error.code, error.cause?.name ?? null]);
    for (const source of ["x.wasm", new URL("file:///no/such.wasm"), new Uint8Array([1, 2, 3])]) await init(source).then(() => failed.push("loaded"), note);
    try { initSync(new Uint8Array([1, 2, 3])); } catch (error) { note(error); }
    await init();
    console.log(JSON.stringify(failed));`;
  const { stdout, stderr } = spawnSync("node", ["--input-type=module", "-e", script], { cwd: folder, encoding: "utf8" });
  assert.deepEqual(JSON.parse(stdout || `"${stderr}"`), [[true, "W0905", "TypeError"], [true, "W0905", "Error"], [true, "W0905", "CompileError"], [true, "W0905", "CompileError"]]);
});

test("unknown fields are rejected at every depth", () => {
  const buffer = { kind: "buffer", name: "out", type: "f32", len: 64 };
  const scalar = { kind: "scalar", name: "a", type: "u32", value: 1, offset: 0 };
  const session = new warpgrid.Session({ source: scale });
  const source = scale;
  for (const [key, call] of Object.entries({
    tagret: () => warpgrid.check(scale, { tagret: "sm_90" }),
    blokc: () => new warpgrid.Session({ source, blokc: 1 }),
    inti: () => new warpgrid.Session({ source, params: [{ ...buffer, inti: 3 }] }),
    tpye: () => new warpgrid.Session({ source, params: [{ kind: "struct", name: "s", size: 8, fields: [{ ...scalar, tpye: 1 }] }] }),
    bufer: () => new warpgrid.Session({ source, fault: { kind: "misaligned", bufer: "out" } }),
    gridz: () => session.frame({ gridz: [] }),
    colums: () => session.frame({ grids: [{ memory: "out", colums: 3 }] }),
    nrows: () => session.grid("out", { nrows: 3 }),
    steps: () => session.run({ steps: 3 }),
    strid: () => warpgrid.fragment({ op: "store.d", shape: "m16n16k16", type: "f32", target: "sm_90", strid: 3 }),
    sha: () => warpgrid.layout({ op: "wgmma.d", sha: "m64n8" }),
    d: () => warpgrid.product({ op: "mma", shape: "m16n8k8", types: ["f16"], target: "sm_80", d: 1 }),
  })) assert.throws(call, (error) => error.code === "W0901" && error.message.includes(`unknown field \`${key}\`, expected one of \``), key);
  assert.throws(() => session.frame({ grids: [{ memory: "out", columns: 99_999 }] }), { code: "W0901" });
  session.free();
});

const lanes = "mov.u32 %t, %tid.x;\nst.global.u32 [p], %t;";

test("field names are accepted in snake case and in camel case", () => {
  const targets = [{ target: "sm_90", ptx_version: "7.8" }, { target: "sm_90", ptxVersion: "7.8" }].map((options) => warpgrid.check(scale, options));
  assert.deepEqual(targets[0], targets[1]);
  const params = (field) => [{ kind: "buffer", name: "p", type: "u32", len: 32, [field]: "00" }];
  const [file, script] = ["expect_sha256", "expectSha256"].map((field) => {
    const session = new warpgrid.Session({ source: lanes, params: params(field) });
    try {
      assert.equal(session.run({ max_steps: 1 }), false);
      return session.report();
    } finally {
      session.free();
    }
  });
  assert.match(file.differences[0], /^p: found SHA-256 digest [0-9a-f]{64}, expected 00$/);
  assert.deepEqual(script, file);
});

test("report states whether a run meets the expectations of its scenario", () => {
  const expecting = (...expect) => ({ params: [{ kind: "buffer", name: "p", type: "u32", len: 32, expect }] });
  const report = (scenario, options) => {
    const session = new warpgrid.Session({ source: lanes, ...scenario });
    try {
      return session.report(options);
    } finally {
      session.free();
    }
  };
  const found = report({}, { digests: true });
  assert.equal(found.ok, true);
  assert.match(found.buffers.p.sha256, /^[0-9a-f]{64}$/);
  const failing = report(expecting(9), { traffic: true, races: true, layouts: true });
  assert.equal(failing.ok, false);
  assert.match(failing.differences[0], /^p\[0\]: found .*, expected 9 \(0x00000009\)/);
  assert.equal(failing.buffers, undefined);
  assert.ok(failing.traffic.total.global.sectors > 0);
  assert.deepEqual(failing.races, []);
  assert.ok(failing.layouts.length > 0);
  const limited = report({}, { maxSteps: 1 });
  assert.equal(limited.ok, false);
  assert.match(limited.notes.join("\n"), /reached the step limit after 1 step/);
});

test("write history lists the stores to a cell, and `runUntil` stops at conditions, lines and memory changes", () => {
  const source = `//@ launch grid=1 block=1
//@ buffer out: u32[4] = 0
.reg .b32 %r<3>; .reg .pred %p;
mov.u32 %r1, 0;
L: st.global.u32 [out], %r1;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p, %r1, 5;
@%p bra L;
`;
  const session = new warpgrid.Session({ source });
  session.run();
  const { nBefore, initial, writes } = session.history("out", 0, { type: "u32" });
  assert.deepEqual([nBefore, initial, writes.at(-1).after, writes.at(-1).range.line], [5, "0", "4", 5]);
  const back = session.runUntil({ condition: "lane 0: %r1 == 3", back: true });
  assert.equal(back.isReached, true);
  assert.equal(session.position, back.position);
  assert.match(session.runUntil({ memory: "out" }).text, /changed from 2 to 3/);
  assert.match(session.runUntil({ lines: [5] }).text, /next: line 5/);
  assert.equal(session.runUntil({ condition: "%r1 == 77" }).isReached, false);
  for (const invalid of [{}, { condition: "%r1 = 3" }, { condition: "%r9 == 3" }, { memory: "nowhere" }, { lines: "5" }, { lines: [5], memory: "out" }]) {
    assert.throws(() => session.runUntil(invalid), { name: "WarpgridError" });
  }
  for (const invalid of [["nowhere", 0], ["out", 14], ["out", -1], ["out", 0, { bytes: 65 }], ["out", 0, { typ: "u32" }]]) {
    assert.throws(() => session.history(...invalid), { name: "WarpgridError" });
  }
  session.free();
});

test("memory view shares the bytes of the WebAssembly memory", () => {
  const session = new warpgrid.Session({ source: scale });
  session.run();
  const [copy, view] = [session.memory("out"), session.memoryView("out")];
  assert.deepEqual([...view], [...copy]);
  assert.equal(copy.buffer.byteLength, 256);
  assert.ok(view.buffer.byteLength > 1_000_000);
  assert.equal(new Float32Array(view.buffer, view.byteOffset, 64)[63], 126);
  session.free();
});

test("memory is exported as CSV, SVG, animation and .npy", () => {
  const session = new warpgrid.Session({ source: scale });
  session.run();
  const text = (form, options) => new TextDecoder().decode(session.memoryFile("out", form, options));
  assert.equal(text("csv", { columns: 64 }).split("\n")[0].split(",").at(-1), "126.0");
  assert.match(text("svg"), /^<svg[^]*<\/svg>\n$/);
  assert.match(text("animation"), /@keyframes/);
  const array = session.memoryFile("out", "npy");
  assert.deepEqual([...array.slice(1, 6)], [...new TextEncoder().encode("NUMPY")]);
  assert.deepEqual(array.slice(-256), session.memory("out"));
  assert.throws(() => session.memoryFile("nothing", "csv"), { code: "W0902" });
  assert.throws(() => session.memoryFile("out", "png"), (error) => error.code === "W0901" && error.message.includes('expected one of "svg", "animation", "csv", "npy"'));
  session.free();
});

test("session is freed by `Symbol.dispose`", (t) => {
  if (!Symbol.dispose) return t.skip("this Node has no `Symbol.dispose`");
  const session = new warpgrid.Session({ source: scale });
  session[Symbol.dispose]();
  assert.throws(() => session.position, { code: "W0905" });
  session.free();
});

test("call of a freed session throws W0905, and a second `free` has no effect", () => {
  const session = new warpgrid.Session({ source: scale });
  session.free();
  session.free();
  const isFreedError = (error) => error instanceof warpgrid.WarpgridError && error.code === "W0905" && /freed/.test(error.message);
  for (const call of [
    () => session.step(), () => session.position, () => session.memory("out"), () => session.memoryView("out"), () => session.frame({}),
    () => session.land(0),
  ]) assert.throws(call, isFreedError);
});

test("`types` is the first condition of every export", async () => {
  const manifest = JSON.parse(await readFile(join(root, "pkg/package.json"), "utf8"));
  assert.deepEqual(Object.keys(manifest.exports["."]), ["types", "bundler", "node", "default"]);
  for (const conditions of Object.values(manifest.exports).filter((value) => value.types)) assert.equal(Object.keys(conditions)[0], "types");
});

test("`init` needs no argument in Node and can be called repeatedly", async () => {
  await warpgrid.default();
  assert.equal(typeof warpgrid.check, "function");
});

test("`check` accepts a valid module", () => {
  const report = warpgrid.check(scale, {});
  assert.deepEqual(report.diagnostics.filter(({ severity }) => severity === "error"), []);
  assert.equal(report.accept, true);
});

test("session runs to its end and steps back", () => {
  const session = new warpgrid.Session({ source: scale });
  assert.equal(session.run({ maxSteps: 1_000_000 }), true);
  assert.equal(session.memory("out").length, 256);
  const end = session.position;
  assert.ok(end > 0);
  assert.equal(session.back(), true);
  assert.equal(session.position, end - 1);
  session.free();
});

test("traffic, mbarriers and clusters are returned as plain data", async () => {
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

test("scenario that cannot be launched throws a WarpgridError", () => {
  const openInvalid = () => new warpgrid.Session({ source: ".version 8.0\n.target sm_90\n" });
  assert.throws(openInvalid, (error) => error instanceof warpgrid.WarpgridError && /^W\d{4}$/.test(error.code));
});

const read = (path) => readCase(root, path);

test("compiled PTX kernels produce the expected memory contents and the traces of native runs", async () => {
  const result = await runCorpus(warpgrid, await kernels(root), read);
  assert.deepEqual(result.failures, []);
  assert.ok(result.nRuns >= MIN_COUNTS.runs && result.nBuffers >= MIN_COUNTS.buffers, `${result.nBuffers} buffers after ${result.nRuns} runs`);
});

test("kernels with tensor instructions produce the expected memory contents", async () => {
  const result = await runCorpus(warpgrid, await families(root), read, { bytes: (path) => readBytes(root, path) });
  assert.deepEqual(result.failures, []);
  assert.ok(result.nRuns >= MIN_COUNTS.families && result.nBuffers >= result.nRuns, `${result.nBuffers} buffers after ${result.nRuns} runs`);
});

test("SASS of the same kernels produces the expected memory contents", async () => {
  const cases = await listings(root);
  const result = await runCorpus(warpgrid, cases, read);
  assert.deepEqual(result.failures, []);
  assert.ok(cases.length >= MIN_COUNTS.listings && result.nRuns >= cases.length && result.nBuffers > result.nRuns, JSON.stringify(result));
});

test("JIT-compiled kernels produce the expected memory contents, and unsupported kernels are interpreted", async () => {
  const result = await runCorpus(warpgrid, await kernels(root), read, { engine: "translated" });
  assert.deepEqual(result.failures, []);
  assert.ok(result.nTranslated >= MIN_COUNTS.translated, `${result.nTranslated} of ${result.nRuns} translated`);
});

test("generated kernels produce identical memory contents with both engines", async () => {
  const result = compareEngines(warpgrid, JSON.parse(await readFile(process.env.GENERATED_KERNELS, "utf8")));
  assert.deepEqual(result.failures, []);
  assert.ok(result.nRuns >= MIN_COUNTS.generated && 2 * result.nTranslated > result.nRuns, `${result.nTranslated} of ${result.nRuns} translated`);
});

/** Returns the scenario of a matrix multiplication that is long enough for the JIT compiler. */
async function product() {
  const source = await readFile(join(root, "crates/view/tests/corpus/matmul_naive/kernel.ptx"), "utf8");
  const side = 128;
  const buffer = (name, init) => ({ kind: "buffer", name, type: "f32", len: side * side, init });
  const number = (name) => ({ kind: "scalar", name, type: "s32", value: side });
  return { source, grid: [8, 8, 1], block: [16, 16, 1], params: [buffer("a", "random 1"), buffer("b", "random 2"), buffer("c", 0), ...["m", "n", "k"].map(number)] };
}

test("JIT-compiled session returns the same results as an interpreted session", async () => {
  const scenario = await product();
  const [interpreted, translated] = ["interpreter", "translated"].map((engine) => {
    const session = new warpgrid.Session(scenario);
    assert.equal(session.engine, undefined);
    assert.equal(session.run({ engine }), true);
    return session;
  });
  assert.deepEqual([interpreted.engine.name, translated.engine.name], ["interpreter", "translated"]);
  assert.match(translated.engine.words, /^compiled in .* million lane-instructions per second$/);
  assert.ok(translated.engine.rate > 0);
  const runState = ({ position, length, over, fault }) => ({ position, length, over, fault });
  assert.deepEqual(runState(translated), runState(interpreted));
  assert.deepEqual(translated.memory("c"), interpreted.memory("c"));
  assert.deepEqual(translated.report(), interpreted.report());
  assert.deepEqual(translated.memoryFile("c", "csv"), interpreted.memoryFile("c", "csv"));
  // The run has reached its end.
  assert.equal(translated.step(), false);
  // The interpreter computes last writers and earlier states.
  const inspectRun = (session) => [session.grid("c", { nRows: 2 }), session.events(session.length - 50, session.length), session.back(), session.position, session.length, session.memory("c")];
  assert.deepEqual(inspectRun(translated), inspectRun(interpreted));
  for (const session of [interpreted, translated]) session.free();
});

test("steps of a JIT-compiled session with a divergent warp are counted by the interpreter", () => {
  const source = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %x, %t; .reg .pred %p; .reg .b64 %q, %o;
  mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; mov.u32 %x, %t;
  setp.lt.u32 %p, %t, 20; @%p bra store;
  add.u32 %x, %x, 1;
store:
  ld.param.b64 %q, [out]; add.s64 %q, %q, %o; st.global.u32 [%q], %x;
  ret;
}`;
  const scenario = { source, grid: [1, 1, 1], block: [32, 1, 1], params: [{ kind: "buffer", name: "out", type: "u32", len: 32, init: 0 }] };
  const [interpreted, translated] = ["interpreter", "translated"].map((engine) => {
    const session = new warpgrid.Session(scenario);
    return [session.report({ engine }), session];
  });
  assert.deepEqual([translated[0].steps, translated[0].stores], [null, null]);
  assert.equal(translated[0].lane_instructions, interpreted[0].lane_instructions);
  assert.equal(translated[1].laneInstructions, interpreted[1].laneInstructions);
  assert.deepEqual([translated[1].position, translated[1].length], [interpreted[0].steps, interpreted[0].steps]);
});

test("long run distributes blocks to workers and produces the same memory contents as one worker", async () => {
  const source = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %i, %x, %t, %n; .reg .pred %p; .reg .b64 %q, %o;
  mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 32, %t; mul.wide.u32 %o, %t, 4;
  mov.u32 %i, 0; mov.u32 %x, %t;
again:
  mad.lo.u32 %x, %x, %x, %i; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 20000; @%p bra again;
  ld.param.b64 %q, [out]; add.s64 %q, %q, %o; st.global.u32 [%q], %x;
  ret;
}`;
  const scenario = { source, grid: [6000, 1, 1], block: [32, 1, 1], params: [{ kind: "buffer", name: "out", type: "u32", len: 6000 * 32, init: 0 }] };
  const [single, shared, freed] = [1, 2, 3].map(() => new warpgrid.Session(scenario));
  assert.ok(single.run({ maxSteps: Infinity, engine: "translated" }));
  assert.ok(await shared.runOnWorkers({ maxSteps: Infinity, workers: 3 }));
  assert.match(shared.engine.words, /^compiled in .* and run in .* in 3 parts: /);
  assert.equal(shared.position, single.position);
  assert.deepEqual(shared.memory("out"), single.memory("out"));
  // A session can be freed while workers run its blocks.
  const pendingRun = freed.runOnWorkers({ maxSteps: Infinity, workers: 3 });
  freed.free();
  await assert.rejects(pendingRun, (error) => error instanceof warpgrid.WarpgridError && /freed/.test(error.message));
  await assert.rejects(shared.runOnWorkers({ workers: 0 }), /`workers` is 0, expected an integer from 1 to 64/);
});

test("interpreter runs if selected, after a step, or if the step limit is too small for the JIT compiler", async () => {
  const scenario = await product();
  const name = (prepare, options) => {
    const session = new warpgrid.Session(scenario);
    prepare(session);
    session.run(options);
    const found = session.engine.name;
    session.free();
    return found;
  };
  assert.equal(name(() => {}, { engine: "interpreter" }), "interpreter");
  assert.equal(name((session) => session.step()), "interpreter");
  assert.equal(name(() => {}, { maxSteps: 150_000 }), "interpreter");
  assert.throws(() => name(() => {}, { engine: "fast" }), { code: "W0901", message: /`engine` is "fast", expected one of "auto", "interpreter", "translated"/ });
});

test("host without WebAssembly SIMD falls back to the interpreter with a reason", async () => {
  const { Module } = WebAssembly;
  const session = new warpgrid.Session(await product());
  try {
    WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError("no SIMD here"); } };
    assert.equal(session.run({ engine: "translated" }), true);
  } finally {
    WebAssembly.Module = Module;
  }
  assert.equal(session.engine.name, "interpreter");
  assert.match(session.engine.words, /the WebAssembly engine rejected the module: CompileError: no SIMD here/);
  session.free();
});
