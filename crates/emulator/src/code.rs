//! Decoded code: operands are register slots, variables are addresses, and details are stored in side tables.

pub(crate) mod held;
pub(crate) mod matrix_plan;
pub(crate) mod op;
pub(crate) mod operands;
pub(crate) mod plans;
pub(crate) mod stack;
pub(crate) mod tensor_memory;
pub(crate) mod warp_product;

use crate::code::held::Touched;
use crate::code::matrix_plan::MatrixPlan;
pub(crate) use crate::code::op::Op;
use crate::code::plans::{PlanId, Plans};
use crate::code::stack::AnswerPart;
use crate::code::tensor_memory::TensorMemoryPlan;
use crate::code::warp_product::WarpProductPlan;
use crate::contract::observe::CacheHints;
use crate::contract::pending::{GroupKind, Reduction};
use crate::contract::tensor_transfer::TensorDirection;
use crate::semantics::registers::{BankSizes, Banks, Slot};
use warpgrid_isa::video::Selection;
use warpgrid_isa::{
    AtomicOp, BarrierReduce, BoolOp, CompareOp, Geometry, LoadMode, MachineOp, Property, ReduceOp,
    ReferenceKind, ScalarType, Scope, Sem, ShuffleMode, Signedness, SpecialRegister, StateSpace,
    SurfaceBounds, SurfaceOp, TensorMapField, VideoLanes, VideoOp, VoteMode,
};
use warpgrid_program::FunctionId;

/// Immutable data that the steps of a launch read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instr>,
    /// Functions that are reachable from the entry, in the order of their first instruction.
    pub(crate) functions: Vec<FunctionCode>,
    pub(crate) constants: Banks,
    /// Special registers in the rows of the special bank of each warp.
    pub(crate) specials32: Vec<SpecialRegister>,
    pub(crate) specials64: Vec<SpecialRegister>,
    pub(crate) accesses: Plans<AccessPlan>,
    pub(crate) atomics: Plans<AtomicPlan>,
    pub(crate) mbarriers: Plans<MbarrierPlan>,
    pub(crate) starts: Plans<AsyncPlan>,
    pub(crate) tensor_copies: Plans<TensorCopyPlan>,
    pub(crate) tensor_maps: Plans<TensorMapPlan>,
    pub(crate) multimem: Plans<MultimemPlan>,
    pub(crate) warp_products: Plans<WarpProductPlan>,
    pub(crate) touched: Plans<Touched>,
    /// Kinds of asynchronous groups that some instruction commits.
    pub(crate) made_groups: Vec<GroupKind>,
    pub(crate) tensor_memory: Plans<TensorMemoryPlan>,
    pub(crate) stacks: Plans<StackPlan>,
    pub(crate) launches: Plans<LaunchPlan>,
    pub(crate) images: Plans<ImagePlan>,
    pub(crate) fills: Plans<FillPlan>,
    pub(crate) calls: Plans<CallPlan>,
    pub(crate) branch_tables: Plans<Vec<u32>>,
    pub(crate) packs: Plans<Vec<Element>>,
    pub(crate) videos: Plans<VideoPlan>,
    pub(crate) collectives: Plans<Collective>,
    pub(crate) matrices: Plans<MatrixPlan>,
    pub(crate) barriers: Plans<BarrierPlan>,
    pub(crate) system_calls: Plans<SystemPlan>,
    pub(crate) machine: Plans<MachinePlan>,
    /// For SASS, the code addresses that instructions compute, with their program counters, in ascending order.
    pub(crate) addresses: Vec<(u64, u32)>,
    /// Reasons for which instructions cannot be executed.
    pub(crate) refused: Plans<Refused>,
    /// For each decoded instruction, its index among the instructions of the function.
    pub(crate) origins: Vec<u32>,
    pub(crate) entry_sizes: BankSizes,
    /// Registers with a nonzero initial value.
    pub(crate) initial: Vec<InitialRegister>,
    /// Maximum of the stack frame sizes of all called functions.
    pub(crate) frame_sizes: BankSizes,
}

/// Initial value of a register of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InitialRegister {
    pub(crate) place: Element,
    pub(crate) start: u64,
    pub(crate) per_lane: u64,
    pub(crate) per_thread: u64,
}

/// Location of a function in [`Code::instructions`].
#[derive(Clone, Debug)]
pub(crate) struct FunctionCode {
    pub(crate) id: FunctionId,
    pub(crate) start: u32,
    /// Size of the local variables on the stack, in bytes; a multiple of 16.
    pub(crate) frame_bytes: u32,
    /// Registers with stack addresses, which are initialized when a frame is created.
    pub(crate) frame_addresses: Vec<FrameAddress>,
    /// Slots with their banks, by register ID.
    pub(crate) registers: Vec<Element>,
}

/// Register that contains an address on the stack: start of the frame plus addend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameAddress {
    pub(crate) slot: Slot,
    pub(crate) bank: Bank,
    pub(crate) addend: u64,
}

/// Register bank of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bank {
    B32,
    B64,
    B128,
    Predicate,
}

/// Operand with its bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// [`Slot::NONE`] for the sink `_`.
    pub slot: Slot,
    pub bank: Bank,
    /// Width of the register (8 to 128), or of the value if the operand is not a register.
    pub bits: u32,
}

impl Element {
    pub(crate) const SINK: Element = Element {
        slot: Slot::NONE,
        bank: Bank::B32,
        bits: 32,
    };
}

/// Decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instr {
    pub op: Op,
    /// Guard predicate, or [`Slot::NONE`].
    pub guard: Slot,
    pub negated: bool,
    /// Whether the instruction has no guard and does not read a clock. This combined flag saves a test for the majority
    /// of instructions.
    pub is_plain: bool,
    /// Whether the instruction reads a clock, so that the special registers must be refreshed before.
    pub reads_clock: bool,
    /// Whether the instruction executes in the same step as the next decoded instruction. It does not count as a step,
    /// and the scheduler does not select another group of lanes after it.
    pub with_next: bool,
}

/// Reason why the execution of an instruction faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The instruction is valid, but not emulated. `opcode` is the spelling in the source, `why` the missing feature if
    /// the front end provides one.
    NotEmulated { opcode: String, why: Option<String> },
    /// The front end and the decoder disagree about an operand. `what` names the operand and the difference.
    Internal { what: String },
}

/// A video instruction. The result, a, b and c are 32 bits wide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VideoPlan {
    pub(crate) op: VideoOp,
    pub(crate) lanes: VideoLanes,
    /// Signedness of the result, of a and of b.
    pub(crate) signs: [Signedness; 3],
    pub(crate) saturates: bool,
    pub(crate) second: Option<ReduceOp>,
    pub(crate) compare: Option<CompareOp>,
    /// Whether shift amounts wrap; otherwise they are clamped.
    pub(crate) wraps: bool,
    /// Right shift of the sum of `vmad`.
    pub(crate) scale: u32,
    pub(crate) plus_one: bool,
    pub(crate) selection: Selection,
    pub(crate) slots: [Slot; 4],
}

/// Predicate operand, optionally negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    pub slot: Slot,
    pub negated: bool,
}

/// Type of the compared operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareKind {
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

impl CompareKind {
    /// Returns the bank of the compared registers.
    pub const fn bank(self) -> Bank {
        match self {
            CompareKind::U64 | CompareKind::S64 | CompareKind::F64 => Bank::B64,
            CompareKind::U16
            | CompareKind::S16
            | CompareKind::U32
            | CompareKind::S32
            | CompareKind::F32
            | CompareKind::F16
            | CompareKind::Bf16 => Bank::B32,
        }
    }

    /// Checks whether integers are compared.
    pub const fn is_integer(self) -> bool {
        use CompareKind as K;
        matches!(self, K::U16 | K::S16 | K::U32 | K::S32 | K::U64 | K::S64)
    }

    /// Returns the signedness of the compared integers.
    pub const fn signedness(self) -> Signedness {
        use CompareKind as K;
        match self {
            K::S16 | K::S32 | K::S64 => Signedness::Signed,
            K::U16 | K::U32 | K::U64 | K::F32 | K::F64 | K::F16 | K::Bf16 => Signedness::Unsigned,
        }
    }
}

/// Predicate with which the result of a comparison is combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combine {
    pub op: BoolOp,
    pub slot: Slot,
    pub negated: bool,
}

/// Type of the third operand of `slct`, whose sign selects the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignOf {
    Integer,
    Float,
    /// Float whose subnormals are flushed to zero.
    Flushed,
}

/// Comparison of two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub kind: CompareKind,
    pub op: CompareOp,
    pub ftz: bool,
    pub a: Slot,
    pub b: Slot,
}

/// SASS operation that computes up to two registers and seven predicates from up to five registers and seven
/// predicates.
#[derive(Clone, Debug)]
pub(crate) struct MachinePlan {
    pub(crate) op: MachineOp,
    pub(crate) registers: [Slot; 2],
    pub(crate) predicates: [Slot; 7],
    pub(crate) sources: [Slot; 5],
    /// Bit i: whether source i is negated.
    pub(crate) negated: u8,
    /// Bit i: whether source i is inverted.
    pub(crate) inverted: u8,
    pub(crate) conditions: [Predicate; 7],
    pub(crate) number: u32,
}

/// Memory access of a load or store.
#[derive(Clone, Debug)]
pub struct AccessPlan {
    pub space: StateSpace,
    pub base: Slot,
    /// Whether the base is in the 64-bit bank.
    pub wide: bool,
    pub offset: i64,
    pub element_bytes: u32,
    /// Total size of all elements.
    pub width_bytes: u32,
    /// Whether loads sign-extend or zero-extend.
    pub sign: Signedness,
    pub elements: Vec<Element>,
    /// Bit i: whether element i is stored, and not a sink.
    pub written: u32,
    /// Whether all elements are registers of 32 or 64 bits with exactly the size of the element.
    pub whole_registers: bool,
    /// Whether each lane transfers one or four words in whole registers. The data of a warp is then copied at once.
    pub moves_words: bool,
    pub noted: AccessNotes,
}

impl AccessPlan {
    /// Returns the bank of the base.
    pub const fn base_bank(&self) -> Bank {
        match self.wide {
            true => Bank::B64,
            false => Bank::B32,
        }
    }
}

/// Properties of an access that only observers use.
#[derive(Clone, Debug)]
pub struct AccessNotes {
    /// Type of an element.
    pub ty: ScalarType,
    pub sem: Sem,
    pub scope: Option<Scope>,
    pub cache: CacheHints,
    /// Bytes per lane of one hardware access, if the instruction compiles to several accesses.
    pub access_bytes: Option<u32>,
    /// Index of each element in the operands of the function.
    pub operands: Vec<u32>,
}

/// Atomic memory operation.
#[derive(Clone, Debug)]
pub struct AtomicPlan {
    /// The elements of the access receive the old value.
    pub access: AccessPlan,
    pub op: AtomicOp,
    pub ty: ScalarType,
    /// Whether the old value is returned (`atom`) or not (`red`).
    pub returns: bool,
    /// One operand per element of the old value.
    pub b: Vec<Element>,
    pub c: Element,
}

/// Operation on an mbarrier object.
#[derive(Clone, Debug)]
pub(crate) struct MbarrierPlan {
    /// Address of the object. The access has no elements.
    pub(crate) access: AccessPlan,
    pub(crate) action: MbarrierAction,
    /// Arrival count, bytes, state or parity; [`Element::SINK`] if the operation has no such operand.
    pub(crate) value: Element,
    /// State, or result of the test.
    pub(crate) result: Element,
    /// Whether the operation is part of the source. Operations that initialize a code snippet are not displayed.
    pub(crate) is_of_text: bool,
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
    /// Expects bytes and arrives once.
    ExpectAndArrive {
        drops: bool,
    },
    Expect,
    Complete,
    /// Tests whether a phase is complete. If `waits`, the test waits for the phase first.
    Test {
        phase: Phase,
        waits: bool,
    },
    CheckLayout,
}

/// Identification of the phase of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// State that an arrival returned.
    State,
    Parity,
}

/// Issue of an asynchronous operation.
#[derive(Clone, Debug)]
pub struct AsyncPlan {
    /// Destination. For copies, the width of the access is the required alignment. `None` for an arrival.
    pub(crate) to: Option<AccessPlan>,
    /// mbarrier that counts the bytes or receives the arrival.
    pub(crate) mbarrier: Option<AccessPlan>,
    pub(crate) transfer: Transfer,
    /// Reduction with the contents of memory. `None` replaces the contents.
    pub(crate) reduces: Option<Reduction>,
    /// Kind of asynchronous group that contains the operation.
    pub(crate) group: Option<GroupKind>,
}

/// Data of an asynchronous operation.
#[derive(Clone, Debug)]
pub(crate) enum Transfer {
    /// The elements of the destination.
    Registers,
    Copy(Source),
    /// An arrival after the completion of all earlier copies of the lane.
    Arrival(ArrivalCount),
}

/// Whether the arrival is included in the expected count, or increments the pending count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrivalCount {
    Expected,
    Added,
}

/// Source of a copy.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Source address. The width of the access is the required alignment.
    pub(crate) from: AccessPlan,
    /// Number of bytes that are written.
    pub(crate) size: Element,
    /// Number of bytes that are read, if lower.
    pub(crate) read: Option<Element>,
    /// Whether the low bits of the source address contain the number of bytes at the end that are not read
    /// (`LDGSTS.ZFILL`).
    pub(crate) address_counts: bool,
    /// Predicate that suppresses the read of the source.
    pub(crate) ignores: Option<Predicate>,
    /// Multicast: bit mask of the ranks of the destination blocks.
    pub(crate) blocks: Option<Element>,
    /// Byte mask for each 16 bytes.
    pub(crate) byte_mask: Option<Element>,
    /// Number of bytes that the copy ignores at the start and at the end.
    pub(crate) left_out: Option<[Element; 2]>,
}

/// Issue of a tensor copy.
#[derive(Clone, Debug)]
pub(crate) struct TensorCopyPlan {
    pub(crate) direction: TensorDirection,
    pub(crate) mode: LoadMode,
    /// Address in shared memory. The width of the access is the required alignment.
    pub(crate) shared: AccessPlan,
    /// Generic address of the tensor map.
    pub(crate) map: Element,
    pub(crate) coordinates: Vec<Element>,
    /// mbarrier that counts the bytes. If `None`, the copy belongs to a bulk async group.
    pub(crate) mbarrier: Option<AccessPlan>,
    /// Offsets of `im2col` copies.
    pub(crate) offsets: Vec<Element>,
    /// Multicast: bit mask of the ranks of the destination blocks.
    pub(crate) blocks: Option<Element>,
    /// Whether the mbarrier may be in the other block of the pair.
    pub(crate) is_pair: bool,
    /// Reduction with the elements of the tensor.
    pub(crate) reduces: Option<AtomicOp>,
}

/// Modification of a tensor map, or a fence for tensor maps.
#[derive(Clone, Debug)]
pub(crate) enum TensorMapPlan {
    Replace {
        access: AccessPlan,
        field: TensorMapField,
        dimension: usize,
        value: Element,
    },
    /// Copies a tensor map from shared to global memory.
    Publish { to: AccessPlan, from: AccessPlan },
    /// `fence.proxy.tensormap::generic.acquire`: subsequent copies read the current contents of the map.
    Acquire { map: AccessPlan },
}

/// Operation on the stack of each lane.
#[derive(Clone, Debug)]
pub(crate) enum StackPlan {
    Allocate {
        d: Element,
        size: Element,
        alignment: u64,
    },
    Save(Element),
    Restore(Element),
}

/// Cluster launch control operation.
#[derive(Clone, Debug)]
pub(crate) enum LaunchPlan {
    TryCancel {
        to: AccessPlan,
        mbarrier: AccessPlan,
        /// Whether all blocks of the cluster receive the response.
        to_all: bool,
    },
    /// Decodes parts of the response, each to one register.
    Read {
        answer: Element,
        parts: Vec<(Element, AnswerPart)>,
    },
}

/// Operation on a texture or a surface.
#[derive(Clone, Debug)]
pub(crate) enum ImagePlan {
    Sample(SamplePlan),
    Query(QueryPlan),
    Refers(ReferencePlan),
    Access(SurfacePlan),
}

/// Access to the memory of several devices.
#[derive(Clone, Debug)]
pub(crate) struct MultimemPlan {
    /// The elements of the access receive the loaded values.
    pub(crate) access: AccessPlan,
    pub(crate) action: MultimemAction,
    /// Values that are stored, or combined with the contents of the memory of each device.
    pub(crate) sources: Vec<Element>,
}

/// Kind of an access to the memory of several devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MultimemAction {
    /// Combines the contents of the memory of all devices.
    Load(AtomicOp),
    Store,
    Reduce(AtomicOp),
}

/// Texture fetch.
#[derive(Clone, Debug)]
pub(crate) struct SamplePlan {
    pub(crate) geometry: Geometry,
    /// Channel that is fetched from four texels (`tld4`).
    pub(crate) gathers: Option<usize>,
    pub(crate) image: Element,
    /// Sampler, if it is separate from the texture.
    pub(crate) sampler: Option<Element>,
    pub(crate) coordinates: Vec<Element>,
    /// Whether the coordinates are floats; otherwise they are integers.
    pub(crate) is_float: bool,
    pub(crate) offsets: Vec<Element>,
    /// Reference value of a depth comparison.
    pub(crate) compared: Option<Element>,
    pub(crate) elements: Vec<Element>,
    /// Predicate that receives whether the texels are resident.
    pub(crate) resident: Option<Element>,
    /// Type of an element.
    pub(crate) to: ScalarType,
}

/// Test whether a value is a reference to a texture, a sampler or a surface.
#[derive(Clone, Debug)]
pub(crate) struct ReferencePlan {
    pub(crate) kind: ReferenceKind,
    /// Destination predicate.
    pub(crate) to: Element,
    pub(crate) image: Element,
}

/// Query of a property of a texture or a surface.
#[derive(Clone, Debug)]
pub(crate) struct QueryPlan {
    pub(crate) property: Property,
    pub(crate) to: Element,
    pub(crate) image: Element,
    /// Constant that is added to the handle.
    pub(crate) addend: i64,
    pub(crate) level: Option<Element>,
}

/// Access to a surface.
#[derive(Clone, Debug)]
pub(crate) struct SurfacePlan {
    pub(crate) op: SurfaceOp,
    pub(crate) geometry: Geometry,
    pub(crate) bounds: SurfaceBounds,
    /// Whether coordinates count elements, which are converted to the format of the surface.
    pub(crate) is_formatted: bool,
    pub(crate) image: Element,
    pub(crate) coordinates: Vec<Element>,
    pub(crate) reduces: Option<AtomicOp>,
    /// The elements of the access are the transferred registers. Its base is not used.
    pub(crate) access: AccessPlan,
}

/// `st.bulk`
#[derive(Clone, Debug)]
pub(crate) struct FillPlan {
    pub(crate) access: AccessPlan,
    pub(crate) size: Element,
}

/// Call of one of several functions.
#[derive(Clone, Debug)]
pub struct CallPlan {
    /// Address of the function, for indirect calls.
    pub(crate) register: Element,
    pub(crate) targets: Vec<CallTargetPlan>,
}

/// Target of a call, and the transfer of arguments and results.
#[derive(Clone, Debug)]
pub(crate) struct CallTargetPlan {
    /// Index into [`Code::functions`].
    pub(crate) function: u32,
    pub(crate) address: u64,
    /// From locations of the caller to locations of the callee.
    pub(crate) arguments: Vec<(Place, Place)>,
    /// From locations of the callee to locations of the caller.
    pub(crate) returns: Vec<(Place, Place)>,
}

/// Location of an argument or a result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Register(Element),
    /// Bytes of the stack frame.
    Stack {
        offset: u32,
        size: u32,
    },
}

/// Warp-level collective operation.
#[derive(Clone, Copy, Debug)]
pub struct Collective {
    /// Member mask; [`Slot::NONE`] for deprecated instructions without a mask.
    pub mask: Slot,
    pub kind: CollectiveKind,
}

/// Result of `match`: the lanes with the same value, or these lanes only if all lanes have the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchMode {
    Any,
    All,
}

#[derive(Clone, Copy, Debug)]
pub enum CollectiveKind {
    Shuffle {
        mode: ShuffleMode,
        d: Slot,
        predicate: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    Vote {
        mode: VoteMode,
        d: Slot,
        a: Predicate,
    },
    Match {
        mode: MatchMode,
        d: Slot,
        predicate: Slot,
        a: Element,
    },
    Reduce {
        reduction: WarpReduction,
        d: Slot,
        a: Slot,
    },
    Elect {
        d: Slot,
        predicate: Slot,
    },
    /// `movmatrix`: 8 rows of 8 elements of 16 bits, four lanes per row.
    Transpose {
        d: Slot,
        a: Slot,
    },
}

/// Operation of `redux.sync`.
#[derive(Clone, Copy, Debug)]
pub struct WarpReduction {
    pub op: ReduceOp,
    pub ty: ScalarType,
    /// For floats: whether magnitudes are compared.
    pub absolute: bool,
    /// For floats: whether a NaN source results in NaN.
    pub nan: bool,
}

/// `bar` and `barrier`.
#[derive(Clone, Copy, Debug)]
pub struct BarrierPlan {
    pub id: Slot,
    /// Thread count; [`Slot::NONE`] for the whole block.
    pub threads: Slot,
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
        d: Slot,
        predicate: Predicate,
    },
}

/// Call into the driver.
#[derive(Clone, Debug)]
pub(crate) struct SystemPlan {
    pub(crate) kind: SystemCall,
    pub(crate) arguments: Vec<Place>,
    pub(crate) returns: Vec<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemCall {
    Printf,
    AssertFail,
}

impl Code {
    /// Returns the elements of a value that is packed or unpacked.
    pub(crate) fn list(&self, list: PlanId<Vec<Element>>) -> &[Element] {
        self.packs.get(list).map_or(&[], Vec::as_slice)
    }

    /// Checks whether some instruction commits groups of this kind. Always true for SASS, which also waits by other
    /// means.
    pub(crate) fn makes_groups(&self, kind: GroupKind) -> bool {
        !self.addresses.is_empty() || self.made_groups.contains(&kind)
    }

    /// Returns the function that contains the program counter.
    pub(crate) fn function_at(&self, pc: u32) -> Option<&FunctionCode> {
        let after = self.functions.partition_point(|f| f.start <= pc);
        self.functions.get(after.checked_sub(1)?)
    }

    /// Returns the function and instruction index of a program counter.
    pub(crate) fn origin(&self, pc: u32) -> (FunctionId, u32) {
        match self.function_at(pc) {
            Some(function) => {
                let index = self.origins.get(pc as usize).copied();
                (function.id, index.unwrap_or(pc - function.start))
            }
            None => (FunctionId(0), 0),
        }
    }

    /// Returns the program counter of the first operation of an instruction. `function_start` is the program counter of
    /// its function.
    fn start_of(&self, function_start: u32, instruction: u32) -> u32 {
        let origins = self.origins.get(function_start as usize..).unwrap_or(&[]);
        // Origins ascend within a function.
        let n = origins.iter().take_while(|origin| **origin < instruction);
        function_start + n.count() as u32
    }

    /// Returns the program counter of an instruction, or 0 if its function is not reachable.
    pub(crate) fn pc_of(&self, function: FunctionId, instruction: u32) -> u32 {
        let found = self.functions.iter().find(|f| f.id == function);
        found.map_or(0, |f| self.start_of(f.start, instruction))
    }

    /// Returns the start of the frame at a call depth in each bank.
    #[inline(always)]
    pub(crate) fn base(&self, depth: u32) -> BankSizes {
        if depth == 0 {
            BankSizes::default()
        } else {
            self.entry_sizes.plus_times(depth - 1, self.frame_sizes)
        }
    }
}

/// Maximum access size of a lane in bytes.
pub(crate) const MAX_WIDTH: usize = 32;
