// Generated from the types of the core; `UPDATE_EXPECT=1 cargo test -p xtask --test types` writes it.

/** Front end that parses a source. */
export type SourceLanguage = "ptx" | "sass";

/** Options with which a host checks a source: language, target and PTX ISA version. */
export type CheckOptions = { front?: SourceLanguage,
/** Target for which to check the source: `sm_90`. The option overrides the target of the module. */
target?: string | null,
/** PTX ISA version for which to check the source: `8.8`. The option overrides the version of the module. The JSON format of `check
 * --batch` and of scenarios has a field with this name. */
ptx_version?: string | null, };

/** Result of the check of a source, which hosts display: the diagnostics, the target and version, and the asm blocks. */
export type CheckReport = {
/** Whether the diagnostics contain no error. */
accept: boolean, diagnostics: Array<DiagnosticView>,
/** Target that the source specifies. */
target: string | null,
/** PTX ISA version that the source specifies. */
ptx_version: string | null,
/** Target that the check assumes for a source without a target: the default target, or the nearest target for which the source is
 * legal. */
assumed_target: string | null,
/** PTX ISA version that the check assumes for a source without a version. */
assumed_ptx_version: string | null,
/** Asm blocks of a source with inline assembly. Hosts run each asm block separately, and select it by its name. */
parts: Array<InlineAsmView>, };

/** Inline assembly block in host source code, as hosts display it. Lines and columns refer to the host source code and start at 1. Columns
 * count UTF-16 units, and the end is exclusive. */
export type InlineAsmView = {
/** Name of the enclosing function, followed by a number if the function contains several asm blocks. The field `entry` of a scenario
 * selects the asm block by this name. */
name: string, line: number, column: number, endLine: number, endColumn: number,
/** Instructions of the asm block, in the form in which the checker and the emulator process them. Operand names replace operand
 * numbers. */
text: string,
/** Whether the checker found no error in the asm block. */
accept: boolean,
/** Target for which the checker checks the asm block. */
target: string | null,
/** PTX version for which the checker checks the asm block. */
ptxVersion: string | null, operands: Array<PartOperandView>,
/** Transformations that a compiler may apply to the asm statement, and the qualifiers that the statement requires. */
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

/** Range in a source text, as hosts display it. Lines and columns start at 1, columns count UTF-16 units, and the end is exclusive. */
export type SourceRange = { line: number, column: number, endLine: number, endColumn: number, };

/** Source file from which a compiler generated a kernel. */
export type SourceFile = {
/** Name of the file: `saxpy.cu`. Directories are optional. */
name: string, text: string, };

/** Position in the source file from which a compiler generated an instruction: file, line, column and inlined function. */
export type SourcePosition = {
/** Name of the file as the compiler recorded it. */
file: string,
/** Line number in the file, starting at 1. */
line: number,
/** Column number, starting at 1. The field is absent if the compiler recorded no column. */
column: number | null,
/** Inlined function that contains the position. The field is absent if the position is in the kernel or function itself. */
function: string | null, };

/** Source file to which a [`LineTableView`] refers, with its text if the scenario contains it. */
export type MappedFile = {
/** Name of the file as the compiler recorded it. */
name: string,
/** Text of the file, if the scenario contains the file. */
text?: string,
/** Largest line number to which the line table refers. */
last_line: number, };

/** Consecutive lines of the checked source that a compiler generated for one source position, as part of a [`LineTableView`]. */
export type MappedLines = {
/** First line of the checked source. */
line: number,
/** Last line of the checked source, inclusive. */
endLine: number,
/** Source position, followed by the call sites of the inlined functions that contain it. The list has at least one element. */
frames: Array<SourcePosition>, };

/** Line table of a session, which hosts use to display source files next to the checked source. */
export type LineTableView = {
/** Source files to which the table refers, in the order of their first use. */
files: Array<MappedFile>,
/** Mapped lines in ascending order. Lines without a source position are absent. */
lines: Array<MappedLines>,
/** Names of source files that the scenario contains although the line table refers to no file of this name. */
unused: Array<string>, };

/** Range of a timeline that a host displays. The default request covers the whole run with all details. */
export type TimelineOptions = {
/** First step of the range. Default: 0. */
from?: number | null,
/** Step after the last step of the range. Default: the end of the recorded steps. */
to?: number | null,
/** Horizontal resolution of the display. Consecutive spans that are shorter than one column are merged. Default: no span is merged. */
columns?: number | null,
/** Linear index of the only block to show. Default: all blocks. */
block?: number | null, };

/** Timeline of a run. Positions are counted in steps: a step executes one instruction of one warp, or completes one asynchronous operation. */
export type TimelineView = {
/** First step of the range. */
from: number,
/** Step after the last step of the range. */
to: number,
/** Number of recorded steps, from the start of the run. */
steps: number,
/** Whether the recorded steps end with the end of the run. Otherwise, the run continues after the recorded steps. */
isComplete: boolean,
/** Linear indices of the blocks that have tracks. */
blocks: Array<number>,
/** Tracks in the order of display: for each block, its warps, its asynchronous operations, its barriers and its mbarriers. */
tracks: Array<TimelineTrack>,
/** Number of tracks that the view omits because of its size limit. */
nOmittedTracks: number, links: Array<TimelineLink>,
/** Number of links in the range that the view omits because of its size limit. */
nOmittedLinks: number, marks: Array<TimelineMark>, };

/** Row or rows of a timeline: a warp, a kind of asynchronous operation, a barrier or an mbarrier. */
export type TimelineTrack = { kind: TrackKind,
/** Linear index of the block, or of the first block of the cluster for a cluster barrier. */
block: number,
/** Name within the block: `warp 0`, `tensor copies`, `barrier 0`, `full[1]`. */
name: string,
/** Number of rows. Operations that are in flight at the same time are in different rows. */
nRows: number,
/** Spans in the range, ordered by row and start. */
spans: Array<TimelineSpan>, };

/** Kind of a track. */
export type TrackKind = "warp" | "async-operations" | "barrier" | "cluster-barrier" | "mbarrier";

/** State of a track over consecutive steps. */
export type TimelineSpan = {
/** First step of the span. */
from: number,
/** Step after the last step. Absent if the state never ends, as in a hang. */
to: number | null,
/** Row within the track, counted from 0. */
row: number, state: SpanState,
/** Description of the span: `waits for phase parity 0 of full[1]`. */
text: string,
/** Line of the waiting or issuing instruction in the checked source. Absent for phases and for running warps. */
line: number | null,
/** Position of this instruction in the language from which a compiler generated the source, followed by the call sites of inlined functions. */
source: Array<SourcePosition>,
/** Number of spans that this span combines because they are shorter than one column. */
nMerged: number, };

/** State of a span. */
export type SpanState = "running" | "diverged" | "waiting" | "in-flight" | "phase";

/** Point on a track. */
export type TimelinePoint = {
/** Index of the track in [`TimelineView::tracks`]. */
track: number, row: number, step: number, };

/** Causal relation between two points. */
export type TimelineLink = { kind: LinkKind, from: TimelinePoint, to: TimelinePoint, };

/** Kind of a link. */
export type LinkKind = "issue" | "completion" | "release" | "race";

/** Event at a point of a track. */
export type TimelineMark = { kind: MarkKind, at: TimelinePoint,
/** Description of the event: `32 arrivals, 96 pending`. */
text: string,
/** Line of the instruction in the checked source, if an instruction caused the event. */
line: number | null, };

/** Kind of a mark. */
export type MarkKind = "arrival" | "missing" | "race" | "fault";

/** Severity of a diagnostic. Only an error rejects the source. */
export type Severity = "error" | "warning" | "information";

/** Diagnostic in the form that the command-line program, the npm package and the page display. Lines and columns start at 1. Columns count
 * UTF-16 units, and the end is exclusive. */
export type DiagnosticView = { code: string, severity: Severity, message: string, line: number, column: number, end_line: number, end_column: number, help: string | null,
/** Required PTX version or target, such as "since PTX 8.8, on `sm_100` and later". The field is present if the version or the target is
 * the reason for the diagnostic. */
needs: string | null,
/** Source ranges that are related to the diagnostic, with messages. */
labels: Array<LabelView>,
/** Preferred fix of the diagnostic. The field is absent if the diagnostic has no fix. */
fix: FixView | null,
/** Alternative fixes that the user can choose. */
other_fixes: Array<FixView>, };

/** Source range that is related to a diagnostic, with a message. */
export type LabelView = { line: number, column: number, end_line: number, end_column: number, text: string, };

/** Fix of a diagnostic, which consists of edits that hosts can apply to the source. */
export type FixView = { title: string,
/** Whether the fix changes the version or target of the source. If an option overrides the version or the target, hosts hide this fix. */
is_header: boolean, edits: Array<EditView>, };

/** Replacement of a range of the source with a text, as part of a fix. */
export type EditView = { line: number, column: number, end_line: number, end_column: number, text: string, };

/** Value in a scenario. */
export type Literal = number | string;

/** Element type of a buffer or of a grid. */
export type ElementType = "u8" | "s8" | "u16" | "s16" | "u32" | "s32" | "u64" | "s64" | "f16" | "bf16" | "f32" | "f64" | "b8" | "b16" | "b32" | "b64" | "b128" | "e4m3" | "e5m2" | "e2m3" | "e3m2" | "ue8m0" | "tf32" | "e2m1x2" | "f16x2" | "bf16x2" | "u4x2" | "s4x2" | "u8x4" | "s8x4" | "u16x2" | "s16x2" | "char" | "bin8" | "bin32";

/** Initial contents of a buffer. */
export type BufferInitializer = Array<Literal> | Literal;

/** Array in global memory. */
export type Buffer = { name: string,
/** Element type: `u32`, `f16`, `e4m3` and all others of `ElementType`. */
type: ElementType,
/** Number of elements. */
len: number,
/** Extents of the array, outermost first. If empty, the array has one dimension. */
shape?: Array<number>, init?: BufferInitializer,
/** Element whose address the kernel receives. Kernels that use negative indices require an element in the middle of the buffer. */
start?: number,
/** Expected memory contents after the launch. `null` specifies no expectation. */
expect?: Array<Literal> | null,
/** SHA-256 digest of the expected bytes in little-endian order. */
expect_sha256?: string | null,
/** Permitted final values for each element. */
one_of?: Array<Array<Literal>> | null, };

/** Member of a structure parameter. */
export type StructField = {
/** Byte offset from the start of the structure. */
offset: number, } & ({ "kind": "buffer" } & Buffer | { "kind": "scalar", name: string, type: ElementType, value: Literal, } | { "kind": "struct", name: string, size: number, align?: number, fields: Array<StructField>, } | { "kind": "alias", name: string, of: string, } | { "kind": "tensormap" } & TensorMap | { "kind": "texture" } & Texture | { "kind": "surface" } & Surface | { "kind": "multimem", name: string, buffers: Array<string>, });

/** Kernel parameter of a scenario. */
export type Parameter = { "kind": "buffer" } & Buffer | { "kind": "scalar", name: string, type: ElementType, value: Literal, } | { "kind": "struct", name: string, size: number, align?: number, fields: Array<StructField>, } | { "kind": "alias", name: string, of: string, } | { "kind": "tensormap" } & TensorMap | { "kind": "texture" } & Texture | { "kind": "surface" } & Surface | { "kind": "multimem", name: string, buffers: Array<string>, };

/** Fault that a scenario expects. */
export type ExpectedFault = { kind: FaultSort, buffer?: string | null, space?: MemorySpace | null, byte_offset?: number | null, width?: number | null, thread?: [number, number, number] | null, block?: [number, number, number] | null, };

/** Initial value of a register. */
export type InitialRegister = {
/** Name of the register in the source, such as `R2`. */
name: string,
/** Number, or a sum such as `"lane * 4 + out"` of numbers, `lane`, `thread`, multiples of `lane` and `thread`, and the
 * address of a buffer. */
value: Literal, };

/** Tensor map parameter, which is passed by value as 128 bytes, or as the address of these bytes (CUDA driver API,
 * "cuTensorMapEncodeTiled"). */
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
/** Number of layers. Default: 0, for an array that is not layered. */
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

/** Treatment of misaligned memory accesses by the emulator. */
export type MisalignedPolicy = "fault" | "force";

/** Second version of a kernel. */
export type ComparisonKernel = { source: string,
/** Language of the source. By default, the language is detected from the source. */
front?: SourceLanguage | null,
/** Target that overrides the target of the source. */
target?: string | null,
/** Kernel to run. Default: the kernel with the same name, otherwise the first kernel. */
entry?: string | null, };

/** All inputs of a run. */
export type Scenario = { name?: string, source: string, front?: SourceLanguage,
/** Target that overrides `.target` of the source. */
target?: string | null,
/** PTX ISA version that overrides `.version` of the source. */
ptx_version?: string | null,
/** Kernel to run. Default: the first kernel. */
entry?: string | null, grid?: [number, number, number] | null, block?: [number, number, number] | null, cluster?: [number, number, number] | null,
/** Size of dynamic shared memory in bytes. */
dynamic_shared?: number,
/** Kernel parameters. The parameters are matched by name if the kernel declares all of their names, and otherwise by position. If the
 * list is empty, the parameters are inferred from the kernel and reported as guesses. */
params?: Array<Parameter>,
/** Arrays for textures and surfaces. */
arrays?: Array<TexelArray>,
/** Seed of the scheduler. Default: 0, which selects round-robin scheduling. */
seed?: number | null,
/** Turns with which the run starts, such as `0.1:35,a2`: 35 steps of warp 1 of block 0, and one step of the asynchronous operation 2. */
schedule?: string,
/** Number of concurrently resident blocks, at least 1. Blocks become resident in the order of their indices, and remain
 * resident until they exit. Default: as many blocks as the device supports. */
resident?: number | null,
/** Initial register values. All other registers are zero. Only SASS programs read initial register values. */
registers?: Array<InitialRegister>,
/** Behaviour of an access whose address is not a multiple of its size. By default, the access faults. In a SASS
 * snippet without the header of a listing, the access behaves as the SASS reference specifies. */
misaligned?: MisalignedPolicy | null,
/** Second version of the kernel, which `compare` executes with the same launch configuration. A session executes only the first
 * version. */
beside?: ComparisonKernel | null,
/** Expected fault of the launch, if any. */
fault?: ExpectedFault | null,
/** Source files from which a compiler generated the kernel. The line table of the kernel refers to them by name. */
sources?: Array<SourceFile>, };

/** Options of `Session.history`. */
export type HistoryOptions = {
/** Displayed element type. The default is the element type of the memory. */
type?: ElementType | null,
/** Size of the cell in bytes, from 1 to 64. The default is the size of an element. */
bytes?: number | null, };

/** Store to a memory cell in a [`CellHistory`], with its position, its lanes and the values before and after it. */
export type CellWrite = {
/** Position directly after the store, as an argument for `seek`. */
position: number,
/** Linear index of the block that executed the store. */
block: number, warp: number,
/** Lane that wrote the cell. If several lanes wrote the cell, the field contains the last of these lanes. The field is absent for
 * tensor memory, because whole warps and asynchronous operations write tensor memory. */
lane: number | null,
/** Number of lanes that wrote bytes of the cell. */
nLanes: number, range: SourceRange,
/** Source text of the store instruction. */
instruction: string, action: StoreAction,
/** Whether the store is the completion of an asynchronous operation. */
hasLanded: boolean,
/** Value of the cell before the store. */
before: string,
/** Value of the cell after the store. */
after: string, };

/** Stores to a memory cell in the executed steps, which hosts list with the values before and after each store. */
export type CellHistory = { memory: MemoryKey,
/** Byte offset of the cell from the start of the memory. */
offset: number, nBytes: number, type: ElementType,
/** Value of the cell at the start of the launch. */
initial: string,
/** Position of the run. The history lists the latest stores up to this position, and the first stores after this position. */
position: number,
/** Total number of stores to the cell up to this position. */
nBefore: number,
/** Total number of stores to the cell after this position. */
nAfter: number,
/** Number of steps that the search for stores has examined. */
steps: number,
/** Stores that the history lists, in order of execution. */
writes: Array<CellWrite>, };

/** Options of `Session.runUntil`. Exactly one of the fields `condition`, `lines` and `memory` specifies the stop condition. */
export type StopOptions = {
/** Condition that a lane meets after the step at which the run stops, but not before this step: `lane 3: %r5 == 7`. */
condition?: string | null,
/** Lines of the source. The run stops when the next step executes one of these lines. */
lines?: Array<number> | null,
/** Name of a memory. The run stops when a value in this memory changes. The value has `bytes` bytes (by default one element), and
 * starts `offset` bytes after the start of the memory. */
memory?: string | null, offset?: number | null, bytes?: number | null,
/** Whether to search backward for the previous match. */
back?: boolean,
/** Number of steps after which the run pauses. */
maxSteps?: number | null, };

/** Result of `Session.runUntil`, which states whether and where the stop condition holds. */
export type StopResult = {
/** Whether the run stopped because the condition holds. If the value is false, the run is at its end, at its start, or at the step
 * limit. */
isReached: boolean, position: number,
/** Description of the match, or a message that the run found no match: `lane 3 of warp 0, block 0: %r5 is 7`. */
text: string, };

/** Store to an element of a memory, with its source line and the value after the store. */
export type ElementStore = { step: number, block: [number, number, number], warp: number, lane: number,
/** Line of the source, starting at 1. */
line: number, instruction: string,
/** Value of the element after the store. */
value: string, };

/** Value of an element in one run, which the scheduler seed identifies, with the stores to the element. */
export type DifferenceSide = { seed: number, value: string,
/** Latest stores to the element, in order of execution. The list is empty if no store wrote the element. */
stores: Array<ElementStore>, };

/** Memory whose final contents differ between two runs, with the values of its first differing element. */
export type MemoryDifference = { memory: MemoryKey,
/** Index of the first element whose value differs. */
index: number, nElements: number,
/** Values of this element in each run. */
sides: [DifferenceSide, DifferenceSide], };

/** Summary of the run of one of the two compared versions of a kernel. */
export type ComparisonSide = { front: SourceLanguage,
/** Target for which this version was checked and run. */
target: string,
/** Name of the executed kernel. */
entry: string,
/** Number of steps that the run executed. */
steps: number,
/** Number of steps that stored to a compared memory. */
stores: number,
/** Whether the run finished within the step limit, with or without a fault. */
over: boolean,
/** Message of the fault that stopped the run, if a fault occurred. */
fault: string | null, };

/** Verdict of the comparison of two versions of a kernel. */
export type ComparisonVerdict = "equal" | "different" | "notComparable" | "unfinished";

/** Value that an instruction computed for one thread. */
export type ComputedValue = { step: number, block: [number, number, number], warp: number, lane: number, range: SourceRange, instruction: string,
/** Name of the register that received the value, or `None` if the instruction stores a constant. */
register: string | null,
/** Value in hexadecimal notation, or `true` or `false` for a predicate. */
value: string,
/** Value as a number, if the instruction computes a floating-point number. */
number: string | null,
/** Position in the source file from which a compiler generated the instruction, followed by the call sites of inlined functions. The
 * list is empty if the compiler recorded no position. */
source: Array<SourcePosition>, };

/** First instructions of two runs that computed different values, with the memory element in which the difference became visible. */
export type FirstDifference = {
/** Memory that contains the element of the earliest differing store. */
memory: MemoryKey, index: number,
/** Instruction of each run, in the order of the compared sources. */
sides: [ComputedValue, ComputedValue],
/** Index of the source in whose run the search replaced values: the machine code, or the second source if both have the same language. */
replacedSide: number,
/** Values on which the named value of the other source depends, and which the source with this index does not compute. */
omitted: Array<ComputedValue>,
/** Whether a continued run with the value of the other run stored the expected value. The value is false if no replacement had this
 * effect, so that the instructions are the ones that computed the stored values. */
confirmed: boolean, };

/** Result of the comparison of two versions of a kernel, which hosts display: equality, both runs, and the differences in memory. */
export type ComparisonReport = {
/** Whether both runs finished with identical memory contents and, if the runs faulted, with the same kind of fault. */
equal: boolean, verdict: ComparisonVerdict,
/** Reason why the runs are not comparable, with the verdict `notComparable`. */
reason: string | null,
/** Summary of the comparison result, for example `identical memory contents: 128 bytes of \`out\``. */
summary: string, sides: [ComparisonSide, ComparisonSide],
/** Memories that exist in both versions: the buffers, and the variables whose names are equal in both versions. */
memories: Array<MemoryKey>,
/** Total size of the memories in `memories`, in bytes. */
nBytes: number,
/** Variables of each version that do not exist in the other version. The comparison ignores these variables. */
alone: [Array<MemoryKey>, Array<MemoryKey>],
/** First differing element of each memory, with the stores of both versions to this element. */
differences: Array<MemoryDifference>,
/** First instruction of each version that computed another value than the other version. The value is `None` if the memory contents
 * are equal, or if the search does not find the instructions. */
firstDifference: FirstDifference | null,
/** Findings that make the results of a version undefined, such as a data race. The list is empty if the results are equal. */
notes: Array<string>, };

/** Lane and register that contain a matrix element in a [`FragmentView`]. */
export type CellHolder = { lane: number, register: number, element: number, };

/** Matrix element in a [`MatrixOperandView`], with its value and its locations in registers and memory. */
export type ElementView = {
/** Lanes and registers that contain the element, the lowest lane first. The list has several entries if the hardware replicates the
 * element. */
holders: Array<CellHolder>, value: string,
/** Bits of the element in hexadecimal: `0x3c00`. */
bits: string,
/** Memory from which the instruction loads the element or to which it stores the element. The field is absent if the instruction does
 * not access memory. */
memory: MemoryKey | null,
/** Byte offset of the element from the start of the memory. */
offset: number | null, };

/** Matrix that a step read from or wrote to registers, with its elements and their locations. */
export type MatrixOperandView = {
/** Name of the operand: `A`, `B`, `C` or `D`. */
name: string,
/** Request for the fragment layout of the operand, with the stride of the memory access if the access has a stride. */
fragment: FragmentRequest,
/** Byte offset of the matrix from a 256-byte boundary of memory. The offset is 0 if the instruction does not access memory. */
baseBytes: number, rows: number, columns: number,
/** Elements of the operand, ordered by matrix and within a matrix by row. */
cells: Array<ElementView>,
/** Names of the registers of the operand. The list is empty for a constant. */
registers: Array<string>, elementsPerRegister: number, };

/** Tensor operation that a step started or completed, which hosts display with its tiles. */
export type TensorStep = {
/** Whether the step completed the operation. Otherwise, the step started the operation. */
hasLanded: boolean,
/** Tiles that the operation reads and writes. The list contains at most eight tiles. */
tiles: Array<TileView>,
/** Details of a tensor copy. The field is absent if the operation is not a tensor copy. */
copy: TensorCopyView | null, };

/** Matrix tile that a tensor operation reads or writes, with its location and layout. */
export type TileView = {
/** Name of the tile: `A`, `B`, `D`, `scale A`, `scale B`, `metadata`, `source` or `destination`. */
name: string,
/** Element type of the tile: `f16`. */
type: string, rows: number, columns: number, isWritten: boolean,
/** Location and layout of the tile: `from byte 1024, K-major, 128B swizzle`. */
place: string,
/** Memories that contain the tile. The list is empty if the tile is in registers. */
memories: Array<MemoryKey>,
/** Byte offset of the tile in each memory. */
starts: Array<number>,
/** Number of bytes of the tile that the operation accesses. */
nBytes: number,
/** Request that shows the layout of the tile in the Layout Explorer. The field is absent if no such layout exists. */
layout: FragmentRequest | null, };

/** Range of memory elements in a grid that belong to a tile of a tensor operation. Hosts mark these cells. */
export type TileCells = {
/** Index of the tile among the tiles of the step. */
tile: number,
/** Index of the first element of the tile in the memory. */
first: number,
/** Number of elements of the tile. */
n: number, };

/** Details of a copy of a tensor box between global memory and shared memory, which hosts display. */
export type TensorCopyView = {
/** Whether the copy transfers data from the tensor to shared memory. Otherwise, it transfers data from shared memory to the tensor. */
isLoad: boolean,
/** Mode of the copy: `tiled` or `im2col`. */
mode: string,
/** Element type of the tensor: `f16`. */
type: string,
/** Extents of the tensor in elements, the innermost dimension first. */
extents: Array<number>,
/** Numbers of elements of the box along each dimension. In `im2col` mode, the list contains the numbers of channels and pixels. */
boxExtents: Array<number>,
/** Coordinates of the first element of the box. */
coordinates: Array<number>,
/** Swizzle mode of the copy: `128B`, `none`. */
swizzle: string,
/** Buffer in global memory that contains the tensor. */
memory: MemoryKey | null,
/** Shared memories that the copy accesses. A multicast copy accesses several shared memories. */
shared: Array<MemoryKey>,
/** Number of bytes that the copy transfers in the shared memory of each block. */
nBytes: number,
/** Number of transferred bytes that belong to elements outside of the tensor. */
nOutside: number,
/** Fill value for elements outside of the tensor: `0`, `NaN`. */
fill: string,
/** Address of the mbarrier on which the copy completes, in the shared memory of its block. */
mbarrier: number | null,
/** Chunks of the copy in the order of the box. The list contains at most the first 4,096 chunks. */
pieces: Array<TensorPieceView>, };

/** Chunk of a tensor copy, which consists of 16 bytes or of the remainder of a row. */
export type TensorPieceView = {
/** Coordinates in the tensor of the first element of the chunk, the innermost dimension first. */
coordinates: Array<number>,
/** Offset of the first byte of the chunk in shared memory, after the swizzle. */
shared: number,
/** Offset of the first byte of the chunk in shared memory, before the swizzle. */
plain: number, nBytes: number,
/** Number of bytes of the chunk that are inside of the tensor. */
nInside: number, };

/** Rounding of the results of a matrix multiplication on Tensor Cores, compared with the exact sums. */
export type StepMma = {
/** Request for the computation of an element of the multiplication. The request does not contain operand values. */
request: MmaRequest,
/** Number of elements of the result matrix D. */
nElements: number,
/** Number of elements of D that are not correctly rounded. */
nOdd: number,
/** Index of the first element that is not correctly rounded, among the cells of D. The field is absent if all elements are correctly
 * rounded. */
firstOdd: number | null, };

/** Matrix instruction of a step, with its operands and results. */
export type MatrixStep = {
/** Matrix operands in the order in which the instruction specifies them. */
operands: Array<MatrixOperandView>,
/** Results of a floating-point multiplication whose sums Tensor Cores round. The field is absent for other instructions. */
product: StepMma | null, };

/** Options of functions that run a scenario with a step limit. */
export type RunOptions = {
/** Number of steps after which the run pauses. */
maxSteps?: number | null, };

/** Engine that runs a session to its end. `auto` compiles long runs without observers, `interpreter` disables compilation, and
 * `translated` compiles even short runs. */
export type EngineChoice = "auto" | "interpreter" | "translated";

/** Options of `Session.run`: the step limit and the engine. */
export type SessionRunOptions = {
/** Number of steps after which the run pauses. */
maxSteps?: number | null,
/** Engine that executes the run. */
engine?: EngineChoice | null, };

/** Engine that executed a run of a session. */
export type EngineKind = "interpreter" | "translated";

/** Engine that executed the last run of a session, and the throughput of this run. */
export type EngineView = { name: EngineKind,
/** Description of the engine in a sentence. If a run was not compiled, the sentence contains the reason. */
words: string,
/** Throughput of the run in million lane-instructions per second. */
rate: number, };

/** Options of an analysis, as a host specifies them. */
export type AnalysisOptions = {
/** Step limit of each run. A run that does not finish within this limit is incomplete. */
maxSteps?: number | null,
/** Number of scheduler seeds with which each kernel runs. The default is 8. */
seeds?: number | null, };

/** Kind of a [`Finding`], such as a fault, a data race or a bank conflict. Hosts use it to filter findings. */
export type FindingKind = "wrong-result" | "fault" | "hang" | "data-race" | "uninitialized-read" | "schedule-dependence" | "diagnostic" | "bank-conflict" | "uncoalesced-access" | "note";

/** Severity of a [`Finding`]. The variants are ordered by decreasing severity. */
export type FindingSeverity = "error" | "warning" | "performance" | "information";

/** Verdict of an analysis about a kernel or a source. The variants are ordered from the best to the worst. */
export type Verdict = "clean" | "incomplete" | "findings" | "error";

/** Finding of an analysis about a source or the run of a kernel, with its severity, location and message. */
export type Finding = { kind: FindingKind, severity: FindingSeverity,
/** Code of a diagnostic: `W0107`. The code is absent for findings of a run. */
code: string | null,
/** Range in the checked source. The range is absent for a finding that concerns the whole run. */
range: SourceRange | null,
/** All lines of the checked source that take part in the finding, in ascending order. */
lines: Array<number>,
/** Position of `range` in the language from which a compiler generated the source, followed by the call sites of inlined functions. */
source: Array<SourcePosition>,
/** Description of the finding in one sentence. */
message: string,
/** Sentences that explain the finding or describe further occurrences. */
details: Array<string>,
/** Number of occurrences that the finding combines, at least 1. */
occurrences: number,
/** Fix of the finding, if one is known. */
fix: FixView | null,
/** Whether the finding depends on an inferred part of the launch configuration. */
dependsOnInferredLaunch: boolean, };

/** Answer of an analysis about all schedules of a launch. */
export type ScheduleVerdict = "clean" | "witness" | "incomplete";

/** Schedule with an error, and the error that a run with this schedule reports. */
export type ScheduleWitness = {
/** Turns of the agents: `0.1:35,a2`. The field `schedule` of a scenario and the option `--schedule` accept this text. */
schedule: string,
/** Error of the run with this schedule. */
finding: Finding,
/** Edit of the source that states the schedule, so that a run of the source shows the error. */
play: FixView, };

/** Result of an analysis of all schedules of a launch. */
export type ScheduleReport = { verdict: ScheduleVerdict, witness: ScheduleWitness | null,
/** Sentences that describe which schedules the analysis did not cover. The list is empty if the verdict is `clean`. */
notCovered: Array<string>,
/** Number of executed equivalence classes of schedules. */
executions: number,
/** Number of executions that the analysis ended early, because other executions cover the remaining steps. */
partialExecutions: number,
/** Number of executed steps. */
steps: number,
/** Maximum number of synchronizing operations of an execution. */
events: number, };

/** Options of an analysis of all schedules, as a host specifies them. */
export type ScheduleOptions = {
/** Maximum number of steps of all executions together. The default is 5,000,000. */
maxSteps?: number | null, };

/** Result of the analysis of one kernel in an [`AnalysisReport`]: verdict, launch and findings. */
export type KernelAnalysis = {
/** Name of the kernel or asm block. */
kernel: string, verdict: Verdict, target: string, grid: [number, number, number], block: [number, number, number],
/** Launch in the syntax of CUDA C++: `<<<4, (32, 8)>>>`. */
launch: string,
/** Inferred parts of the launch configuration as `//@` lines. The list is empty if the source states the whole launch configuration. */
inferred: Array<string>,
/** Number of steps that the run executed. */
steps: number,
/** Number of scheduler seeds with which the kernel was run. */
seeds: number,
/** Findings of the run, most severe first. */
findings: Array<Finding>,
/** Sentences that describe the parts of the run that the analysis did not cover. The list is empty if the verdict is not `incomplete`. */
notCovered: Array<string>,
/** Result of the analysis of all schedules. The field is absent if the host has not requested this analysis. */
schedules?: ScheduleReport, };

/** Result of the analysis of a source and its kernels, which hosts display: verdict, diagnostics and findings. */
export type AnalysisReport = {
/** Worst verdict among the source and its kernels. */
verdict: Verdict,
/** Diagnostics of the source. */
diagnostics: Array<Finding>,
/** Analyses of the kernels. The kernels with the worst verdicts and the most severe findings come first. */
kernels: Array<KernelAnalysis>, };

/** Options of a [`RunReport`], as a host passes them to `Session.report`. */
export type ReportOptions = {
/** Step limit of the run. The result `ok` is false if the run does not finish within this limit. */
maxSteps?: number | null,
/** Whether to count sectors, cache lines, wavefronts and bank conflicts of the run. */
traffic?: boolean,
/** Whether to detect data races in the run. */
races?: boolean,
/** Whether to infer the layout of each access from its addresses. */
layouts?: boolean,
/** Whether to compute a digest of the final contents of every buffer. */
digests?: boolean,
/** Whether the result `ok` remains true if the run has certain data races or undefined behavior. */
allowUndefined?: boolean,
/** Engine that executes the run. */
engine?: EngineChoice | null, };

/** Result of a run, and of its comparison with the expectations of the scenario, which hosts display. */
export type RunReport = {
/** Whether the launch finished, all expectations of the scenario hold, and no certain data race or undefined behavior was
 * found. */
ok: boolean,
/** Fault that stopped the launch, if a fault occurred. */
fault: FaultReport | null,
/** Digests of the buffers after the run, indexed by buffer name. The field is absent if the request does not include digests. */
buffers?: { [key in string]: BufferDigest },
/** Number of steps that the run executed. `null` after a JIT run in which a warp diverged. */
steps: number | null,
/** Number of executed steps that stored to memory. `null` after a JIT run in which a warp diverged. */
stores: number | null,
/** Number of executed lane-instructions, which is the sum of the active lanes over all steps that warps have executed. */
lane_instructions: number,
/** Memory traffic of the run: sectors, cache lines, wavefronts and bank conflicts, in total and per source line. */
traffic: TrafficView | null,
/** Data races of the run. The field is absent if the request does not include race detection. */
races?: Array<RaceView>,
/** Diagnosis of a launch that hangs. */
hang?: HangView,
/** Inferred layouts of the accesses of the run. The field is absent if the request does not include layout inference. */
layouts?: Array<InferredAccessLayout>,
/** Registers that a snippet has written, with their values at the end of the run. The list is empty for a kernel. */
registers?: Array<RegisterResult>,
/** Lines that the run has not reached, although control flow could reach them. The list is empty if the source states the launch
 * configuration and all scalars, or if the run has not finished normally. */
unreached_lines?: Array<LineRange>,
/** Inferred part of the launch configuration as `//@` annotations. The list is empty if nothing is inferred. */
guesses?: Array<string>,
/** Sentences that state why `ok` is false, because of differences from the expectations or undefined behavior. */
differences: Array<string>,
/** Notes for the user: the inferred launch configuration, the notes on the run, and the differences. */
notes: Array<string>, };

/** Fault in the report of a run: the fields with which a scenario states an expected fault, and the message, source line and causes. */
export type FaultReport = { message: string, line: number,
/** Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions. */
source: Array<SourcePosition>,
/** Earlier events that are related to the fault. */
causes: Array<CauseView>, kind: FaultSort, buffer?: string | null, space?: MemorySpace | null, byte_offset?: number | null, width?: number | null, thread?: [number, number, number] | null, block?: [number, number, number] | null, };

/** Digest of the contents of a buffer after a run, in a [`RunReport`]. */
export type BufferDigest = { type: string,
/** SHA-256 digest of the bytes of the buffer in little-endian order, in hexadecimal. */
sha256: string, };

/** Register that a snippet has written, with its values at the end of the run. */
export type RegisterResult = { name: string,
/** Type in which hosts display the values of the register: `b32`, `f32`. */
type: string,
/** Groups of lanes in which the register has equal values, in the order of blocks, warps and lanes. */
groups: Array<LaneGroup>, };

/** Lanes of a warp in which a register has the same value. */
export type LaneGroup = {
/** Linear index of the block. */
block: number, warp: number,
/** Mask of the lanes of the group, with one bit per lane. */
lanes: number, value: string, };

/** Consecutive lines of the source, both of which are included in the range. */
export type LineRange = {
/** First line, counted from 1. */
first: number, last: number, };

/** Options of `Session.grid`: the fields of [`GridRequest`] except `memory`. */
export type GridOptions = { type?: ElementType | null, columns?: number | null, firstRow?: number | null, nRows?: number | null, };

/** Request of a host for the cells in a window of a memory. */
export type GridRequest = { memory: MemoryKey,
/** Displayed element type. The default is the element type of the memory. */
type?: ElementType | null,
/** Number of cells per row. The default follows from the shape of a multidimensional array. For other arrays, the default is 2 to 32
 * and depends on the element size. */
columns?: number | null, firstRow?: number,
/** Number of rows of the window, at most 512. */
nRows?: number | null, };

/** Request of a host for a `SessionFrame` at the present position of a session. */
export type FrameRequest = { grids?: Array<GridRequest>,
/** Warp that the host displays, as the linear index of its block and its index in the block. The default is the warp of the last step. */
warp?: [number, number] | null, };

/** Format of the file to which a host exports a memory. */
export type ExportFormat = "svg" | "animation" | "csv" | "npy";

/** Identifier of a memory of a launch, with which hosts request its contents. */
export type MemoryKey = string;

/** State space or memory of an access. */
export type MemorySpace = "generic" | "const" | "global" | "local" | "param" | "shared" | "shared::cluster" | "tensor";

/** Kind of a fault. */
export type FaultSort = "misaligned" | "out_of_bounds" | "read_only" | "wrong_space" | "deadlock" | "undefined_matrix" | "trap" | "assert" | "unsupported" | "stack_overflow" | "bad_call_target" | "bad_branch_index" | "bad_barrier" | "mbarrier" | "mbarrier_in_other_block" | "invalid_copy_size" | "invalid_ignore_bytes" | "tensor_copy" | "illegal_instruction" | "tensor_memory" | "image" | "surface_out_of_bounds" | "internal";

/** Type that hosts display for a register. Hosts display a register with any other declared type as untyped bits of the same width. */
export type RegisterType = "b8" | "b16" | "b32" | "b64" | "b128" | "u8" | "u16" | "u32" | "u64" | "s8" | "s16" | "s32" | "s64" | "f16" | "f16x2" | "f32" | "f64" | "pred";

/** Memory of a launch that a host can display as a grid, with its name, address, element type and size. */
export type MemoryView = {
/** ID of the memory: the name of a buffer, `shared:0` for the shared memory of block 0, `tensor:0` for the tensor memory of block 0,
 * `var:table` for a module variable. */
id: MemoryKey,
/** Name of the memory that hosts display. */
title: string, space: MemorySpace,
/** Address of the first byte of the memory: `0x7f0000000400`. */
address: string, sizeBytes: number,
/** Element type of the memory: `f32`. */
type: ElementType,
/** Declared extents of the array, the outermost dimension first. The list is empty for a one-dimensional array. */
shape: Array<number>,
/** Whether an instruction of the program uses the memory. A host can hide unused memories, because compilers declare many unused
 * variables. */
isNamed: boolean, };

/** Time of the last write to a [`GridCell`], relative to the present step. */
export type WriteAge = "never" | "before" | "now";

/** Cell of a [`MemoryGrid`] with the value and the last writer of a memory element. */
export type GridCell = {
/** Value of the cell in the displayed type, with the fewest digits that identify the value. */
text: string,
/** Whether the value of the cell is zero. Negative zero does not count as zero. */
isZero: boolean,
/** Lane of the last write to the cell. The field is absent if no store of the run wrote the cell. In very large launches, it is always
 * absent, because the session tracks only whether a store wrote the cell. */
lane: number | null,
/** Step of the last write to the cell. The field is absent if no store of the run wrote the cell. */
step: number | null, written: WriteAge,
/** Whether several lanes of the store in the current step wrote different values to the cell. The cell contains the value of
 * the winning lane. */
conflict: boolean,
/** Whether a pending asynchronous operation will write to the cell. */
pending: boolean, };

/** Window of a memory as a grid of cells, which hosts display. */
export type MemoryGrid = { memory: MemoryView, type: ElementType, columns: number, firstRow: number, nRows: number,
/** Number of rows of the complete memory. */
totalRows: number,
/** Size in bytes of the sectors in which the hardware transfers this memory. The field is absent for state spaces without sectors. */
sectorBytes: number | null,
/** Cells of the window in row-major order. The last row may be incomplete. */
cells: Array<GridCell>,
/** Cells that belong to tiles of the tensor operation of the step. */
tiles: Array<TileCells>, };

/** Element that a lane stored in a [`LaneStore`], with its location and the values before and after the store. */
export type PieceView = {
/** Index of the element in the vector operand of the lane that stored it. */
element: number,
/** Lane that supplied the address of the element. */
asked: number,
/** ID of the memory. The field is absent if the address is in no known memory. */
memory: MemoryKey | null, address: string,
/** Byte offset of the element from the start of the memory. */
offset: number | null, nBytes: number, type: ElementType,
/** Value of the element in memory after the store. */
value: string,
/** Value of the element in memory before the store. */
before: string,
/** Value that the instruction writes: the stored value, or the result of the atomic operation. */
given: string,
/** Whether the instruction modified the memory. The value is false for an atomic compare-and-swap whose comparison failed, or for an
 * atomic minimum if memory already contained its result. */
written: boolean,
/** Source operand of the lane in the notation of the program: `%r3`. */
source: string | null, };

/** Kind of the memory modification of a [`StoreView`]: a plain store, an atomic operation with a result, or a reduction. */
export type StoreAction = "store" | "atomic" | "reduction";

/** Address and values that one lane stored in one [`StoreView`]. */
export type LaneStore = { lane: number,
/** Index of the storing thread in its block. */
thread: [number, number, number], address: string,
/** Byte offset of the store from the start of the memory. The field is absent if the address is in no known memory. */
offset: number | null,
/** Bytes of the elements of the lane after the store. Elements whose operand is the sink `_` have no bytes. */
bytes: Array<number>,
/** Value in memory after the store, in the type of the store. Elements are separated by commas, and `_` is a sink. */
value: string,
/** Elements of the store that are not sinks. */
pieces: Array<PieceView>, };

/** Numbers of sectors and cache lines of accesses to global or local memory, as part of [`Traffic`]. */
export type SectorTraffic = {
/** Number of requests to this memory. */
requests: number,
/** Number of distinct bytes that each access touches, summed over all accesses. */
bytes: number,
/** Number of distinct 32-byte sectors that each access touches, summed over all accesses (`memory_l2_theoretical_sectors_global`). */
sectors: number,
/** Smallest number of sectors that can contain the accessed bytes (`memory_l2_theoretical_sectors_global_ideal`). */
sectorsIdeal: number,
/** Number of sectors beyond the smallest possible number (`derived__memory_l2_theoretical_sectors_global_excessive`). */
sectorsExcessive: number,
/** Number of distinct 128-byte cache lines that each access touches, summed over all accesses (`memory_l1_tag_requests_global`). */
lines: number,
/** Number of cache lines beyond the smallest number that can contain the accessed bytes. */
linesExcessive: number,
/** Number of bytes in the accessed sectors that no lane accessed. */
bytesWasted: number, };

/** Numbers of wavefronts and bank conflicts of accesses to shared memory, as part of [`Traffic`]. */
export type BankTraffic = {
/** Number of requests to shared memory. */
requests: number,
/** Number of distinct bytes that each access touches, summed over all accesses. */
bytes: number,
/** Number of wavefronts (`memory_l1_wavefronts_shared`). */
wavefronts: number,
/** Smallest number of wavefronts for these access widths (`memory_l1_wavefronts_shared_ideal`). */
wavefrontsIdeal: number,
/** Number of additional wavefronts due to bank conflicts (`derived__memory_l1_wavefronts_shared_excessive`). */
bankConflicts: number, };

/** Counts of requests, sectors, wavefronts and bank conflicts of memory accesses. The comment of each count contains the name of the
 * corresponding metric in the source view of Nsight Compute. */
export type Traffic = {
/** Number of warp instructions that accessed global, local or shared memory (`inst_executed`), and of completions of
 * asynchronous operations. */
requests: number,
/** Sum of the numbers of active lanes over all of these warp instructions (`thread_inst_executed`). */
lanes: number, global: SectorTraffic, local: SectorTraffic, shared: BankTraffic, };

/** Store that a step of the run performed, which hosts display with its lanes, its values and its cost. */
export type StoreView = { step: number, block: [number, number, number], warp: number, range: SourceRange,
/** Source text of the store instruction. */
instruction: string,
/** Opcode of the store instruction with its modifiers: `st.global.v2.f32`. */
opcode: string, action: StoreAction,
/** Whether the store is the completion of an asynchronous operation. */
hasLanded: boolean,
/** ID of the memory that the lanes wrote. The field is absent if the lanes wrote several memories. */
memory: MemoryKey | null,
/** IDs of all memories that the lanes of the store wrote. */
memories: Array<MemoryKey>, space: MemorySpace,
/** Type of the stored elements: `f32`. */
type: ElementType,
/** Number of elements that each lane stores. */
nElements: number, lanes: Array<LaneStore>,
/** Number of distinct bytes that the store wrote. */
nBytes: number,
/** Cost of the store, in sectors, cache lines and wavefronts. */
traffic: Traffic,
/** Memory order of the store, such as `weak`, `volatile`, `relaxed`, `release` or `acq_rel`. */
order: string,
/** Scope of a strong store: `cta`, `cluster`, `gpu`, `sys`. */
scope: string | null,
/** Cache hints in the notation of the program: `cs`, `L1::no_allocate`. Cache hints do not affect the results of the emulator. */
hints: Array<string>,
/** Number of lanes with a write conflict. A lane has a write conflict if another lane of the same store wrote a different value to at
 * least one of its bytes. */
lost: number, };

/** Sequence of chunks with equal sizes and constant distances in a [`CompactStore`]. A chunk consists of contiguous bytes that one lane
 * stored: chunk `i` contains the bytes of lane `lane + i * laneStep` at the address `address + i * stride`. */
export type StoreRun = {
/** ID of the memory. The field is absent if the address is in no known memory. */
memory: MemoryKey | null,
/** Lane of the first chunk. */
lane: number, laneStep: number,
/** Address of the first chunk. */
address: string,
/** Byte offset of the first chunk from the start of the memory. */
offset: number | null,
/** Distance in bytes between the addresses of adjacent chunks. */
stride: number,
/** Number of chunks. */
count: number,
/** Size of a chunk in bytes. */
nBytes: number,
/** Bytes of all chunks after the store, as two hexadecimal digits per byte. */
bytes: string, };

/** Store of a [`StoreView`] in compact form: runs of addresses with the stored bytes, instead of one object for each lane. */
export type CompactStore = { step: number,
/** Line of the source, starting at 1. */
line: number, block: [number, number, number], warp: number,
/** Source text of the store instruction. */
instruction: string,
/** Opcode of the store instruction with its modifiers: `st.global.v2.f32`. */
opcode: string,
/** Whether the store is the completion of an asynchronous operation. */
hasLanded: boolean,
/** Stored bytes, ordered by lane. */
runs: Array<StoreRun>, };

/** Contiguous bytes that a pending asynchronous operation will write. */
export type AsyncPieceView = { lane: number,
/** ID of the memory. The field is absent if the address is in no known memory. */
memory: MemoryKey | null, address: string,
/** Byte offset of the bytes from the start of the memory. */
offset: number | null, bytes: Array<number>, };

/** Pending asynchronous operation, which hosts display with its origin, its completion step and the bytes that it will write. */
export type AsyncOperationView = {
/** ID of the operation. With this ID, a host can request the completion of the operation. */
id: number,
/** Index of the step that issued the operation. */
step: number,
/** Index of the step before which the operation completes automatically. The field is absent as long as other warps must issue their
 * part of the operation. */
landsAt: number | null, block: [number, number, number], warp: number, range: SourceRange, opcode: string, pieces: Array<AsyncPieceView>, };

/** Equivalent of a store instruction in the other language, PTX or SASS. */
export type CounterpartView = {
/** Text of the equivalent instruction. Its registers have the names of the other language: `STG.E.64 desc[UR4][R2.64], R4`. */
text: string,
/** Language of the equivalent instruction, with the architecture if the instruction depends on it: `SASS for sm_90`. */
language: string,
/** Limitations of the equivalence between both instructions. */
about: string, };

/** Step that a warp executed or will execute, which hosts display with its instruction, its lanes and its source line. */
export type StepView = { step: number,
/** Linear index of the block of the warp. */
block: number,
/** Coordinates of the block in the grid. */
blockId: [number, number, number], warp: number, range: SourceRange,
/** Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions. The list
 * is empty if the compiler recorded no position. */
source: Array<SourcePosition>,
/** Text of the instruction in the source. */
instruction: string,
/** Opcode of the instruction with its modifiers. */
opcode: string,
/** Names in the instruction text that may be register names. */
names: Array<string>,
/** Mask of the active lanes of the step: bit `i` is lane `i`. */
active: number,
/** Equivalent of a store instruction in the other language, PTX or SASS. The field is absent if the step is not a store. */
counterpart: CounterpartView | null,
/** Scheduling control bits of the encoded instruction: `stall 4 cycles, waits for 0`. The control bits do not affect the results of the
 * emulator. */
schedule: string | null, };

/** Fault that stopped a run, which hosts display: its kind and message, its source line, the faulting thread and lanes, and the faulting
 * address with its buffer. */
export type FaultView = { kind: FaultSort,
/** Buffer or module variable that contains the faulting address or is adjacent to it. The field is absent if no such buffer or variable
 * exists. */
buffer: string | null,
/** State space of the faulting address. The field is present only if the address is in neither a buffer nor a variable. */
space: MemorySpace | null, byteOffset: number | null, width: number | null, thread: [number, number, number], block: [number, number, number], address: string | null,
/** Mask of faulting lanes: bit `i` is lane `i`. */
lanes: number, range: SourceRange,
/** Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions. */
source: Array<SourcePosition>, message: string, help: string | null, };

/** Event that contributed to a fault, such as the computation of the faulting address, with its step and description. */
export type CauseView = {
/** Index of the step in which the event occurred, starting at 0. */
step: number, range: SourceRange,
/** Description of the event: "`%rd3`, which holds the address, was computed by lane 5 of warp 0". */
text: string, };

/** State of a lane at the present step. */
export type LaneState = "active" | "ready" | "guarded" | "inactive" | "waiting" | "faulted" | "exited" | "absent";

/** Lane of a [`WarpView`], with its state, its next source line and the event for which it waits. */
export type LaneView = { lane: number, thread: [number, number, number], state: LaneState,
/** Source line that the lane executes next. The line is absent if the lane has exited or does not exist. */
line: number | null,
/** Event for which the lane waits: `for the other threads at barrier 0`. */
waits: string | null, };

/** Register in a [`WarpView`], with its value in each lane. */
export type RegisterView = { name: string, type: RegisterType,
/** Value of the register in each lane, in the type of the register. */
values: Array<string>,
/** Value of the register in each lane, in hexadecimal. */
hex: Array<string>,
/** Whether the last step wrote the register. */
changed: boolean, };

/** State of a warp, which hosts display: its lanes and the values of its registers. */
export type WarpView = { block: number, blockId: [number, number, number], warp: number, active: number, lanes: Array<LaneView>, registers: Array<RegisterView>, };

/** Object that the page displays when the user clicks a part of a sentence. */
export type PhraseLink = { "memory": MemoryKey } | { "warp": [number, number] };

/** Part of a sentence about a step, which hosts display. Hosts emphasize numbers and names. */
export type Phrase = { text: string, strong: boolean,
/** Object that this part of the sentence names, if the host can display the object. */
link: PhraseLink | null, };

/** Progress of a block or a warp in a [`BlockMap`]. */
export type BlockProgress = "toCome" | "running" | "waiting" | "done";

/** Resident block in a [`BlockMap`], with the progress of its warps. */
export type ResidentBlock = {
/** Linear index of the block. */
block: number,
/** Progress of each warp of the block. */
warps: Array<BlockProgress>, };

/** Map of the blocks of a launch with their progress, which the page draws as a grid of cells. */
export type BlockMap = {
/** Size of the grid in blocks. */
grid: [number, number, number], nBlocks: number, nDone: number,
/** Number of blocks that each cell represents. The number is 1 except for very large grids. */
blocksPerCell: number,
/** Progress of the blocks that each cell represents, in the order of linear block indices. A cell that represents several blocks is
 * finished if all of these blocks are finished, and not started if none of these blocks has started. */
cells: Array<BlockProgress>,
/** Blocks that are resident on the machine. */
resident: Array<ResidentBlock>, };

/** Block of a [`ClusterView`], with its progress. */
export type ClusterBlock = {
/** Rank of the block in the cluster (`%cluster_ctarank`). */
rank: number,
/** Linear index of the block in the grid. */
block: number,
/** Coordinates of the block in the grid. */
blockId: [number, number, number],
/** Progress of each warp of the block. */
warps: Array<BlockProgress>, };

/** Cluster of the displayed block, with the progress of all of its blocks. */
export type ClusterView = {
/** Blocks of the cluster, in ascending order of rank. */
blocks: Array<ClusterBlock>, };

/** Current phase of an mbarrier object, which is not yet complete, with its pending counts. */
export type MbarrierPhase = {
/** Parity of the phase: 0 for the first phase, 1 for the second phase, 0 for the third phase. */
parity: number,
/** Pending arrival count of the phase. */
pending: number,
/** Expected arrival count of the next phase. */
expected: number,
/** Pending tx-count of the phase in bytes. The number is negative if more bytes have completed than the phase expects so far. */
bytes: number, };

/** Lanes of a warp that wait for a phase of an mbarrier object, with the source line of the wait. */
export type PhaseWaiter = {
/** Linear index of the block of the waiting lanes. */
block: number, warp: number,
/** Mask of the waiting lanes: bit `i` is lane `i`. */
lanes: number,
/** Parity of the phase for which the lanes wait. */
parity: number,
/** Source line of the wait instruction, starting at 1. */
line: number, };

/** The mbarrier object in shared memory that hosts display, with its phase, its pending operations and its waiting threads. */
export type MbarrierView = {
/** Shared memory that contains the object. */
memory: MemoryKey,
/** Byte offset of the object from the start of the memory. */
offset: number,
/** Name of the object in the source: `full`, `full[1]`. The field is absent if no variable contains the object. */
name: string | null,
/** Current phase of the object. The field is absent if a store has overwritten the object. */
phase: MbarrierPhase | null,
/** Number of pending asynchronous operations that complete on the object. */
nInFlight: number,
/** Number of bytes that these pending operations transfer. */
bytesInFlight: number, waiting: Array<PhaseWaiter>, };

/** Status of a run: running, finished or faulted. */
export type RunStatus = "running" | "finished" | "faulted";

/** Memory traffic of the instructions in a source line, as part of a [`TrafficView`]. */
export type LineTraffic = {
/** Line of the source, starting at 1. */
line: number,
/** Position in the language from which a compiler generated the first instruction of the line that accesses memory, followed by the
 * call sites of inlined functions. */
source: Array<SourcePosition>,
/** Opcode of the first instruction of the line that accesses memory. */
opcode: string, traffic: Traffic, };

/** Memory traffic of the instructions that a compiler generated from one line of its input, as part of a [`TrafficView`]. */
export type SourceTraffic = {
/** Name of the file as the compiler recorded it. */
file: string,
/** Line, counted from 1. */
line: number, traffic: Traffic, };

/** Memory traffic of a run, which hosts display in total and per source line. */
export type TrafficView = {
/** Number of steps, counted from the start of the run, that the traffic includes. */
steps: number, total: Traffic,
/** Source lines that access memory, in ascending order. */
lines: Array<LineTraffic>,
/** Lines in the language from which a compiler generated the source, in the order of file and line. Empty without line information. */
sources: Array<SourceTraffic>, };

/** Unsatisfied condition because of which two accesses race. */
export type RaceWhy = "order" | "scope" | "proxy" | "completion" | "lifetime" | "init";

/** Certainty of a [`RaceView`], which depends on the specification from which the race follows. */
export type RaceConfidence = "certain" | "axiom" | "documented";

/** Kind of one side of a reported race: a read, write or atomic access, or the start or exit of a block. */
export type RaceAccessKind = "read" | "write" | "atomic" | "life";

/** One of the two accesses of a data race. */
export type RaceAccess = {
/** Line of the access in the source, starting at 1. The line is absent if this side of the race is the start or exit of a block. */
line: number | null,
/** Description of this side of the race if it has no line: `exit of block 1`. */
what: string | null, block: [number, number, number],
/** Index of the accessing thread in its block. */
thread: [number, number, number], kind: RaceAccessKind,
/** Proxy through which the thread performs the access: `generic`, `async` or `tensormap`. */
proxy: string, asynchronous: boolean,
/** Memory order and scope of a strong access: `relaxed at gpu`. */
scope: string | null, };

/** Memory location of a data race: state space, buffer or variable, and byte range. */
export type RaceLocation = {
/** State space of the bytes: `global` or `shared`. */
space: string,
/** Linear index of the block that owns the shared memory. The index is absent for global memory. */
block: number | null, buffer: string | null, variable: string | null,
/** Byte offset from the start of the buffer or variable. If the bytes belong to no named buffer or variable, the offset is relative to
 * the start of the memory. */
offset: number, bytes: number, };

/** Kind of a [`RepairEdit`]. */
export type RepairOp = "insert-before" | "insert-after" | "replace" | "delete";

/** Edit of a statement in the source, as part of the repair of a data race. Hosts display it and can apply it. */
export type RepairEdit = { op: RepairOp,
/** Line of the statement that the edit changes, starting at 1. */
line: number,
/** Text of the inserted or replacing statements, without indentation. The text is empty if the edit deletes a statement. */
text: string,
/** Text replacement that performs the edit in the source. */
edit: EditView, };

/** Data race between two source positions, which hosts display: an example of two conflicting accesses, the cause, the certainty, and the
 * edits of the weakest repair. */
export type RaceView = { first: RaceAccess, second: RaceAccess,
/** Bytes that both accesses touch. */
where: RaceLocation, why: RaceWhy,
/** Certainty with which the accesses race. */
sure: RaceConfidence,
/** Whether the second access left the bytes unchanged. */
sameValue: boolean,
/** Step of the run in which the second access was executed. */
step: number, message: string,
/** Edits of the weakest repair that the search has found. The list is empty if the search found no repair. */
repair: Array<RepairEdit>,
/** Whether a run of the repaired kernel has verified the repair. */
repairTried: boolean, };

/** Read of a shared memory location that no thread has written, with its source line and location. */
export type UninitializedReadView = { reader: RaceAccess,
/** First uninitialized byte that the instruction reads. */
where: RaceLocation, step: number, message: string, };

/** Report for hosts on the data races, uninitialized reads and other findings of a run. */
export type RaceReport = {
/** Data races of the run in the order of their detection, except that certain races precede all other races. */
races: Array<RaceView>,
/** Uninitialized reads of shared memory, at most one per source position. */
unwritten: Array<UninitializedReadView>,
/** Additional notes as sentences, including one sentence for each uninitialized read. */
notes: Array<string>, };

/** Results of a litmus test, which hosts display: allowed and forbidden outcomes with executions, and data races. */
export type LitmusView = { name: string, observe: Array<string>,
/** All outcomes that the memory model allows, in ascending order. The list is absent if accesses with a data race overlap only
 * partially, because the memory model gives no guarantees for such races. */
outcomes: Array<OutcomeView> | null, forbidden: Array<ForbiddenView>,
/** Lower bound for the number of forbidden outcomes that are missing in `forbidden`. */
moreForbidden: number, race: boolean,
/** Pairs of accesses with a data race. Each access is identified by a thread and a line of the thread body, starting at 0. */
racyPairs: Array<[[number, number], [number, number]]>,
/** Pairs of accesses with a data race. Each access is identified by a thread and a line of the source, starting at 1. */
racyLines: Array<[[number, number], [number, number]]>,
/** Number of candidate executions that the exploration examined. */
candidates: number,
/** Number of iterations after which the exploration stopped in loops other than polling loops. The field is absent if the exploration
 * limited no loop. */
cutOffAfter: number | null, };

/** Outcome of a litmus test that the memory model allows, with an execution that produces it. */
export type OutcomeView = { values: number[], races: RacesName,
/** Whether an interleaving of the instructions of all threads produces the outcome. */
isInterleaving: boolean, graph: GraphView, };

/** Fraction of the executions with an outcome that have a data race. */
export type RacesName = "always" | "sometimes" | "never";

/** Outcome of a litmus test that the memory model forbids, with the violated axiom and an execution. */
export type ForbiddenView = { values: number[], violation: ViolationView,
/** Candidate execution with this outcome that comes closest to consistency. */
graph: GraphView, };

/** Axiom that the candidate execution of a forbidden outcome violates, with an explanation. */
export type ViolationView = { axiom: AxiomName, sentence: string,
/** Indices of the graph nodes that violate the axiom. */
nodes: Array<number>, };

/** Axiom of the PTX memory model, which every consistent execution satisfies. */
export type AxiomName = "no_thin_air" | "causality" | "coherence" | "sc_per_location" | "atomicity";

/** Execution of a litmus test as a graph of events and relations, which hosts draw. */
export type GraphView = {
/** Events of the execution, grouped by thread and in program order. */
nodes: Array<NodeView>, edges: Array<EdgeView>, };

/** Event in a [`GraphView`], with its thread, its source line and its label. */
export type NodeView = {
/** Thread that performs the event. The field is absent for the initial value of a location. */
thread: number | null,
/** Line of the event in the source, starting at 1, or in the thread body if the test has no source. */
line: number | null, kind: NodeName,
/** Label of the event: `x = 1`, `read x: 0`, `fence.sc.gpu`. */
label: string,
/** Memory order and scope of the event: `release at gpu`. The text is empty for weak accesses. */
words: string, isAsynchronous: boolean, };

/** Kind of an event. */
export type NodeName = "init" | "read" | "write" | "atomic" | "fence" | "proxy_fence" | "arrive" | "leave" | "group_wait";

/** Edge of a witness execution between two nodes, given by their indices. */
export type EdgeView = { from: number, to: number, kind: EdgeName, };

/** Kind of an edge in a witness execution, which is a relation between two events. */
export type EdgeName = "reads_from" | "coherence" | "from_read" | "synchronises" | "fence_order" | "barrier" | "asynchronous" | "causality";

/** Request of a host for the extraction of a litmus test: lines of a kernel, and threads. */
export type ExtractionRequest = {
/** First and last line of the selection, starting at 1. */
lines: [number, number],
/** Threads of the test. By default, the test has two threads that access the same bytes in the selected lines, where at least one of
 * the accesses is a write. */
threads?: Array<ExtractionThread>,
/** Step before which the threads execute the lines. If the field is present, the test contains the last execution of the lines by each
 * thread before this step, otherwise the first execution. */
before?: number | null, };

/** Thread of an [`ExtractionRequest`] that the extracted litmus test must contain. */
export type ExtractionThread = { block: [number, number, number],
/** Index of the thread in its block. */
thread: [number, number, number],
/** Line that the thread must execute within the selected lines. By default, the thread may execute any of the selected lines. */
line?: number | null, };

/** Weakest repairs of a litmus test, which hosts display, and the extent of the search for them. */
export type LitmusRepairs = {
/** Outcomes that the repairs forbid. */
bad: number[][], repairs: Array<Array<LitmusEdit>>,
/** Largest number n for which the search tried all combinations of at most n edits. */
completeTo: number,
/** Number of combinations of edits that the search evaluated. */
tried: number, };

/** Edit of a line in the body of a thread, as part of a repair of a litmus test. */
export type LitmusEdit = { thread: number,
/** Line of the thread body that the edit changes, starting at 0. */
line: number, op: LitmusEditOp,
/** Complete text of the new statement that the edit inserts. */
text: string,
/** Line number of the edited line that a host displays. */
shownLine: number,
/** Text of the statement that the edit replaces. The text is empty if the edit inserts a statement. */
before: string,
/** Text replacement in the source of the test that performs the edit. */
edit: EditView, };

/** Kind of a [`LitmusEdit`]. */
export type LitmusEditOp = "replace" | "insert-before";

/** Kind of a hang, as determined by the root wait. */
export type HangKind = "barrier" | "mbarrier" | "cluster-barrier" | "warp-sync" | "spin" | "not-resident" | "divergent-barrier" | "tensor-memory" | "copies";

/** Object for which threads in a [`HangView`] wait: a number of a barrier or block, or a name. */
export type HangResource = number | string;

/** Numbers of missing arrivals, bytes or lanes of the root wait of a hang, if the analysis can count them. */
export type MissingCounts = { arrivals?: number,
/** Number of missing bytes of an mbarrier phase. The number is negative if more bytes have completed than the phase expects. */
bytes?: number, lanes?: Array<number>, };

/** Threads of one block that wait at the same line for the same object. */
export type HangWait = { kind: HangKind, block: [number, number, number],
/** Ranges of the indices of the waiting threads in the block: `0, 32-63`. */
threads: string, line: number | null, object: HangResource | null,
/** Number of phases that the awaited barrier or mbarrier has completed. */
phase: number | null, awaited_parity: number | null, pending_arrivals: number | null, pending_bytes: number | null, expected: number | null, arrived: number | null, };

/** Diagnosis of a launch that hangs, which hosts display: the waiting threads, the missing event, and the line that should have produced
 * it. */
export type HangView = { kind: HangKind,
/** Object for which threads wait: the number of a barrier or of a block, or the name of an mbarrier. The field is absent if the object
 * differs between schedules. */
object: HangResource | null,
/** Line at which the lanes of the root wait are waiting. All other waits depend on the root wait. */
line: number, missing: MissingCounts | null,
/** Line that should have produced the missing event, or the line after which this event should have occurred. */
line_at_fault: number | null, message: string, waits: Array<HangWait>, };

/** All data that the page displays for one position of a run. */
export type SessionFrame = {
/** Number of steps that the run has executed. */
position: number,
/** Number of steps of the complete run. The field is absent as long as this number is unknown. */
length: number | null, status: RunStatus,
/** Summary sentence of the last executed step. */
sentence: Array<Phrase>,
/** Last step that the run executed. The field is absent at the start of the run. */
last: StepView | null,
/** Step that the run executes next. The field is absent at the end of the run. */
next: StepView | null,
/** Store that the last step performed. The field is absent if the last step performed no store. */
store: StoreView | null,
/** Matrices of the last step. The field is absent if the last step was not a matrix instruction. */
matrix: MatrixStep | null,
/** Tensor operation that the last step started or completed. */
tensor: TensorStep | null, fault: FaultView | null,
/** Earlier events that are related to the fault. */
causes: Array<CauseView>, memories: Array<MemoryView>, grids: Array<MemoryGrid>, warp: WarpView | null,
/** Progress of each block of the launch, and the resident warps. */
blocks: BlockMap,
/** Positions after steps with stores, which the timeline of the page marks. If the number of these positions is very large, the list
 * contains only a sample of them. */
storeSteps: Array<number>,
/** Number of stores that the run has executed up to this position. */
storesDone: number,
/** Number of stores in all steps that are known so far. */
storesKnown: number,
/** Cluster of the displayed block. The field is absent if the launch has no clusters. */
cluster: ClusterView | null,
/** The mbarrier objects of the resident blocks. */
mbarriers: Array<MbarrierView>,
/** Pending asynchronous operations, which an earlier step issued and a later step completes. */
pending: Array<AsyncOperationView>,
/** Notes of the run, such as output of `printf` and relevant choices of the scheduler. The number of notes is limited. */
notes: Array<string>, };

/** Class of a token for syntax highlighting. */
export type SemanticTokenKind = "comment" | "directive" | "opcode" | "modifier" | "type" | "register" | "special-register" | "number" | "string" | "label" | "name" | "punctuation" | "error";

/** Token of the source with its kind, for syntax highlighting. Offsets count UTF-16 units from the start of the source. */
export type TokenView = { start: number, end: number, class: SemanticTokenKind, };

/** Documentation that an editor shows when the user hovers over a token: the range of the token, a title, text lines, the section of the
 * manual, and the range of the declaration. */
export type HoverView = {
/** Start of the range of the token, in UTF-16 units from the start of the source. */
start: number, end: number,
/** Title of the hover text. Hosts display the title as code. */
title: string, lines: Array<string>,
/** Anchor of the section in the PTX ISA manual that describes the token. */
section: string | null,
/** Source range of the declaration. The range is present only if the token is a declared name. */
declared: SourceRange | null, };

/** Kind of a completion. */
export type CompletionSort = "opcode" | "modifier" | "type" | "register" | "variable" | "label" | "function" | "directive";

/** Completion that an editor offers at a position: the text, the range that it replaces, and its description. */
export type CompletionView = {
/** Start of the source range that the completion replaces. */
start: number, end: number, text: string, sort: CompletionSort, help: string,
/** PTX version and target that the completion requires: "since PTX 8.1, on `sm_90` and later". */
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

/** Reference page of an instruction form, which hosts display: syntax, requirements, rules and modifiers. */
export type FormPage = {
/** Opcode of the instruction: `st`. */
opcode: string,
/** Opcode with the modifiers that always follow it in this form: `wmma.store.d.sync`. */
title: string,
/** Syntax line of the instruction form. */
syntax: string, help: string,
/** PTX version and target that the form requires: "since PTX 8.1, on `sm_90` and later". */
needs: string | null,
/** Anchor of the section in the PTX ISA manual that describes the form. The text is empty for an instruction of which only the
 * modifiers are known. */
section: string, slots: Array<SlotPage>, operands: Array<OperandPage>,
/** Phrases that state the rules for combinations of the modifiers. */
rules: Array<string>, examples: Array<string>, };

/** Request for a fragment layout or a tensor layout. The parameter values are PTX names. */
export type FragmentRequest = {
/** Operation: `store.d`, `load.a`, `load.b` or `load.c` of `wmma`, `mma.a` to `mma.d`, `ldmatrix.x4`, `stmatrix.x4`,
 * `movmatrix.a`, `movmatrix.d`, or a tensor layout such as `wgmma.d` or `tcgen05.ld`. */
op: string,
/** Shape of the matrix operation: `m16n16k16`. */
shape?: string,
/** Element type: `f16`. */
type?: string,
/** Target for which the layout is requested: `sm_90`. The default is the newest target that supports the fragment. Tensor layouts do
 * not depend on the target. */
target?: string,
/** Layout of the matrix in memory: `row` or `col`. The default is the first layout that the operation supports. */
layout?: string | null,
/** Distance in elements between the starts of adjacent rows (columns) in memory. The default is the length of a row (column). */
stride?: number | null,
/** Additional parameters of a tensor layout, indexed by name: `swizzle: "128B"`. */
with?: { [key in string]: string }, };

/** Reason why the requested fragment does not exist, and the available alternatives. */
export type FragmentRequestError = { message: string, };

/** Layout of a matrix fragment in registers, which hosts display. The field `format` and all later fields form the contents of a
 * fragment-map file that contains this layout. */
export type FragmentView = { op: string, shape: string, type: string, target: string,
/** Layout of the matrix in memory: `row` or `col`. */
layout: string,
/** Distance in elements between the starts of adjacent rows of the matrix in memory, or of adjacent columns for the layout `col`. */
stride: number,
/** Size of a matrix element in bits. */
element_bits: number,
/** Source of the fragment map: "assembler 13.5" (derived from compiled code) or "PTX ISA". */
origin: string,
/** Number of registers that contain each element. The number is greater than 1 if the hardware replicates elements. */
copies: number, rows: number, cols: number, regs: number, elems_per_reg: number, formula: string, lanes: Array<Array<Array<[number, number]>>>,
/** Memory offset of each element from the start of the matrix, in elements and in the order of `lanes`. */
offsets: Array<Array<Array<number>>>,
/** Index of the matrix that contains each element, in the order of `lanes`, if the operation has several matrices (`ldmatrix.x4`,
 * `mma.m8n8k4`). */
matrices: Array<Array<Array<number>>> | null,
/** Version of the fragment-map file format, which is 1. */
format: number,
/** Meaning of the variables in the formulas of the map. */
variables: { [key in string]: string }, maps: { [key in string]: FragmentMapEntry }, fragments: Array<FragmentEntry>, access: Array<AccessEntry>, };

/** Entry of a fragment-map file, which consists of one map and the operations that use the map. */
export type FragmentMapEntry = { rows: number, cols: number, regs: number, elems_per_reg: number, formula: string, lanes: Array<Array<Array<[number, number]>>>, };

/** Operation that uses the fragment map of a [`FragmentMapEntry`], with its targets and memory accesses. */
export type FragmentEntry = { op: string, shape: string, type: string,
/** Targets on which the operation uses the map. */
archs: Array<string>, layouts: Array<string>,
/** Family of the fragment map: `quad-pair` or `group`. */
family: string, regs: number, elems_per_reg: number,
/** Default stride in elements for each layout of the matrix in memory. */
default_stride: { [key in string]: number }, map: string,
/** Number of registers, from the first register of the fragment, that `wmma.mma` reads. The field is present for operands A and B of
 * shapes whose fragments contain copies of elements. */
mma_reads?: number | null, };

/** Memory accesses in the compiled code of an operation, by state space. */
export type AccessEntry = { op: string, shape: string, type: string, layout: string, archs: Array<string>,
/** Accesses to global memory, or with generic addresses. */
global: AccessView, shared: AccessView, };

/** Number and width of the accesses of an operation to one state space in its compiled code. */
export type AccessView = {
/** Size in bytes of the widest access. The address and the stride must be multiples of this size. */
bytes: number, count: number,
/** Effect of a misaligned stride: `fault` if the access faults, or `moved` if the operation stores rows at other addresses. */
short_stride?: string | null, };

/** Parameter of a layout request with its value and its possible values, which the page offers to the user. */
export type LayoutParameter = {
/** Name of the parameter: `shape`, `type`, or a name in `with` such as `swizzle`. */
name: string, value: string,
/** Possible values of the parameter. The list is empty if the value is a number or a shape. */
choices: Array<string>,
/** Description of the parameter for the user. */
about: string, };

/** Layout of the elements of an operand or of a layout expression, which hosts display as a grid with formulas and notes. */
export type LayoutView = {
/** Name of the operation: `wgmma.d`. */
op: string,
/** Title of the layout. */
title: string,
/** Parameters of the request, with the possible values of each parameter. */
parameters: Array<LayoutParameter>,
/** Closed-form formula of the mapping from an element to its location. */
rule: string,
/** Meaning of the variables in the formula. */
letters: string,
/** Notes on the layout, such as undocumented behavior or unread elements. */
notes: Array<string>,
/** Sources of the mapping: "PTX ISA, CuTe". */
origin: string,
/** Confidence in the mapping: `high`, or `medium` if the sources are incomplete. */
sure: string, rows: number, columns: number,
/** Meaning of a row of the grid: `row`, `lane`, `column of B`. */
row_name: string, column_name: string,
/** Size of an element in bits. */
element_bits: number,
/** Names of the numbers that form the location of an element. */
place: Array<string>,
/** Locations of the element of each cell, indexed by row and column. An element has several locations if the layout requires
 * replication. An empty cell has no location. */
grid: Array<Array<Array<Array<number>>>>,
/** Element `[row, column]` for each thread, each register, and each position in the register (low bits first). The field is present
 * only for layouts in registers. */
lanes: Array<Array<Array<[number, number]>>> | null,
/** Bits of the descriptor in hexadecimal. The field is absent if the layout has no descriptor. */
descriptor: string | null,
/** Fields of the descriptor, in order from the lowest to the highest bits. */
fields: Array<DescriptorField>,
/** Cells, as `[row, column]`, whose element differs from the element in the intended layout. */
wrong: Array<[number, number]>,
/** PTX instructions that build the descriptor. */
ptx: Array<string>,
/** Cells, as `[row, column]`, that the selected step reads. The field is present only if the diagram also contains other cells for
 * comparison. */
marked: Array<[number, number]>,
/** Links to diagrams that are related to the layout. */
related: Array<RelatedLayout>, };

/** Field of a descriptor in a [`LayoutView`], with its bit range, its value and its meaning. */
export type DescriptorField = { name: string,
/** Indices of the lowest and the highest bit of the field. */
bits: [number, number],
/** Value of the descriptor field. */
value: number,
/** Meaning of the field value: `128 rows`. */
meaning: string, };

/** Link to a related diagram. */
export type RelatedLayout = {
/** Title of the related diagram. */
title: string, request: FragmentRequest, };

/** Dimension of an inferred layout, with its name and its number of indices. */
export type LayoutDimension = {
/** Name of the access dimension: `element`, `lane`, `iteration` or `warp`. */
name: string, size: number, };

/** Layout that the analysis inferred for a memory access, or the reason why no layout matches. Hosts display it with the source line. */
export type InferredAccessLayout = {
/** Line of the source, starting at 1. */
line: number, opcode: string,
/** Name of the accessed memory: a variable or a buffer of the launch. */
buffer: string,
/** Size of one unit of the layout in bytes. */
unitBytes: number,
/** Dimensions of the layout, the fastest-varying dimension first. */
dimensions: Array<LayoutDimension>,
/** CuTe layout, in units from the start of the buffer: `Swizzle<3,3,3> o 16 o (32,4):(1,32)`. */
layout: string | null,
/** Bases of the layout over GF(2) if the layout is linear: `{lane = [1, 2, 4, 8, 16]}`. The XOR offset precedes the bases. */
bases: string | null,
/** Reason why no layout matches the addresses, with the first mismatch. The field is absent if a layout matches. */
broken: string | null,
/** Description of the layout in one sentence. */
text: string,
/** Number of requests of the access in the complete run. */
requests: number,
/** Number of requests of the first block that the analysis examined. */
lookedAt: number, };

/** Word of a bank with the lanes that access it in one phase. */
export type BankWord = {
/** Address of the word in the shared memory of the block. */
address: number, lanes: Array<number>, };

/** Accesses of one phase to one bank. */
export type BankCell = { bank: number,
/** Words of the bank that the phase accesses, each with its lanes. */
words: Array<BankWord>, };

/** Group of lanes that access shared memory together: 32 lanes if each lane accesses 4 bytes, 16 lanes for 8 bytes, and 8 lanes for 16
 * bytes. */
export type BankPhase = { firstLane: number, lastLane: number,
/** Number of wavefronts that the phase needs. */
wavefronts: number,
/** Banks that the lanes of the phase access, in ascending order. */
banks: Array<BankCell>, };

/** Example of two lanes that access different words of one bank. */
export type Collision = { lanes: [number, number],
/** Addresses of the words that the two lanes access, in the shared memory of the block. */
addresses: [number, number], bank: number, text: string, };

/** Value that Nsight Compute is expected to report for a metric of an access, with the name of the metric. */
export type ProfilerCount = { name: string, count: number,
/** Reason why Nsight Compute may report a different value. */
beside: string, };

/** Instruction that accesses shared memory, with the number and an example of its bank conflicts. */
export type AccessConflicts = {
/** Line of the source, starting at 1. */
line: number,
/** Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions. */
source: Array<SourcePosition>, opcode: string,
/** Name of the accessed variable. */
buffer: string, requests: number, wavefronts: number,
/** Minimum number of wavefronts of requests that transfer the same number of bytes per lane. */
ideal: number, conflicts: number,
/** Nsight Compute metrics that correspond to the counts of this access. */
profiler: Array<ProfilerCount>,
/** Step of the request with the most bank conflicts. `phases` contains the phases of this request. */
worstStep: number, phases: Array<BankPhase>,
/** Example of two lanes that access different words of one bank. */
collision: Collision | null, };

/** Proposed layout change that removes all bank conflicts of a buffer, with its costs. */
export type FixProposal = {
/** Description of the layout change, for example an XOR swizzle or padding. */
change: string,
/** Number of bytes by which the layout change enlarges the buffer. */
moreBytes: number,
/** Number of instructions that the layout change adds to each access. */
instructions: number, };

/** Buffer in shared memory whose accesses have bank conflicts, with the proposed layouts or the reason why no layout helps. */
export type BufferConflicts = { name: string, conflicts: number,
/** Source lines of the instructions that access the buffer. */
lines: Array<number>,
/** Layouts for which all accesses to the buffer are free of bank conflicts, the smallest change first. */
proposals: Array<FixProposal>,
/** Reason why no layout without bank conflicts exists. The reason is two accesses with incompatible requirements, or an obstacle that
 * prevents any change of the layout. */
impossible: string | null, };

/** Access to global memory that touches more sectors than necessary, with a suggestion for the user. */
export type SectorAdvice = {
/** Line of the source, starting at 1. */
line: number,
/** Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions. */
source: Array<SourcePosition>, opcode: string,
/** Name of the accessed variable, or of the accessed buffer of the launch. */
buffer: string, requests: number,
/** Number of sectors that the access touches (`memory_l2_theoretical_sectors_global`). */
sectors: number,
/** Smallest number of sectors that contain as many bytes as the access transfers. */
ideal: number,
/** Sentence that suggests a change of the access. */
text: string, };

/** Report for hosts on the bank conflicts and uncoalesced accesses of a run, with proposed layout changes. */
export type ConflictReport = {
/** Accesses to shared memory, ordered by source line. */
accesses: Array<AccessConflicts>,
/** Buffers in shared memory whose accesses have bank conflicts. */
buffers: Array<BufferConflicts>,
/** Accesses to global memory that touch more sectors than necessary for the transferred bytes. */
sectors: Array<SectorAdvice>, };

/** Rewritten source with fewer bank conflicts than the original source, and the results of its verification. */
export type BankConflictFix = { source: string,
/** Description of the layout change of each buffer that the rewrite changes. */
changes: Array<string>,
/** Number of bank conflicts in the runs of the original and the rewritten source. */
before: number, after: number,
/** Names of the buffers of the launch. Each buffer has identical contents after both runs. */
same: Array<string>, };

/** Request for the computation of one element of the result matrix D of a matrix multiplication. The fields identify the instruction, the
 * shape and the types by their PTX names. */
export type MmaRequest = {
/** Name of the instruction: `wmma` or `mma`. */
op: string,
/** Shape of the matrix multiplication: `m16n16k16`. */
shape: string,
/** Types of the matrices A, B, C and D. */
types: Array<string>,
/** Target architecture: `sm_90`. */
target: string,
/** Row of matrix A, as numbers (`1.5`, `-inf`) or bits (`0x3c00`). Missing elements at the end are zeros. */
a?: Array<string>,
/** Column of matrix B, in the same notation as the row of A. */
b?: Array<string>,
/** Element of matrix C, which is zero if the field is absent. */
c?: string | null, };

/** Floating-point number in an [`MmaExplanation`], as a decimal number and as bits. */
export type NumberView = { text: string,
/** Bits of the number in hexadecimal: `0x3f800000`. */
bits: string, };

/** Explanation of the computation of one element of the result matrix D, which hosts display: the hardware steps, the result, and
 * comparison values. */
export type MmaExplanation = {
/** Title of the computation: `wmma.mma m16n16k16 f16 f16 f32 f32, sm_70`. */
title: string,
/** Summary in one sentence, which states whether the result is correctly rounded, and the reason if the result is not correctly
 * rounded. */
summary: string, result: NumberView,
/** Exact sum of all terms as a decimal number. The field is absent if a term is infinite or NaN. */
exact: string | null,
/** Exact sum of all terms, rounded one time to the nearest value of the type of D (ties to even). */
rounded_once: NumberView | null,
/** Result of a chain of `f32` fused multiply-adds that starts with the element of C and proceeds in ascending order of k, rounded to
 * the type of D. Hosts show this value for comparison with the result of the Tensor Core. */
chain: NumberView, steps: Array<MmaStepView>,
/** Results of all GPU generations that support the instruction. Generations with equal results share one entry. The entries are ordered
 * by their oldest generation. */
generations: Array<GenerationView>, };

/** GPU generations whose Tensor Cores compute the same result, with this result. */
export type GenerationView = {
/** First target of each GPU generation with this result. */
targets: Array<string>, result: NumberView, };

/** Step of an MMA computation, which hosts display: a fused sum with truncation, or one IEEE 754 operation. */
export type MmaStepView = { "block": AccumulationBlockView } | { "operation": OperationView };

/** Fused sum of an MMA computation, in the form that hosts display. The hardware aligns all terms to the largest exponent, truncates them,
 * and adds them as integers. */
export type AccumulationBlockView = {
/** Indices k of the products in this block: `k = 0 to 7`. */
products: string, accumulator: NumberView,
/** Largest exponent of the terms. The value is undefined if `special` is set. */
exponent: number,
/** Number of bits below the largest exponent that the hardware keeps. */
kept_bits: number,
/** Nonzero terms of the fused sum. */
terms: Array<TermView>,
/** Fused sum in units of 2^(`exponent` - `kept_bits`), as a decimal number. */
sum: string,
/** Reason why the fused sum is NaN or infinite. The field is absent if the sum is finite. */
special: string | null, result: NumberView,
/** Whether the fused sum has more bits than the result type. */
is_cut: boolean, };

/** Term of an [`AccumulationBlockView`] before and after the alignment, in the form that hosts display. */
export type TermView = {
/** Name of the source of the term: `accumulator` or `k = 3`. */
source: string,
/** Exact value of the term before alignment. */
value: string,
/** Value of the term after alignment, in the units of the sum of its block, as a decimal number. */
aligned: string,
/** Bits that the alignment truncates, in binary. The text is empty if the alignment truncates no bits. */
cut: string, };

/** IEEE 754 operation of an MMA computation with its result, in the form that hosts display. */
export type OperationView = {
/** Formula of the operation: `1.5 * 2 + 0.25, rounded to f32`. */
text: string, result: NumberView, };

/** Reference page of a diagnostic code, which hosts display. */
export type CodePage = { code: string, title: string, explanation: string, wrong: string, right: string, };

/** Contents of a compiled file, which hosts display: its kind, its code objects and the parts that cannot be read. */
export type FileView = {
/** Kind of the compiled file: `cubin`, `object with PTX`, `fatbin`, `object or program with fatbins`. */
kind: string, programs: Array<ProgramView>,
/** Descriptions of the parts of the file that cannot be read, one sentence each. */
notes: Array<string>, };

/** Code object in a [`FileView`], which is PTX or machine code, with its kernels. */
export type ProgramView = { language: ProgramLanguage, target: string | null,
/** Name of the source file of the code object, as recorded by the compiler. */
sourceName: string | null,
/** Compression of the code object in the file: `zstd`, `LZ4`. The field is absent if the code object is not compressed. */
packed: string | null,
/** Size of the code object in bytes after decompression. */
bytes: number, kernels: Array<ProgramKernel>, };

/** Language of a code object in a [`FileView`]. */
export type ProgramLanguage = "ptx" | "machineCode";

/** Kernel of a code object, with the properties that the compiled file records. */
export type ProgramKernel = { name: string,
/** Properties of the kernel that the compiled file records, one phrase each: `32 registers`. */
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

/** @deprecated Use {@link FragmentRequestError}. */
export type FragmentRefusal = FragmentRequestError;

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

/** @deprecated Use {@link RaceAccessKind}. */
export type RaceKind = RaceAccessKind;

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
