// Tests kernels from real compilers. The test pastes each kernel, runs the kernel to its end, and checks the memory. The test computes the
// expected memory from the original source of the kernel, which a comment at the start of each text contains.
import { expect, test } from "@playwright/test";
import { readFile } from "node:fs/promises";
import { cells, open, paste, ready, showMemory } from "./playground";

type Memory = Record<string, number[]>;
const fill = (n: number, value: (i: number) => number) => Array.from({ length: n }, (_, i) => value(i));
/** Returns the number that a cell shows. A character is converted to its code. */
const number = (cell: string) => (cell === "␣" ? 32 : /^[a-z.]$/.test(cell) ? cell.charCodeAt(0) : Number(cell));
const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

/** Expected memory of each kernel, by file name. `initialValues` reads the values of an input from the source. */
const kernels: Record<string, (initialValues: (buffer: string) => number[]) => Memory> = {
  "row-and-column-stores": () => ({ rows: fill(128, (i) => i), columns: fill(128, (i) => i) }),

  "vector-addition": () => ({ c: fill(128, (i) => (i < 100 ? i + 0.5 : 0)) }),

  "saxpy-float4": () => ({ x: fill(256, (i) => i), y: fill(256, (i) => (i < 4 * 60 ? 2 * i + 1 : 1)) }),

  "strided-store": () => ({ out: fill(128, (i) => (i % 4 === 1 ? 0xa0000000 + (i >> 2) : 0)) }),

  transposition: () => ({ out: fill(24 * 16, (i) => (i % 16) * 24 + (i >> 4)) }),

  "divergent-branches": () => ({
    a: fill(64, (t) => [t + 1000, 1000, 7 + t][t % 3]),
    b: fill(64, (t) => (t % 3 === 1 ? 10 * t : 7)),
    c: fill(64, (t) => (t % 3 !== 0 ? 0 : t > 15 ? t + 1 : t % 2 === 1 ? -t : 0)),
  }),

  mandelbrot: () => {
    const escape = (px: number, py: number) => {
      const [cx, cy] = [Math.trunc((px * 3 * 4096) / 32) - 2 * 4096, Math.trunc((py * 2 * 4096) / 24) - 4096];
      let [x, y, k] = [0, 0, 0];
      for (; k < 40; k++) {
        const [xx, yy] = [(x * x) >> 12, (y * y) >> 12];
        if (xx + yy > 4 * 4096) break;
        [x, y] = [xx - yy + cx, ((x * y) >> 11) + cy];
      }
      return k;
    };
    return { out: fill(24 * 32, (i) => escape(i % 32, i >> 5)) };
  },

  "game-of-life": (initialValues) => {
    const now = initialValues("now");
    const around = [-1, 0, 1].flatMap((dy) => [-1, 0, 1].map((dx) => [dx, dy])).filter(([dx, dy]) => dx !== 0 || dy !== 0);
    const at = (x: number, y: number) => now[((y + 16) % 16) * 16 + ((x + 16) % 16)];
    const next = (x: number, y: number) => {
      const living = sum(around.map(([dx, dy]) => at(x + dx, y + dy)));
      return living === 3 || (living === 2 && at(x, y) === 1) ? 1 : 0;
    };
    return { now, next: fill(256, (i) => next(i % 16, i >> 4)) };
  },

  "shared-reduction": () => ({ out: [sum(fill(256, (i) => i))] }),

  "reverse-in-shared-memory": () => ({ d: fill(128, (i) => (i < 64 ? 63 - i : 191 - i)) }),

  "tiled-matrix-product": () => {
    const iota = (row: number, column: number) => row * 16 + column;
    return { c: fill(256, (i) => sum(fill(16, (k) => iota(i >> 4, k) * iota(k, i % 16)))) };
  },

  // Among the previous positions, the positions that follow the same two characters have the largest weights. The last of these positions
  // has the largest weight.
  transformer: (initialValues) => {
    const text = initialValues("text");
    const before = (at: number, n: number) => text[Math.max(at - n, 0)];
    for (let at = text.indexOf(0) - 1; at < 63; at += 1) {
      const samples = new Map<number, number>();
      for (let other = 0; other <= at; other += 1) {
        const weights = Number(before(other, 1) === text[at]) + Number(before(other, 2) === before(at, 1));
        samples.set(text[other], (samples.get(text[other]) ?? 0) + Math.exp(12 * weights + 0.1 * other));
      }
      text[at + 1] = [...samples].reduce((best, chance) => (chance[1] > best[1] ? chance : best))[0];
    }
    return { text };
  },

  "warp-scan": () => {
    const scan = (t: number) => sum(fill((t % 32) + 1, (k) => t - k));
    return { out: fill(264, (i) => (i < 64 ? scan(i) : i === 256 ? scan(31) : i === 257 ? scan(63) : 0)) };
  },

  "warp-votes": (initialValues) => {
    const votes = (x: number[]) => [
      sum(x.map((value, lane) => (value === 0 ? 2 ** lane : 0))),
      Number(x.every((value) => value < 3)),
      Number(x.some((value) => value === 3)),
      sum(x),
    ];
    return { out: [0, 32, 64, 96].flatMap((start) => votes(initialValues("in").slice(start, start + 32))) };
  },

  "bytes-and-shorts": (initialValues) => {
    const v = initialValues("in");
    const short = (value: number) => (value << 16) >> 16;
    return {
      b: v.map((v) => v & 0xff),
      c: v.map((v) => (v << 16) >> 24),
      s: v.map((v) => v >> 16),
      u: v.map((v) => (v >>> 4) & 0xffff),
      b2: v.flatMap((v) => [v & 0xff, ~v & 0xff]),
      s4: v.flatMap((v) => [v >> 16, short(-(v >> 16)), short(v >>> 4), short((v >>> 4) + 1)]),
    };
  },

  "store-128-bits": () => {
    const stored = fill(128, (i) => (i % 4 === 0 ? i + 1 : i));
    return { out: [...stored, ...fill(128, () => 0), ...stored] };
  },

  "misaligned-store": () => ({ raw: fill(132, () => 0) }),

  "cluster-messages": () => ({ out: fill(4 * 32, (i) => (((i >> 5) + 3) % 4) * 100 + (i % 32)) }),

  "copy-pipeline": () => ({ out: fill(32, (t) => sum(fill(8, (k) => 32 * k + t))) }),

  "cluster-histogram": () => ({ out: fill(16, () => 8) }),

  "tensor-copy": () => ({ out: fill(8 * 32, (i) => (4 + (i >> 5)) * 64 + 16 + (i % 32)) }),

  // Columns 24 to 39 of rows 8 to 11 are in bounds. Each number is rounded to eleven significant bits.
  "tensor-edge": () => ({
    out: fill(8 * 32, (i) => ((i >> 5) < 4 && i % 32 < 16 ? (8 + (i >> 5)) * 40 + 24 + (i % 32) : 0)),
  }),

  // Each tile contains 512 numbers of 16 bits, and its rows have 128, 32, 64 or 128 bytes. The swizzle selects the 16-byte chunk of each
  // address.
  "swizzle-modes": () => ({
    out: fill(2048, (index) => {
      const [tile, byte] = [index >> 9, (index % 512) * 2];
      const [span, mask] = [[128, 0], [32, 1], [64, 3], [128, 7]][tile];
      const plain = byte ^ (((byte >> 7) & mask) << 4);
      const row = Math.trunc(plain / span);
      return row < 8 ? row * 64 + (plain % span) / 2 : 0;
    }),
  }),

  // Each result is the sum of 64 consecutive numbers of a column, because the other matrix contains only ones.
  "warpgroup-pipeline": () => ({ d: fill(64 * 16, (i) => 4096 * (i % 16) + 2016) }),

  "tensor-memory-product": () => ({ d: fill(128 * 32, (i) => 256 * (i >> 5) + 120) }),

  "matrix-epilogue": () => ({
    out: fill(24 * 32, (i) => {
      const [row, column] = [(i >> 5) - 4, (i % 32) - 8];
      return row >= 0 && row < 16 && column >= 0 && column < 16 ? 16 * row + column : 0;
    }),
  }),

  "filtered-image": () => {
    const texels = [0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 128, 0, 0, 0, 0, 255];
    const at = (x: number, y: number) => texels[Math.min(Math.max(y, 0), 3) * 4 + Math.min(Math.max(x, 0), 3)];
    return {
      out: fill(8 * 16, (i) => {
        const [u, v] = [(i % 16) / 4 - 0.5, (i >> 4) / 2 - 0.5];
        const [x, y] = [Math.floor(u), Math.floor(v)];
        const across = (line: number) => at(x, line) * (1 - u + x) + at(x + 1, line) * (u - x);
        return across(y) * (1 - v + y) + across(y + 1) * (v - y);
      }),
    };
  },

  "tensor-memory": () => ({
    out: fill(32 * 8, (i) => {
      const [thread, register] = [i >> 3, i % 8];
      const lane = (thread >> 2) + 8 * ((register >> 1) % 2) + 16 * (register >> 2);
      return 8 * lane + 2 * (thread % 4) + (register % 2);
    }),
  }),

  "two-dimensional-blocks": () => ({ rows: fill(128, (i) => (i >> 4) * 100 + (i % 16)), columns: fill(128, (i) => (i % 8) * 100 + (i >> 3)) }),

  "named-barriers": () => ({ out: fill(128, (i) => (i >> 5) * 1000 + (i % 32)) }),

  "message-between-blocks": () => ({ data: fill(32, (i) => 3 * i + 5), flag: [1], out: fill(32, (i) => 3 * i + 5) }),

  "bulk-copy": () => ({ out: fill(128, (i) => (i % 4 === 0 ? i + 1000 : i)) }),

  deadlock: () => ({ out: fill(64, () => 0) }),

  "broken-mbarrier": () => ({ out: fill(32, () => 0) }),
};
/** Minimum number of elements that the grid of a long buffer shows. */
const COMPARED_ELEMENTS = 640;
const FAULTING_EXAMPLES = new Set(["misaligned-store", "deadlock", "broken-mbarrier"]);

for (const [name, memory] of Object.entries(kernels)) {
  test(`${name} produces the memory contents expected from its source`, async ({ page }) => {
    const text = await readFile(new URL(`../public/examples/${name}.ptx`, import.meta.url), "utf8");
    const initialValues = (buffer: string) => new RegExp(`^//@ buffer ${buffer}:.*= (.*)$`, "m").exec(text)![1].split(",").map(Number);
    await open(page);
    await paste(page, `// From a colleague.\n${text}`);
    await expect(page.getByRole("combobox", { name: "Example" })).toHaveValue("");
    await ready(page);
    await page.getByRole("status").click();
    await page.keyboard.press("End");
    await expect(page.getByRole("status")).toHaveText(FAULTING_EXAMPLES.has(name) ? /faulted/ : /finished/);
    for (const [buffer, expected] of Object.entries(memory(initialValues))) {
      // With wide rows, the grid shows the whole buffer.
      const columns = page.getByRole("region", { name: buffer, exact: true }).getByRole("combobox", { name: "Columns" });
      await showMemory(page, buffer);
      if (expected.length >= 256) await columns.selectOption({ label: "× 32" });
      // The test can read only the visible elements of a longer buffer.
      const actual = async () => (await cells(page, buffer)).map(number).slice(0, COMPARED_ELEMENTS);
      await expect.poll(actual, { message: buffer }).toEqual(expected.slice(0, COMPARED_ELEMENTS));
    }
  });
}

test("pasted kernel without annotations runs with an inferred launch configuration that can be inserted", async ({ page }) => {
  const text = await readFile(new URL("../public/examples/tiled-matrix-product.ptx", import.meta.url), "utf8");
  const withoutAnnotations = text.split("\n").filter((line) => !line.startsWith("//@")).join("\n");
  await open(page);
  await paste(page, withoutAnnotations);
  const launch = page.locator("summary", { hasText: "16 × 16>>>" });
  await expect(launch).toContainText("inferred");
  await ready(page);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await launch.click();
  await page.getByRole("button", { name: "Insert annotations" }).click();
  await expect(launch).not.toContainText("inferred");
  await ready(page);
  const updatedSource: string = await page.evaluate(() => (globalThis as any).warpgridEditor.text());
  expect(updatedSource.split("\n")[0]).toBe("//@ launch grid=1 block=16x16");
  expect(updatedSource.endsWith(withoutAnnotations)).toBe(true);
});

test("selected kernel of a module with several kernels runs", async ({ page }) => {
  const kernel = (name: string, value: number) =>
    `.visible .entry ${name}(.param .u64 p) {\n\t.reg .b64 %a;\n\tld.param.u64 %a, [p];\n\tst.global.u32 [%a], ${value};\n\tret;\n}\n`;
  await open(page);
  await paste(page, `.version 8.0\n.target sm_80\n.address_size 64\n${kernel("first", 11)}${kernel("second", 22)}`);
  await ready(page);
  await page.keyboard.press("Escape");
  const stored = async () => (await cells(page, "p"))[0];
  await expect(page.getByRole("combobox", { name: "Kernel" })).toHaveValue("first");
  await expect.poll(stored).toMatch(/^11/);
  await page.getByRole("combobox", { name: "Kernel" }).selectOption("second");
  await ready(page);
  await expect.poll(stored).toMatch(/^22/);
});
