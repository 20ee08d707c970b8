// Generated from the types of the core; `UPDATE_EXPECT=1 cargo test -p xtask --test types` writes it.

/** Which front end reads the source. */
export type Front = "ptx" | "sass";

/** What `check` may override. */
export type CheckOptions = { front?: Front,
/** Check for this target instead of the module's own: `sm_90`. */
target?: string | null,
/** Check for this PTX ISA version instead of the module's own: `8.8`. Named as in the JSON of `check --batch` and of scenarios. */
ptx_version?: string | null, };

/** The verdict on a text. */
export type CheckReport = {
/** True exactly when no diagnostic is an error. */
accept: boolean, diagnostics: Array<DiagnosticView>,
/** The target that the text itself states. */
target: string | null,
/** The PTX ISA version that the text itself states. */
ptx_version: string | null,
/** The target that a text without one is checked for: a usual one, or the nearest on which it is legal. */
assumed_target: string | null,
/** The PTX ISA version that a text without one is checked for. */
assumed_ptx_version: string | null,
/** The blocks of inline assembly, where the text is source code with such; each runs by itself, under its name. */
parts: Array<PartView>, };

/** A block of inline assembly. Lines and columns are those of the source code, from 1, columns in UTF-16 units; the end is exclusive. */
export type PartView = {
/** The function that it is in, with a number where that has several: what `entry` of a scenario names. */
name: string, line: number, column: number, endLine: number, endColumn: number,
/** The instructions as they are checked and run, with the names of operands in the places of their numbers. */
text: string,
/** True exactly when nothing in it is an error. */
accept: boolean,
/** The target and the PTX version that it is checked for. */
target: string | null, ptxVersion: string | null, operands: Array<PartOperandView>,
/** What a compiler may do with the statement, and what it needs. */
note: string | null, };

/** An operand of a block. */
export type PartOperandView = {
/** Its name in the block. */
name: string,
/** `.u32`, `constant` or `text`. */
type: string,
/** As it is written, without quotes: `=r`. */
constraint: string,
/** The expression that is handed in. */
expression: string, };

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
export type FixView = { title: string,
/** Whether it changes the version or the target that the text states: an override hides that. */
is_header: boolean, edits: Array<EditView>, };

/** One replacement of a fix. */
export type EditView = { line: number, column: number, end_line: number, end_column: number, text: string, };

/** A value as a scenario writes it. */
export type Literal = number | string;

/** Element types of buffers and of the grid's value picker. */
export type ElementType = "u8" | "s8" | "u16" | "s16" | "u32" | "s32" | "u64" | "s64" | "f16" | "bf16" | "f32" | "f64" | "b8" | "b16" | "b32" | "b64" | "b128" | "e4m3" | "e5m2" | "e2m3" | "e3m2" | "ue8m0" | "tf32" | "e2m1x2" | "f16x2" | "bf16x2" | "u4x2" | "s4x2" | "u8x4" | "s8x4" | "u16x2" | "s16x2" | "char" | "bin8" | "bin32";

/** Memory before the launch. */
export type Init = Array<Literal> | Literal;

/** An array in global memory. */
export type Buffer = { name: string,
/** Element type: `u32`, `f16`, `e4m3` and all others of `ElementType`. */
type: ElementType,
/** Elements. */
len: number,
/** Extents for the grid, outermost first; flat when empty. */
shape?: Array<number>, init?: Init,
/** The element that the kernel gets the address of; kernels with negative indices get one in the middle. */
start?: number,
/** Memory after the launch; `null` promises nothing. */
expect?: Array<Literal> | null,
/** Digest of the expected bytes, little-endian. */
expect_sha256?: string | null,
/** For each element the values that it may end with. */
one_of?: Array<Array<Literal>> | null, };

/** A member of a structure passed by value. */
export type Field = {
/** Bytes from the start of the structure. */
offset: number, } & ({ "kind": "buffer" } & Buffer | { "kind": "scalar", name: string, type: ElementType, value: Literal, } | { "kind": "struct", name: string, size: number, align?: number, fields: Array<Field>, } | { "kind": "alias", name: string, of: string, } | { "kind": "tensormap" } & TensorMap | { "kind": "texture" } & Texture | { "kind": "surface" } & Surface | { "kind": "multimem", name: string, buffers: Array<string>, });

/** A kernel parameter, as `crates/view/tests/corpus/README.md` describes it. */
export type Parameter = { "kind": "buffer" } & Buffer | { "kind": "scalar", name: string, type: ElementType, value: Literal, } | { "kind": "struct", name: string, size: number, align?: number, fields: Array<Field>, } | { "kind": "alias", name: string, of: string, } | { "kind": "tensormap" } & TensorMap | { "kind": "texture" } & Texture | { "kind": "surface" } & Surface | { "kind": "multimem", name: string, buffers: Array<string>, };

/** The fault that a case names. */
export type ExpectedFault = { kind: FaultSort, buffer?: string | null, space?: Space | null, byte_offset?: number | null, width?: number | null, thread?: [number, number, number] | null, block?: [number, number, number] | null, };

/** What a register holds at the first step. */
export type RegisterStart = {
/** As the text names it: `R2`. */
name: string,
/** A number, or a sum such as `"lane * 4 + out"`: `lane`, `thread`, multiples of them, and the address of a buffer. */
value: Literal, };

/** A parameter that describes a tensor: 128 bytes by value, or the address of them (CUDA driver API, "cuTensorMapEncodeTiled"). */
export type TensorMap = { name: string,
/** `tiled im2col im2col_w im2col_w128`. */
mode: string,
/** The buffer that holds the tensor. */
buffer: string,
/** Where in it the tensor begins. */
byte_offset?: number,
/** Element type: `u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16 f32_ftz tf32 tf32_ftz u4_align8 u4_align16 u6_align16`. */
type: string,
/** Elements along each of 1 to 5 dimensions, innermost first. */
dims: Array<number>,
/** Bytes between neighbours along each dimension but the innermost; packed when empty. */
strides?: Array<number>,
/** Elements of the box along each dimension, for `tiled`. */
box?: Array<number>,
/** Steps along each dimension; all 1 when empty. */
element_strides?: Array<number>,
/** Along width, height and depth, for `im2col`. */
lower_corner?: Array<number>, upper_corner?: Array<number>, channels_per_pixel?: number | null, pixels_per_column?: number | null,
/** `none 16B 32B`; `none` when absent. */
interleave?: string | null,
/** `none 32B 64B 128B 128B_atom_32B 128B_atom_32B_flip_8B 128B_atom_64B`; `none` when absent. */
swizzle?: string | null,
/** `none 64B 128B 256B`: changes nothing that a kernel computes. */
l2_promotion?: string | null,
/** What lies outside of the tensor: `zeros` or `nan`. */
oob_fill?: string | null,
/** `value`, or `pointer` for the address of the object in global memory. */
passed?: string | null, };

/** A parameter that is the handle of a texture (CUDA driver API, "cuTexObjectCreate"). */
export type Texture = { name: string, resource: Resource,
/** Of x, y and z: `wrap clamp mirror border`; `clamp` when absent. */
address_mode?: Array<string>,
/** `point` or `linear`; `point` when absent. */
filter?: string | null,
/** `element` or `normalized_float`; `element` when absent. */
read_mode?: string | null,
/** Coordinates go from 0 to 1. */
normalized?: boolean,
/** Four channels; zeros when absent. */
border_color?: Array<number>, };

/** A parameter that is the handle of a surface (CUDA driver API, "cuSurfObjectCreate"). */
export type Surface = { name: string, resource: Resource, };

/** The memory of a texture or surface. */
export type Resource = {
/** `array`, or part of a buffer: `linear`, a row of texels, or `pitch2d`, rows with gaps. */
kind: string,
/** The name of an array. */
array?: string | null,
/** The rest is of parts of buffers. */
buffer?: string | null, byte_offset?: number, type?: string | null, channels?: number | null, width?: number, height?: number,
/** Bytes from row to row. */
pitch?: number, };

/** Memory that only textures and surfaces see (CUDA driver API, "cuArray3DCreate"). */
export type TexelArray = { name: string,
/** Type of a channel: `u8 s8 u16 s16 u32 s32 f16 f32`. */
type: string,
/** 1, 2 or 4; 1 when absent. */
channels?: number, width: number,
/** 0, as when absent, for one row. */
height?: number,
/** 0, as when absent, for what is no volume. */
depth?: number,
/** 0, as when absent, for what has no layers. */
layers?: number,
/** Each layer is six faces; there is at least one layer. */
cubemap?: boolean,
/** Made for surfaces, too: says nothing to a run. */
surface?: boolean,
/** In the order channel, x, y, z or layer and face, channel fastest. */
init?: Init,
/** Memory after the launch; `null` promises nothing. */
expect?: Array<Literal> | null,
/** Digest of the expected bytes, little-endian. */
expect_sha256?: string | null, };

/** What becomes of an access whose address is no multiple of its size. */
export type Misaligned = "fault" | "force";

/** Another text of a kernel. */
export type Beside = { source: string,
/** Its language; the text shows it where this is absent. */
front?: Front | null,
/** Overrides the target that the text states. */
target?: string | null,
/** Its kernel; the one of the same name when absent, or else its first. */
entry?: string | null, };

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
/** Kernel parameters, matched by name if the kernel declares all of their names, otherwise by position. If empty, they are inferred from
 * the kernel and reported as guesses. */
params?: Array<Parameter>,
/** Memory that only textures and surfaces see. */
arrays?: Array<TexelArray>,
/** Turns the scheduler; 0, as when absent, is plain round robin. */
seed?: number | null,
/** How many blocks run at the same time, at least one: in order of their numbers, and a block keeps its place until it ends. Without
 * it as many as the machine has room for. */
resident?: number | null,
/** What registers hold at the first step; the others are zero. Machine code only reads some of them from the launch. */
registers?: Array<RegisterStart>,
/** What becomes of an access whose address is no multiple of its size. Where it is absent, kernels stop, and loose lines of machine
 * code go on as their reference says. */
misaligned?: Misaligned | null,
/** Another text of the same kernel, run with the same launch where two are compared; a session runs the first alone. */
beside?: Beside | null,
/** Where the launch must stop, if it must. */
fault?: ExpectedFault | null, };

/** What is asked of a history from JavaScript. */
export type HistoryOptions = {
/** Element type to show; the natural one of the memory when absent. */
type?: ElementType | null,
/** Bytes of the cell, 1 to 64; those of an element when absent. */
bytes?: number | null, };

/** One store to a cell. */
export type CellWrite = {
/** The position just after it: where `seek` goes to. */
position: number,
/** Linear index of the block. */
block: number, warp: number,
/** The lane that wrote it; the last one, where several did. Absent for tensor memory, where warps and operations in flight write. */
lane: number | null,
/** How many lanes wrote bytes of it. */
nLanes: number, range: SourceRange,
/** The instruction as written. */
instruction: string, action: StoreAction,
/** Whether this is the landing of an operation that was in flight. */
hasLanded: boolean,
/** What the cell held before and after. */
before: string, after: string, };

/** The stores that wrote a cell, in the steps that were taken. */
export type CellHistory = { memory: MemoryId,
/** Bytes from the start of the memory. */
offset: number, nBytes: number, type: ElementType,
/** What it held at the launch. */
initial: string,
/** The position that the list is made around: the latest stores up to it are listed, and the first ones after it. */
position: number,
/** How many stores wrote it up to that position, and after it. */
nBefore: number, nAfter: number,
/** Steps that were looked through. */
steps: number,
/** In their order. */
writes: Array<CellWrite>, };

/** What a run is to stop at, from JavaScript: one of `condition`, `lines` and `memory`. */
export type UntilOptions = {
/** A lane meets it and did not before the step: `lane 3: %r5 == 7`. */
condition?: string | null,
/** The next step is at one of these lines. */
lines?: Array<number> | null,
/** Bytes of this memory change: `bytes` of them, those of an element when absent, `offset` bytes from its start. */
memory?: string | null, offset?: number | null, bytes?: number | null,
/** Goes back to where it happened last. */
back?: boolean,
/** Steps after which the run pauses. */
maxSteps?: number | null, };

/** Where a run until something has come to. */
export type Reached = {
/** Whether it happened; otherwise the run is at its end, at its start, or where the steps that it was given ended. */
isReached: boolean, position: number,
/** What happened, or that it did not: `lane 3 of warp 0, block 0: %r5 is 7`. */
text: string, };

/** A store that wrote an element. */
export type ElementStore = { step: number, block: [number, number, number], warp: number, lane: number,
/** Line of the source, from 1. */
line: number, instruction: string,
/** What the element was after it. */
value: string, };

/** How one run came to its value. */
export type Side = { seed: number, value: string,
/** The last stores to the element, the very last one at the end; empty where no store went there. */
stores: Array<ElementStore>, };

/** A memory that two runs leave differently. */
export type Difference = { memory: MemoryId,
/** The first element that differs. */
index: number, nElements: number,
/** One per run. */
sides: [Side, Side], };

/** How one of the texts ran. */
export type BesideSide = { front: Front,
/** The machine that it was checked for and ran on. */
target: string,
/** Its kernel. */
entry: string,
/** Steps of the run. */
steps: number,
/** Steps that stored to what is compared. */
stores: number,
/** Whether it came to an end within the steps that it was given. */
over: boolean,
/** The fault that stopped it. */
fault: string | null, };

/** How two texts of a kernel end. */
export type BesideReport = {
/** Whether both came to an end, with the same memory and with the same sort of fault if with one. */
equal: boolean,
/** The verdict in a few words: `both leave the same memory: 128 bytes of \`out\``. */
summary: string, sides: [BesideSide, BesideSide],
/** The memories that both have: buffers, and variables by their names. */
memories: Array<MemoryId>,
/** Bytes of these memories. */
nBytes: number,
/** Variables that one text has alone; they are not compared. */
alone: [Array<MemoryId>, Array<MemoryId>],
/** The first element of each memory that differs, with the stores of both that wrote it. */
differences: Array<Difference>,
/** Where the results differ: what makes the results of a text undefined, such as a data race. */
notes: Array<string>, };

/** Who holds a matrix element. */
export type CellHolder = { lane: number, register: number, element: number, };

/** An element of a matrix in a run. */
export type ElementView = {
/** Lowest lane first; several where the hardware replicates. */
holders: Array<CellHolder>, value: string,
/** `0x3c00` */
bits: string,
/** The memory that it comes from or goes to. */
memory: MemoryId | null,
/** Bytes from the start of the memory. */
offset: number | null, };

/** A matrix that the step read or wrote in registers. */
export type MatrixOperand = {
/** `A`, `B`, `C`, `D` */
name: string,
/** With the stride of the access, where it has one. */
fragment: FragmentRequest,
/** Bytes between a boundary of 256 bytes and the start of the matrix in memory; 0 for registers only. */
baseBytes: number, rows: number, columns: number,
/** Matrix by matrix, row by row. */
cells: Array<ElementView>,
/** Names of the registers; empty for a constant. */
registers: Array<string>, elementsPerRegister: number, };

/** What a step did on the tensor units: it started an operation, or one landed. */
export type TensorStep = {
/** Whether it landed; else it was started. */
hasLanded: boolean,
/** What is read and written; at most eight. */
tiles: Array<TileView>,
/** Of a tensor copy. */
copy: TensorCopyView | null, };

/** A matrix that an operation reads or writes. */
export type TileView = {
/** `A`, `B`, `D`, `scale A`, `scale B`, `metadata`, `source`, `destination` */
name: string,
/** `f16` */
type: string, rows: number, columns: number, isWritten: boolean,
/** How it lies: `from byte 1024, K-major, 128B swizzle`. */
place: string,
/** Where it lies; none where it is in registers. */
memories: Array<MemoryId>,
/** Its first byte in each of them. */
starts: Array<number>,
/** Bytes of them that are read or written. */
nBytes: number,
/** Shows its layout in the matrix view. */
layout: FragmentRequest | null, };

/** Cells of a grid that are part of a tile. */
export type TileCells = {
/** Which of the step's tiles. */
tile: number,
/** Index of the first element in the memory, and how many. */
first: number, n: number, };

/** A copy of a part of a tensor. */
export type TensorCopyView = {
/** From the tensor to shared memory; else the other way. */
isLoad: boolean,
/** `tiled`, `im2col` */
mode: string,
/** Of an element: `f16`. */
type: string,
/** Elements of the tensor along each dimension, innermost first. */
extents: Array<number>,
/** Elements of the box along each dimension; of an image channels and pixels. */
boxExtents: Array<number>,
/** Of the first element of the box. */
coordinates: Array<number>,
/** `128B`; `none` */
swizzle: string,
/** The buffer that holds the tensor. */
memory: MemoryId | null,
/** Shared memory that takes part: of several blocks for a multicast. */
shared: Array<MemoryId>,
/** Bytes of shared memory in each block. */
nBytes: number,
/** Of them, those that are outside of the tensor. */
nOutside: number,
/** What is read there: `0`, `NaN`. */
fill: string,
/** Where the mbarrier is that counts the bytes, in its block's shared memory. */
mbarrier: number | null,
/** In the order of the box. The first 4,096 of a larger one. */
pieces: Array<TensorPieceView>, };

/** 16 bytes of a tensor copy, or the rest of a row. */
export type TensorPieceView = {
/** Of its first element in the tensor, innermost first. */
coordinates: Array<number>,
/** Its first byte in shared memory, and where it would be without a swizzle. */
shared: number, plain: number, nBytes: number,
/** Of them, those inside of the tensor. */
nInside: number, };

/** What a tensor core made of a product. */
export type StepProduct = {
/** The product without operands. */
request: ProductRequest,
/** Elements of D, and how many of them are not the exact sum rounded once to nearest. */
nElements: number, nOdd: number,
/** The first of these, by its number among the cells of D. */
firstOdd: number | null, };

/** The matrix instruction that a step was. */
export type MatrixStep = {
/** In the order of the instruction. */
operands: Array<MatrixOperand>,
/** Of products of floating-point numbers, whose sums tensor cores round in their own way. */
product: StepProduct | null, };

/** Options of a run from JavaScript. */
export type RunOptions = {
/** Steps after which the run pauses. */
maxSteps?: number | null, };

/** Which engine runs a session to its end: `auto` lets translated code run what is long and not watched; `interpreter` switches that off;
 * `translated` tries it however short the run is. */
export type EngineChoice = "auto" | "interpreter" | "translated";

/** Options of the run of a session from JavaScript. */
export type SessionRunOptions = {
/** Steps after which the run pauses. */
maxSteps?: number | null,
/** Which engine runs. */
engine?: EngineChoice | null, };

/** What ran a session. */
export type EngineName = "interpreter" | "translated";

/** Which engine ran a session last, and how fast. */
export type EngineView = { name: EngineName,
/** The same as a sentence, with why a run was not translated where that was tried. */
words: string,
/** Million lane-instructions a second. */
rate: number, };

/** What a report has beside its verdict, from JavaScript. */
export type ReportOptions = {
/** Steps after which the run stops; one that has not ended is not well. */
maxSteps?: number | null,
/** Counts sectors, lines, wavefronts and bank conflicts. */
traffic?: boolean,
/** Looks for data races. */
races?: boolean,
/** Says which layout the addresses of each access have. */
layouts?: boolean,
/** Digests every buffer. */
digests?: boolean,
/** Leaves `ok` true beside certain data races and undefined behavior. */
allowUndefined?: boolean,
/** Which engine runs. */
engine?: EngineChoice | null, };

/** How a run ended, and whether it is as its scenario promises. */
export type RunReport = {
/** Whether the launch ended, everything that the scenario promises holds, and no certain data race or undefined behavior was
 * found. */
ok: boolean,
/** The fault that stopped the launch. */
fault: FaultReport | null,
/** The buffers after the run by name, where digests are asked for. */
buffers?: { [key in string]: BufferDigest },
/** Executed steps. `null` after a JIT run in which a warp diverged. */
steps: number | null,
/** Steps that stored. `null` after a JIT run in which a warp diverged. */
stores: number | null,
/** Executed lane-instructions: the sum of the active lanes over all steps of warps. */
lane_instructions: number,
/** What it cost in sectors, lines, wavefronts and bank conflicts, in all and by line of the source. */
traffic: TrafficView | null,
/** Where the run was looked through for data races. */
races?: Array<RaceView>,
/** Why the launch never ends, where it does not. */
hang?: HangView,
/** The layouts of accesses, where they are asked for. */
layouts?: Array<AccessLayout>,
/** The registers that a snippet has written, at the end of the run; none for a kernel. */
registers?: Array<RegisterResult>,
/** Why `ok` is false, a sentence each: what differs from what the scenario promises, and what is undefined. */
differences: Array<string>,
/** What a person should know: guesses, notes of the run, and the differences. */
notes: Array<string>, };

/** A fault in the words of scenarios, with its message, its line, and what led to it. */
export type FaultReport = { message: string, line: number,
/** The earlier events that matter for it. */
causes: Array<CauseView>, kind: FaultSort, buffer?: string | null, space?: Space | null, byte_offset?: number | null, width?: number | null, thread?: [number, number, number] | null, block?: [number, number, number] | null, };

/** A buffer after a run. */
export type BufferDigest = { type: string,
/** SHA-256 of its bytes, little-endian, in hexadecimal. */
sha256: string, };

/** A register that a snippet has written, at the end of the run. */
export type RegisterResult = { name: string,
/** The type that the values are shown as: `b32`, `f32`. */
type: string,
/** Lanes with equal values, in the order of blocks, warps and lanes. */
groups: Array<LaneGroup>, };

/** Lanes of a warp in which a register has the same value. */
export type LaneGroup = {
/** Linear index of the block. */
block: number, warp: number,
/** One bit per lane. */
lanes: number, value: string, };

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

/** The form of a file. */
export type MemoryForm = "svg" | "animation" | "csv" | "npy";

/** Which memory of a launch. */
export type MemoryId = string;

/** A state space, as views name it. */
export type Space = "generic" | "const" | "global" | "local" | "param" | "shared" | "shared::cluster" | "tensor";

/** What went wrong in a run. */
export type FaultSort = "misaligned" | "out_of_bounds" | "read_only" | "wrong_space" | "deadlock" | "undefined_matrix" | "trap" | "assert" | "not_emulated" | "stack_overflow" | "bad_call_target" | "bad_branch_index" | "bad_barrier" | "mbarrier" | "distant_mbarrier" | "bad_copy_size" | "left_out_bytes" | "tensor_copy" | "tensor_memory" | "image" | "surface_out_of_bounds" | "internal";

/** The type that a register is declared with. Registers of other types are untyped bits of their width. */
export type RegisterType = "b8" | "b16" | "b32" | "b64" | "b128" | "u8" | "u16" | "u32" | "u64" | "s8" | "s16" | "s32" | "s64" | "f16" | "f16x2" | "f32" | "f64" | "pred";

/** What can be shown as a grid. */
export type MemoryView = {
/** A buffer's name, `shared:0` for the shared memory of block 0, `tensor:0` for its tensor memory, `var:table` for a module variable. */
id: MemoryId,
/** The name to show. */
title: string, space: Space,
/** Address of the first byte: `0x7f0000000400`. */
address: string, sizeBytes: number,
/** Natural element type, `f32`. */
type: ElementType,
/** Extents of the array as declared, outermost first; empty when flat. */
shape: Array<number>,
/** Whether an instruction names it: compilers declare many variables that nothing uses. */
isNamed: boolean, };

/** When a cell was written. */
export type Written = "never" | "before" | "now";

/** One element of a grid. */
export type Cell = {
/** The value in the chosen type, as short as it can be read. */
text: string,
/** Whether the value is zero (a negative zero is none). */
isZero: boolean,
/** The lane that wrote it last; absent when no store of the run touched it, and in the parts of very large launches of
 * which only that is known. */
lane: number | null,
/** The step of that store. */
step: number | null, written: Written,
/** Written by the store of the present step by more than one lane, with other values: the winner is shown. */
conflict: boolean,
/** An operation in flight will write it. */
pending: boolean, };

/** A window of memory as a grid of cells. */
export type Grid = { memory: MemoryView, type: ElementType, columns: number, firstRow: number, nRows: number,
/** Rows of the whole memory. */
totalRows: number,
/** Size of the sectors in which the hardware moves this memory; absent for spaces without sectors. */
sectorBytes: number | null,
/** Row by row; the last row may be short. */
cells: Array<Cell>,
/** Which of them are part of the tiles of the step. */
tiles: Array<TileCells>, };

/** One element of a store. */
export type PieceView = {
/** Which element of the lane's vector it is. */
element: number,
/** The lane that gave the address. */
asked: number,
/** Id of the memory; absent when no known memory holds the address. */
memory: MemoryId | null, address: string,
/** Bytes from the start of the memory. */
offset: number | null, nBytes: number, type: ElementType,
/** What memory holds after. */
value: string,
/** What memory held before. */
before: string,
/** What memory was to take: the stored value, or the result of the atomic. */
given: string,
/** Whether memory took a new value: false for a comparison that failed or a minimum that was there already. */
written: boolean,
/** The operand that the lane gave, as written: `%r3`. */
source: string | null, };

/** How a step changes memory. */
export type StoreAction = "store" | "atomic" | "reduction";

/** The bytes that one lane stored. */
export type LaneStore = { lane: number,
/** Thread in its block. */
thread: [number, number, number], address: string,
/** Bytes from the start of the memory; absent when no known memory holds the address. */
offset: number | null,
/** What memory holds of the lane's elements after the store; sinks have no bytes. */
bytes: Array<number>,
/** What memory holds after the store, as the store's type; elements separated by commas, `_` for a sink. */
value: string,
/** One per element that is not a sink. */
pieces: Array<PieceView>, };

/** What accesses to global or local memory cost. */
export type SectorTraffic = {
/** Accesses that went there. */
requests: number,
/** Distinct bytes of each access. */
bytes: number,
/** Distinct sectors of 32 bytes (`memory_l2_theoretical_sectors_global`). */
sectors: number,
/** The fewest sectors that hold as many bytes (`memory_l2_theoretical_sectors_global_ideal`). */
sectorsIdeal: number,
/** The difference (`derived__memory_l2_theoretical_sectors_global_excessive`). */
sectorsExcessive: number,
/** Distinct lines of 128 bytes (`memory_l1_tag_requests_global`). */
lines: number,
/** Those beyond the fewest that hold as many bytes. */
linesExcessive: number,
/** Bytes of the sectors that no lane asked for. */
bytesWasted: number, };

/** What accesses to shared memory cost. */
export type BankTraffic = {
/** Accesses that went there. */
requests: number,
/** Distinct bytes of each access. */
bytes: number,
/** Passes over the banks (`memory_l1_wavefronts_shared`). */
wavefronts: number,
/** The fewest for accesses of these widths (`memory_l1_wavefronts_shared_ideal`). */
wavefrontsIdeal: number,
/** The difference: passes because lanes met in a bank (`derived__memory_l1_wavefronts_shared_excessive`). */
bankConflicts: number, };

/** What accesses to memory cost. Each count has the name that the vendor's profiler gives it in its source view. */
export type Traffic = {
/** Instructions of warps that accessed global, local or shared memory (`inst_executed`), and landings of operations in flight. */
requests: number,
/** Lanes of them that took part (`thread_inst_executed`). */
lanes: number, global: SectorTraffic, local: SectorTraffic, shared: BankTraffic, };

/** A store as an event of the run. */
export type StoreView = { step: number, block: [number, number, number], warp: number, range: SourceRange,
/** The instruction as written. */
instruction: string,
/** Its opcode with the modifiers: `st.global.v2.f32`. */
opcode: string, action: StoreAction,
/** Whether this is the landing of an operation that was in flight. */
hasLanded: boolean,
/** Id of the memory that the lanes wrote; absent when they wrote several. */
memory: MemoryId | null,
/** Ids of all memories that the lanes wrote. */
memories: Array<MemoryId>, space: Space,
/** Element type and count per lane: `f32`, 4. */
type: ElementType, nElements: number, lanes: Array<LaneStore>,
/** Distinct bytes that were written. */
nBytes: number,
/** What the store costs: sectors, lines, wavefronts. */
traffic: Traffic,
/** Its memory order: `weak`, `volatile`, `relaxed`, `release`, `acq_rel` and the like. */
order: string,
/** The threads that a strong store is ordered for: `cta`, `cluster`, `gpu`, `sys`. */
scope: string | null,
/** What it says to the caches, as written: `cs`, `L1::no_allocate`. Hints change no result. */
hints: Array<string>,
/** Lanes that lost a race: another lane of the same store wrote another value to one of their bytes. */
lost: number, };

/** Bytes that an operation in flight will write. */
export type PendingPieceView = { lane: number,
/** Id of the memory; absent when no known memory holds the address. */
memory: MemoryId | null, address: string,
/** Bytes from the start of the memory. */
offset: number | null, bytes: Array<number>, };

/** A store that is on its way. */
export type PendingView = {
/** Names it towards `land`. */
id: number,
/** The step that started it. */
step: number,
/** The step before which it lands by itself; absent while other warps must start their part of it first. */
landsAt: number | null, block: [number, number, number], warp: number, range: SourceRange, opcode: string, pieces: Array<PendingPieceView>, };

/** A store as the other language writes it. */
export type CounterpartView = {
/** `STG.E.64 desc[UR4][R2.64], R4`, with registers of its own. */
text: string,
/** The language of the text, and the machine where it depends on it: `machine code for sm_90`. */
language: string,
/** How far it can be trusted. */
about: string, };

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
active: number,
/** A store in the other language, PTX or machine code; absent for other steps. */
counterpart: CounterpartView | null,
/** What the encoding says of scheduling: `stall 4 cycles, waits for 0`. It has no effect on results. */
schedule: string | null, };

/** What went wrong in a run. */
export type FaultView = { kind: FaultSort,
/** The buffer or module variable that the address lies in or next to. */
buffer: string | null,
/** The memory, where it is neither. */
space: Space | null, byteOffset: number | null, width: number | null, thread: [number, number, number], block: [number, number, number], address: string | null,
/** Bit `i`: lane `i` would have faulted. */
lanes: number, range: SourceRange, message: string, help: string | null, };

/** An earlier event that matters for a fault. */
export type CauseView = {
/** The number of the step (from 0). */
step: number, range: SourceRange,
/** What happened there: "`%rd3`, which holds the address, was computed by lane 5 of warp 0". */
text: string, };

/** What a lane does at the present step. */
export type LaneState = "active" | "ready" | "guarded" | "inactive" | "waiting" | "faulted" | "exited" | "absent";

/** One lane of a warp. */
export type LaneView = { lane: number, thread: [number, number, number], state: LaneState,
/** The line that the lane executes next. */
line: number | null,
/** What a lane that waits waits for: `for the others at barrier 0`. */
waits: string | null, };

/** A register over the lanes of a warp. */
export type RegisterView = { name: string, type: RegisterType,
/** One value per lane, as text in the register's type. */
values: Array<string>,
/** The same in hexadecimal. */
hex: Array<string>,
/** Written by the present step. */
changed: boolean, };

/** A warp with its lanes and registers. */
export type WarpView = { block: number, blockId: [number, number, number], warp: number, active: number, lanes: Array<LaneView>, registers: Array<RegisterView>, };

/** Where a stretch of a sentence leads. */
export type PhraseLink = { "memory": MemoryId } | { "warp": [number, number] };

/** A stretch of a sentence; the numbers and names are strong. */
export type Phrase = { text: string, strong: boolean,
/** What the stretch names, when that can be shown. */
link: PhraseLink | null, };

/** How far a block or a warp is. */
export type Progress = "toCome" | "running" | "waiting" | "done";

/** A block that has a place on the machine. */
export type ResidentBlock = {
/** Linear index. */
block: number,
/** How far each of its warps is. */
warps: Array<Progress>, };

/** The blocks of a launch, as a map. */
export type BlockMap = {
/** Extents of the grid. */
grid: [number, number, number], nBlocks: number, nDone: number,
/** Blocks per cell: 1 unless there are very many. */
blocksPerCell: number,
/** In the order of linear indices. A cell of several blocks is done when all are, and to come when none has started. */
cells: Array<Progress>,
/** Blocks that have a place on the machine. */
resident: Array<ResidentBlock>, };

/** A block of a cluster. */
export type ClusterBlock = {
/** `%cluster_ctarank` */
rank: number,
/** Linear index in the grid, and the coordinates. */
block: number, blockId: [number, number, number],
/** How far each of its warps is. */
warps: Array<Progress>, };

/** A cluster whose blocks are on the machine. */
export type ClusterView = {
/** By rank. */
blocks: Array<ClusterBlock>, };

/** The phase of an mbarrier that is not complete. */
export type MbarrierPhase = {
/** 0 for the first phase, 1 for the second, 0 for the third. */
parity: number,
/** Arrivals that it still waits for. */
pending: number,
/** Arrivals that the next phase will wait for. */
expected: number,
/** Bytes that it still waits for; negative where more landed than are expected so far. */
bytes: number, };

/** Lanes that wait for a phase of an mbarrier. */
export type PhaseWaiter = {
/** Linear index. */
block: number, warp: number,
/** Bit `i`: lane `i` waits. */
lanes: number,
/** The parity of the phase that they wait for. */
parity: number,
/** Line of the source, from 1. */
line: number, };

/** An mbarrier object. */
export type MbarrierView = {
/** The shared memory that it is in. */
memory: MemoryId,
/** Bytes from the start of the memory. */
offset: number,
/** As the source calls it: `full`, `full[1]`; absent where no variable lies there. */
name: string | null,
/** What it holds; absent when something else was written over it. */
phase: MbarrierPhase | null,
/** Operations in flight that will signal it, and the bytes that they bring. */
nInFlight: number, bytesInFlight: number, waiting: Array<PhaseWaiter>, };

/** The state of a run. */
export type RunStatus = "running" | "finished" | "faulted";

/** The traffic of a line of the source. */
export type LineTraffic = {
/** From 1. */
line: number,
/** The opcode of its first instruction that accesses memory. */
opcode: string, traffic: Traffic, };

/** The traffic of a run. */
export type TrafficView = {
/** Steps from the start that are counted. */
steps: number, total: Traffic,
/** The lines of the source that access memory, ascending. */
lines: Array<LineTraffic>, };

/** What is missing between two accesses. */
export type RaceWhy = "order" | "scope" | "proxy" | "completion" | "lifetime" | "init";

/** How sure a race is. */
export type RaceSure = "certain" | "axiom" | "documented";

/** What an access does. */
export type RaceKind = "read" | "write" | "atomic" | "life";

/** One side of a race. */
export type RaceAccess = {
/** From 1; none where it is the life of a block. */
line: number | null,
/** `exit of block 1`, where there is no line. */
what: string | null, block: [number, number, number],
/** Within the block. */
thread: [number, number, number], kind: RaceKind,
/** `generic`, `async` or `tensormap`. */
proxy: string, asynchronous: boolean,
/** `relaxed at gpu`, where the access is strong. */
scope: string | null, };

/** Bytes with a name. */
export type RacePlace = {
/** `global` or `shared`. */
space: string,
/** Linear index of the block whose shared memory it is. */
block: number | null, buffer: string | null, variable: string | null,
/** From the start of the buffer or variable; of the memory, where it has no name. */
offset: number, bytes: number, };

/** What a change does with a line. */
export type RepairOp = "insert-before" | "insert-after" | "replace" | "delete";

/** A change of the text. */
export type RepairEdit = { op: RepairOp,
/** From 1. */
line: number,
/** Without the line's indentation; empty where a line goes. */
text: string, };

/** A data race: two places in the text, with an example of what happened there. */
export type RaceView = { first: RaceAccess, second: RaceAccess,
/** The bytes that both touch. */
where: RacePlace, why: RaceWhy,
/** How sure it is. */
sure: RaceSure,
/** Whether the second access left the bytes as they were. */
sameValue: boolean,
/** The step of the second access. */
step: number, message: string,
/** The weakest change that was found which ends the race; empty where none is known. */
repair: Array<RepairEdit>,
/** Whether a run of the changed text showed that it heals. */
repairTried: boolean, };

/** A read of shared memory that nothing has written. */
export type UnwrittenView = { reader: RaceAccess,
/** The first byte that is read. */
where: RacePlace, step: number, message: string, };

/** The races of a run, and what else was seen on the way. */
export type RaceReport = {
/** Those that are certain first, each in the order in which they were found. */
races: Array<RaceView>,
/** Reads of shared memory that nothing has written, one for each place in the text. */
unwritten: Array<UnwrittenView>,
/** What a person should know besides; these reads as sentences, too. */
notes: Array<string>, };

/** Everything that was found about a test. */
export type LitmusView = { name: string, observe: Array<string>,
/** All outcomes that the model allows, sorted; none where accesses race that overlap only in part: then it promises nothing. */
outcomes: Array<OutcomeView> | null, forbidden: Array<ForbiddenView>,
/** Forbidden ones beyond those: their least number. */
moreForbidden: number, race: boolean,
/** Pairs of thread and line of its body, from 0. */
racyPairs: Array<[[number, number], [number, number]]>,
/** The same with the lines as a person counts them: of the text, from 1. */
racyLines: Array<[[number, number], [number, number]]>,
/** Candidate executions that were looked at. */
candidates: number,
/** Rounds after which a loop that does more than wait was cut off; none where all of it was seen. */
cutOffAfter: number | null, };

/** An outcome that is allowed. */
export type OutcomeView = { values: number[], races: RacesName,
/** Whether instructions one after the other reach it. */
isInterleaving: boolean, graph: GraphView, };

/** Whether the executions race that end with an outcome. */
export type RacesName = "always" | "sometimes" | "never";

/** An outcome that is forbidden. */
export type ForbiddenView = { values: number[], violation: ViolationView,
/** The candidate that comes nearest. */
graph: GraphView, };

/** What a candidate contradicts. */
export type ViolationView = { axiom: AxiomName, sentence: string,
/** Nodes of the graph that it speaks of. */
nodes: Array<number>, };

/** The axioms. */
export type AxiomName = "no_thin_air" | "causality" | "coherence" | "sc_per_location" | "atomicity";

/** An execution. */
export type GraphView = {
/** Thread after thread, each in program order. */
nodes: Array<NodeView>, edges: Array<EdgeView>, };

/** An event. */
export type NodeView = {
/** None for what is there at the start. */
thread: number | null,
/** Of the text, from 1; of the body of a test that has no text. */
line: number | null, kind: NodeName,
/** `x = 1`, `read x: 0`, `fence.sc.gpu`. */
label: string,
/** `release at gpu`; empty for weak accesses. */
words: string, isAsynchronous: boolean, };

/** What an event is. */
export type NodeName = "init" | "read" | "write" | "atomic" | "fence" | "proxy_fence" | "arrive" | "leave" | "group_wait";

/** An arrow between nodes, by their numbers. */
export type EdgeView = { from: number, to: number, kind: EdgeName, };

/** Why one event comes before another. */
export type EdgeName = "reads_from" | "coherence" | "from_read" | "synchronises" | "fence_order" | "barrier" | "asynchronous" | "causality";

/** The lines of a kernel, and the threads that execute them. */
export type CutRequest = {
/** First and last, from 1. */
lines: [number, number],
/** Without threads: two that touch the same bytes there, one of them to write. */
threads: Array<CutThread>,
/** A step of the run: each thread comes to the lines for the last time before it, not for the first. */
before: number | null, };

/** A thread of a launch. */
export type CutThread = { block: [number, number, number],
/** Within the block. */
thread: [number, number, number],
/** The line that it is to execute when it comes to the lines; any where absent. */
line?: number | null, };

/** All weakest repairs of a test. */
export type LitmusRepairs = {
/** The outcomes that they forbid. */
bad: number[][], repairs: Array<Array<LitmusEdit>>,
/** Up to this many places of change all sets were tried. */
completeTo: number,
/** Sets that were evaluated. */
tried: number, };

/** A change of a line. */
export type LitmusEdit = { thread: number,
/** Of the body, from 0. */
line: number, op: LitmusEditOp,
/** The whole statement. */
text: string,
/** The line as a person counts it. */
shownLine: number,
/** The statement that is replaced; empty where one is put in. */
before: string, };

/** What a change does. */
export type LitmusEditOp = "replace" | "insert-before";

/** What the root of a hang is. */
export type HangKind = "barrier" | "mbarrier" | "cluster-barrier" | "warp-sync" | "spin" | "not-resident" | "divergent-barrier" | "tensor-memory" | "copies";

/** What is waited for. */
export type HangObject = number | string;

/** How much is missing: only what there is to count. */
export type HangMissing = { arrivals?: number,
/** Negative where more came than were expected. */
bytes?: number, lanes?: Array<number>, };

/** Threads that wait. */
export type HangWait = { kind: HangKind, block: [number, number, number],
/** Ranges of the block's threads: `0, 32-63`. */
threads: string, line: number | null, object: HangObject | null,
/** Phases that are over. */
phase: number | null, awaited_parity: number | null, pending_arrivals: number | null, pending_bytes: number | null, expected: number | null, arrived: number | null, };

/** A launch that never ends. */
export type HangView = { kind: HangKind,
/** What is waited for: the number of a barrier or of a block, or a name; none where it depends on the order of the run. */
object: HangObject | null,
/** Where the lanes stand that wait for it. */
line: number, missing: HangMissing | null,
/** The line that should have provided what is missing, or after which it is missing. */
line_at_fault: number | null, message: string, waits: Array<HangWait>, };

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
store: StoreView | null,
/** The matrices of the last step, if it was a matrix instruction. */
matrix: MatrixStep | null,
/** What the last step started on the tensor units, or what of it landed. */
tensor: TensorStep | null, fault: FaultView | null,
/** The earlier events that matter for the fault. */
causes: Array<CauseView>, memories: Array<MemoryView>, grids: Array<Grid>, warp: WarpView | null,
/** How far each block is, and which warps exist at present. */
blocks: BlockMap,
/** Steps that stored, for the ticks of the transport; a sample when there are very many. */
storeSteps: Array<number>,
/** Number of stores up to this position and in all known steps. */
storesDone: number, storesKnown: number,
/** The cluster of the block that is shown; absent where clusters are single blocks. */
cluster: ClusterView | null,
/** The mbarrier objects of the blocks that are on the machine. */
mbarriers: Array<MbarrierView>,
/** Operations in flight: stores that an earlier step started and that land in a step of their own. */
pending: Array<PendingView>,
/** Bounded notes: output of `printf`, choices of the scheduler that mattered. */
notes: Array<string>, };

/** Classes of the highlighter. */
export type TokenClass = "comment" | "directive" | "opcode" | "modifier" | "type" | "register" | "special-register" | "number" | "string" | "label" | "name" | "punctuation" | "error";

/** A coloured stretch of the source, for the editor. Offsets count UTF-16 units from the start. */
export type TokenView = { start: number, end: number, class: TokenClass, };

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

/** One modifier, or several that differ in one number alone. */
export type ValuePage = {
/** `v4`; of a family `m64n{8…256 step 8}k16`. */
text: string,
/** The modifiers of a family; empty for a single one. */
members: Array<string>, help: string, needs: string | null,
/** Where the fact comes from: "PTX ISA", "assembler 13.5", "measured on `sm_80`". */
origin: string, };

/** An operand position. */
export type OperandPage = {
/** As the syntax line names it: "a". */
name: string,
/** What it is: "address of an mbarrier object in shared memory". */
help: string, required: boolean, };

/** One modifier position of a form. */
export type SlotPage = { name: string,
/** What the slot says, as a noun: "state space". */
title: string, required: boolean, values: Array<ValuePage>, };

/** One instruction form. */
export type FormPage = {
/** The first word: `st`. */
opcode: string,
/** The opcode with the words that the form always begins with: `wmma.store.d.sync`. */
title: string,
/** The syntax line. */
syntax: string, help: string,
/** "since PTX 8.1, on `sm_90` and later". */
needs: string | null,
/** Anchor of the section in the PTX ISA; empty for an instruction of which only words are known. */
section: string, slots: Array<SlotPage>, operands: Array<OperandPage>,
/** What excludes or needs what, one phrase each. */
rules: Array<string>, examples: Array<string>, };

/** What to look up, in the words of PTX. */
export type FragmentRequest = {
/** `store.d`, `load.a`, `load.b`, `load.c`; `mma.a` to `mma.d`; `ldmatrix.x4`, `stmatrix.x4`; `movmatrix.a`, `movmatrix.d`; of layouts
 * `wgmma.d`, `tcgen05.ld` and others. */
op: string,
/** `m16n16k16` */
shape?: string,
/** The type of an element: `f16`. */
type?: string,
/** `sm_90`; the newest target that has the fragment when left out. Layouts do not depend on it. */
target?: string,
/** `row` or `col`; the first that the operation has when left out. */
layout?: string | null,
/** Elements between the starts of rows (columns); the length of one when left out. */
stride?: number | null,
/** Further words of a layout, by name: `swizzle`, `128B`. */
with?: { [key in string]: string }, };

/** Why there is no such fragment, and what exists instead. */
export type FragmentRefusal = { message: string, };

/** One fragment. From `format` on it is a file of fragment maps with this one in it. */
export type FragmentView = { op: string, shape: string, type: string, target: string,
/** The layout of the matrix in memory: `row` or `col`. */
layout: string,
/** Elements between the starts of rows (columns). */
stride: number,
/** Bits of one element. */
element_bits: number,
/** Where the map comes from: "assembler 13.5" (its compiled code), "PTX ISA". */
origin: string,
/** How often each element is held. */
copies: number, rows: number, cols: number, regs: number, elems_per_reg: number, formula: string, lanes: Array<Array<Array<[number, number]>>>,
/** Elements between the start of the matrix and the element, in the order of `lanes`. */
offsets: Array<Array<Array<number>>>,
/** The matrix, in the order of `lanes`, where there are several (`ldmatrix.x4`, `mma.m8n8k4`). */
matrices: Array<Array<Array<number>>> | null,
/** The version of the file's form, 1. */
format: number,
/** The letters of the formulas. */
variables: { [key in string]: string }, maps: { [key in string]: FragmentMapEntry }, fragments: Array<FragmentEntry>, access: Array<AccessEntry>, };

/** A map, as a file of maps has it. */
export type FragmentMapEntry = { rows: number, cols: number, regs: number, elems_per_reg: number, formula: string, lanes: Array<Array<Array<[number, number]>>>, };

/** Which operation has the map. */
export type FragmentEntry = { op: string, shape: string, type: string,
/** The targets on which it is the same. */
archs: Array<string>, layouts: Array<string>,
/** `quad-pair` or `group` */
family: string, regs: number, elems_per_reg: number,
/** The stride when it is left out, by layout. */
default_stride: { [key in string]: number }, map: string,
/** The leading registers that `wmma.mma` reads, for A and B of shapes with several. */
mma_reads?: number | null, };

/** The memory accesses of the compiled code. */
export type AccessEntry = { op: string, shape: string, type: string, layout: string, archs: Array<string>,
/** For generic addresses too. */
global: AccessView, shared: AccessView, };

/** The accesses to one state space. */
export type AccessView = {
/** Bytes of the widest, which is the alignment that address and stride need. */
bytes: number, count: number,
/** What a stride that is not aligned so does: `fault`, or `moved` when rows land elsewhere. */
short_stride?: string | null, };

/** A word of a query. */
export type LayoutParameter = {
/** `shape`, `type`, or a name in `with`: `swizzle`. */
name: string, value: string,
/** What it could be; empty for a number or a shape that is written. */
choices: Array<string>,
/** What it is, in words. */
about: string, };

/** Where the elements of a matrix lie. */
export type LayoutView = {
/** `wgmma.d` */
op: string,
/** What it is, in words. */
title: string,
/** What was asked for, and what could be asked instead. */
parameters: Array<LayoutParameter>,
/** Where an element lies, as a formula. */
rule: string,
/** The letters of the formula. */
letters: string,
/** What one should know of it: what is not settled, what is not read. */
notes: Array<string>,
/** Where the rule comes from: "PTX ISA, CuTe". */
origin: string,
/** `high`, or `medium` where a source leaves something open. */
sure: string, rows: number, columns: number,
/** What a row of the grid is: `row`, `lane`, `column of B`. */
row_name: string, column_name: string,
/** Bits of one element. */
element_bits: number,
/** What the numbers of a place are. */
place: Array<string>,
/** For each row and column the places of the element: several where it is expected in each of them, none where nothing lies. */
grid: Array<Array<Array<Array<number>>>>,
/** Registers only: for each thread, register and position in the register (low bits first) `[row, column]`. */
lanes: Array<Array<Array<[number, number]>>> | null,
/** The bits of the descriptor, in hexadecimal, where there is one. */
descriptor: string | null,
/** The fields of the descriptor, lowest first. */
fields: Array<DescriptorField>,
/** Cells that are not as they should be: `[row, column]`. */
wrong: Array<[number, number]>,
/** Lines of PTX that build the descriptor. */
ptx: Array<string>,
/** Cells that one step reads, where not all of the picture is: `[row, column]`. The others are there to compare. */
marked: Array<[number, number]>,
/** Pictures that go with this one. */
related: Array<RelatedLayout>, };

/** A field of a descriptor. */
export type DescriptorField = { name: string,
/** The lowest and the highest bit. */
bits: [number, number],
/** What the bits are, as a number. */
value: number,
/** What they mean: `128 rows`. */
meaning: string, };

/** A picture that goes with another one. */
export type RelatedLayout = {
/** What it shows, in words. */
title: string, request: FragmentRequest, };

/** A part of a layout. */
export type LayoutDimension = {
/** `element`, `lane`, `iteration` or `warp`. */
name: string, size: number, };

/** The layout of an access. */
export type AccessLayout = {
/** From 1. */
line: number, opcode: string,
/** The buffer that it touches: a variable or a buffer of the launch. */
buffer: string,
/** Bytes that one step of the layout counts. */
unitBytes: number,
/** What the parts of the layout are, the one that counts fastest first. */
dimensions: Array<LayoutDimension>,
/** `Swizzle<3,3,3> o 16 o (32,4):(1,32)`, in units from the start of the buffer. */
layout: string | null,
/** Bases over GF(2), where the layout is linear: `{lane = [1, 2, 4, 8, 16]}`; what is added by XOR comes first. */
bases: string | null,
/** Why no layout explains the addresses, and where it breaks. */
broken: string | null,
/** All of it in a sentence. */
text: string,
/** Requests of the run, and those of its first block that were looked at. */
requests: number, lookedAt: number, };

/** A word of a bank, and who asks for it. */
export type BankWord = {
/** In shared memory of the block. */
address: number, lanes: Array<number>, };

/** A bank in a phase. */
export type BankCell = { bank: number,
/** The lanes at each of its words, with the address of the word. */
words: Array<BankWord>, };

/** Lanes that go to shared memory together: all of a warp for 4 bytes each, 16 for 8, 8 for 16. */
export type BankPhase = { firstLane: number, lastLane: number,
/** Passes that it takes. */
wavefronts: number,
/** The banks that are used, ascending. */
banks: Array<BankCell>, };

/** Two lanes that wait for each other. */
export type Collision = { lanes: [number, number],
/** The words that they ask for, in shared memory of the block. */
addresses: [number, number], bank: number, text: string, };

/** A count with the name that the vendor's profiler has for it. */
export type ProfilerCount = { name: string, count: number,
/** Why the profiler may show another number. */
beside: string, };

/** An access to shared memory. */
export type AccessConflicts = {
/** From 1. */
line: number, opcode: string,
/** The variable that it touches. */
buffer: string, requests: number, wavefronts: number,
/** The fewest for accesses of this width. */
ideal: number, conflicts: number,
/** What the vendor's profiler calls these counts, and what it counts beside. */
profiler: Array<ProfilerCount>,
/** The step of the request with the most conflicts, whose phases follow. */
worstStep: number, phases: Array<BankPhase>,
/** Two lanes of it that meet in a bank with different words. */
collision: Collision | null, };

/** A change of where the bytes of a buffer lie. */
export type Proposal = {
/** `Swizzle<3,4,3> on bytes`, `4 unused bytes after every 128` */
change: string,
/** Bytes that the buffer takes beside. */
moreBytes: number,
/** Instructions that are added before each access. */
instructions: number, };

/** A buffer of shared memory with conflicts. */
export type BufferConflicts = { name: string, conflicts: number,
/** Lines that access it. */
lines: Array<number>,
/** Changes that free all accesses to it, the least one first. */
proposals: Array<Proposal>,
/** Why there is none: which accesses cannot both be had, or what keeps the buffer as it is. */
impossible: string | null, };

/** An access to global memory that moves more sectors than it needs. */
export type SectorAdvice = {
/** From 1. */
line: number, opcode: string,
/** The buffer of the launch, or the variable. */
buffer: string, requests: number,
/** `memory_l2_theoretical_sectors_global`, and the fewest for the bytes that are used. */
sectors: number, ideal: number,
/** What one could do. */
text: string, };

/** What a run costs in shared memory, why, and what would cure it. */
export type ConflictReport = {
/** Accesses to shared memory, by line. */
accesses: Array<AccessConflicts>,
/** Buffers of shared memory that have conflicts. */
buffers: Array<BufferConflicts>,
/** Accesses to global memory that move more sectors than they need. */
sectors: Array<SectorAdvice>, };

/** A text without the conflicts, and what shows that it does the same. */
export type Cured = { source: string,
/** What was changed, by buffer. */
changes: Array<string>,
/** Conflicts of the run before and after. */
before: number, after: number,
/** Buffers of the launch, all of which have the same bytes after both runs. */
same: Array<string>, };

/** A product and the operands of one element of D, in the words of PTX. */
export type ProductRequest = {
/** `wmma` or `mma` */
op: string,
/** `m16n16k16` */
shape: string,
/** The types of A, B, C and D. */
types: Array<string>,
/** `sm_90` */
target: string,
/** The row of A, as numbers (`1.5`, `-inf`) or bits (`0x3c00`); zeros follow. */
a: Array<string>,
/** The column of B. */
b: Array<string>,
/** The element of C; zero when left out. */
c: string | null, };

/** A number with its bits. */
export type NumberView = { text: string,
/** `0x3f800000` */
bits: string, };

/** How an element of D came about. */
export type ProductView = {
/** `wmma.mma m16n16k16 f16 f16 f32 f32, sm_70` */
title: string,
/** In one sentence: whether the result is the exact sum rounded once, and if not, why. */
summary: string, result: NumberView,
/** The sum without rounding, as a decimal number; absent where a term is infinite or not a number. */
exact: string | null,
/** The exact sum, rounded to the type of D once, to nearest even. */
rounded_once: NumberView | null,
/** Fused multiply-adds of `f32` from C in ascending k, then rounded to the type of D: what a loop in a program gives. */
chain: NumberView, steps: Array<ProductStep>,
/** What each generation gives that has the instruction, results that occur first first. */
generations: Array<GenerationView>, };

/** Targets whose tensor cores give the same result. */
export type GenerationView = {
/** The first target of each generation. */
targets: Array<string>, result: NumberView, };

/** One operation of the hardware. */
export type ProductStep = { "block": BlockView } | { "operation": OperationView };

/** A fused sum: all terms are aligned to the largest exponent, cut and added as integers. */
export type BlockView = {
/** The places along k that it adds: `k = 0 to 7`. */
products: string, accumulator: NumberView,
/** The largest exponent. Without meaning where `special` is set. */
exponent: number,
/** Bits that are kept below it. */
kept_bits: number,
/** Terms that are not zero. */
terms: Array<TermView>,
/** The sum in units of 2^(`exponent` - `kept_bits`), as a decimal number. */
sum: string,
/** Why the sum is no number, or infinite. */
special: string | null, result: NumberView,
/** Whether the sum has more bits than the result. */
is_cut: boolean, };

/** A term of a block. */
export type TermView = {
/** `accumulator` or `k = 3` */
source: string,
/** Its exact value. */
value: string,
/** What takes part, in units of the block, as a decimal number. */
aligned: string,
/** The bits that were cut off, binary; empty if none. */
cut: string, };

/** An IEEE operation. */
export type OperationView = {
/** `1.5 * 2 + 0.25, rounded to f32` */
text: string, result: NumberView, };

/** The reference page of a diagnostic. */
export type CodePage = { code: string, title: string, explanation: string, wrong: string, right: string, };

/** What a file holds. */
export type FileView = {
/** What the file is: `cubin`, `fatbin`, `object or program with fatbins`. */
kind: string, programs: Array<ProgramView>,
/** What could not be read, a sentence each. */
notes: Array<string>, };

/** A program in a file. */
export type ProgramView = { language: ProgramLanguage, target: string | null,
/** The name of the source that the compiler noted. */
sourceName: string | null,
/** How it was packed: `zstd`, `LZ4`. */
packed: string | null,
/** Bytes after unpacking. */
bytes: number, kernels: Array<ProgramKernel>, };

/** What a program is written in. */
export type ProgramLanguage = "ptx" | "machineCode";

/** A kernel of a program. */
export type ProgramKernel = { name: string,
/** What the file states of it, one phrase each: `32 registers`. */
facts: Array<string>, };
