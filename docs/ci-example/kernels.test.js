// Tests the kernels in CI. The tests verify that the checker accepts each kernel for each target, and check the final memory and the memory
// traffic.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import init, { Session, check } from "warpgrid";

const TARGETS = ["sm_80", "sm_90", "sm_100"];
const folder = new URL("kernels/", import.meta.url);
const kernel = (name) => readFile(new URL(name, folder), "utf8");
await init();

for (const name of await readdir(folder)) {
  for (const target of TARGETS) {
    test(`${name} is accepted for ${target}`, async () => {
      const { diagnostics } = check(await kernel(name), { target });
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      assert.deepEqual(errors.map(({ line, code, message }) => `${name}:${line}: ${code} ${message}`), []);
    });
  }
}

/** Creates a session that runs `saxpy` over 100 elements in blocks of 64 threads. */
async function saxpy() {
  const values = Array.from({ length: 100 }, (_, i) => i);
  const session = new Session({
    source: await kernel("saxpy.ptx"),
    grid: [2, 1, 1],
    block: [64, 1, 1],
    params: [
      { kind: "buffer", name: "x", type: "f32", len: 100, init: values },
      { kind: "buffer", name: "y", type: "f32", len: 100, init: 1 },
      { kind: "scalar", name: "a", type: "f32", value: 2 },
      { kind: "scalar", name: "n", type: "u32", value: 100 },
    ],
  });
  assert.equal(session.run({ maxSteps: 100_000 }), true, "the launch ends");
  assert.equal(session.fault?.message, undefined);
  return session;
}

test("saxpy computes a * x + y", async () => {
  const session = await saxpy();
  const y = new Float32Array(session.memory("y").buffer);
  assert.deepEqual([...y], Array.from({ length: 100 }, (_, i) => 2 * i + 1));
  session.free();
});

test("saxpy stores access no excessive sectors", async () => {
  const session = await saxpy();
  const stores = session.traffic().lines.find(({ opcode }) => opcode.startsWith("st.global"));
  // 100 floats occupy 400 bytes, which are 13 sectors of 32 bytes.
  assert.equal(stores.traffic.global.sectors, 13);
  session.free();
});
