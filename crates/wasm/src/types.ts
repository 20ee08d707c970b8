// Generated from the types of the core; `UPDATE_EXPECT=1 cargo test -p xtask --test types` writes it.

/** Front end that parses a source. */
export type SourceLanguage = "ptx" | "sass";

/** Options of `check`. */
export type CheckOptions = { front?: SourceLanguage,
/** Check for this target instead of the module's own: `sm_90`. */
target?: string | null,
/** Check for this PTX ISA version instead of the module's own: `8.8`. The JSON of `check --batch` and of scenarios uses the
 * same name. */
ptx_version?: string | null, };

/** Result of checking a source. */
export type CheckReport = {
/** True if no diagnostic is an error. */
accept: boolean, diagnostics: Array<DiagnosticView>,
/** Target that the source specifies. */
target: string | null,
/** PTX ISA version that the source specifies. */
ptx_version: string | null,
/** Target for which a source without a target is checked: the default target, or the nearest target for which the source is
 * legal. */
assumed_target: string | null,
/** PTX ISA version for which a source without a version is checked. */
assumed_ptx_version: string | null,
/** Asm blocks of a source with inline assembly. Each asm block runs separately under its own name. */
parts: Array<InlineAsmView>, };

/** Asm block. Lines and columns refer to the source code and start at 1. Columns count UTF-16 units, and the end is exclusive. */
export type InlineAsmView = {
/** Name of the enclosing function, followed by a number if the function contains several asm blocks. `entry` of a scenario
 * refers to this name. */
name: string, line: number, column: number, endLine: number, endColumn: number,
/** Checked and executed instructions, with operand names instead of operand numbers. */
text: string,
/** True if the asm block contains no error. */
accept: boolean,
/** Target and PTX version for which the asm block is checked. */
target: string | null, ptxVersion: string | null, operands: Array<PartOperandView>,
/** Transformations that a compiler may apply to the statement, and the qualifiers that the statement requires. */
note: string | null, };

/** Operand of an asm block. */
export type PartOperandView = {
/** Name of the operand in the asm block. */
name: string,
/** `.u32`, `constant` or `text`. */
type: string,
/** Constraint as written, without quotation marks: `=r`. */
constraint: string,
/** Expression that is passed to the operand. */
expression: string, };

/** Range of a source. Lines and columns start at 1, columns count UTF-16 units, and the end is exclusive. */
export type SourceRange = { line: number, column: number, endLine: number, endColumn: number, };

/** Severity of a diagnostic. Only an error rejects the source. */
export type Severity = "error" | "warning" | "information";

/** Diagnostic in the form that the command, JavaScript and the page share. Lines and columns start at 1. Columns count UTF-16
 * units, and the end is exclusive. */
export type DiagnosticView = { code: string, severity: Severity, message: string, line: number, column: number, end_line: number, end_column: number, help: string | null,
/** Requirement such as "since PTX 8.8, on `sm_100` and later", if a version or target is the reason. */
needs: string | null,
/** Related positions. */
labels: Array<LabelView>,
/** Preferred fix. */
fix: FixView | null,
/** Alternative fixes that the user can choose. */
other_fixes: Array<FixView>, };

/** Related position of a diagnostic. */
export type LabelView = { line: number, column: number, end_line: number, end_column: number, text: string, };

/** Fix that can be applied to the source. */
export type FixView = { title: string,
/** Whether the fix changes the version or target of the source. An override of the version or target hides such a fix. */
is_header: boolean, edits: Array<EditView>, };

/** Text replacement of a fix. */
export type EditView = { line: number, column: number, end_line: number, end_column: number, text: string, };

/** Value in a scenario. */
export type Literal = number | string;

/** Element type of a buffer or of a grid. */
export type ElementType = "u8" | "s8" | "u16" | "s16" | "u32" | "s32" | "u64" | "s64" | "f16" | "bf16" | "f32" | "f64" | "b8" | "b16" | "b32" | "b64" | "b128" | "e4m3" | "e5m2" | "e2m3" | "e3m2" | "ue8m0" | "tf32" | "e2m1x2" | "f16x2" | "bf16x2" | "u4x2" | "s4x2" | "u8x4" | "s8x4" | "u16x2" | "s16x2" | "char" | "bin8" | "bin32";

/** Initial memory contents. */
export type BufferInitializer = Array<Literal> | Literal;

/** Array in global memory. */
export type Buffer = { name: string,
/** Element type: `u32`, `f16`, `e4m3` and all others of `ElementType`. */
type: ElementType,
/** Number of elements. */
len: number,
/** Extents for the grid, outermost first. If empty, the array has one dimension. */
shape?: Array<number>, init?: BufferInitializer,
/** Element whose address the kernel receives. Kernels with negative indices require an element in the middle of the buffer. */
start?: number,
/** Expected memory contents after the launch. `null` specifies no expectation. */
expect?: Array<Literal> | null,
/** SHA-256 digest of the expected bytes in little-endian order. */
expect_sha256?: string | null,
/** Permitted final values for each element. */
one_of?: Array<Array<Literal>> | null, };

/** Member of a structure that is passed by value. */
export type StructField = {
/** Byte offset from the start of the structure. */
offset: number, } & ({ "kind": "buffer" } & Buffer | { "kind": "scalar", name: string, type: ElementType, value: Literal, } | { "kind": "struct", name: string, size: number, align?: number, fields: Array<StructField>, } | { "kind": "alias", name: string, of: string, } | { "kind": "tensormap" } & TensorMap | { "kind": "texture" } & Texture | { "kind": "surface" } & Surface | { "kind": "multimem", name: string, buffers: Array<string>, });

/** Kernel parameter of a scenario. */
export type Parameter = { "kind": "buffer" } & Buffer | { "kind": "scalar", name: string, type: ElementType, value: Literal, } | { "kind": "struct", name: string, size: number, align?: number, fields: Array<StructField>, } | { "kind": "alias", name: string, of: string, } | { "kind": "tensormap" } & TensorMap | { "kind": "texture" } & Texture | { "kind": "surface" } & Surface | { "kind": "multimem", name: string, buffers: Array<string>, };

/** Fault that a scenario expects. */
export type ExpectedFault = { kind: FaultSort, buffer?: string | null, space?: MemorySpace | null, byte_offset?: number | null, width?: number | null, thread?: [number, number, number] | null, block?: [number, number, number] | null, };

/** Initial value of a register. */
export type InitialRegister = {
/** Name of the register in the source: `R2`. */
name: string,
/** Number, or a sum such as `"lane * 4 + out"` of numbers, `lane`, `thread`, multiples of `lane` and `thread`, and the
 * address of a buffer. */
value: Literal, };

/** Tensor map parameter, which is passed as 128 bytes by value or as their address (CUDA driver API, "cuTensorMapEncodeTiled"). */
export type TensorMap = { name: string,
/** Mode: `tiled`, `im2col`, `im2col_w` or `im2col_w128`. */
mode: string,
/** Buffer that contains the tensor. */
buffer: string,
/** Byte offset of the tensor in the buffer. */
byte_offset?: number,
/** Element type: `u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16 f32_ftz tf32 tf32_ftz u4_align8 u4_align16 u6_align16`. */
type: string,
/** Number of elements along each of 1 to 5 dimensions, innermost first. */
dims: Array<number>,
/** Strides in bytes along each dimension except the innermost. If empty, the tensor is packed. */
strides?: Array<number>,
/** Box extents in elements along each dimension, for `tiled`. */
box?: Array<number>,
/** Element strides along each dimension. Default: 1 for each dimension. */
element_strides?: Array<number>,
/** Corner of the bounding box along width, height and depth, for `im2col`. */
lower_corner?: Array<number>, upper_corner?: Array<number>, channels_per_pixel?: number | null, pixels_per_column?: number | null,
/** Interleave layout: `none`, `16B` or `32B`. Default: `none`. */
interleave?: string | null,
/** Swizzle mode: `none`, `32B`, `64B`, `128B`, `128B_atom_32B`, `128B_atom_32B_flip_8B` or `128B_atom_64B`. Default: `none`. */
swizzle?: string | null,
/** L2 promotion: `none`, `64B`, `128B` or `256B`. The value does not affect results. */
l2_promotion?: string | null,
/** Fill value for out-of-bounds elements: `zeros` or `nan`. */
oob_fill?: string | null,
/** Passing mode: `value`, or `pointer` for the address of the tensor map in global memory. */
passed?: string | null, };

/** Texture handle parameter (CUDA driver API, "cuTexObjectCreate"). */
export type Texture = { name: string, resource: ImageResource,
/** Address modes for x, y and z: `wrap`, `clamp`, `mirror` or `border`. Default: `clamp`. */
address_mode?: Array<string>,
/** Filter mode: `point` or `linear`. Default: `point`. */
filter?: string | null,
/** Read mode: `element` or `normalized_float`. Default: `element`. */
read_mode?: string | null,
/** Whether coordinates are normalized to the range from 0 to 1. */
normalized?: boolean,
/** Border colour with four channels. Default: zeros. */
border_color?: Array<number>, };

/** Surface handle parameter (CUDA driver API, "cuSurfObjectCreate"). */
export type Surface = { name: string, resource: ImageResource, };

/** Memory of a texture or surface. */
export type ImageResource = {
/** Kind of memory: `array`, or a part of a buffer. `linear` is one row of texels, and `pitch2d` has several rows with a
 * pitch. */
kind: string,
/** Name of an array. */
array?: string | null,
/** Buffer that contains the texels. This field and the following fields apply to `linear` and `pitch2d`. */
buffer?: string | null, byte_offset?: number, type?: string | null, channels?: number | null, width?: number, height?: number,
/** Row pitch in bytes. */
pitch?: number, };

/** Array for textures and surfaces (CUDA driver API, "cuArray3DCreate"). */
export type TexelArray = { name: string,
/** Channel type: `u8`, `s8`, `u16`, `s16`, `u32`, `s32`, `f16` or `f32`. */
type: string,
/** Number of channels: 1, 2 or 4. Default: 1. */
channels?: number, width: number,
/** Height in rows. Default: 0, for a one-dimensional array. */
height?: number,
/** Depth. Default: 0, for an array that is not a volume. */
depth?: number,
/** Number of layers. Default: 0, for an array without layers. */
layers?: number,
/** Whether the array is a cube map, in which each layer has six faces. A cube map has at least one layer. */
cubemap?: boolean,
/** Whether the array can be bound to a surface. The value does not affect a run. */
surface?: boolean,
/** Initial values in the order channel, x, y, z or layer and face, where the channel varies fastest. */
init?: BufferInitializer,
/** Expected memory contents after the launch. `null` specifies no expectation. */
expect?: Array<Literal> | null,
/** SHA-256 digest of the expected bytes in little-endian order. */
expect_sha256?: string | null, };

/** Behavior of a misaligned access. */
export type MisalignedPolicy = "fault" | "force";

/** Second version of a kernel. */
export type ComparisonKernel = { source: string,
/** Language of the source. Default: inferred from the source. */
front?: SourceLanguage | null,
/** Overrides the target of the source. */
target?: string | null,
/** Kernel to run. Default: the kernel with the same name, otherwise the first kernel. */
entry?: string | null, };

/** All inputs of a run. */
export type Scenario = { name?: string, source: string, front?: SourceLanguage,
/** Overrides `.target`. */
target?: string | null,
/** Overrides `.version`. */
ptx_version?: string | null,
/** Kernel to run. Default: the first kernel. */
entry?: string | null, grid?: [number, number, number] | null, block?: [number, number, number] | null, cluster?: [number, number, number] | null,
/** Size of dynamic shared memory in bytes. */
dynamic_shared?: number,
/** Kernel parameters, matched by name if the kernel declares all of their names, otherwise by position. If empty, they are inferred from
 * the kernel and reported as guesses. */
params?: Array<Parameter>,
/** Arrays for textures and surfaces. */
arrays?: Array<TexelArray>,
/** Seed of the scheduler. Default: 0, which selects round-robin scheduling. */
seed?: number | null,
/** Number of concurrently resident blocks, at least 1. Blocks become resident in the order of their indices, and remain
 * resident until they exit. Default: as many blocks as the device supports. */
resident?: number | null,
/** Initial register values. All other registers are zero. Only SASS reads registers from the launch. */
registers?: Array<InitialRegister>,
/** Behaviour of an access whose address is not a multiple of its size. By default, kernels fault, and SASS instructions
 * without a listing follow their reference. */
misaligned?: MisalignedPolicy | null,
/** Second version of the kernel, which `compare` runs with the same launch configuration. A session runs only the first
 * version. */
beside?: ComparisonKernel | null,
/** Expected fault of the launch, if any. */
fault?: ExpectedFault | null, };

/** Options of `Session.history`. */
export type HistoryOptions = {
/** Displayed element type. Default: the element type of the memory. */
type?: ElementType | null,
/** Size of the cell in bytes, from 1 to 64. Default: the element size. */
bytes?: number | null, };

/** Store to a cell. */
export type CellWrite = {
/** Position directly after the store, as an argument for `seek`. */
position: number,
/** Linear index of the block. */
block: number, warp: number,
/** Lane that wrote the cell. If several lanes wrote the cell, the last of these lanes. Absent for tensor memory, which is
 * written by warps and asynchronous operations. */
lane: number | null,
/** Number of lanes that wrote bytes of the cell. */
nLanes: number, range: SourceRange,
/** The instruction as written. */
instruction: string, action: StoreAction,
/** Whether the store is the completion of an asynchronous operation. */
hasLanded: boolean,
/** Value of the cell before and after the store. */
before: string, after: string, };

/** Stores to a cell in the executed steps. */
export type CellHistory = { memory: MemoryKey,
/** Byte offset from the start of the memory. */
offset: number, nBytes: number, type: ElementType,
/** Initial value of the cell. */
initial: string,
/** Position around which stores are listed: the latest stores up to this position, and the first stores after this position. */
position: number,
/** Total number of stores to the cell up to this position, and after this position. */
nBefore: number, nAfter: number,
/** Number of examined steps. */
steps: number,
/** Listed stores in order of execution. */
writes: Array<CellWrite>, };

/** Stop condition of `Session.runUntil`: one of `condition`, `lines` and `memory`. */
export type StopOptions = {
/** Condition that a lane meets after the step, but not before the step: `lane 3: %r5 == 7`. */
condition?: string | null,
/** Stop when the next step executes one of these lines. */
lines?: Array<number> | null,
/** Stop when `bytes` bytes (default: one element) at `offset` bytes from the start of this memory change. */
memory?: string | null, offset?: number | null, bytes?: number | null,
/** Search backwards for the previous match. */
back?: boolean,
/** Number of steps after which the run pauses. */
maxSteps?: number | null, };

/** Result of `Session.runUntil`. */
export type StopResult = {
/** Whether the condition was met. Otherwise the run is at its end, at its start, or at the step limit. */
isReached: boolean, position: number,
/** Description of the match, or of its absence: `lane 3 of warp 0, block 0: %r5 is 7`. */
text: string, };

/** Store to an element. */
export type ElementStore = { step: number, block: [number, number, number], warp: number, lane: number,
/** Line of the source, starting at 1. */
line: number, instruction: string,
/** Value of the element after the store. */
value: string, };

/** Value of an element in one run, with the stores that wrote it. */
export type DifferenceSide = { seed: number, value: string,
/** Latest stores to the element in order of execution. Empty if no store wrote the element. */
stores: Array<ElementStore>, };

/** Memory whose final contents differ between two runs. */
export type MemoryDifference = { memory: MemoryKey,
/** Index of the first differing element. */
index: number, nElements: number,
/** Values of the element in each run. */
sides: [DifferenceSide, DifferenceSide], };

/** Run of one version of a kernel. */
export type ComparisonSide = { front: SourceLanguage,
/** Target for which the version was checked and run. */
target: string,
/** Executed kernel. */
entry: string,
/** Number of steps of the run. */
steps: number,
/** Number of steps that stored to the compared memory. */
stores: number,
/** Whether the run finished within the step limit. */
over: boolean,
/** Fault that stopped the run. */
fault: string | null, };

/** Comparison of two versions of a kernel. */
export type ComparisonReport = {
/** Whether both runs finished with identical memory contents and, if they faulted, with the same kind of fault. */
equal: boolean,
/** Summary of the result: `identical memory contents: 128 bytes of \`out\``. */
summary: string, sides: [ComparisonSide, ComparisonSide],
/** Memories that exist in both versions: buffers, and variables with equal names. */
memories: Array<MemoryKey>,
/** Total size of these memories in bytes. */
nBytes: number,
/** Variables that exist in only one version and are not compared. */
alone: [Array<MemoryKey>, Array<MemoryKey>],
/** First differing element of each memory, with the stores of both versions that wrote this element. */
differences: Array<MemoryDifference>,
/** If the results differ, findings that make the results of a version undefined, such as a data race. */
notes: Array<string>, };

/** Lane and register that hold a matrix element. */
export type CellHolder = { lane: number, register: number, element: number, };

/** Matrix element in a run. */
export type ElementView = {
/** Holders of the element, lowest lane first. Several holders exist if the hardware replicates the element. */
holders: Array<CellHolder>, value: string,
/** `0x3c00` */
bits: string,
/** Memory from which the element is loaded or to which it is stored. */
memory: MemoryKey | null,
/** Byte offset from the start of the memory. */
offset: number | null, };

/** Matrix that the step read from or wrote to registers. */
export type MatrixOperandView = {
/** `A`, `B`, `C`, `D` */
name: string,
/** Fragment layout, with the stride of the access if it has one. */
fragment: FragmentRequest,
/** Byte offset of the matrix from a 256-byte boundary of memory. 0 for registers only. */
baseBytes: number, rows: number, columns: number,
/** Elements by matrix and row. */
cells: Array<ElementView>,
/** Register names. Empty for a constant. */
registers: Array<string>, elementsPerRegister: number, };

/** Tensor operation that a step started or completed. */
export type TensorStep = {
/** Whether the step completed the operation. Otherwise the step started the operation. */
hasLanded: boolean,
/** Tiles that the operation reads and writes, at most eight. */
tiles: Array<TileView>,
/** Details of a tensor copy. */
copy: TensorCopyView | null, };

/** Matrix tile that an operation reads or writes. */
export type TileView = {
/** `A`, `B`, `D`, `scale A`, `scale B`, `metadata`, `source`, `destination` */
name: string,
/** `f16` */
type: string, rows: number, columns: number, isWritten: boolean,
/** Layout of the tile: `from byte 1024, K-major, 128B swizzle`. */
place: string,
/** Memories that contain the tile. Empty if the tile is in registers. */
memories: Array<MemoryKey>,
/** First byte of the tile in each memory. */
starts: Array<number>,
/** Number of accessed bytes. */
nBytes: number,
/** Request that shows the layout of the tile in the Layout Explorer. */
layout: FragmentRequest | null, };

/** Cells of a grid that belong to a tile. */
export type TileCells = {
/** Index of the tile in the step. */
tile: number,
/** Index of the first element in the memory, and number of elements. */
first: number, n: number, };

/** Copy of a box of a tensor. */
export type TensorCopyView = {
/** Whether the direction is from the tensor to shared memory. Otherwise the direction is from shared memory to the tensor. */
isLoad: boolean,
/** `tiled`, `im2col` */
mode: string,
/** Element type: `f16`. */
type: string,
/** Extents of the tensor in elements, innermost dimension first. */
extents: Array<number>,
/** Extents of the box in elements along each dimension. For an image, channels and pixels. */
boxExtents: Array<number>,
/** Coordinates of the first element of the box. */
coordinates: Array<number>,
/** `128B`; `none` */
swizzle: string,
/** Buffer that contains the tensor. */
memory: MemoryKey | null,
/** Shared memories that participate. A multicast copy has several. */
shared: Array<MemoryKey>,
/** Number of bytes in the shared memory of each block. */
nBytes: number,
/** Number of these bytes that are outside of the tensor. */
nOutside: number,
/** Fill value for out-of-bounds elements: `0`, `NaN`. */
fill: string,
/** Address of the mbarrier that counts the bytes, in the shared memory of its block. */
mbarrier: number | null,
/** Chunks in the order of the box, at most the first 4,096. */
pieces: Array<TensorPieceView>, };

/** Chunk of 16 bytes of a tensor copy, or the remainder of a row. */
export type TensorPieceView = {
/** Coordinates of the first element in the tensor, innermost first. */
coordinates: Array<number>,
/** First byte in shared memory, with and without the swizzle. */
shared: number, plain: number, nBytes: number,
/** Number of these bytes that are inside the tensor. */
nInside: number, };

/** Results of a matrix multiplication on Tensor Cores. */
export type StepMma = {
/** Request for the multiplication without operand values. */
request: MmaRequest,
/** Number of elements of D, and number of elements that are not correctly rounded. */
nElements: number, nOdd: number,
/** Index of the first such element among the cells of D. */
firstOdd: number | null, };

/** Matrix instruction that the step executed. */
export type MatrixStep = {
/** Operands in the order of the instruction. */
operands: Array<MatrixOperandView>,
/** Results of a floating-point multiplication, whose sums follow the rounding of Tensor Cores. */
product: StepMma | null, };

/** Options of a run. */
export type RunOptions = {
/** Number of steps after which the run pauses. */
maxSteps?: number | null, };

/** Engine that runs a session to its end. `auto` compiles long runs without observers, `interpreter` disables compilation, and
 * `translated` compiles even short runs. */
export type EngineChoice = "auto" | "interpreter" | "translated";

/** Options of `Session.run`. */
export type SessionRunOptions = {
/** Number of steps after which the run pauses. */
maxSteps?: number | null,
/** Engine of the run. */
engine?: EngineChoice | null, };

/** Engine that executed a run. */
export type EngineKind = "interpreter" | "translated";

/** Engine of the last run of a session, and its throughput. */
export type EngineView = { name: EngineKind,
/** Description of the engine in a sentence, with the reason if a run was not compiled. */
words: string,
/** Throughput in million lane-instructions per second. */
rate: number, };

/** Options of `Session.report`. */
export type ReportOptions = {
/** Step limit. `ok` is false if the run does not finish within this limit. */
maxSteps?: number | null,
/** Whether to count sectors, cache lines, wavefronts and bank conflicts. */
traffic?: boolean,
/** Whether to detect data races. */
races?: boolean,
/** Whether to infer the layout of each access from its addresses. */
layouts?: boolean,
/** Whether to compute a digest of every buffer. */
digests?: boolean,
/** Whether `ok` remains true despite certain data races and undefined behavior. */
allowUndefined?: boolean,
/** Engine of the run. */
engine?: EngineChoice | null, };

/** Result of a run and of the expectations of its scenario. */
export type RunReport = {
/** Whether the launch finished, all expectations of the scenario hold, and no certain data race or undefined behavior was
 * found. */
ok: boolean,
/** Fault that stopped the launch. */
fault: FaultReport | null,
/** Buffers after the run, by name, if digests are requested. */
buffers?: { [key in string]: BufferDigest },
/** Number of executed steps. `null` after a JIT run in which a warp diverged. */
steps: number | null,
/** Number of steps with a store. `null` after a JIT run in which a warp diverged. */
stores: number | null,
/** Number of executed lane-instructions, which is the sum of the active lanes over all steps of warps. */
lane_instructions: number,
/** Memory traffic: sectors, cache lines, wavefronts and bank conflicts, in total and per source line. */
traffic: TrafficView | null,
/** Data races, if race detection is requested. */
races?: Array<RaceView>,
/** Diagnosis of a launch that hangs. */
hang?: HangView,
/** Inferred layouts of accesses, if requested. */
layouts?: Array<InferredAccessLayout>,
/** Registers that a snippet has written, at the end of the run. Empty for a kernel. */
registers?: Array<RegisterResult>,
/** Reasons for `ok: false`, one sentence each: differences from the expectations, and undefined behavior. */
differences: Array<string>,
/** Notes for the user: the inferred launch configuration, notes of the run, and the differences. */
notes: Array<string>, };

/** Fault with its message, its line and related events, in the notation of scenarios. */
export type FaultReport = { message: string, line: number,
/** Earlier events that are related to the fault. */
causes: Array<CauseView>, kind: FaultSort, buffer?: string | null, space?: MemorySpace | null, byte_offset?: number | null, width?: number | null, thread?: [number, number, number] | null, block?: [number, number, number] | null, };

/** Digest of a buffer after a run. */
export type BufferDigest = { type: string,
/** SHA-256 digest of the bytes in little-endian order, in hexadecimal. */
sha256: string, };

/** Register that a snippet has written, at the end of the run. */
export type RegisterResult = { name: string,
/** Displayed type of the values: `b32`, `f32`. */
type: string,
/** Groups of lanes with equal values, in the order of blocks, warps and lanes. */
groups: Array<LaneGroup>, };

/** Lanes of a warp in which a register has the same value. */
export type LaneGroup = {
/** Linear index of the block. */
block: number, warp: number,
/** Lane mask with one bit per lane. */
lanes: number, value: string, };

/** Options of `Session.grid`: the fields of [`GridRequest`] except `memory`. */
export type GridOptions = { type?: ElementType | null, columns?: number | null, firstRow?: number | null, nRows?: number | null, };

/** Request for a window of a memory as a grid. */
export type GridRequest = { memory: MemoryKey,
/** Displayed element type. Default: the element type of the memory. */
type?: ElementType | null,
/** Number of cells per row. Default: derived from the shape of the array, otherwise 16 or 32. */
columns?: number | null, firstRow?: number,
/** Number of rows, at most 512. */
nRows?: number | null, };

/** Request for a frame at the current position. */
export type FrameRequest = { grids?: Array<GridRequest>,
/** Displayed warp (block and warp). Default: the warp of the last step. */
warp?: [number, number] | null, };

/** Format of an exported file. */
export type ExportFormat = "svg" | "animation" | "csv" | "npy";

/** ID of a memory of a launch. */
export type MemoryKey = string;

/** State space. */
export type MemorySpace = "generic" | "const" | "global" | "local" | "param" | "shared" | "shared::cluster" | "tensor";

/** Kind of a fault. */
export type FaultSort = "misaligned" | "out_of_bounds" | "read_only" | "wrong_space" | "deadlock" | "undefined_matrix" | "trap" | "assert" | "unsupported" | "stack_overflow" | "bad_call_target" | "bad_branch_index" | "bad_barrier" | "mbarrier" | "mbarrier_in_other_block" | "invalid_copy_size" | "invalid_ignore_bytes" | "tensor_copy" | "tensor_memory" | "image" | "surface_out_of_bounds" | "internal";

/** Declared type of a register. Registers of other types are untyped bits of the same width. */
export type RegisterType = "b8" | "b16" | "b32" | "b64" | "b128" | "u8" | "u16" | "u32" | "u64" | "s8" | "s16" | "s32" | "s64" | "f16" | "f16x2" | "f32" | "f64" | "pred";

/** Memory that can be displayed as a grid. */
export type MemoryView = {
/** ID: the name of a buffer, `shared:0` for the shared memory of block 0, `tensor:0` for the tensor memory of block 0,
 * `var:table` for a module variable. */
id: MemoryKey,
/** Displayed name. */
title: string, space: MemorySpace,
/** Address of the first byte: `0x7f0000000400`. */
address: string, sizeBytes: number,
/** Element type of the memory: `f32`. */
type: ElementType,
/** Declared extents of the array, outermost first. Empty for a one-dimensional array. */
shape: Array<number>,
/** Whether an instruction uses the memory. Compilers declare many unused variables. */
isNamed: boolean, };

/** Time of the last write to a cell. */
export type WriteAge = "never" | "before" | "now";

/** Cell of a grid. */
export type GridCell = {
/** Value in the displayed type, with the fewest digits that identify the value. */
text: string,
/** Whether the value is zero. Negative zero does not count as zero. */
isZero: boolean,
/** Lane that wrote the cell last. Absent if no store of the run wrote the cell, and in very large launches if only the fact
 * of a write is tracked. */
lane: number | null,
/** Step of the last write. */
step: number | null, written: WriteAge,
/** Whether several lanes of the store in the current step wrote different values to the cell. The cell contains the value of
 * the winning lane. */
conflict: boolean,
/** Whether a pending asynchronous operation will write the cell. */
pending: boolean, };

/** Window of a memory as a grid of cells. */
export type MemoryGrid = { memory: MemoryView, type: ElementType, columns: number, firstRow: number, nRows: number,
/** Number of rows of the whole memory. */
totalRows: number,
/** Size of the sectors in which the hardware transfers this memory. Absent for state spaces without sectors. */
sectorBytes: number | null,
/** Cells row by row. The last row may be incomplete. */
cells: Array<GridCell>,
/** Cells that belong to tiles of the step. */
tiles: Array<TileCells>, };

/** Element of a store. */
export type PieceView = {
/** Index of the element in the vector of the lane. */
element: number,
/** Lane that supplied the address. */
asked: number,
/** ID of the memory. Absent if the address is in no known memory. */
memory: MemoryKey | null, address: string,
/** Byte offset from the start of the memory. */
offset: number | null, nBytes: number, type: ElementType,
/** Value in memory after the store. */
value: string,
/** Value in memory before the store. */
before: string,
/** Value to be written: the stored value, or the result of the atomic operation. */
given: string,
/** Whether memory was modified. False for a failed comparison, or for a minimum that memory already contained. */
written: boolean,
/** Source operand of the lane, as written: `%r3`. */
source: string | null, };

/** Kind of a memory modification. */
export type StoreAction = "store" | "atomic" | "reduction";

/** Bytes that one lane stored. */
export type LaneStore = { lane: number,
/** Thread index in the block. */
thread: [number, number, number], address: string,
/** Byte offset from the start of the memory. Absent if the address is in no known memory. */
offset: number | null,
/** Bytes of the elements of the lane after the store. Sinks have no bytes. */
bytes: Array<number>,
/** Value in memory after the store, in the type of the store. Elements are separated by commas, and `_` is a sink. */
value: string,
/** Elements of the store except sinks. */
pieces: Array<PieceView>, };

/** Cost of accesses to global or local memory. */
export type SectorTraffic = {
/** Number of requests. */
requests: number,
/** Sum of the distinct bytes of each access. */
bytes: number,
/** Number of distinct 32-byte sectors (`memory_l2_theoretical_sectors_global`). */
sectors: number,
/** Smallest number of sectors that can hold the accessed bytes (`memory_l2_theoretical_sectors_global_ideal`). */
sectorsIdeal: number,
/** Number of excessive sectors (`derived__memory_l2_theoretical_sectors_global_excessive`). */
sectorsExcessive: number,
/** Number of distinct 128-byte cache lines (`memory_l1_tag_requests_global`). */
lines: number,
/** Number of cache lines beyond the smallest number that can hold the accessed bytes. */
linesExcessive: number,
/** Number of bytes in the accessed sectors that no lane accessed. */
bytesWasted: number, };

/** Cost of accesses to shared memory. */
export type BankTraffic = {
/** Number of requests. */
requests: number,
/** Sum of the distinct bytes of each access. */
bytes: number,
/** Number of wavefronts (`memory_l1_wavefronts_shared`). */
wavefronts: number,
/** Smallest number of wavefronts for these access widths (`memory_l1_wavefronts_shared_ideal`). */
wavefrontsIdeal: number,
/** Number of additional wavefronts due to bank conflicts (`derived__memory_l1_wavefronts_shared_excessive`). */
bankConflicts: number, };

/** Cost of memory accesses. Each count has the metric name of the source view in Nsight Compute. */
export type Traffic = {
/** Number of warp instructions that accessed global, local or shared memory (`inst_executed`), and of completions of
 * asynchronous operations. */
requests: number,
/** Number of lanes that executed these accesses (`thread_inst_executed`). */
lanes: number, global: SectorTraffic, local: SectorTraffic, shared: BankTraffic, };

/** Store of a run. */
export type StoreView = { step: number, block: [number, number, number], warp: number, range: SourceRange,
/** The instruction as written. */
instruction: string,
/** Opcode with modifiers: `st.global.v2.f32`. */
opcode: string, action: StoreAction,
/** Whether the store is the completion of an asynchronous operation. */
hasLanded: boolean,
/** ID of the memory that the lanes wrote. Absent if the lanes wrote several memories. */
memory: MemoryKey | null,
/** IDs of all memories that the lanes wrote. */
memories: Array<MemoryKey>, space: MemorySpace,
/** Element type, and number of elements per lane: `f32`, 4. */
type: ElementType, nElements: number, lanes: Array<LaneStore>,
/** Number of distinct written bytes. */
nBytes: number,
/** Cost of the store: sectors, cache lines, wavefronts. */
traffic: Traffic,
/** Memory order, such as `weak`, `volatile`, `relaxed`, `release` or `acq_rel`. */
order: string,
/** Scope of a strong store: `cta`, `cluster`, `gpu`, `sys`. */
scope: string | null,
/** Cache hints as written: `cs`, `L1::no_allocate`. Hints do not affect results. */
hints: Array<string>,
/** Number of lanes with a write conflict, in which another lane of the same store wrote a different value to one of their
 * bytes. */
lost: number, };

/** Bytes that a pending asynchronous operation will write. */
export type AsyncPieceView = { lane: number,
/** ID of the memory. Absent if the address is in no known memory. */
memory: MemoryKey | null, address: string,
/** Byte offset from the start of the memory. */
offset: number | null, bytes: Array<number>, };

/** Pending asynchronous operation. */
export type AsyncOperationView = {
/** ID of the operation for `land`. */
id: number,
/** Step that issued the operation. */
step: number,
/** Step before which the operation completes automatically. Absent while other warps must first issue their part of the
 * operation. */
landsAt: number | null, block: [number, number, number], warp: number, range: SourceRange, opcode: string, pieces: Array<AsyncPieceView>, };

/** Equivalent of a store in the other language. */
export type CounterpartView = {
/** Equivalent instruction with its own register names: `STG.E.64 desc[UR4][R2.64], R4`. */
text: string,
/** Language of the instruction, with the architecture if the instruction depends on it: `SASS for sm_90`. */
language: string,
/** Limitations of the equivalence. */
about: string, };

/** Step of a warp. */
export type StepView = { step: number,
/** Linear index and coordinates of the block. */
block: number, blockId: [number, number, number], warp: number, range: SourceRange,
/** The instruction as written. */
instruction: string,
/** Opcode with modifiers. */
opcode: string,
/** Names in the instruction that may be registers. */
names: Array<string>,
/** Mask of active lanes: bit `i` is lane `i`. */
active: number,
/** Equivalent of a store in the other language, PTX or SASS. Absent for other steps. */
counterpart: CounterpartView | null,
/** Scheduling control bits of the encoding: `stall 4 cycles, waits for 0`. The control bits do not affect results. */
schedule: string | null, };

/** Kind of a fault. */
export type FaultView = { kind: FaultSort,
/** Buffer or module variable that contains the address or is next to the address. */
buffer: string | null,
/** State space of the address, if the address is in neither a buffer nor a variable. */
space: MemorySpace | null, byteOffset: number | null, width: number | null, thread: [number, number, number], block: [number, number, number], address: string | null,
/** Mask of faulting lanes: bit `i` is lane `i`. */
lanes: number, range: SourceRange, message: string, help: string | null, };

/** Earlier event that is related to a fault. */
export type CauseView = {
/** Index of the step, starting at 0. */
step: number, range: SourceRange,
/** Description of the event: "`%rd3`, which holds the address, was computed by lane 5 of warp 0". */
text: string, };

/** State of a lane at the current step. */
export type LaneState = "active" | "ready" | "guarded" | "inactive" | "waiting" | "faulted" | "exited" | "absent";

/** Lane of a warp. */
export type LaneView = { lane: number, thread: [number, number, number], state: LaneState,
/** Line that the lane executes next. */
line: number | null,
/** Event for which the lane waits: `for the other threads at barrier 0`. */
waits: string | null, };

/** Values of a register in the lanes of a warp. */
export type RegisterView = { name: string, type: RegisterType,
/** One value per lane in the type of the register. */
values: Array<string>,
/** One value per lane in hexadecimal. */
hex: Array<string>,
/** Whether the current step wrote the register. */
changed: boolean, };

/** Warp with its lanes and registers. */
export type WarpView = { block: number, blockId: [number, number, number], warp: number, active: number, lanes: Array<LaneView>, registers: Array<RegisterView>, };

/** Target of a link in a sentence. */
export type PhraseLink = { "memory": MemoryKey } | { "warp": [number, number] };

/** Part of a sentence. Numbers and names are strong. */
export type Phrase = { text: string, strong: boolean,
/** Object that this part of the sentence names, if the object can be shown. */
link: PhraseLink | null, };

/** Progress of a block or a warp. */
export type BlockProgress = "toCome" | "running" | "waiting" | "done";

/** Resident block. */
export type ResidentBlock = {
/** Linear index of the block. */
block: number,
/** Progress of each warp of the block. */
warps: Array<BlockProgress>, };

/** Map of the blocks of a launch. */
export type BlockMap = {
/** Grid size in blocks. */
grid: [number, number, number], nBlocks: number, nDone: number,
/** Number of blocks per cell, which is 1 except for very large grids. */
blocksPerCell: number,
/** Progress in the order of linear block indices. A cell of several blocks is finished when all its blocks are finished, and
 * not started while none has started. */
cells: Array<BlockProgress>,
/** Resident blocks. */
resident: Array<ResidentBlock>, };

/** Block of a cluster. */
export type ClusterBlock = {
/** `%cluster_ctarank` */
rank: number,
/** Linear index and coordinates of the block in the grid. */
block: number, blockId: [number, number, number],
/** Progress of each warp of the block. */
warps: Array<BlockProgress>, };

/** Cluster whose blocks are resident. */
export type ClusterView = {
/** Blocks by rank. */
blocks: Array<ClusterBlock>, };

/** Current, incomplete phase of an mbarrier. */
export type MbarrierPhase = {
/** Parity of the phase: 0 for the first phase, 1 for the second, 0 for the third. */
parity: number,
/** Pending arrival count. */
pending: number,
/** Expected arrival count of the next phase. */
expected: number,
/** Pending tx-count in bytes. Negative if more bytes have completed than are expected so far. */
bytes: number, };

/** Lanes of a warp that wait for a phase of an mbarrier. */
export type PhaseWaiter = {
/** Linear index of the block. */
block: number, warp: number,
/** Mask of waiting lanes: bit `i` is lane `i`. */
lanes: number,
/** Parity of the awaited phase. */
parity: number,
/** Line of the source, starting at 1. */
line: number, };

/** mbarrier object. */
export type MbarrierView = {
/** Shared memory that contains the object. */
memory: MemoryKey,
/** Byte offset from the start of the memory. */
offset: number,
/** Name in the source: `full`, `full[1]`. Absent if no variable is at this address. */
name: string | null,
/** Current phase. Absent if the object was overwritten. */
phase: MbarrierPhase | null,
/** Number of pending operations that complete on the object, and their bytes. */
nInFlight: number, bytesInFlight: number, waiting: Array<PhaseWaiter>, };

/** State of a run. */
export type RunStatus = "running" | "finished" | "faulted";

/** Memory traffic of a source line. */
export type LineTraffic = {
/** Line of the source, starting at 1. */
line: number,
/** Opcode of the first instruction of the line that accesses memory. */
opcode: string, traffic: Traffic, };

/** Memory traffic of a run. */
export type TrafficView = {
/** Number of counted steps from the start. */
steps: number, total: Traffic,
/** Source lines that access memory, in ascending order. */
lines: Array<LineTraffic>, };

/** Missing condition between two accesses. */
export type RaceWhy = "order" | "scope" | "proxy" | "completion" | "lifetime" | "init";

/** Certainty of a race. */
export type RaceConfidence = "certain" | "axiom" | "documented";

/** Kind of an access. */
export type RaceKind = "read" | "write" | "atomic" | "life";

/** Access of a race. */
export type RaceAccess = {
/** Line of the source, starting at 1. Absent if the access is the start or exit of a block. */
line: number | null,
/** Description if the access has no line: `exit of block 1`. */
what: string | null, block: [number, number, number],
/** Thread index in the block. */
thread: [number, number, number], kind: RaceKind,
/** Proxy: `generic`, `async` or `tensormap`. */
proxy: string, asynchronous: boolean,
/** Memory order and scope of a strong access: `relaxed at gpu`. */
scope: string | null, };

/** Byte range of a race. */
export type RaceLocation = {
/** State space: `global` or `shared`. */
space: string,
/** Linear index of the block that owns the shared memory. */
block: number | null, buffer: string | null, variable: string | null,
/** Byte offset from the start of the buffer or variable, or from the start of the memory if the range has no name. */
offset: number, bytes: number, };

/** Kind of an edit. */
export type RepairOp = "insert-before" | "insert-after" | "replace" | "delete";

/** Edit of a statement of the source. */
export type RepairEdit = { op: RepairOp,
/** Line of the statement, starting at 1. */
line: number,
/** Inserted or replacing statements, without indentation. Empty if the statement is removed. */
text: string,
/** Text replacement that performs the edit. */
edit: EditView, };

/** Data race between two positions of the source, with an example of the conflicting accesses. */
export type RaceView = { first: RaceAccess, second: RaceAccess,
/** Bytes that both accesses access. */
where: RaceLocation, why: RaceWhy,
/** Certainty of the race. */
sure: RaceConfidence,
/** Whether the second access left the bytes unchanged. */
sameValue: boolean,
/** Step of the second access. */
step: number, message: string,
/** Weakest known fix. Empty if no fix is known. */
repair: Array<RepairEdit>,
/** Whether a run of the fixed kernel has verified the fix. */
repairTried: boolean, };

/** Uninitialized read of shared memory. */
export type UninitializedReadView = { reader: RaceAccess,
/** First uninitialized byte. */
where: RaceLocation, step: number, message: string, };

/** Data races and other findings of a run. */
export type RaceReport = {
/** Data races in the order of detection, certain races first. */
races: Array<RaceView>,
/** Uninitialized reads of shared memory, one per position of the source. */
unwritten: Array<UninitializedReadView>,
/** Further notes, including the uninitialized reads as sentences. */
notes: Array<string>, };

/** Results of a litmus test. */
export type LitmusView = { name: string, observe: Array<string>,
/** All outcomes that the memory model allows, sorted. Absent if accesses with a data race overlap only partially, because the
 * model then gives no guarantees. */
outcomes: Array<OutcomeView> | null, forbidden: Array<ForbiddenView>,
/** Lower bound for the number of forbidden outcomes that are not listed. */
moreForbidden: number, race: boolean,
/** Racing pairs of accesses. Each access is a thread and a line of its body, starting at 0. */
racyPairs: Array<[[number, number], [number, number]]>,
/** Racing pairs of accesses. Each access is a thread and a line of the source, starting at 1. */
racyLines: Array<[[number, number], [number, number]]>,
/** Number of examined candidate executions. */
candidates: number,
/** Number of iterations to which loops other than polling loops were limited. Absent if all executions were examined
 * completely. */
cutOffAfter: number | null, };

/** Allowed outcome. */
export type OutcomeView = { values: number[], races: RacesName,
/** Whether an interleaving of the instructions produces the outcome. */
isInterleaving: boolean, graph: GraphView, };

/** Whether executions with an outcome have a data race. */
export type RacesName = "always" | "sometimes" | "never";

/** Forbidden outcome. */
export type ForbiddenView = { values: number[], violation: ViolationView,
/** Candidate execution with the fewest violations. */
graph: GraphView, };

/** Axiom that a candidate execution violates. */
export type ViolationView = { axiom: AxiomName, sentence: string,
/** Nodes of the graph that violate the axiom. */
nodes: Array<number>, };

/** Axioms of the memory model. */
export type AxiomName = "no_thin_air" | "causality" | "coherence" | "sc_per_location" | "atomicity";

/** Execution graph. */
export type GraphView = {
/** Events by thread, in program order. */
nodes: Array<NodeView>, edges: Array<EdgeView>, };

/** Event of an execution. */
export type NodeView = {
/** Thread of the event. Absent for initial values. */
thread: number | null,
/** Line of the source, starting at 1, or line of the thread body if the test has no source. */
line: number | null, kind: NodeName,
/** `x = 1`, `read x: 0`, `fence.sc.gpu`. */
label: string,
/** Memory order and scope: `release at gpu`. Empty for weak accesses. */
words: string, isAsynchronous: boolean, };

/** Kind of an event. */
export type NodeName = "init" | "read" | "write" | "atomic" | "fence" | "proxy_fence" | "arrive" | "leave" | "group_wait";

/** Edge between two nodes, by their indices. */
export type EdgeView = { from: number, to: number, kind: EdgeName, };

/** Relation between two events. */
export type EdgeName = "reads_from" | "coherence" | "from_read" | "synchronises" | "fence_order" | "barrier" | "asynchronous" | "causality";

/** Request for the extraction of a litmus test from lines of a kernel. */
export type ExtractionRequest = {
/** First and last line, starting at 1. */
lines: [number, number],
/** Threads of the test. Default: two threads that access the same bytes in these lines, at least one of them with a write. */
threads: Array<ExtractionThread>,
/** Step limit. For each thread, the last execution of the lines before this step is used instead of the first execution. */
before: number | null, };

/** Thread of a launch. */
export type ExtractionThread = { block: [number, number, number],
/** Thread index in the block. */
thread: [number, number, number],
/** Line that the thread must execute when it reaches the lines. Default: any line. */
line?: number | null, };

/** All weakest fixes of a litmus test. */
export type LitmusRepairs = {
/** Outcomes that the fixes forbid. */
bad: number[][], repairs: Array<Array<LitmusEdit>>,
/** Number of edits up to which all combinations were tried. */
completeTo: number,
/** Number of evaluated combinations. */
tried: number, };

/** Edit of a line. */
export type LitmusEdit = { thread: number,
/** Line of the thread body, starting at 0. */
line: number, op: LitmusEditOp,
/** Complete new statement. */
text: string,
/** Displayed line number. */
shownLine: number,
/** Replaced statement. Empty for an insertion. */
before: string,
/** Text replacement in the test that performs the edit. */
edit: EditView, };

/** Kind of an edit. */
export type LitmusEditOp = "replace" | "insert-before";

/** Kind of a hang. */
export type HangKind = "barrier" | "mbarrier" | "cluster-barrier" | "warp-sync" | "spin" | "not-resident" | "divergent-barrier" | "tensor-memory" | "copies";

/** Object for which threads wait. */
export type HangResource = number | string;

/** Missing arrivals, bytes or lanes, if they can be counted. */
export type MissingCounts = { arrivals?: number,
/** Missing bytes. Negative if more bytes completed than were expected. */
bytes?: number, lanes?: Array<number>, };

/** Waiting threads. */
export type HangWait = { kind: HangKind, block: [number, number, number],
/** Ranges of thread indices in the block: `0, 32-63`. */
threads: string, line: number | null, object: HangResource | null,
/** Number of completed phases. */
phase: number | null, awaited_parity: number | null, pending_arrivals: number | null, pending_bytes: number | null, expected: number | null, arrived: number | null, };

/** Diagnosis of a launch that hangs. */
export type HangView = { kind: HangKind,
/** Object for which threads wait: the number of a barrier or of a block, or a name. Absent if the object depends on the
 * schedule. */
object: HangResource | null,
/** Line at which the lanes wait. */
line: number, missing: MissingCounts | null,
/** Line that should have provided the missing event, or line after which the event is missing. */
line_at_fault: number | null, message: string, waits: Array<HangWait>, };

/** View of a run at one position. */
export type SessionFrame = {
/** Number of executed steps. */
position: number,
/** Number of steps of the whole run, once known. */
length: number | null, status: RunStatus,
/** Summary of the last step. */
sentence: Array<Phrase>,
/** Last executed step. Absent at the start. */
last: StepView | null,
/** Next step. Absent at the end. */
next: StepView | null,
/** Store of the last step, if the step was a store. */
store: StoreView | null,
/** Matrices of the last step, if the step was a matrix instruction. */
matrix: MatrixStep | null,
/** Tensor operation that the last step started or completed. */
tensor: TensorStep | null, fault: FaultView | null,
/** Earlier events that are related to the fault. */
causes: Array<CauseView>, memories: Array<MemoryView>, grids: Array<MemoryGrid>, warp: WarpView | null,
/** Progress of each block, and the resident warps. */
blocks: BlockMap,
/** Steps with stores, for the marks of the transport control. For very many stores, a sample. */
storeSteps: Array<number>,
/** Number of stores up to this position and in all known steps. */
storesDone: number, storesKnown: number,
/** Cluster of the displayed block. Absent if the launch has no clusters. */
cluster: ClusterView | null,
/** mbarrier objects of the resident blocks. */
mbarriers: Array<MbarrierView>,
/** Pending asynchronous operations, which an earlier step issued and which complete in a separate step. */
pending: Array<AsyncOperationView>,
/** Notes of the run, such as output of `printf` and relevant choices of the scheduler. Their number is limited. */
notes: Array<string>, };

/** Class of a token for syntax highlighting. */
export type SemanticTokenKind = "comment" | "directive" | "opcode" | "modifier" | "type" | "register" | "special-register" | "number" | "string" | "label" | "name" | "punctuation" | "error";

/** Token of the source for syntax highlighting. Offsets count UTF-16 units from the start. */
export type TokenView = { start: number, end: number, class: SemanticTokenKind, };

/** Hover text of a token. */
export type HoverView = {
/** Range of the token. Offsets count UTF-16 units from the start. */
start: number, end: number,
/** Title, displayed as code. */
title: string, lines: Array<string>,
/** Anchor of the PTX ISA section. */
section: string | null,
/** Range of the declaration of the name. */
declared: SourceRange | null, };

/** Kind of a completion. */
export type CompletionSort = "opcode" | "modifier" | "type" | "register" | "variable" | "label" | "function";

/** Completion item. */
export type CompletionView = {
/** Range that the completion replaces. */
start: number, end: number, text: string, sort: CompletionSort, help: string,
/** Required version and target: "since PTX 8.1, on `sm_90` and later". */
needs: string | null, };

/** Modifier, or a family of modifiers that differ only in one number. */
export type ValuePage = {
/** Name of the modifier: `v4`. For a family: `m64n{8…256 step 8}k16`. */
text: string,
/** Modifiers of a family. Empty for a single modifier. */
members: Array<string>, help: string, needs: string | null,
/** Origin of the fact: "PTX ISA", "assembler 13.5", "measured on `sm_80`". */
origin: string, };

/** Operand of an instruction form. */
export type OperandPage = {
/** Name in the syntax line: "a". */
name: string,
/** Description: "address of an mbarrier object in shared memory". */
help: string, required: boolean, };

/** Modifier slot of an instruction form. */
export type SlotPage = { name: string,
/** Title of the slot: "state space". */
title: string, required: boolean, values: Array<ValuePage>, };

/** Instruction form. */
export type FormPage = {
/** Opcode: `st`. */
opcode: string,
/** Opcode with the modifiers with which the form always starts: `wmma.store.d.sync`. */
title: string,
/** Syntax line. */
syntax: string, help: string,
/** Required version and target: "since PTX 8.1, on `sm_90` and later". */
needs: string | null,
/** Anchor of the section in the PTX ISA manual. Empty for an instruction of which only the modifiers are known. */
section: string, slots: Array<SlotPage>, operands: Array<OperandPage>,
/** Rules for combinations of modifiers, one phrase each. */
rules: Array<string>, examples: Array<string>, };

/** Request for a fragment layout or another layout, with PTX names. */
export type FragmentRequest = {
/** Operation: `store.d`, `load.a`, `load.b` or `load.c` of `wmma`, `mma.a` to `mma.d`, `ldmatrix.x4`, `stmatrix.x4`,
 * `movmatrix.a`, `movmatrix.d`, or a tensor layout such as `wgmma.d` or `tcgen05.ld`. */
op: string,
/** `m16n16k16` */
shape?: string,
/** Element type: `f16`. */
type?: string,
/** Target: `sm_90`. Default: the newest target that supports the fragment. Tensor layouts do not depend on the target. */
target?: string,
/** Memory layout: `row` or `col`. Default: the first layout that the operation supports. */
layout?: string | null,
/** Distance between the starts of rows (columns) in elements. Default: the length of a row (column). */
stride?: number | null,
/** Further parameters of a layout by name, such as `swizzle: "128B"`. */
with?: { [key in string]: string }, };

/** Reason why the fragment does not exist, and the available alternatives. */
export type FragmentError = { message: string, };

/** Fragment layout. The fields from `format` on form a file of fragment maps that contains this layout. */
export type FragmentView = { op: string, shape: string, type: string, target: string,
/** Layout of the matrix in memory: `row` or `col`. */
layout: string,
/** Distance between the starts of rows (columns) in elements. */
stride: number,
/** Element size in bits. */
element_bits: number,
/** Origin of the map: "assembler 13.5" (compiled code) or "PTX ISA". */
origin: string,
/** Number of copies of each element. */
copies: number, rows: number, cols: number, regs: number, elems_per_reg: number, formula: string, lanes: Array<Array<Array<[number, number]>>>,
/** Offset of each element from the start of the matrix in elements, in the order of `lanes`. */
offsets: Array<Array<Array<number>>>,
/** Index of the matrix of each element, in the order of `lanes`, if the operation has several matrices (`ldmatrix.x4`,
 * `mma.m8n8k4`). */
matrices: Array<Array<Array<number>>> | null,
/** Version of the file format, which is 1. */
format: number,
/** Meaning of the variables in the formulas. */
variables: { [key in string]: string }, maps: { [key in string]: FragmentMapEntry }, fragments: Array<FragmentEntry>, access: Array<AccessEntry>, };

/** Entry of a file of fragment maps. */
export type FragmentMapEntry = { rows: number, cols: number, regs: number, elems_per_reg: number, formula: string, lanes: Array<Array<Array<[number, number]>>>, };

/** Operation with this map. */
export type FragmentEntry = { op: string, shape: string, type: string,
/** Targets with the same map. */
archs: Array<string>, layouts: Array<string>,
/** Family of the map: `quad-pair` or `group`. */
family: string, regs: number, elems_per_reg: number,
/** Default stride by layout. */
default_stride: { [key in string]: number }, map: string,
/** Number of leading registers that `wmma.mma` reads, for A and B of shapes whose fragments contain copies. */
mma_reads?: number | null, };

/** Memory accesses of the compiled code. */
export type AccessEntry = { op: string, shape: string, type: string, layout: string, archs: Array<string>,
/** Accesses to global memory and to generic addresses. */
global: AccessView, shared: AccessView, };

/** Accesses to one state space. */
export type AccessView = {
/** Size of the widest access in bytes, which is the required alignment of address and stride. */
bytes: number, count: number,
/** Effect of a misaligned stride: `fault`, or `moved` if rows are stored at other addresses. */
short_stride?: string | null, };

/** Parameter of a layout request. */
export type LayoutParameter = {
/** Name: `shape`, `type`, or a name in `with` such as `swizzle`. */
name: string, value: string,
/** Possible values. Empty for a number or a shape. */
choices: Array<string>,
/** Description of the parameter. */
about: string, };

/** Layout of the elements of a matrix. */
export type LayoutView = {
/** Operation: `wgmma.d`. */
op: string,
/** Title of the layout. */
title: string,
/** Parameters of the request, with their alternatives. */
parameters: Array<LayoutParameter>,
/** Closed-form mapping of the layout. */
rule: string,
/** Meaning of the variables in the mapping. */
letters: string,
/** Notes, such as undocumented behaviour or unread elements. */
notes: Array<string>,
/** Origin of the mapping: "PTX ISA, CuTe". */
origin: string,
/** Confidence: `high`, or `medium` if the sources are incomplete. */
sure: string, rows: number, columns: number,
/** Meaning of a row of the grid: `row`, `lane`, `column of B`. */
row_name: string, column_name: string,
/** Element size in bits. */
element_bits: number,
/** Names of the numbers of a location. */
place: Array<string>,
/** Locations of the element by row and column. An element has several locations if it must be replicated, and none if the
 * cell is empty. */
grid: Array<Array<Array<Array<number>>>>,
/** For registers only: `[row, column]` by thread, register and position in the register (low bits first). */
lanes: Array<Array<Array<[number, number]>>> | null,
/** Bits of the descriptor in hexadecimal, if the layout has a descriptor. */
descriptor: string | null,
/** Fields of the descriptor, lowest bits first. */
fields: Array<DescriptorField>,
/** Cells that differ from the intended layout: `[row, column]`. */
wrong: Array<[number, number]>,
/** PTX instructions that build the descriptor. */
ptx: Array<string>,
/** Cells that the step reads, if the diagram also contains other cells for comparison: `[row, column]`. */
marked: Array<[number, number]>,
/** Related diagrams. */
related: Array<RelatedLayout>, };

/** Field of a descriptor. */
export type DescriptorField = { name: string,
/** Lowest and highest bit. */
bits: [number, number],
/** Value of the field. */
value: number,
/** Meaning of the value: `128 rows`. */
meaning: string, };

/** Related diagram. */
export type RelatedLayout = {
/** Title of the diagram. */
title: string, request: FragmentRequest, };

/** Dimension of a layout. */
export type LayoutDimension = {
/** Name: `element`, `lane`, `iteration` or `warp`. */
name: string, size: number, };

/** Inferred layout of an access. */
export type InferredAccessLayout = {
/** Line of the source, starting at 1. */
line: number, opcode: string,
/** Accessed memory: a variable or a buffer of the launch. */
buffer: string,
/** Size of one unit of the layout in bytes. */
unitBytes: number,
/** Dimensions of the layout, the fastest varying dimension first. */
dimensions: Array<LayoutDimension>,
/** Layout in units from the start of the buffer: `Swizzle<3,3,3> o 16 o (32,4):(1,32)`. */
layout: string | null,
/** Bases over GF(2) if the layout is linear: `{lane = [1, 2, 4, 8, 16]}`. The XOR offset precedes the bases. */
bases: string | null,
/** Reason why no layout matches the addresses, with the first mismatch. */
broken: string | null,
/** Description of the layout in a sentence. */
text: string,
/** Number of requests of the run, and number of examined requests of the first block. */
requests: number, lookedAt: number, };

/** Word of a bank, with the lanes that access it. */
export type BankWord = {
/** Address in the shared memory of the block. */
address: number, lanes: Array<number>, };

/** Accesses to a bank in a phase. */
export type BankCell = { bank: number,
/** Accessed words of the bank with their lanes. */
words: Array<BankWord>, };

/** Group of lanes that access shared memory together: 32 lanes for 4 bytes per lane, 16 for 8 bytes, 8 for 16 bytes. */
export type BankPhase = { firstLane: number, lastLane: number,
/** Number of wavefronts. */
wavefronts: number,
/** Accessed banks in ascending order. */
banks: Array<BankCell>, };

/** Two lanes with a bank conflict. */
export type Collision = { lanes: [number, number],
/** Addresses of the words in the shared memory of the block. */
addresses: [number, number], bank: number, text: string, };

/** Metric with its name in Nsight Compute. */
export type ProfilerCount = { name: string, count: number,
/** Reason why Nsight Compute may show a different value. */
beside: string, };

/** Access to shared memory. */
export type AccessConflicts = {
/** Line of the source, starting at 1. */
line: number, opcode: string,
/** Accessed variable. */
buffer: string, requests: number, wavefronts: number,
/** Smallest number of wavefronts for accesses of this width. */
ideal: number, conflicts: number,
/** Corresponding metrics of Nsight Compute. */
profiler: Array<ProfilerCount>,
/** Step of the request with the most conflicts. `phases` contains the phases of this request. */
worstStep: number, phases: Array<BankPhase>,
/** Two lanes that access different words of one bank. */
collision: Collision | null, };

/** Proposed layout of a buffer. */
export type FixProposal = {
/** Description of the layout, such as an XOR swizzle or padding. */
change: string,
/** Number of additional bytes of the buffer. */
moreBytes: number,
/** Number of additional instructions per access. */
instructions: number, };

/** Buffer in shared memory with bank conflicts. */
export type BufferConflicts = { name: string, conflicts: number,
/** Lines that access the buffer. */
lines: Array<number>,
/** Layouts that make all accesses to the buffer conflict-free, the smallest change first. */
proposals: Array<FixProposal>,
/** Reason why no such layout exists: accesses with incompatible requirements, or an obstacle to changing the layout. */
impossible: string | null, };

/** Access to global memory with excessive sectors. */
export type SectorAdvice = {
/** Line of the source, starting at 1. */
line: number, opcode: string,
/** Accessed buffer of the launch, or variable. */
buffer: string, requests: number,
/** Number of sectors (`memory_l2_theoretical_sectors_global`), and smallest number of sectors for the accessed bytes. */
sectors: number, ideal: number,
/** Suggested change. */
text: string, };

/** Bank conflicts and uncoalesced accesses of a run, with proposed layouts. */
export type ConflictReport = {
/** Accesses to shared memory by line. */
accesses: Array<AccessConflicts>,
/** Buffers in shared memory with bank conflicts. */
buffers: Array<BufferConflicts>,
/** Accesses to global memory with excessive sectors. */
sectors: Array<SectorAdvice>, };

/** Rewritten source without bank conflicts, and its verification. */
export type BankConflictFix = { source: string,
/** Changes by buffer. */
changes: Array<string>,
/** Number of bank conflicts before and after the rewrite. */
before: number, after: number,
/** Buffers of the launch, all of which have identical contents after both runs. */
same: Array<string>, };

/** Request for the computation of one element of D of a matrix multiplication, with PTX names. */
export type MmaRequest = {
/** Instruction: `wmma` or `mma`. */
op: string,
/** `m16n16k16` */
shape: string,
/** Types of A, B, C and D. */
types: Array<string>,
/** `sm_90` */
target: string,
/** Row of A as numbers (`1.5`, `-inf`) or bits (`0x3c00`), padded with zeros. */
a: Array<string>,
/** Column of B. */
b: Array<string>,
/** Element of C. Default: zero. */
c: string | null, };

/** Number with its bits. */
export type NumberView = { text: string,
/** `0x3f800000` */
bits: string, };

/** Computation of an element of D. */
export type MmaExplanation = {
/** `wmma.mma m16n16k16 f16 f16 f32 f32, sm_70` */
title: string,
/** Summary in one sentence: whether the result is correctly rounded, and the reason if not. */
summary: string, result: NumberView,
/** Exact sum as a decimal number. Absent if a term is infinite or NaN. */
exact: string | null,
/** Exact sum, rounded once to the type of D, to nearest even. */
rounded_once: NumberView | null,
/** Result of sequential `f32` fused multiply-adds from C in ascending k, rounded to the type of D, for comparison. */
chain: NumberView, steps: Array<MmaStepView>,
/** Results of all GPU generations that support the instruction, in order of first occurrence. */
generations: Array<GenerationView>, };

/** Targets whose Tensor Cores produce the same result. */
export type GenerationView = {
/** First target of each generation. */
targets: Array<string>, result: NumberView, };

/** Operation of the hardware. */
export type MmaStepView = { "block": AccumulationBlockView } | { "operation": OperationView };

/** Fused sum, in which all terms are aligned to the largest exponent, truncated and added as integers. */
export type AccumulationBlockView = {
/** Range of k in this block: `k = 0 to 7`. */
products: string, accumulator: NumberView,
/** Largest exponent. Undefined if `special` is set. */
exponent: number,
/** Number of bits kept below the largest exponent. */
kept_bits: number,
/** Nonzero terms. */
terms: Array<TermView>,
/** Sum in units of 2^(`exponent` - `kept_bits`), as a decimal number. */
sum: string,
/** Reason why the sum is NaN or infinite. */
special: string | null, result: NumberView,
/** Whether the sum has more bits than the result type. */
is_cut: boolean, };

/** Term of a block. */
export type TermView = {
/** Source of the term: `accumulator` or `k = 3`. */
source: string,
/** Exact value of the term. */
value: string,
/** Aligned value in units of the block, as a decimal number. */
aligned: string,
/** Truncated bits in binary. Empty if no bits were truncated. */
cut: string, };

/** IEEE 754 operation. */
export type OperationView = {
/** `1.5 * 2 + 0.25, rounded to f32` */
text: string, result: NumberView, };

/** Reference page of a diagnostic. */
export type CodePage = { code: string, title: string, explanation: string, wrong: string, right: string, };

/** Contents of a compiled file. */
export type FileView = {
/** Kind of the file: `cubin`, `fatbin`, `object or program with fatbins`. */
kind: string, programs: Array<ProgramView>,
/** Parts of the file that cannot be read, one sentence each. */
notes: Array<string>, };

/** Code object in a file. */
export type ProgramView = { language: ProgramLanguage, target: string | null,
/** Name of the source file that the compiler recorded. */
sourceName: string | null,
/** Compression: `zstd`, `LZ4`. */
packed: string | null,
/** Size in bytes after decompression. */
bytes: number, kernels: Array<ProgramKernel>, };

/** Language of a code object. */
export type ProgramLanguage = "ptx" | "machineCode";

/** Kernel of a code object. */
export type ProgramKernel = { name: string,
/** Properties that the file records, one phrase each: `32 registers`. */
facts: Array<string>, };

/** @deprecated Use {@link InferredAccessLayout}. */
export type AccessLayout = InferredAccessLayout;

/** @deprecated Use {@link ComparisonKernel}. */
export type Beside = ComparisonKernel;

/** @deprecated Use {@link ComparisonReport}. */
export type BesideReport = ComparisonReport;

/** @deprecated Use {@link ComparisonSide}. */
export type BesideSide = ComparisonSide;

/** @deprecated Use {@link AccumulationBlockView}. */
export type BlockView = AccumulationBlockView;

/** @deprecated Use {@link GridCell}. */
export type Cell = GridCell;

/** @deprecated Use {@link BankConflictFix}. */
export type Cured = BankConflictFix;

/** @deprecated Use {@link ExtractionRequest}. */
export type CutRequest = ExtractionRequest;

/** @deprecated Use {@link ExtractionThread}. */
export type CutThread = ExtractionThread;

/** @deprecated Use {@link MemoryDifference}. */
export type Difference = MemoryDifference;

/** @deprecated Use {@link EngineKind}. */
export type EngineName = EngineKind;

/** @deprecated Use {@link StructField}. */
export type Field = StructField;

/** @deprecated Use {@link FragmentError}. */
export type FragmentRefusal = FragmentError;

/** @deprecated Use {@link SessionFrame}. */
export type Frame = SessionFrame;

/** @deprecated Use {@link SourceLanguage}. */
export type Front = SourceLanguage;

/** @deprecated Use {@link MemoryGrid}. */
export type Grid = MemoryGrid;

/** @deprecated Use {@link MissingCounts}. */
export type HangMissing = MissingCounts;

/** @deprecated Use {@link HangResource}. */
export type HangObject = HangResource;

/** @deprecated Use {@link BufferInitializer}. */
export type Init = BufferInitializer;

/** @deprecated Use {@link MatrixOperandView}. */
export type MatrixOperand = MatrixOperandView;

/** @deprecated Use {@link ExportFormat}. */
export type MemoryForm = ExportFormat;

/** @deprecated Use {@link MemoryKey}. */
export type MemoryId = MemoryKey;

/** @deprecated Use {@link MisalignedPolicy}. */
export type Misaligned = MisalignedPolicy;

/** @deprecated Use {@link InlineAsmView}. */
export type PartView = InlineAsmView;

/** @deprecated Use {@link AsyncPieceView}. */
export type PendingPieceView = AsyncPieceView;

/** @deprecated Use {@link AsyncOperationView}. */
export type PendingView = AsyncOperationView;

/** @deprecated Use {@link MmaRequest}. */
export type ProductRequest = MmaRequest;

/** @deprecated Use {@link MmaStepView}. */
export type ProductStep = MmaStepView;

/** @deprecated Use {@link MmaExplanation}. */
export type ProductView = MmaExplanation;

/** @deprecated Use {@link BlockProgress}. */
export type Progress = BlockProgress;

/** @deprecated Use {@link FixProposal}. */
export type Proposal = FixProposal;

/** @deprecated Use {@link RaceLocation}. */
export type RacePlace = RaceLocation;

/** @deprecated Use {@link RaceConfidence}. */
export type RaceSure = RaceConfidence;

/** @deprecated Use {@link StopResult}. */
export type Reached = StopResult;

/** @deprecated Use {@link InitialRegister}. */
export type RegisterStart = InitialRegister;

/** @deprecated Use {@link ImageResource}. */
export type Resource = ImageResource;

/** @deprecated Use {@link DifferenceSide}. */
export type Side = DifferenceSide;

/** @deprecated Use {@link MemorySpace}. */
export type Space = MemorySpace;

/** @deprecated Use {@link StepMma}. */
export type StepProduct = StepMma;

/** @deprecated Use {@link SemanticTokenKind}. */
export type TokenClass = SemanticTokenKind;

/** @deprecated Use {@link StopOptions}. */
export type UntilOptions = StopOptions;

/** @deprecated Use {@link UninitializedReadView}. */
export type UnwrittenView = UninitializedReadView;

/** @deprecated Use {@link WriteAge}. */
export type Written = WriteAge;
