// Generated from the types of the core; `UPDATE_EXPECT=1 cargo test -p xtask --test types` writes it.

/** Thrown by `new Session` and by calls with wrong arguments. */
export interface WarpgridError extends Error {
  name: "WarpgridError";
  code: string;
  diagnostics: DiagnosticView[] | null;
}

/** Which front end reads the source. */
export type Front = "ptx" | "sass";

/** What `check` may override. */
export type CheckOptions = { front?: Front,
/** Check for this target instead of the module's own: `sm_90`. */
target?: string | null,
/** Check for this PTX ISA version instead of the module's own: `8.8`. */
ptx_version?: string | null, };

/** The verdict on a text. */
export type CheckReport = {
/** True exactly when no diagnostic is an error. */
accept: boolean, diagnostics: Array<DiagnosticView>,
/** The target that the text itself states. */
target: string | null,
/** The PTX ISA version that the text itself states. */
ptx_version: string | null, };

/** Lines and columns from 1, columns in UTF-16 units; the end is exclusive. */
export type SourceRange = { line: number, column: number, endLine: number, endColumn: number, };

/** How much a diagnostic weighs. Only an error rejects the text. */
export type Severity = "error" | "warning" | "information";

/** A diagnostic in the one form that the command line, JavaScript and the page share. Lines and columns count from 1,
 * columns in UTF-16 units; the end is exclusive. */
export type DiagnosticView = { code: string, severity: Severity, message: string, line: number, column: number, end_line: number, end_column: number, help: string | null,
/** "since PTX 8.8, on `sm_100` and later", when a gate is the reason. */
needs: string | null,
/** Other places that matter. */
labels: Array<LabelView>,
/** The best fix. */
fix: FixView | null,
/** Further fixes, if a person has to choose. */
other_fixes: Array<FixView>, };

/** A second place of a diagnostic. */
export type LabelView = { line: number, column: number, end_line: number, end_column: number, text: string, };

/** A change that a button applies. */
export type FixView = { title: string, edits: Array<EditView>, };

/** One replacement of a fix. */
export type EditView = { line: number, column: number, end_line: number, end_column: number, text: string, };

/** A value as a scenario writes it. */
export type Literal = number | string;

/** Element types of buffers and of the grid's value picker. */
export type ElementType = "u8" | "s8" | "u16" | "s16" | "u32" | "s32" | "u64" | "s64" | "f16" | "bf16" | "f32" | "f64" | "b8" | "b16" | "b32" | "b64" | "b128";

/** Memory before the launch. */
export type Init = Array<Literal> | Literal;

/** An array in global memory. */
export type Buffer = { name: string,
/** Element type: `u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64`. */
type: ElementType,
/** Elements. */
len: number,
/** Extents for the grid, outermost first; flat when empty. */
shape?: Array<number>, init?: Init,
/** Memory after the launch; `null` promises nothing. */
expect?: Array<Literal> | null,
/** Digest of the expected bytes, little-endian. */
expect_sha256?: string | null,
/** For each element the values that it may end with. */
one_of?: Array<Array<Literal>> | null, };

/** A member of a structure passed by value. */
export type Field = {
/** Bytes from the start of the structure. */
offset: number, } & ({ "kind": "buffer" } & Buffer | { "kind": "scalar", name: string, type: ElementType, value: Literal, } | { "kind": "struct", name: string, size: number, align?: number, fields: Array<Field>, } | { "kind": "alias", name: string, of: string, });

/** A kernel parameter, as `crates/view/tests/corpus/README.md` describes it. */
export type Parameter = { "kind": "buffer" } & Buffer | { "kind": "scalar", name: string, type: ElementType, value: Literal, } | { "kind": "struct", name: string, size: number, align?: number, fields: Array<Field>, } | { "kind": "alias", name: string, of: string, };

/** The fault that a case names. */
export type ExpectedFault = { kind: string, buffer?: string | null, space?: string | null, byte_offset?: number | null, width?: number | null, thread?: [number, number, number] | null, block?: [number, number, number] | null, };

/** Everything a run needs. */
export type Scenario = { name?: string, source: string, front?: Front,
/** Overrides `.target`. */
target?: string | null,
/** Overrides `.version`. (In the corpus form this states the module's own version.) */
ptx_version?: string | null,
/** The kernel; the first one when absent. */
entry?: string | null, grid?: [number, number, number] | null, block?: [number, number, number] | null, cluster?: [number, number, number] | null,
/** Bytes of dynamic shared memory. */
dynamic_shared?: number,
/** Kernel parameters in order. If empty, they are guessed from the kernel, and reported as guesses. */
params?: Array<Parameter>,
/** Turns the scheduler; 0 is plain round robin. */
seed?: number,
/** Where the launch must stop, if it must. */
fault?: ExpectedFault | null, };

/** Options of a run from JavaScript. */
export type RunOptions = {
/** Steps after which the run pauses. */
maxSteps?: number | null, };

/** Options of a grid from JavaScript: a [`GridRequest`] without its memory. */
export type GridOptions = { type?: ElementType | null, columns?: number | null, firstRow?: number | null, nRows?: number | null, };

/** Which part of which memory to lay out. */
export type GridRequest = { memory: MemoryId,
/** Element type to show; the natural one when absent. */
type?: ElementType | null,
/** Cells per row; chosen from the shape (or 16, 32) when absent. */
columns?: number | null, firstRow?: number,
/** Rows to lay out; at most 512. */
nRows?: number | null, };

/** What a host shows of the present position. */
export type FrameRequest = { grids?: Array<GridRequest>,
/** The warp to show; that of the last step when absent. */
warp?: [number, number] | null, };

/** Which memory of a launch. */
export type MemoryId = string;

/** A state space, as views name it. */
export type Space = "generic" | "const" | "global" | "local" | "param" | "shared" | "shared::cluster";

/** What can be shown as a grid. */
export type MemoryView = {
/** A buffer's name, `shared:0` for the shared memory of block 0, `var:table` for a module variable. */
id: MemoryId,
/** The name to show. */
title: string, space: Space,
/** Address of the first byte: `0x7f0000000400`. */
address: string, sizeBytes: number,
/** Natural element type, `f32`. */
type: ElementType,
/** Extents of the array as declared, outermost first; empty when flat. */
shape: Array<number>, };

/** When a cell was written. */
export type Written = "never" | "before" | "now";

/** One element of a grid. */
export type Cell = {
/** The value in the chosen type, as short as it can be read. */
text: string,
/** Whether the value is zero (a negative zero is none). */
isZero: boolean,
/** The lane that wrote it last; absent when no store of the run touched it. */
lane: number | null,
/** The step of that store. */
step: number | null, written: Written,
/** Written by the store of the present step by more than one lane: the winner is shown. */
conflict: boolean, };

/** A window of memory as a grid of cells. */
export type Grid = { memory: MemoryView, type: ElementType, columns: number, firstRow: number, nRows: number,
/** Rows of the whole memory. */
totalRows: number,
/** Size of the sectors in which the hardware moves this memory; absent for spaces without sectors. */
sectorBytes: number | null,
/** Row by row; the last row may be short. */
cells: Array<Cell>, };

/** The bytes that one lane stored. */
export type LaneStore = { lane: number,
/** Thread in its block. */
thread: [number, number, number], address: string,
/** Bytes from the start of the memory; absent when no known memory holds the address. */
offset: number | null, bytes: Array<number>,
/** The value as the store's type, elements separated by commas. */
value: string, };

/** A store as an event of the run. */
export type StoreView = { step: number, block: [number, number, number], warp: number, range: SourceRange,
/** The instruction as written. */
instruction: string,
/** Its opcode with the modifiers: `st.global.v2.f32`. */
opcode: string,
/** The registers that the elements come from, in order of address; absent for sinks and constants. */
sources: Array<string | null>,
/** Id of the memory that the lanes wrote; absent when they wrote several. */
memory: MemoryId | null, space: Space,
/** Element type and count per lane: `f32`, 4. */
type: ElementType, nElements: number, lanes: Array<LaneStore>,
/** Distinct sectors of global memory that the lanes touch. */
nSectors: number,
/** Passes over shared memory that the store needs (1 without conflict); 0 for other spaces. */
nWavefronts: number, };

/** A step of a warp. */
export type StepView = { step: number,
/** Linear index of the block, and its coordinates. */
block: number, blockId: [number, number, number], warp: number, range: SourceRange,
/** The instruction as written. */
instruction: string,
/** Its opcode with the modifiers. */
opcode: string,
/** The names in the instruction that may be registers. */
names: Array<string>,
/** Bit `i`: lane `i` takes part. */
active: number, };

/** What went wrong in a run. */
export type FaultView = {
/** `misaligned`, `out_of_bounds`, … */
kind: string, buffer: string | null, space: string | null, byteOffset: number | null, width: number | null, thread: [number, number, number], block: [number, number, number], address: string | null,
/** Bit `i`: lane `i` would have faulted. */
lanes: number, range: SourceRange, message: string, help: string | null, };

/** What a lane does at the present step. */
export type LaneState = "active" | "inactive" | "waiting" | "exited" | "absent";

/** One lane of a warp. */
export type LaneView = { lane: number, thread: [number, number, number], state: LaneState,
/** The line that the lane executes next. */
line: number | null, };

/** A register over the lanes of a warp. */
export type RegisterView = { name: string, type: string,
/** One value per lane, as text in the register's type. */
values: Array<string>,
/** The same in hexadecimal. */
hex: Array<string>,
/** Written by the present step. */
changed: boolean, };

/** A warp with its lanes and registers. */
export type WarpView = { block: number, blockId: [number, number, number], warp: number, active: number, lanes: Array<LaneView>, registers: Array<RegisterView>, };

/** A stretch of a sentence; the numbers and names are strong. */
export type Phrase = { text: string, strong: boolean, };

/** The state of a run. */
export type RunStatus = "running" | "finished" | "faulted";

/** Everything a page shows at one position of a run. */
export type Frame = {
/** Steps done. */
position: number,
/** Steps of the whole run, once it is known. */
length: number | null, status: RunStatus,
/** One sentence about what the last step did. */
sentence: Array<Phrase>,
/** The step just done; absent at the start. */
last: StepView | null,
/** The step that would come next; absent at the end. */
next: StepView | null,
/** What the last step stored, if it was a store. */
store: StoreView | null, fault: FaultView | null, memories: Array<MemoryView>, grids: Array<Grid>, warp: WarpView | null,
/** Warps that exist at present: linear block and warp. */
warps: Array<[number, number]>,
/** Steps that stored, for the ticks of the transport; a sample when there are very many. */
storeSteps: Array<number>,
/** Number of stores up to this position and in all known steps. */
storesDone: number, storesKnown: number,
/** Bounded notes: output of `printf`, choices of the scheduler that mattered. */
notes: Array<string>, };

/** What a token means. */
export type HoverView = {
/** The token; offsets count UTF-16 units from the start. */
start: number, end: number,
/** As code. */
title: string, lines: Array<string>,
/** Anchor of the PTX ISA section. */
section: string | null,
/** Where the name is declared. */
declared: SourceRange | null, };

/** The kind of a completion. */
export type CompletionSort = "opcode" | "modifier" | "type" | "register" | "variable" | "label" | "function";

/** A word that can be written. */
export type CompletionView = {
/** What it replaces. */
start: number, end: number, text: string, sort: CompletionSort, help: string,
/** "since PTX 8.1, on `sm_90` and later". */
needs: string | null, };

/** One modifier. */
export type ValuePage = { text: string, help: string, needs: string | null,
/** Where the fact comes from: "PTX ISA", "assembler 13.5", "measured on `sm_80`". */
origin: string, };

/** One modifier position of a form. */
export type SlotPage = { name: string,
/** What the slot says, as a noun: "state space". */
title: string, required: boolean, values: Array<ValuePage>, };

/** One instruction form. */
export type FormPage = {
/** The first word: `st`. */
opcode: string,
/** The syntax line. */
syntax: string, help: string,
/** "since PTX 8.1, on `sm_90` and later". */
needs: string | null,
/** Anchor of the section in the PTX ISA. */
section: string, slots: Array<SlotPage>,
/** What excludes or needs what, one phrase each. */
rules: Array<string>, examples: Array<string>, };

/** The reference page of a diagnostic. */
export type CodePage = { code: string, title: string, explanation: string, wrong: string, right: string, };
