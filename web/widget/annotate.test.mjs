// Tests that the launch of a source that was converted from a scenario equals the launch of the scenario.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { kernels, readCase, scenario as scenarioOf } from "../../crates/wasm/npm/corpus.mjs";
import { withAnnotations } from "./annotate.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { default: init, Session } = await import(new URL("pkg/node.js", new URL("../../", import.meta.url)));
await init();

test("fields of a scenario replace the annotations of its source", () => {
  const source = "//@ title Old\n//@ launch grid=2 block=64 shared=512 seed=7\n//@ buffer out: u32[4] = 0\n//@ expect out = 1\n//@ about Kept.\nret;";
  const scenario = {
    source, name: "New", grid: [4, 1, 1], dynamic_shared: 64, seed: 0,
    params: [
      { kind: "buffer", name: "out", type: "f32", len: 8, shape: [2, 4], init: [1, -0, 2.5], start: 4 },
      { kind: "scalar", name: "n", type: "s32", value: -3 },
      { kind: "struct", name: "dims", size: 16, fields: [{ kind: "scalar", name: "w", type: "u32", value: 9, offset: 8 }] },
      { kind: "alias", name: "also", of: "out" },
      {
        kind: "tensormap", name: "map", mode: "tiled", buffer: "out", byte_offset: 16, type: "f32", dims: [4, 2], strides: [32], box: [4, 1],
        swizzle: "none",
      },
      {
        kind: "texture", name: "image", resource: { kind: "array", array: "texels" }, address_mode: ["wrap", "clamp"], filter: "linear", normalized: true,
      },
      { kind: "texture", name: "rows", resource: { kind: "pitch2d", buffer: "out", byte_offset: 16, type: "u8", channels: 4, width: 2, height: 3, pitch: 8 } },
      { kind: "surface", name: "to", resource: { kind: "array", array: "texels" } },
    ],
    arrays: [{ name: "texels", type: "f32", channels: 4, width: 7, height: 5, layers: 2, surface: true, init: "iota", expect: [0, 1] }],
    registers: [{ name: "R2", value: "lane * 4" }],
  };
  assert.equal(withAnnotations(scenario), [
    "//@ title New", "//@ launch grid=4 seed=0 shared=512", "//@ buffer out: f32[2][4] = [1, -0.0, 2.5]", "//@ start out = 4", "//@ scalar n: s32 = -3",
    "//@ scalar dims+8: u32 = 9", "//@ alias also = out", "//@ tensormap map = tiled out+16: f32[2][4] strides=[32] box=[1][4] swizzle=none",
    "//@ texture image = texels filter=linear address=wrap,clamp normalized", "//@ texture rows = pitch2d out+16: u8x4[3][2] pitch=8",
    "//@ surface to = texels", "//@ array texels: f32x4[2][5][7] layered surface = iota", "//@ expect texels = [0, 1]", "//@ register R2 = lane * 4", "//@ launch block=64", "//@ about Kept.", "ret;",
  ].join("\n"));
  assert.equal(withAnnotations({ source }), source);
});

test("annotated source of every corpus case produces the same memory contents as its scenario", async () => {
  let compared = 0;
  for (const { caseFile, files } of await kernels(root)) {
    const scenario = scenarioOf(JSON.parse(await readCase(root, caseFile)), await readCase(root, files[0]));
    const [original, annotated] = [new Session(scenario), new Session({ source: withAnnotations(scenario) })];
    assert.deepEqual(annotated.guesses, [], `${caseFile}: something is left to guess`);
    for (const session of [original, annotated]) session.run();
    assert.equal(annotated.position, original.position, caseFile);
    const memories = (session) => session.frame({}).memories.filter(({ isNamed }) => isNamed).map(({ id }) => id);
    const [ids, annotatedIds] = [memories(original), memories(annotated)];
    assert.equal(annotatedIds.length, ids.length, caseFile);
    ids.forEach((id, index) => {
      assert.ok(Buffer.from(original.memory(id)).equals(Buffer.from(annotated.memory(annotatedIds[index]))), `${caseFile}: ${id}`);
      compared += 1;
    });
    original.free();
    annotated.free();
  }
  assert.ok(compared > 60, `${compared} memories`);
});
