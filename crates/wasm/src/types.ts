/** Thrown by `new Session` and by calls with wrong arguments. */
export interface WarpgridError extends Error {
  name: "WarpgridError";
  code: string;
  diagnostics: DiagnosticView[] | null;
}

export interface CheckOptions {
  /** Judge for this target instead of the module's own: `sm_90`. */
  target?: string;
  /** Judge for this PTX ISA version instead of the module's own: `8.8`. */
  ptx_version?: string;
  front?: "ptx" | "sass";
}

export interface CheckReport {
  /** True exactly when no diagnostic is an error. */
  accept: boolean;
  diagnostics: DiagnosticView[];
}

/** Lines and columns from 1, columns in UTF-16 units, the end exclusive. */
export interface SourceRange { line: number; column: number; endLine: number; endColumn: number }
export interface EditView { range: SourceRange; text: string }
export interface FixView { title: string; edits: EditView[] }
export interface LabelView { range: SourceRange; text: string }

export interface DiagnosticView {
  code: string;
  severity: "error" | "warning" | "information";
  message: string;
  range: SourceRange;
  labels: LabelView[];
  help: string | null;
  /** "since PTX 8.8, on `sm_100` and later" when a gate is the reason. */
  needs: string | null;
  fixes: FixView[];
}

/** A number exact for its type, or `"0x…"` with the bits of the element (negative zero must be written so). */
export type Literal = number | string;
export type ElementType =
  | "u8" | "s8" | "u16" | "s16" | "u32" | "s32" | "u64" | "s64"
  | "f16" | "bf16" | "f32" | "f64" | "b8" | "b16" | "b32" | "b64" | "b128";

export interface BufferParameter {
  kind: "buffer";
  name: string;
  type: ElementType;
  /** Elements. */
  len: number;
  shape?: number[];
  /** One value an element, one for all, or "iota" for 0, 1, 2, …. */
  init?: Literal[] | Literal;
  expect?: Literal[] | null;
  expect_sha256?: string;
  one_of?: Literal[][];
}
export interface ScalarParameter { kind: "scalar"; name: string; type: ElementType; value: Literal }
export interface StructParameter { kind: "struct"; name: string; size: number; align?: number; fields: (Parameter & { offset: number })[] }
export interface AliasParameter { kind: "alias"; name: string; of: string }
export type Parameter = BufferParameter | ScalarParameter | StructParameter | AliasParameter;

/** Everything a run needs. What is absent is read from `//@` comments of the source, or guessed. */
export interface Scenario {
  name?: string;
  source: string;
  front?: "ptx" | "sass";
  target?: string;
  ptx_version?: string;
  entry?: string;
  grid?: [number, number, number];
  block?: [number, number, number];
  cluster?: [number, number, number];
  dynamic_shared?: number;
  params?: Parameter[];
  /** Turns the scheduler; 0 is plain round robin. */
  seed?: number;
}

export interface RunOptions { maxSteps?: number }
export interface GridOptions { type?: ElementType; columns?: number; firstRow?: number; nRows?: number }
export interface GridRequest extends GridOptions { memory: string }
export interface FrameRequest { grids?: GridRequest[]; warp?: [block: number, warp: number] }

export interface MemoryView {
  /** A buffer's name, `shared:0` for the shared memory of block 0, `var:table` for a module variable. */
  id: string;
  title: string;
  space: string;
  address: string;
  sizeBytes: number;
  type: ElementType;
  shape: number[];
}
export interface Cell {
  text: string;
  /** The lane that wrote it last. */
  lane: number | null;
  /** The position just after that store. */
  step: number | null;
  written: "never" | "before" | "now";
  conflict: boolean;
}
export interface Grid {
  memory: MemoryView;
  type: ElementType;
  columns: number;
  firstRow: number;
  nRows: number;
  totalRows: number;
  cells: Cell[];
}

export interface LaneStore { lane: number; thread: [number, number, number]; address: string; offset: number | null; bytes: number[]; value: string }
export interface StoreView {
  step: number;
  block: [number, number, number];
  warp: number;
  range: SourceRange;
  instruction: string;
  memory: string | null;
  space: string;
  type: string;
  nElements: number;
  lanes: LaneStore[];
  /** Distinct 32-byte sectors of global memory. */
  nSectors: number;
  /** Passes over shared memory; 1 is free of conflicts. */
  nWavefronts: number;
}

export interface StepView { step: number; block: number; blockId: [number, number, number]; warp: number; range: SourceRange; instruction: string; active: number }
export interface FaultView {
  kind: string;
  buffer: string | null;
  space: string | null;
  byteOffset: number | null;
  width: number | null;
  thread: [number, number, number];
  block: [number, number, number];
  address: string | null;
  lanes: number;
  range: SourceRange;
  message: string;
  help: string | null;
}

export interface LaneView { lane: number; thread: [number, number, number]; state: "active" | "inactive" | "waiting" | "exited" | "absent"; line: number | null }
export interface RegisterView { name: string; type: string; values: string[]; hex: string[]; changed: boolean }
export interface WarpView { block: number; blockId: [number, number, number]; warp: number; active: number; lanes: LaneView[]; registers: RegisterView[] }
export interface Phrase { text: string; strong: boolean }
export interface Frame {
  position: number;
  length: number | null;
  status: "running" | "finished" | "faulted";
  sentence: Phrase[];
  last: StepView | null;
  next: StepView | null;
  store: StoreView | null;
  fault: FaultView | null;
  memories: MemoryView[];
  grids: Grid[];
  warp: WarpView | null;
  warps: [block: number, warp: number][];
  storeSteps: number[];
  storesDone: number;
  storesKnown: number;
  notes: string[];
}

/** Offsets count UTF-16 units from the start of the text. */
export interface HoverView { start: number; end: number; title: string; lines: string[]; section: string | null }
export interface CompletionView {
  start: number;
  end: number;
  text: string;
  sort: "opcode" | "modifier" | "type" | "register" | "variable" | "label" | "function";
  help: string;
  needs: string | null;
}

export interface ValuePage { text: string; help: string; needs: string | null; origin: string }
export interface SlotPage { name: string; title: string; required: boolean; values: ValuePage[] }
export interface FormPage {
  opcode: string;
  syntax: string;
  help: string;
  needs: string | null;
  section: string;
  slots: SlotPage[];
  rules: string[];
  examples: string[];
}
export interface CodePage { code: string; title: string; explanation: string; wrong: string; right: string }

/** What `fragment` looks up. */
export interface FragmentRequest {
  /** "store.d", "load.a", "load.b", "load.c"; "mma.a" to "mma.d"; "ldmatrix.x4", "stmatrix.x4"; "movmatrix.a", "movmatrix.d". */
  op: string;
  /** "m16n16k16" */
  shape: string;
  /** The type of an element: "f16". */
  type: string;
  /** "sm_90" */
  target: string;
  /** The order of the matrix in memory; the first that the operation has when left out. */
  layout?: "row" | "col" | null;
  /** Elements between the starts of rows (columns); the length of one when left out. */
  stride?: number | null;
}

/** For each lane, register and position in the register (low bits first): [row, col]. */
export type FragmentLanes = [number, number][][][];
export interface FragmentMapEntry {
  rows: number;
  cols: number;
  regs: number;
  elems_per_reg: number;
  /** `row = ...; col = ...` in the variables; valid JavaScript and Python. */
  formula: string;
  lanes: FragmentLanes;
}
export interface FragmentEntry {
  op: string;
  shape: string;
  type: string;
  /** The targets on which it is the same. */
  archs: string[];
  layouts: ("row" | "col")[];
  family: "quad-pair" | "group";
  regs: number;
  elems_per_reg: number;
  /** The stride when it is left out, by layout. */
  default_stride: Record<string, number>;
  /** The name of its map. */
  map: string;
  /** The leading registers that `wmma.mma` reads, for A and B of shapes with several. */
  mma_reads?: number;
}
export interface AccessView {
  /** Bytes of the widest access, which is the alignment that address and stride need. */
  bytes: number;
  count: number;
  /** What a stride that is not aligned so does. */
  short_stride?: "fault" | "moved";
}
export interface AccessEntry {
  op: string;
  shape: string;
  type: string;
  layout: "row" | "col";
  archs: string[];
  /** For generic addresses too. */
  global: AccessView;
  shared: AccessView;
}

/** Which lane and register holds which element of a matrix. From `format` on it is a file of maps with this one in it. */
export interface FragmentView extends FragmentMapEntry {
  op: string;
  shape: string;
  type: string;
  target: string;
  layout: "row" | "col";
  stride: number;
  /** Bits of one element. */
  element_bits: number;
  /** Where the map comes from. */
  origin: string;
  /** How often each element is held. */
  copies: number;
  /** Elements between the start of the matrix and the element, in the order of `lanes`. */
  offsets: number[][][];
  /** The matrix, in the order of `lanes`, where there are several. */
  matrices: number[][][] | null;
  format: 1;
  variables: Record<string, string>;
  maps: Record<string, FragmentMapEntry>;
  fragments: FragmentEntry[];
  access: AccessEntry[];
}
