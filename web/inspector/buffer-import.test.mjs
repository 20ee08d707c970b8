// Tests of the conversion of files to buffer annotations: NumPy arrays of every type, raw bytes, and error messages for other files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bufferNames, initializedSource } from "./buffer-import.js";

const SOURCE = "//@ launch grid=1 block=32\n//@ buffer x: f32[2][2] = 0 // here\n//@ buffer out: u32[4] = 0\nst.global.u32 [out], 1;\n";

/** Returns a file in the form that the browser provides. */
const file = (bytes) => new Blob([bytes]);

/** Returns an array in the NumPy format, in version 1 by default. */
function numpy(descr, shape, bytes, { fortran = false, version = 1 } = {}) {
  const header = `{'descr': '${descr}', 'fortran_order': ${fortran ? "True" : "False"}, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }`;
  const start = version === 1 ? 10 : 12;
  const length = Math.ceil((start + header.length + 1) / 64) * 64 - start;
  const lengths = version === 1 ? [length & 255, length >> 8] : [length & 255, length >> 8, 0, 0];
  return file(new Uint8Array([0x93, ...new TextEncoder().encode("NUMPY"), version, 0, ...lengths, ...new TextEncoder().encode(`${header.padEnd(length - 1)}\n`), ...bytes]));
}
const toBytes = (array) => new Uint8Array(array.buffer);
const importedLine = async (name, array) => (await initializedSource({ source: SOURCE }, name, array)).text.split("\n").find((sourceLine) => sourceLine.includes(`buffer ${name}`));

test("NumPy array determines type, extents and elements of the buffer", async () => {
  const floats = new Float32Array([0.1, -0, 3, 1e-45, Infinity, 16777216]);
  assert.equal(await importedLine("x", numpy("<f4", [2, 3], toBytes(floats))), "//@ buffer x: f32[2][3] = 0.1, -0.0, 3, 1e-45, 0x7f800000, 16777216");
  assert.equal(await importedLine("out", numpy("<i8", [2], toBytes(new BigInt64Array([-5n, 9007199254740993n])))), "//@ buffer out: s64[2] = -5, 9007199254740993");
  assert.equal(await importedLine("x", numpy("<f2", [3], [0, 0x3c, 1, 0, 0xff, 0xfb])), "//@ buffer x: f16[3] = 1, 5.960464477539063e-8, -65504");
  assert.equal(await importedLine("x", numpy("|b1", [2], [1, 0], { version: 2 })), "//@ buffer x: u8[2] = 1, 0");
  assert.equal(await importedLine("x", numpy(">u2", [2], [1, 2, 0, 7])), "//@ buffer x: u16[2] = 258, 7");
  // A single value would initialize all elements, so it is enclosed in braces. An array without extents has one element.
  assert.equal(await importedLine("x", numpy("<f8", [], toBytes(new Float64Array([0.1])))), "//@ buffer x: f64[1] = {0.1}");
});

test("column-major array is converted to row-major order", async () => {
  const imported = await importedLine("x", numpy("<i4", [2, 3], toBytes(new Int32Array([1, 4, 2, 5, 3, 6])), { fortran: true }));
  assert.equal(imported, "//@ buffer x: s32[2][3] = 1, 2, 3, 4, 5, 6");
});

test("raw bytes keep the declared type, and the declared extents if the number of elements matches", async () => {
  assert.equal(await importedLine("x", file(toBytes(new Float32Array([1, 2, 3, 0.5])))), "//@ buffer x: f32[2][2] = 1, 2, 3, 0.5");
  assert.equal(await importedLine("out", file(toBytes(new Uint32Array([7, 4294967295])))), "//@ buffer out: u32[2] = 7, 4294967295");
  const importedPacked = await initializedSource({ source: "//@ buffer p: f16x2[1]\n" }, "p", file(new Uint8Array([0, 0x3c, 0, 0x40, 1, 2, 3, 4])));
  assert.equal(importedPacked.text, "//@ buffer p: f16x2[2] = 0x40003c00, 0x04030201\n");
});

test("inferred annotations are inserted into the source", async () => {
  const imported = await initializedSource({ source: "st.global.u32 [p], 1;\n", inferredAnnotations: "//@ launch grid=1 block=32\n//@ buffer p: u32[64] = 0" }, "p", file(new Uint8Array([1, 0, 0, 0])));
  assert.equal(imported.text, "//@ launch grid=1 block=32\n//@ buffer p: u32[1] = {1}\nst.global.u32 [p], 1;\n");
  assert.deepEqual(bufferNames(SOURCE), ["x", "out"]);
});

test("files that cannot initialize the buffer are rejected with a reason", async () => {
  const assertRejected = async (pattern, name, array) => assert.rejects(initializedSource({ source: SOURCE }, name, array), ({ message }) => pattern.test(message) || assert.fail(message));
  await assertRejected(/not a multiple of the size/, "x", file(new Uint8Array(7)));
  await assertRejected(/the file is empty/, "x", file(new Uint8Array(0)));
  await assertRejected(/annotation for `y`/, "y", file(new Uint8Array(4)));
  await assertRejected(/integers or floats/, "x", numpy("<c8", [1], new Uint8Array(8)));
  await assertRejected(/integers or floats/, "x", numpy("<U4", [1], new Uint8Array(16)));
  await assertRejected(/found 4 of 400 bytes/, "x", numpy("<f4", [100], new Uint8Array(4)));
  await assertRejected(/more than 250,000 characters/, "x", file(toBytes(new Float32Array(100_000).fill(0.25))));
  await assertRejected(/the limit is 4,000,000/, "x", file(new Uint8Array(5_000_000)));
  await assertRejected(/has no field `shape`/, "x", file(new Uint8Array([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, 4, 0, 32, 32, 32, 10])));
  // The header declares more elements than the file contains.
  await assertRejected(/truncated|has no field `shape`|integers/, "x", numpy("<f4", [1e15], new Uint8Array(4)));
});
