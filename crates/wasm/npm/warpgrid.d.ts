/// <reference lib="esnext.disposable" />
import type { DiagnosticView, SessionRunOptions } from "./types.js";

/** Instance type of a global class of the host, or `never` if the type library lacks it; avoids a dependency on DOM types. */
type Made<Name extends string> = typeof globalThis extends { [name in Name]: { prototype: infer Instance } } ? Instance : never;
type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module & object : never;

/** Bytes of a WebAssembly module, or a compiled module. */
export type SyncInitInput = ArrayBuffer | ArrayBufferView | CompiledModule;

/** Location or contents of the WebAssembly module. */
export type InitInput = string | Made<"URL"> | Made<"Request"> | Made<"Response"> | SyncInitInput;

/**
 * Loads the WebAssembly module once; later calls return immediately. Without an argument, the file next to this module is loaded;
 * otherwise pass a URL, a `Response`, bytes or a `WebAssembly.Module`.
 */
export default function init(source?: InitInput | Promise<InitInput> | { module_or_path: InitInput | Promise<InitInput> }): Promise<void>;

/** Loads the WebAssembly module synchronously. The argument is optional in Node only. */
export function initSync(module?: SyncInitInput | { module: SyncInitInput }): void;

/** Error thrown by all functions of this package. */
export class WarpgridError extends Error {
  private constructor();
  readonly name: "WarpgridError";
  /** Diagnostic code such as `W0901`; `explain(code)` returns its documentation. */
  readonly code: string;
  /** Diagnostics of the source, if the source caused the error. */
  readonly diagnostics: DiagnosticView[] | null;
}

/** Typed array, which is accepted as a list of numbers. */
export type NumericArray =
  | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array | BigInt64Array | BigUint64Array;

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/**
 * Argument with the fields of `Value`. Field names are in snake case or in camel case, an integer may be a `bigint`, and a list of numbers may be a
 * typed array.
 */
export type Input<Value> =
  Value extends number ? Value | bigint
  : Value extends readonly unknown[] ?
    | { [Index in keyof Value]: Input<Value[Index]> }
    | (number extends Value["length"] ? (number extends Value[number] ? NumericArray : never) : never)
  : Value extends object ?
    | { [Name in keyof Value]: Input<Value[Name]> }
    | { [Name in keyof Value as CamelCase<Name>]: Input<Value[Name]> }
  : Value;

/** Options of `runOnWorkers`. */
export interface RunOnWorkersOptions extends SessionRunOptions {
  /** Number of workers including the caller. Default: the number of cores, at most eight. */
  workers?: number;
}

export interface Session {
  /**
   * Runs forward like `run`; resolves to true if the run has finished. A long compiled run distributes its blocks to workers with separate memories.
   * The result does not depend on the number of workers. Runs on the calling thread if workers are not available.
   */
  runOnWorkers(options?: Input<RunOnWorkersOptions>): Promise<boolean>;
}

// ---- From crates/wasm/src/lib.rs; `UPDATE_EXPECT=1 cargo xtask package` writes this section.
import type {
  AnalysisOptions,
  AnalysisReport,
  AsyncOperationView,
  BankConflictFix,
  CauseView,
  CellHistory,
  CheckOptions,
  CheckReport,
  ClusterView,
  CodePage,
  CompactStore,
  ComparisonReport,
  CompletionView,
  ConflictReport,
  EngineView,
  ExportFormat,
  ExtractionRequest,
  FaultView,
  FileView,
  FormPage,
  FragmentRequest,
  FragmentView,
  FrameRequest,
  GridOptions,
  HangView,
  HistoryOptions,
  HoverView,
  InferredAccessLayout,
  LayoutView,
  LineTableView,
  LitmusRepairs,
  LitmusView,
  MbarrierView,
  MemoryGrid,
  MmaExplanation,
  MmaRequest,
  RaceReport,
  ReportOptions,
  RunOptions,
  RunReport,
  Scenario,
  ScheduleOptions,
  ScheduleReport,
  SessionFrame,
  StopOptions,
  StopResult,
  StoreView,
  TimelineOptions,
  TimelineView,
  TokenView,
  TrafficView,
  WarpView,
} from "./types.js";

export * from "./types.js";

/**
 * A launched scenario that can be stepped forward and back.
 */
export class Session {
  free(): void;
  [Symbol.dispose](): void;
  /**
   * Steps one warp instruction back. Returns false at the start.
   */
  back(): boolean;
  /**
   * Returns earlier events related to the fault: the thread that computed and stored the address, the last modification of the mbarrier, and the
   * exits of threads that other threads wait for. Reruns earlier steps.
   */
  causes(): CauseView[];
  /**
   * Returns the timeline of the executed steps in the Trace Event Format (JSON), which Perfetto opens. One step is one microsecond.
   */
  chromeTrace(): string;
  /**
   * Returns the cluster of a block, by linear block index, with its blocks by rank, or `undefined` if the launch has no clusters or the block is
   * not resident.
   */
  cluster(block: number): ClusterView | undefined;
  /**
   * Returns the stores that `events` returns in compact form: runs of addresses with the stored bytes, instead of one object per lane.
   */
  compactEvents(from: number, to: number): CompactStore[];
  /**
   * Returns the bank conflicts of the executed steps: lanes per bank, conflicting lanes and a conflict-free layout for each buffer. Reruns the steps.
   */
  conflicts(): ConflictReport;
  /**
   * Returns the stores of steps `from..to` with lanes, addresses and bytes. At most about 10,000 stores are returned, up to a step boundary;
   * continue with the last returned `step` plus 1.
   */
  events(from: number, to: number): StoreView[];
  /**
   * Returns the complete view state at the current position.
   */
  frame(request?: Input<FrameRequest>): SessionFrame;
  /**
   * Returns a window of a buffer as formatted cells. `options`: `{ columns?, type?, firstRow?, nRows? }`.
   */
  grid(name: string, options?: Input<GridOptions>): MemoryGrid;
  /**
   * Returns the diagnosis of a hang (waiting threads, missing event and responsible line), or `null` if no hang was detected.
   */
  hang(): HangView | null;
  /**
   * Returns the write history of an element in the executed steps: step, line, lane, previous and new value. At most 64 stores up to the current
   * position and 64 later ones are returned, together with the total counts. `offset` is a byte offset into the buffer. `options`: `{ type?,
   * bytes? }`. Reruns the executed steps. Throws for an unknown name and for an offset that is out of bounds.
   */
  history(name: string, offset: number, options?: Input<HistoryOptions>): CellHistory;
  /**
   * Completes a pending asynchronous operation immediately. Returns false if the operation is not pending.
   */
  land(id: number): boolean;
  /**
   * Returns the lanes and registers of a warp, by linear block index, or `undefined` if the block is not resident.
   */
  lanes(block: number, warp: number): WarpView | undefined;
  /**
   * Infers the layout of each access to shared and global memory in the executed steps: shape and stride, a swizzle of them, or bases over GF(2);
   * otherwise the first address that matches no layout. Reruns the executed steps.
   */
  layouts(): InferredAccessLayout[];
  /**
   * Returns the source lines of CUDA C++, Triton or another language from which a compiler generated the kernel: `{ files, lines, unused }`. Empty if
   * the kernel contains no line information. The field `sources` of the scenario or `//@ source` annotations contain the text of the files.
   */
  lineTable(): LineTableView;
  /**
   * Exports a buffer as `"svg"` (cells coloured by lane), `"animation"` (animated SVG of the run up to the current position), `"csv"` or
   * `"npy"` (NumPy). `options`: `{ columns?, type?, firstRow?, nRows? }`. Throws for an unknown name, and for a table of more than 16 Mi elements.
   */
  memoryFile(name: string, form: ExportFormat, options?: Input<GridOptions>): Uint8Array;
  /**
   * Returns the bytes of a buffer or memory as a view of the WebAssembly memory, without a copy. Read it immediately, with any element type
   * (`new Float32Array(view.buffer, view.byteOffset, view.length / 4)`), and do not write to it: any other call of the package may move or
   * detach the memory. Throws for an unknown name.
   */
  memoryView(name: string): Uint8Array;
  /**
   * Returns a copy of the bytes of a buffer or memory. Throws for an unknown name.
   */
  memory(name: string): Uint8Array;
  /**
   * Checks the scenario and launches the kernel. Throws a `WarpgridError { code, diagnostics }` if the scenario cannot run.
   */
  constructor(scenario: Input<Scenario>);
  /**
   * Returns the data races of the executed steps under the PTX memory model: both accesses, the missing synchronization and, for small launches,
   * the weakest fix. Reruns the executed steps.
   */
  races(): RaceReport;
  /**
   * Runs to completion and checks the expectations of the scenario (`expect`, `one_of`, `expect_sha256`, `fault`): `{ ok, differences, fault, steps,
   * stores, lane_instructions, notes, … }`; `steps` and `stores` are `null` after a JIT run in which a warp diverged. `options`: `{ maxSteps?, engine?,
   * traffic?, races?, layouts?, digests? }` request additional results. A hang sets `ok` to false, and `hang` contains its diagnosis.
   */
  report(options?: Input<ReportOptions>): RunReport;
  /**
   * Runs until a condition holds in a lane (`{ condition: "lane 3: %r5 == 7" }`), a line is about to execute (`{ lines: [12] }`) or bytes change
   * (`{ memory: "out", offset: 16 }`); with `back: true`, back to the previous match. Returns the position and a description of the match. Throws for
   * an unknown register, line or buffer.
   */
  runUntil(options: Input<StopOptions>): StopResult;
  /**
   * Runs forward and returns true if the run has finished. `options`: `{ maxSteps?, engine? }`. A long run to the end is compiled to WebAssembly
   * unless intermediate states were queried; `engine: "interpreter"` disables compilation, and the `engine` property reports the engine used.
   */
  run(options?: Input<SessionRunOptions>): boolean;
  /**
   * Explores all schedules of the launch: proves that each schedule ends without an error and with the same memory, or returns a schedule with
   * an error. `options` is `{ maxSteps? }`, the maximum number of steps of all executions. The position of the session does not change.
   *
   * The property `schedule` of a scenario runs the schedule of a witness.
   */
  schedules(options?: Input<ScheduleOptions>): ScheduleReport;
  /**
   * Moves to a position, or to the end if the run is shorter.
   */
  seek(position: number): void;
  /**
   * Steps one warp instruction forward. Returns false at the end.
   */
  step(): boolean;
  /**
   * Returns the timeline of the executed steps: the states of warps, the phases of barriers, asynchronous operations, and the causal links between
   * them; positions are counted in steps. `options`: `{ from?, to?, columns?, block? }`; with `columns`, spans that are shorter than a column are
   * merged. The first call after a step reruns the executed steps. Throws for an empty range.
   */
  timeline(options?: Input<TimelineOptions>): TimelineView;
  /**
   * Returns the sectors, cache lines, wavefronts and bank conflicts of the executed steps, in total and per source line. The first call reruns
   * the executed steps.
   */
  traffic(): TrafficView;
  /**
   * The engine of the last run and its throughput: `{ name, words, rate }`, or `undefined` before the first run.
   */
  readonly engine: EngineView | undefined;
  /**
   * The fault that stopped execution, or `null`.
   */
  readonly fault: FaultView | null;
  /**
   * The inferred launch configuration as `//@` annotations.
   */
  readonly guesses: string[];
  /**
   * Number of executed lane-instructions: the sum of the active lanes over all executed steps of warps.
   */
  readonly laneInstructions: number;
  /**
   * Total number of steps, or `undefined` until the run has reached its end once. After a JIT run in which a warp diverged, the interpreter reruns the
   * launch to count them.
   */
  readonly length: number | undefined;
  /**
   * The mbarrier objects of the resident blocks: phase, pending arrivals, tx-count and waiting warps.
   */
  readonly mbarriers: MbarrierView[];
  /**
   * True if all threads have exited or a fault has stopped execution.
   */
  readonly over: boolean;
  /**
   * Asynchronous operations that have been issued but have not completed.
   */
  readonly pending: AsyncOperationView[];
  /**
   * Number of executed steps. After a JIT run in which a warp diverged, the interpreter reruns the launch to count them.
   */
  readonly position: number;
  /**
   * The scenario with all inferred fields filled in.
   */
  readonly scenario: Scenario;
}

/**
 * Checks a scenario and runs its kernel, or all kernels if the scenario selects none, and lists all findings: `{ verdict, diagnostics, kernels }`.
 * The verdict is `clean`, `findings`, `incomplete` or `error`. `options`: `{ maxSteps?, seeds? }`. A rejected source is a verdict, not an error.
 */
export function analyze(scenario: Input<Scenario>, options?: Input<AnalysisOptions>): AnalysisReport;

/**
 * Checks a source. `options`: `{ target?, ptx_version?, front? }`.
 */
export function check(source: string, options?: Input<CheckOptions>): CheckReport;

/**
 * Returns the diagnostics of the reference as data.
 */
export function codes(): CodePage[];

/**
 * Runs the kernel of a scenario and the kernel in its `beside` field with the same launch configuration, and compares memory contents and
 * stores. `options`: `{ maxSteps? }` for each run. Throws a `WarpgridError` if one of the kernels cannot run.
 */
export function compare(scenario: Input<Scenario>, options?: Input<RunOptions>): ComparisonReport;

/**
 * Returns the completions at a UTF-16 offset, best match first, limited to items that are valid for the PTX version and target.
 */
export function complete(source: string, offset: number, options?: Input<CheckOptions>): CompletionView[];

/**
 * Rewrites the PTX of a scenario to eliminate shared-memory bank conflicts and verifies that both versions produce identical memory contents.
 * `options`: `{ maxSteps? }`. Throws a `WarpgridError` with the reason if no rewrite is found.
 */
export function cure(scenario: Input<Scenario>, options?: Input<RunOptions>): BankConflictFix;

/**
 * Extracts a litmus test for `exploreLitmus` from lines of a kernel: `cut` is `{ lines: [12, 30], threads?: [{ block: [0, 0, 0],
 * thread: [0, 0, 0] }, ...], before? }`. The kernel runs up to these lines; register values and memory contents become constants of the test.
 * `options`: `{ maxSteps? }`. Throws a `WarpgridError` with the reason if no test can be extracted.
 */
export function cutLitmus(scenario: Input<Scenario>, cut: Input<ExtractionRequest>, options?: Input<RunOptions>): string;

/**
 * Explains a diagnostic code, an instruction, a special register or a term such as `bank`. Returns `undefined` for an unknown subject.
 */
export function explain(subject: string): string | undefined;

/**
 * Enumerates the outcomes that the PTX memory model allows for a litmus test, each with an execution, and explains the forbidden outcomes. The
 * source contains `//@ location`, `//@ thread` and `//@ observe` annotations. Throws a `WarpgridError` if the test is invalid or exceeds a limit.
 */
export function exploreLitmus(source: string): LitmusView;

/**
 * Returns an embedded code object as text, by its zero-based index: PTX unchanged, or the readable metadata of SASS without disassembly. Throws a
 * `WarpgridError` if the index is out of range.
 */
export function fileText(bytes: Uint8Array, program: number): string;

/**
 * Formats a source.
 */
export function format(source: string): string;

/**
 * Returns the instruction forms of the reference as data.
 */
export function forms(): FormPage[];

/**
 * Returns the lane and register of each element of a matrix fragment: `{ op, shape, type, target, layout?, stride? }`. Throws a
 * `WarpgridError` that lists the valid values if the fragment does not exist.
 */
export function fragment(query: Input<FragmentRequest>): FragmentView;

/**
 * Returns the documentation of the token at a UTF-16 offset, or `undefined` between tokens.
 */
export function hover(source: string, offset: number, options?: Input<CheckOptions>): HoverView | undefined;

/**
 * Returns the layout of the elements of a tensor instruction in warpgroup registers, shared memory or tensor memory: `{ op, shape?,
 * type?, with? }`, such as `{ op: "wgmma.shared.a", type: "f16", with: { swizzle: "64B" } }`. Throws a `WarpgridError` that lists the
 * valid values if the layout does not exist.
 */
export function layout(query: Input<FragmentRequest>): LayoutView;

/**
 * Evaluates a CuTe or Triton layout, a descriptor, or the layouts of two consecutive instructions: `{ op, shape?, type?, with? }`, such as
 * `{ op: "layout", with: { expression: "(8,4):(4,1) o 16:2" } }`, `{ op: "wgmma.tile.a", with: { descriptor: "0x4000004000010040" } }` or
 * `{ op: "chain", with: { first: "mma.d m16n8k16 f32", then: "mma.a m16n8k16 f16" } }`. Throws a `WarpgridError` with the position of an error.
 */
export function lens(query: Input<FragmentRequest>): LayoutView;

/**
 * Lists the embedded code objects of a cubin, fatbin, object file or executable: PTX and SASS, with the properties of their kernels. Throws a
 * `WarpgridError` that names the detected file type if the file is unsupported.
 */
export function openFile(bytes: Uint8Array): FileView;

/**
 * Renders a layout diagram. `query` is a link of the Layout Explorer, such as `#layouts?op=wgmma.tile.a&type=f16&step=2` (or with the earlier
 * prefixes `#lens` and `#matrix`), or its parameters one per line. `form` selects an SVG image (`svg`), `text` or the `link` to the page.
 * Throws a `WarpgridError` with the position of an error.
 */
export function picture(query: string, form: "svg" | "text" | "link"): string;

/**
 * Computes one element of a matrix multiplication as a Tensor Core does: `{ op, shape, types, target, a?, b?, c? }`. Throws a
 * `WarpgridError` if the operation does not exist.
 */
export function product(query: Input<MmaRequest>): MmaExplanation;

/**
 * Finds the weakest fixes of a litmus test that forbid the outcomes of its `//@ bad` annotations, or all outcomes that are not sequentially
 * consistent if there are none. Throws a `WarpgridError` as `exploreLitmus` does.
 */
export function repairLitmus(source: string): LitmusRepairs;

/**
 * Splits a source into tokens for syntax highlighting, in source order; offsets count UTF-16 code units. `options`: `{ front? }`.
 */
export function tokens(source: string, options?: Input<CheckOptions>): TokenView[];
