/// <reference lib="esnext.disposable" />
import type { DiagnosticView, SessionRunOptions } from "./types.js";

/** What a class of the host makes, or nothing where the host's library does not have it: these types need no DOM. */
type Made<Name extends string> = typeof globalThis extends { [name in Name]: { prototype: infer Instance } } ? Instance : never;
type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module & object : never;

/** Bytes, or a compiled module. */
export type SyncInitInput = ArrayBuffer | ArrayBufferView | CompiledModule;

/** Where the wasm is, or what it is. */
export type InitInput = string | Made<"URL"> | Made<"Request"> | Made<"Response"> | SyncInitInput;

/**
 * Loads the wasm once; later calls return at once. Without an argument it takes the file beside this module;
 * otherwise an address, a `Response`, bytes or a `WebAssembly.Module`.
 */
export default function init(source?: InitInput | Promise<InitInput> | { module_or_path: InitInput | Promise<InitInput> }): Promise<void>;

/** Loads the wasm without waiting. Only Node, which can read the file, does without an argument. */
export function initSync(module?: SyncInitInput | { module: SyncInitInput }): void;

/** What every call throws that cannot be answered. */
export class WarpgridError extends Error {
  private constructor();
  readonly name: "WarpgridError";
  /** `W0901`; `explain(code)` says more. */
  readonly code: string;
  /** Where in the text, if the text is the reason. */
  readonly diagnostics: DiagnosticView[] | null;
}

/** What runs a session on workers. */
export interface RunOnWorkersOptions extends SessionRunOptions {
  /** Workers, with the caller: the cores of the host, eight at most, when absent. */
  workers?: number;
}

export interface Session {
  /**
   * Runs forward as `run` does; resolves to true when the run is over. A long run to the end that is translated leaves blocks to workers, each with a memory of its
   * own; what comes out does not depend on their number. Where there are no workers, it runs here.
   */
  runOnWorkers(options?: RunOnWorkersOptions): Promise<boolean>;
}

// ---- From crates/wasm/src/lib.rs; `UPDATE_EXPECT=1 cargo xtask package` writes it.
import type {
  AccessLayout,
  BesideReport,
  CauseView,
  CellHistory,
  CheckOptions,
  CheckReport,
  ClusterView,
  CodePage,
  CompletionView,
  ConflictReport,
  Cured,
  CutRequest,
  EngineView,
  FaultView,
  FileView,
  FormPage,
  FragmentRequest,
  FragmentView,
  Frame,
  FrameRequest,
  Grid,
  GridOptions,
  HangView,
  HistoryOptions,
  HoverView,
  LayoutView,
  LitmusRepairs,
  LitmusView,
  MbarrierView,
  MemoryForm,
  PendingView,
  ProductRequest,
  ProductView,
  RaceReport,
  Reached,
  ReportOptions,
  RunOptions,
  RunReport,
  Scenario,
  StoreView,
  TokenView,
  TrafficView,
  UntilOptions,
  WarpView,
} from "./types.js";

export * from "./types.js";

/**
 * A scenario, checked and ready to be stepped forward and back.
 */
export class Session {
  free(): void;
  [Symbol.dispose](): void;
  /**
   * Steps one warp-instruction back; false at the start.
   */
  back(): boolean;
  /**
   * The earlier events that matter for the fault that stopped the launch: who computed and stored the address, who changed the mbarrier
   * last, where threads ended that others wait for. Steps before it are run once more for them.
   */
  causes(): CauseView[];
  /**
   * The cluster of a block, by linear index: its blocks by rank; `undefined` where clusters are single blocks, and when the
   * block is not on the machine.
   */
  cluster(block: number): ClusterView | undefined;
  /**
   * Bank conflicts of the steps that were taken: lanes by banks, which lanes collide, and what frees each buffer. Runs them once more.
   */
  conflicts(): ConflictReport;
  /**
   * What the steps `from..to` stored: by which lanes, where, which bytes. Stops after the step with which there are 10000
   * stores or more: to go on, ask from the `step` of the last one plus 1.
   */
  events(from: number, to: number): StoreView[];
  /**
   * Everything a page shows at the present position.
   */
  frame(request?: FrameRequest): Frame;
  /**
   * A window of memory as cells. `options`: `{ columns?, type?, firstRow?, nRows? }`.
   */
  grid(name: string, options?: GridOptions): Grid;
  /**
   * Why the launch never ends, where the run has found that it does not: who waits for what, what is missing, and the line that should
   * have brought it; or `null`.
   */
  hang(): HangView | null;
  /**
   * Every store that wrote a cell of a memory in the steps that were taken: step, line, lane, what it held before and after; the latest 64 up to the
   * present position and the first 64 after it, and how many there are. `offset` counts bytes from the start of the memory. `options`:
   * `{ type?, bytes? }`. Runs the steps once more. Throws for an unknown name, and for a cell that lies outside.
   */
  history(name: string, offset: number, options?: HistoryOptions): CellHistory;
  /**
   * Lets an operation in flight land now; false when it is not in flight.
   */
  land(id: number): boolean;
  /**
   * Lanes and registers of a warp, by linear block index; `undefined` when it is not on the machine.
   */
  lanes(block: number, warp: number): WarpView | undefined;
  /**
   * The layout of each access to shared and global memory in the steps that were taken: shape and stride, a swizzle of them, or bases over
   * GF(2); or that there is none, and where it breaks. Runs them once more.
   */
  layouts(): AccessLayout[];
  /**
   * A memory as a file: `"svg"` (its cells in the colours of their lanes), `"animation"` (the run up to here as an SVG that moves), `"csv"`,
   * `"npy"` (for NumPy). `options`: `{ columns?, type?, firstRow?, nRows? }`. Throws for an unknown name, and for a table of more than 16 Mi elements.
   */
  memoryFile(name: string, form: MemoryForm, options?: GridOptions): Uint8Array;
  /**
   * The bytes of a memory where they lie in the wasm, without a copy: to read at once, in the element type of your choice
   * (`new Float32Array(view.buffer, view.byteOffset, view.length / 4)`), and not to write. Any other call of the package ends it: after that it
   * may have other bytes, or none. Throws for an unknown name.
   */
  memoryView(name: string): Uint8Array;
  /**
   * The bytes of a memory, copied: they stay as they are. Throws for an unknown name.
   */
  memory(name: string): Uint8Array;
  /**
   * Checks and launches; throws a `WarpgridError { code, diagnostics }` when the scenario cannot run.
   */
  constructor(scenario: Scenario);
  /**
   * The data races of the steps that were taken, by the memory model of PTX: both accesses of each, what is missing between them, and the
   * weakest repair of small launches. The steps are run once more.
   */
  races(): RaceReport;
  /**
   * Runs to the end, and says whether it is as the scenario promises (`expect`, `one_of`, `expect_sha256`, `fault`): `{ ok, differences, fault, steps,
   * stores, notes, … }`. `options`: `{ maxSteps?, engine?, traffic?, races?, layouts?, digests? }` ask for more. What cannot end is not well, and `hang` says why.
   */
  report(options?: ReportOptions): RunReport;
  /**
   * Runs until a lane meets a condition (`{ condition: "lane 3: %r5 == 7" }`), a line comes next (`{ lines: [12] }`) or bytes change
   * (`{ memory: "out", offset: 16 }`); with `back: true` to where that was last. Says where it came to, and what happened. Throws where there is
   * no such register, line or memory.
   */
  runUntil(options: UntilOptions): Reached;
  /**
   * Runs forward; true when the run is over. `options`: `{ maxSteps?, engine? }`. A long run to the end is translated to WebAssembly, where the
   * session was asked for nothing on the way; `engine: "interpreter"` switches that off, and `engine` of the session says what ran.
   */
  run(options?: SessionRunOptions): boolean;
  /**
   * Goes to a position, or to the end if the run is shorter.
   */
  seek(position: number): void;
  /**
   * Steps one warp-instruction forward; false at the end.
   */
  step(): boolean;
  /**
   * What the steps that were taken cost in sectors, lines, wavefronts and bank conflicts, in all and by line of the source. The first
   * call runs them once more.
   */
  traffic(): TrafficView;
  /**
   * Which engine ran last, and how fast: `{ name, words, rate }`; `undefined` before the first run.
   */
  readonly engine: EngineView | undefined;
  /**
   * The fault that stopped the launch, or `null`.
   */
  readonly fault: FaultView | null;
  /**
   * What was guessed, as the `//@` lines that would state it in the source.
   */
  readonly guesses: string[];
  /**
   * Steps of the whole run; `undefined` until its end was seen.
   */
  readonly length: number | undefined;
  /**
   * The mbarrier objects of the blocks that are on the machine: phase, pending arrivals, awaited bytes, who waits.
   */
  readonly mbarriers: MbarrierView[];
  /**
   * Whether every thread has ended or a fault stopped the launch.
   */
  readonly over: boolean;
  /**
   * Operations in flight: stores that have started and not landed.
   */
  readonly pending: PendingView[];
  /**
   * Steps done.
   */
  readonly position: number;
  /**
   * The scenario with everything filled in that was guessed.
   */
  readonly scenario: Scenario;
}

/**
 * Checks a source. `options`: `{ target?, ptx_version?, front? }`.
 */
export function check(source: string, options?: CheckOptions): CheckReport;

/**
 * The diagnostics of the reference, as data.
 */
export function codes(): CodePage[];

/**
 * Runs both texts of a scenario with one launch, its own and the one in `beside`, and says whether they leave the same memory or where
 * they part. `options`: `{ maxSteps? }`, of each run. Throws a `WarpgridError` when one of them cannot run.
 */
export function compare(scenario: Scenario, options?: RunOptions): BesideReport;

/**
 * Lists what can be written at a UTF-16 offset, best first: only what is legal for the version and target.
 */
export function complete(source: string, offset: number, options?: CheckOptions): CompletionView[];

/**
 * Rewrites the PTX of a scenario so that its accesses to shared memory have no bank conflicts, runs both texts, and says what was changed
 * and that they leave the same bytes. `options`: `{ maxSteps? }`. Throws a `WarpgridError` that says why where nothing is cured.
 */
export function cure(scenario: Scenario, options?: RunOptions): Cured;

/**
 * The litmus test that lines of a kernel ask, as a text that `exploreLitmus` answers: `cut` is `{ lines: [12, 30], threads?: [{ block: [0, 0, 0],
 * thread: [0, 0, 0] }, ...], before? }`. The kernel runs to its lines; registers become numbers, memory holds what it does then. `options`: `{ maxSteps? }`.
 * Throws a `WarpgridError` that says why where the lines make no test.
 */
export function cutLitmus(scenario: Scenario, cut: CutRequest, options?: RunOptions): string;

/**
 * Explains a diagnostic code, an instruction, a special register or a word such as `bank`; `undefined` when it is none of them.
 */
export function explain(subject: string): string | undefined;

/**
 * Every outcome that the memory model of PTX allows for a litmus test, each with an execution, and why the others are forbidden. The test is a text
 * with `//@ location`, `//@ thread` and `//@ observe` lines. Throws a `WarpgridError` that says what is wrong, or what is too much.
 */
export function exploreLitmus(source: string): LitmusView;

/**
 * A program of such a file as a text, by its number from 0: PTX as it is, of machine code what can be read without a disassembler. Throws a
 * `WarpgridError` where there is no such program.
 */
export function fileText(bytes: Uint8Array, program: number): string;

/**
 * Formats a source.
 */
export function format(source: string): string;

/**
 * The instruction forms of the reference, as data.
 */
export function forms(): FormPage[];

/**
 * Which lane and register holds which element of a matrix: `{ op, shape, type, target, layout?, stride? }`. Throws a
 * `WarpgridError` that says what exists instead when there is no such fragment.
 */
export function fragment(query: FragmentRequest): FragmentView;

/**
 * Explains the token at a UTF-16 offset; `undefined` between tokens.
 */
export function hover(source: string, offset: number, options?: CheckOptions): HoverView | undefined;

/**
 * Where the elements of a tensor instruction lie, in registers of a warpgroup, in shared memory or in tensor memory: `{ op, shape?,
 * type?, with? }`, such as `{ op: "wgmma.shared.a", type: "f16", with: { swizzle: "64B" } }`. Throws a `WarpgridError` that says what
 * exists instead when there is no such layout.
 */
export function layout(query: FragmentRequest): LayoutView;

/**
 * Where things lie by a layout that is written, a descriptor, or two instructions in a row: `{ op, shape?, type?, with? }`, such as
 * `{ op: "layout", with: { expression: "(8,4):(4,1) o 16:2" } }`, `{ op: "wgmma.tile.a", with: { descriptor: "0x4000004000010040" } }` or
 * `{ op: "chain", with: { first: "mma.d m16n8k16 f32", then: "mma.a m16n8k16 f16" } }`. Throws a `WarpgridError` with the place of a mistake.
 */
export function lens(query: FragmentRequest): LayoutView;

/**
 * What a file of a compiler holds (a cubin, a fatbin, an object or a program): its programs in PTX and in machine code, with what the file states
 * of their kernels. Throws a `WarpgridError` that says what the file is instead.
 */
export function openFile(bytes: Uint8Array): FileView;

/**
 * The picture of an address of the matrix view or of the lens, such as `#lens?op=wgmma.tile.a&type=f16&step=2`, or of its words one a line, as a
 * drawing (`svg`), as `text`, or as the `link` that leads to it. Throws a `WarpgridError` with the place of a mistake.
 */
export function picture(query: string, form: "svg" | "text" | "link"): string;

/**
 * How a tensor core computes one element of a matrix product: `{ op, shape, types, target, a?, b?, c? }`. Throws a `WarpgridError` when
 * there is no such product.
 */
export function product(query: ProductRequest): ProductView;

/**
 * The weakest changes of a litmus test that forbid the outcomes of its `//@ bad` lines, or without them all that no interleaving of the threads
 * reaches. Throws a `WarpgridError` as `exploreLitmus` does.
 */
export function repairLitmus(source: string): LitmusRepairs;

/**
 * Splits a source into coloured tokens, in text order; offsets count UTF-16 units. `options`: `{ front? }`.
 */
export function tokens(source: string, options?: CheckOptions): TokenView[];
