// Tests of the type declarations of the package. `consumers.test.mjs` compiles this file and does not run it.
import markdownIt from "warpgrid/markdown-it";
import remark from "warpgrid/remark";
import init, { type Cell, type InitInput, Session, WarpgridError, check, cutLitmus, explain, hover, initSync, product } from "warpgrid";
import { type Recording, embedding, record } from "warpgrid/record";

/** Compiles only if both types are identical; `any` is not identical to any other type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const isTrue = <Claim extends true>(claim: Claim): Claim => claim;

export async function main(bytes: Uint8Array): Promise<void> {
  await init();
  await init(bytes);
  initSync({ module: bytes });
  const report = check("ret;", { target: "sm_90" });
  isTrue<Same<typeof report.accept, boolean>>(true);
  isTrue<Same<ReturnType<typeof explain>, string | undefined>>(true);
  isTrue<Same<Session["length"], number | undefined>>(true);
  isTrue<Same<ReturnType<Session["grid"]>["cells"], Cell[]>>(true);
  isTrue<Same<Awaited<ReturnType<typeof record>>, Recording>>(true);
  using session = new Session({ source: "ret;", block: [32, 1, 1] });
  session.run({ maxSteps: 10 });
  const isOver: boolean = await session.runOnWorkers({ workers: 2, maxSteps: 10, engine: "auto" });
  // @ts-expect-error a number of workers is a number
  void session.runOnWorkers({ workers: isOver });
  try {
    hover("ret;", 0);
  } catch (error) {
    if (error instanceof WarpgridError) isTrue<Same<typeof error.code, string>>(true);
  }

  // Arguments have field names in snake case or camel case, typed arrays as lists, and integers as `bigint`.
  const buffer = { kind: "buffer", name: "out", type: "f32", len: 32 } as const;
  new Session({ source: "ret;", params: [{ ...buffer, init: new Float32Array(32) }] });
  new Session({ source: "ret;", params: [{ ...buffer, init: 5n, expect: new Float32Array(32) }] });
  new Session({ source: "ret;", ptxVersion: "8.0", dynamicShared: 64, params: [{ ...buffer, expectSha256: "00" }] });
  check("ret;", { ptxVersion: "8.0" });
  session.run({ maxSteps: 5n });
  cutLitmus({ source: "ret;" }, { lines: [1, 2] });
  product({ op: "mma", shape: "m16n8k8", types: ["f16"], target: "sm_80" });
  // @ts-expect-error an unknown key of a parameter
  new Session({ source: "ret;", params: [{ ...buffer, inti: 3 }] });

  // @ts-expect-error a text is a string
  check(5);
  // @ts-expect-error an unknown key
  check("ret;", { tagret: "sm_90" });
  // @ts-expect-error an unknown key
  new Session({ source: "ret;", blokc: [32, 1, 1] });
  // @ts-expect-error a grid has three extents
  new Session({ source: "ret;", grid: 4 });
  // @ts-expect-error positions are numbers
  session.seek("3");
  // @ts-expect-error the property is read-only
  session.position = 3;
  // @ts-expect-error the constructor of the error class is private
  new WarpgridError("no");
  // @ts-expect-error an input is one of the forms
  const input: InitInput = 5;
  void input;
}

// The plugins of documentation tools, as their configuration files use them.
const remarkPlugins: (() => (tree: { type: string }) => Promise<void> | void)[] = [remark];
const markdown = { config: (md: { use(plugin: typeof markdownIt, options?: { vue?: boolean }): unknown }) => md.use(markdownIt, { vue: true }) };
const made: Promise<{ html: string; problems: { line: number; message: string }[] }> = embedding("ret;");
void [remarkPlugins, markdown, made];
