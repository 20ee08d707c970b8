//! Decoded code, in which operands are register slots and variables are addresses. Side tables contain the details of
//! operations.

pub(crate) mod decoded_op;
pub(crate) mod held;
pub(crate) mod matrix_plan;
pub(crate) mod operands;
pub(crate) mod plan_table;
pub(crate) mod stack;
pub(crate) mod tensor_memory;
pub(crate) mod warp_product;

pub(crate) use crate::code::decoded_op::DecodedOp;
use crate::code::held::TouchedRegisters;
use crate::code::matrix_plan::MatrixPlan;
use crate::code::plan_table::{PlanId, PlanTable};
use crate::code::stack::CancelResponseField;
use crate::code::tensor_memory::TensorMemoryPlan;
use crate::code::warp_product::WarpMmaPlan;
use crate::contract::observer::CacheHints;
use crate::contract::pending::{AsyncGroupKind, Reduction};
use crate::contract::tensor_transfer::TensorCopyDirection;
use crate::semantics::registers::{OperandSlot, RegisterFile, RegisterFileSizes};
use warpgrid_isa::video_selectors::SubwordSelectors;
use warpgrid_isa::{
    AtomicOp, BarrierReduce, BoolOp, CompareOp, Geometry, LoadMode, ReduceOp, ReferenceKind,
    SassOp, ScalarType, Scope, Sem, ShuffleMode, Signedness, SimdWidth, SpecialRegister,
    StateSpace, SurfaceBounds, SurfaceOp, TensorMapField, TextureQuery, VideoOp, VoteMode,
};
use warpgrid_program::FunctionId;

/// Decoded code and side tables of a launch, which the interpreter executes. The code and the tables are immutable
/// during execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecodedCode {
    pub(crate) instructions: Vec<DecodedInstruction>,
    /// Functions that are reachable from the entry, in the order of their first instruction.
    pub(crate) functions: Vec<FunctionCode>,
    pub(crate) constants: RegisterFile,
    /// Special registers that the code reads. Each warp has one row of its special bank per special register.
    pub(crate) specials32: Vec<SpecialRegister>,
    pub(crate) specials64: Vec<SpecialRegister>,
    pub(crate) accesses: PlanTable<AccessPlan>,
    pub(crate) atomics: PlanTable<AtomicPlan>,
    pub(crate) mbarriers: PlanTable<MbarrierPlan>,
    pub(crate) starts: PlanTable<AsyncPlan>,
    pub(crate) tensor_copies: PlanTable<TensorCopyPlan>,
    pub(crate) tensor_maps: PlanTable<TensorMapPlan>,
    pub(crate) multimem: PlanTable<MultimemPlan>,
    pub(crate) warp_products: PlanTable<WarpMmaPlan>,
    pub(crate) touched: PlanTable<TouchedRegisters>,
    /// Kinds of async-groups that the instructions commit.
    pub(crate) made_groups: Vec<AsyncGroupKind>,
    pub(crate) tensor_memory: PlanTable<TensorMemoryPlan>,
    pub(crate) stacks: PlanTable<StackPlan>,
    pub(crate) launches: PlanTable<ClusterLaunchPlan>,
    pub(crate) images: PlanTable<ImagePlan>,
    pub(crate) fills: PlanTable<BulkFillPlan>,
    pub(crate) calls: PlanTable<CallPlan>,
    pub(crate) branch_tables: PlanTable<Vec<u32>>,
    pub(crate) packs: PlanTable<Vec<RegisterOperand>>,
    pub(crate) videos: PlanTable<VideoPlan>,
    pub(crate) collectives: PlanTable<CollectivePlan>,
    pub(crate) matrices: PlanTable<MatrixPlan>,
    pub(crate) barriers: PlanTable<BarrierPlan>,
    pub(crate) system_calls: PlanTable<DriverCallPlan>,
    pub(crate) machine: PlanTable<SassPlan>,
    /// For SASS, the code addresses that instructions compute, with the corresponding program counters, in ascending
    /// order.
    pub(crate) addresses: Vec<(u64, u32)>,
    /// Side table of the reasons why the execution of unsupported instructions faults.
    pub(crate) refused: PlanTable<UnsupportedReason>,
    /// Index of the source instruction in its function, for each decoded instruction.
    pub(crate) origins: Vec<u32>,
    pub(crate) entry_sizes: RegisterFileSizes,
    /// Registers with a nonzero initial value.
    pub(crate) initial: Vec<InitialRegister>,
    /// Maximum of the stack frame sizes of all called functions, for each register bank.
    pub(crate) frame_sizes: RegisterFileSizes,
}

/// Initial value of a register of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InitialRegister {
    pub(crate) place: RegisterOperand,
    pub(crate) start: u64,
    pub(crate) per_lane: u64,
    pub(crate) per_thread: u64,
}

/// Location of a function in [`DecodedCode::instructions`], with its stack frame and its registers.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCode {
    pub(crate) id: FunctionId,
    pub(crate) start: u32,
    /// Size in bytes of the local variables on the stack, which is a multiple of 16.
    pub(crate) frame_bytes: u32,
    /// Registers that contain stack addresses. The creation of a stack frame initializes these registers.
    pub(crate) frame_addresses: Vec<StackAddressRegister>,
    /// Slots and banks of the function's registers, indexed by register ID.
    pub(crate) registers: Vec<RegisterOperand>,
}

/// Register that contains a stack address: the start of the stack frame plus a constant addend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackAddressRegister {
    pub(crate) slot: OperandSlot,
    pub(crate) bank: RegisterBank,
    pub(crate) addend: u64,
}

/// Register bank to which an [`OperandSlot`] refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RegisterBank {
    B32,
    B64,
    B128,
    Predicate,
}

/// Operand of a decoded instruction: an operand slot with its register bank and width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterOperand {
    /// Slot of the operand, or [`OperandSlot::NONE`] for the sink `_`.
    pub slot: OperandSlot,
    pub bank: RegisterBank,
    /// Width in bits of the register (8 to 128), or of the value if the operand is not a register.
    pub bits: u32,
}

impl RegisterOperand {
    pub(crate) const SINK: RegisterOperand = RegisterOperand {
        slot: OperandSlot::NONE,
        bank: RegisterBank::B32,
        bits: 32,
    };
}

/// Decoded instruction: the decoded operation with its guard, and flags that the step loop tests.
#[derive(Clone, Copy, Debug)]
pub struct DecodedInstruction {
    pub op: DecodedOp,
    /// Slot of the guard predicate, or [`OperandSlot::NONE`] if the instruction has no guard.
    pub guard: OperandSlot,
    pub negated: bool,
    /// Whether the instruction has no guard and does not read a clock. One flag combines both conditions, so that the
    /// step loop requires only one test for most instructions.
    pub is_plain: bool,
    /// Whether the instruction reads a clock, so that the clock registers must be updated before its execution.
    pub reads_clock: bool,
    /// Whether the instruction executes in the same step as the next decoded instruction. Such an instruction is not
    /// counted as a step, and the scheduler does not select another lane group after it.
    pub continues_bundle: bool,
}

/// Reason why the execution of an instruction faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnsupportedReason {
    /// The instruction is valid, but the emulator does not support it. `opcode` is the opcode in the source. `why` is
    /// the missing feature, if the front end specifies it.
    NotEmulated { opcode: String, why: Option<String> },
    /// An operand of the program does not have the form that the decoder expects. `what` names the operand and
    /// describes the difference.
    Internal { what: String },
}

/// Plan of a video instruction. The result and the sources a, b and c have 32 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VideoPlan {
    pub(crate) op: VideoOp,
    pub(crate) lanes: SimdWidth,
    /// Signedness of the result, of source a and of source b.
    pub(crate) signs: [Signedness; 3],
    pub(crate) saturates: bool,
    pub(crate) second: Option<ReduceOp>,
    pub(crate) compare: Option<CompareOp>,
    /// Whether shift amounts wrap. Otherwise, shift amounts are clamped.
    pub(crate) wraps: bool,
    /// Right shift amount for the sum of `vmad`.
    pub(crate) scale: u32,
    pub(crate) plus_one: bool,
    pub(crate) selection: SubwordSelectors,
    pub(crate) slots: [OperandSlot; 4],
}

/// Predicate operand of a decoded instruction, which is optionally negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredicateOperand {
    pub slot: OperandSlot,
    pub negated: bool,
}

/// Type of the operands of a [`Comparison`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareType {
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F32,
    F64,
    F16,
    Bf16,
}

impl CompareType {
    /// Returns the register bank of the compared operands.
    pub const fn bank(self) -> RegisterBank {
        match self {
            CompareType::U64 | CompareType::S64 | CompareType::F64 => RegisterBank::B64,
            CompareType::U16
            | CompareType::S16
            | CompareType::U32
            | CompareType::S32
            | CompareType::F32
            | CompareType::F16
            | CompareType::Bf16 => RegisterBank::B32,
        }
    }

    /// Checks whether the compared operands are integers.
    pub const fn is_integer(self) -> bool {
        use CompareType as K;
        matches!(self, K::U16 | K::S16 | K::U32 | K::S32 | K::U64 | K::S64)
    }

    /// Returns the signedness of the compared integers.
    pub const fn signedness(self) -> Signedness {
        use CompareType as K;
        match self {
            K::S16 | K::S32 | K::S64 => Signedness::Signed,
            K::U16 | K::U32 | K::U64 | K::F32 | K::F64 | K::F16 | K::Bf16 => Signedness::Unsigned,
        }
    }
}

/// Predicate with which the result of a [`Comparison`] is combined, and the logic operation that combines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredicateCombine {
    pub op: BoolOp,
    pub slot: OperandSlot,
    pub negated: bool,
}

/// Type of the third operand of `slct`, whose sign selects the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectCondition {
    Integer,
    Float,
    /// The operand is a floating-point number whose subnormal values are flushed to zero.
    Flushed,
}

/// Comparison of two operands in all lanes: the operator, the operand type, and the slots of operands and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub kind: CompareType,
    pub op: CompareOp,
    pub ftz: bool,
    pub a: OperandSlot,
    pub b: OperandSlot,
}

/// Plan of a SASS operation that computes up to two registers and seven predicates from up to five registers and seven
/// predicates.
#[derive(Clone, Debug)]
pub(crate) struct SassPlan {
    pub(crate) op: SassOp,
    pub(crate) registers: [OperandSlot; 2],
    pub(crate) predicates: [OperandSlot; 7],
    pub(crate) sources: [OperandSlot; 5],
    /// Bit mask of the arithmetically negated sources.
    pub(crate) negated: u8,
    /// Bit mask of the bitwise inverted sources.
    pub(crate) inverted: u8,
    pub(crate) conditions: [PredicateOperand; 7],
    pub(crate) number: u32,
}

/// Plan of the memory access of an instruction: address operand, state space, elements and access size. The interpreter
/// and the JIT compiler execute it.
#[derive(Clone, Debug)]
pub struct AccessPlan {
    pub space: StateSpace,
    pub base: OperandSlot,
    /// Whether the base register is in the 64-bit bank.
    pub has_64_bit_base: bool,
    pub offset: i64,
    pub element_bytes: u32,
    /// Total size in bytes of all elements.
    pub width_bytes: u32,
    /// Signedness of the elements, which determines how loads extend them.
    pub sign: Signedness,
    pub elements: Vec<RegisterOperand>,
    /// Bit mask of the elements that are stored. Elements that are sinks are not stored.
    pub written: u32,
    /// Whether all elements are 32-bit or 64-bit registers whose size equals the size of the element.
    pub whole_registers: bool,
    /// Whether each lane transfers one or four words in whole registers, so that the data of a whole warp can be copied
    /// at once.
    pub moves_words: bool,
    pub metadata: AccessMetadata,
}

impl AccessPlan {
    /// Returns the register bank of the base address.
    pub const fn base_bank(&self) -> RegisterBank {
        match self.has_64_bit_base {
            true => RegisterBank::B64,
            false => RegisterBank::B32,
        }
    }
}

/// Properties of a memory access that do not affect results and are only reported to observers.
#[derive(Clone, Debug)]
pub struct AccessMetadata {
    /// Type of each element.
    pub ty: ScalarType,
    pub sem: Sem,
    pub scope: Option<Scope>,
    pub cache: CacheHints,
    /// Number of bytes per lane of one hardware access, or `None` if the instruction compiles to a single access.
    pub access_bytes: Option<u32>,
    /// Index of each element among the operands of the function.
    pub operands: Vec<u32>,
}

/// Plan of an atomic memory operation (`atom`, `red`).
#[derive(Clone, Debug)]
pub struct AtomicPlan {
    /// Memory access of the operation. The elements of the access receive the old value.
    pub access: AccessPlan,
    pub op: AtomicOp,
    pub ty: ScalarType,
    /// Whether the operation returns the old value (`atom`). `red` does not return the old value.
    pub returns: bool,
    /// Operand b for each element of the old value.
    pub b: Vec<RegisterOperand>,
    pub c: RegisterOperand,
}

/// Plan of an operation on an mbarrier object.
#[derive(Clone, Debug)]
pub(crate) struct MbarrierPlan {
    /// Memory access to the mbarrier object, which has no elements.
    pub(crate) access: AccessPlan,
    pub(crate) action: MbarrierAction,
    /// Arrival count, number of bytes, state or parity, or [`RegisterOperand::SINK`] if the operation has no value
    /// operand.
    pub(crate) value: RegisterOperand,
    /// Destination of the returned state, or of the test result.
    pub(crate) result: RegisterOperand,
    /// Whether the instruction is part of the source. Hosts do not display instructions that initialize the registers
    /// of a code snippet.
    pub(crate) is_in_source: bool,
}

/// Kind of an mbarrier operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MbarrierAction {
    Init,
    Inval,
    Arrive {
        drops: bool,
        no_complete: bool,
    },
    /// Increases the expected bytes of the current phase, and then arrives once.
    ExpectAndArrive {
        drops: bool,
    },
    Expect,
    Complete,
    /// Tests whether a phase is complete. If `waits` is set, the instruction waits for the completion first.
    Test {
        phase: PhaseSelector,
        waits: bool,
    },
    CheckLayout,
}

/// Interpretation of the operand that identifies the tested phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PhaseSelector {
    /// The operand is the state that an arrival returned.
    State,
    Parity,
}

/// Plan of an instruction that issues an asynchronous operation.
#[derive(Clone, Debug)]
pub struct AsyncPlan {
    /// Destination of the operation, or `None` for an arrival. For copies, the access width is the required alignment.
    pub(crate) to: Option<AccessPlan>,
    /// Access to the mbarrier that counts the bytes or receives the arrival.
    pub(crate) mbarrier: Option<AccessPlan>,
    pub(crate) transfer: AsyncPayload,
    /// Reduction of the data with the contents of memory, or `None` if the data replaces the contents.
    pub(crate) reduces: Option<Reduction>,
    /// Kind of async-group to which the operation belongs.
    pub(crate) group: Option<AsyncGroupKind>,
}

/// Data that an asynchronous operation writes.
#[derive(Clone, Debug)]
pub(crate) enum AsyncPayload {
    /// The elements of the destination are stored from registers.
    Registers,
    Copy(CopySource),
    /// The operation is an arrival after the completion of all earlier copies of the lane.
    Arrival(ArrivalCount),
}

/// Whether the expected count of an mbarrier includes an asynchronous arrival, or the arrival is added to the pending
/// count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrivalCount {
    Expected,
    Added,
}

/// Source operands of an asynchronous copy: address, sizes and masks.
#[derive(Clone, Debug)]
pub(crate) struct CopySource {
    /// Source address. The access width is the required alignment.
    pub(crate) from: AccessPlan,
    /// Number of bytes that the copy writes.
    pub(crate) size: RegisterOperand,
    /// Number of bytes that the copy reads, or `None` if this number equals the number of written bytes.
    pub(crate) read: Option<RegisterOperand>,
    /// Whether the low bits of the source address contain the number of bytes at the end of the source that are not
    /// read (`LDGSTS.ZFILL`).
    pub(crate) address_counts: bool,
    /// Predicate that suppresses the read of the source.
    pub(crate) ignore_source: Option<PredicateOperand>,
    /// Bit mask with the ranks of the destination blocks of a multicast.
    pub(crate) blocks: Option<RegisterOperand>,
    /// Bit mask of the bytes that are written in each group of 16 bytes.
    pub(crate) byte_mask: Option<RegisterOperand>,
    /// Numbers of bytes that the copy ignores at the start and at the end of the source.
    pub(crate) ignore_bytes: Option<[RegisterOperand; 2]>,
}

/// Plan of an instruction that issues a tensor copy.
#[derive(Clone, Debug)]
pub(crate) struct TensorCopyPlan {
    pub(crate) direction: TensorCopyDirection,
    pub(crate) mode: LoadMode,
    /// Address in shared memory. The access width is the required alignment.
    pub(crate) shared: AccessPlan,
    /// Generic address of the tensor map.
    pub(crate) map: RegisterOperand,
    pub(crate) coordinates: Vec<RegisterOperand>,
    /// Access to the mbarrier that counts the transferred bytes, or `None` if the copy belongs to a bulk async-group.
    pub(crate) mbarrier: Option<AccessPlan>,
    /// Offsets of `im2col` copies.
    pub(crate) offsets: Vec<RegisterOperand>,
    /// Bit mask with the ranks of the destination blocks of a multicast.
    pub(crate) blocks: Option<RegisterOperand>,
    /// Whether the mbarrier may be in the shared memory of the other block in the pair.
    pub(crate) is_pair: bool,
    /// Reduction of a store with the elements of the tensor.
    pub(crate) reduces: Option<AtomicOp>,
}

/// Plan of an instruction that modifies a tensor map, or of a fence for tensor maps.
#[derive(Clone, Debug)]
pub(crate) enum TensorMapPlan {
    Replace {
        access: AccessPlan,
        field: TensorMapField,
        dimension: usize,
        value: RegisterOperand,
    },
    /// Copies a tensor map from shared to global memory.
    Publish { to: AccessPlan, from: AccessPlan },
    /// `fence.proxy.tensormap::generic.acquire`: subsequent copies read the current contents of the tensor map.
    Acquire { map: AccessPlan },
}

/// Plan of an operation on the stack of each lane.
#[derive(Clone, Debug)]
pub(crate) enum StackPlan {
    Allocate {
        d: RegisterOperand,
        size: RegisterOperand,
        alignment: u64,
    },
    Save(RegisterOperand),
    Restore(RegisterOperand),
}

/// Plan of a cluster launch control operation.
#[derive(Clone, Debug)]
pub(crate) enum ClusterLaunchPlan {
    TryCancel {
        to: AccessPlan,
        mbarrier: AccessPlan,
        /// Whether the response is written to all blocks of the cluster.
        to_all: bool,
    },
    /// Decodes fields of the response, each to one register.
    Read {
        answer: RegisterOperand,
        parts: Vec<(RegisterOperand, CancelResponseField)>,
    },
}

/// Plan of an operation on a texture or a surface.
#[derive(Clone, Debug)]
pub(crate) enum ImagePlan {
    Sample(TexturePlan),
    Query(QueryPlan),
    Refers(TypeQueryPlan),
    Access(SurfacePlan),
}

/// Plan of an access to a multicast address, which denotes the memory of several devices.
#[derive(Clone, Debug)]
pub(crate) struct MultimemPlan {
    /// Memory access of the instruction. The elements of the access receive the loaded values.
    pub(crate) access: AccessPlan,
    pub(crate) action: MultimemAction,
    /// Values that are stored to the memory of each device, or combined with its contents.
    pub(crate) sources: Vec<RegisterOperand>,
}

/// Kind of access to a multicast address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MultimemAction {
    /// Combines the contents of the memory of all devices, and loads the result.
    Load(AtomicOp),
    Store,
    Reduce(AtomicOp),
}

/// Plan of a texture fetch (`tex`, `tld4`).
#[derive(Clone, Debug)]
pub(crate) struct TexturePlan {
    pub(crate) geometry: Geometry,
    /// Channel that `tld4` fetches from four texels, or `None` for other fetches.
    pub(crate) gathers: Option<usize>,
    pub(crate) image: RegisterOperand,
    /// Handle of a sampler that is separate from the texture, or `None` if the texture contains its sampler.
    pub(crate) sampler: Option<RegisterOperand>,
    pub(crate) coordinates: Vec<RegisterOperand>,
    /// Whether the coordinates are floats instead of integers.
    pub(crate) is_float: bool,
    pub(crate) offsets: Vec<RegisterOperand>,
    /// Reference value of a depth comparison.
    pub(crate) compared: Option<RegisterOperand>,
    pub(crate) elements: Vec<RegisterOperand>,
    /// Predicate that is set if the texels are resident.
    pub(crate) resident: Option<RegisterOperand>,
    /// Type of each destination element.
    pub(crate) to: ScalarType,
}

/// Plan of `istypep`, which tests whether a value is a reference to a texture, a sampler or a surface.
#[derive(Clone, Debug)]
pub(crate) struct TypeQueryPlan {
    pub(crate) kind: ReferenceKind,
    /// Destination predicate.
    pub(crate) to: RegisterOperand,
    pub(crate) image: RegisterOperand,
}

/// Plan of a query of a texture or surface property (`txq`, `suq`).
#[derive(Clone, Debug)]
pub(crate) struct QueryPlan {
    pub(crate) property: TextureQuery,
    pub(crate) to: RegisterOperand,
    pub(crate) image: RegisterOperand,
    /// Constant that is added to the image handle.
    pub(crate) addend: i64,
    pub(crate) level: Option<RegisterOperand>,
}

/// Plan of a surface access.
#[derive(Clone, Debug)]
pub(crate) struct SurfacePlan {
    pub(crate) op: SurfaceOp,
    pub(crate) geometry: Geometry,
    pub(crate) bounds: SurfaceBounds,
    /// Whether coordinates count elements, and values are converted to the format of the surface.
    pub(crate) is_formatted: bool,
    pub(crate) image: RegisterOperand,
    pub(crate) coordinates: Vec<RegisterOperand>,
    pub(crate) reduces: Option<AtomicOp>,
    /// Memory access of the instruction, whose elements are the transferred registers. The base address is unused.
    pub(crate) access: AccessPlan,
}

/// Plan of `st.bulk`.
#[derive(Clone, Debug)]
pub(crate) struct BulkFillPlan {
    pub(crate) access: AccessPlan,
    pub(crate) size: RegisterOperand,
}

/// Plan of a call: the possible targets, and the register with the target address of an indirect call.
#[derive(Clone, Debug)]
pub struct CallPlan {
    /// Register that contains the address of the called function in an indirect call.
    pub(crate) register: RegisterOperand,
    pub(crate) targets: Vec<CallTargetPlan>,
}

/// Possible target of a call, with the transfers of the arguments and results for this target.
#[derive(Clone, Debug)]
pub(crate) struct CallTargetPlan {
    /// Index of the target in [`DecodedCode::functions`].
    pub(crate) function: u32,
    pub(crate) address: u64,
    /// Locations of the arguments in the caller, and the corresponding locations in the callee.
    pub(crate) arguments: Vec<(CallValueLocation, CallValueLocation)>,
    /// Locations of the results in the callee, and the corresponding locations in the caller.
    pub(crate) returns: Vec<(CallValueLocation, CallValueLocation)>,
}

/// Location of an argument or a result of a call in the registers or on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallValueLocation {
    Register(RegisterOperand),
    /// The argument or result occupies bytes of a stack frame.
    Stack {
        offset: u32,
        size: u32,
    },
}

/// Plan of a warp-level collective operation: the operation and its member mask.
#[derive(Clone, Copy, Debug)]
pub struct CollectivePlan {
    /// Slot of the member mask, or [`OperandSlot::NONE`] for deprecated instructions without a member mask.
    pub mask: OperandSlot,
    pub kind: CollectiveKind,
}

/// Mode of `match.sync`. The result is the mask of the lanes with the same value. In mode `All`, the result is zero
/// unless all lanes have the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchMode {
    Any,
    All,
}

#[derive(Clone, Copy, Debug)]
pub enum CollectiveKind {
    Shuffle {
        mode: ShuffleMode,
        d: OperandSlot,
        predicate: OperandSlot,
        a: OperandSlot,
        b: OperandSlot,
        c: OperandSlot,
    },
    Vote {
        mode: VoteMode,
        d: OperandSlot,
        a: PredicateOperand,
    },
    Match {
        mode: MatchMode,
        d: OperandSlot,
        predicate: OperandSlot,
        a: RegisterOperand,
    },
    Reduce {
        reduction: WarpReduction,
        d: OperandSlot,
        a: OperandSlot,
    },
    Elect {
        d: OperandSlot,
        predicate: OperandSlot,
    },
    /// `movmatrix`: transposes a matrix of 8 rows with 8 elements of 16 bits. Four lanes contain each row.
    Transpose { d: OperandSlot, a: OperandSlot },
}

/// Operation of `redux.sync`.
#[derive(Clone, Copy, Debug)]
pub struct WarpReduction {
    pub op: ReduceOp,
    pub ty: ScalarType,
    /// Whether the comparison uses the magnitudes of the operands. The flag applies only to floats.
    pub absolute: bool,
    /// Whether a NaN source results in a NaN. Used only for floats.
    pub nan: bool,
}

/// Plan of `bar` and `barrier`.
#[derive(Clone, Copy, Debug)]
pub struct BarrierPlan {
    pub id: OperandSlot,
    /// Slot of the thread count, or [`OperandSlot::NONE`] for the whole block.
    pub threads: OperandSlot,
    pub kind: BarrierMode,
    /// Whether all threads of the warp must execute the barrier convergently.
    pub is_aligned: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum BarrierMode {
    Sync,
    Arrive,
    Reduce {
        op: BarrierReduce,
        d: OperandSlot,
        predicate: PredicateOperand,
    },
}

/// Plan of a call of a device function that the driver provides, such as `vprintf`.
#[derive(Clone, Debug)]
pub(crate) struct DriverCallPlan {
    pub(crate) kind: DriverCall,
    pub(crate) arguments: Vec<CallValueLocation>,
    pub(crate) returns: Vec<CallValueLocation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DriverCall {
    Printf,
    AssertFail,
}

impl DecodedCode {
    /// Returns the elements of a vector value that an instruction packs or unpacks.
    pub(crate) fn list(&self, list: PlanId<Vec<RegisterOperand>>) -> &[RegisterOperand] {
        self.packs.get(list).map_or(&[], Vec::as_slice)
    }

    /// Checks whether any instruction commits async-groups of this kind. For SASS, the result is always `true`, because
    /// SASS code may also wait by other means.
    pub(crate) fn makes_groups(&self, kind: AsyncGroupKind) -> bool {
        !self.addresses.is_empty() || self.made_groups.contains(&kind)
    }

    /// Returns the function that contains a program counter.
    pub(crate) fn function_at(&self, pc: u32) -> Option<&FunctionCode> {
        let after = self.functions.partition_point(|f| f.start <= pc);
        self.functions.get(after.checked_sub(1)?)
    }

    /// Returns the function and the source instruction index of a program counter.
    pub(crate) fn origin(&self, pc: u32) -> (FunctionId, u32) {
        match self.function_at(pc) {
            Some(function) => {
                let index = self.origins.get(pc as usize).copied();
                (function.id, index.unwrap_or(pc - function.start))
            }
            None => (FunctionId(0), 0),
        }
    }

    /// Returns the program counter of the first operation of a source instruction. `function_start` is the program
    /// counter of the function.
    fn start_of(&self, function_start: u32, instruction: u32) -> u32 {
        let origins = self.origins.get(function_start as usize..).unwrap_or(&[]);
        // Count the preceding operations, because the source instruction indices are in ascending order within a
        // function.
        let n = origins.iter().take_while(|origin| **origin < instruction);
        function_start + n.count() as u32
    }

    /// Returns the program counter of a source instruction, or 0 if its function is not reachable.
    pub(crate) fn pc_of(&self, function: FunctionId, instruction: u32) -> u32 {
        let decoded_function = self.functions.iter().find(|f| f.id == function);
        decoded_function.map_or(0, |f| self.start_of(f.start, instruction))
    }

    /// Returns the first register row of the stack frame at a call depth, for each register bank.
    #[inline(always)]
    pub(crate) fn base(&self, depth: u32) -> RegisterFileSizes {
        if depth == 0 {
            RegisterFileSizes::default()
        } else {
            self.entry_sizes.plus_times(depth - 1, self.frame_sizes)
        }
    }
}

/// Maximum number of bytes that one lane accesses with one instruction.
pub(crate) const MAX_WIDTH: usize = 32;
