//! Decoded instructions: operands are slots, variables are addresses, details stand in side tables.

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

/// Everything that the steps of a launch read and never change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instr>,
    /// Functions that the entry can reach, in the order of their first instruction.
    pub(crate) functions: Vec<FunctionCode>,
    pub(crate) constants: Banks,
    /// What to put into the rows of the special bank of each warp.
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
    /// The kinds of groups that some instruction makes.
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
    /// Machine code: the addresses that it computes with and their places, ascending.
    pub(crate) addresses: Vec<(u64, u32)>,
    /// Why instructions cannot be executed.
    pub(crate) refused: Plans<Refused>,
    /// By instruction of the code: its index among the instructions of the function.
    pub(crate) origins: Vec<u32>,
    pub(crate) entry_sizes: BankSizes,
    /// Registers that the kernel does not begin with zero in.
    pub(crate) initial: Vec<InitialRegister>,
    /// The largest frame of any function that is called.
    pub(crate) frame_sizes: BankSizes,
}

/// What a register of the kernel holds at the first step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InitialRegister {
    pub(crate) place: Element,
    pub(crate) start: u64,
    pub(crate) per_lane: u64,
    pub(crate) per_thread: u64,
}

/// A function's place in [`Code::instructions`].
#[derive(Clone, Debug)]
pub(crate) struct FunctionCode {
    pub(crate) id: FunctionId,
    pub(crate) start: u32,
    /// Bytes of its variables on the stack, a multiple of 16.
    pub(crate) frame_bytes: u32,
    /// Stack addresses that its instructions use, filled in when a frame is made.
    pub(crate) frame_addresses: Vec<FrameAddress>,
    /// Slots by register id, with their bank.
    pub(crate) registers: Vec<Element>,
}

/// A register that holds an address on the stack: frame start plus addend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameAddress {
    pub(crate) slot: Slot,
    pub(crate) bank: Bank,
    pub(crate) addend: u64,
}

/// Which bank a slot is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bank {
    B32,
    B64,
    B128,
    Predicate,
}

/// An operand of any bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// [`Slot::NONE`] for a sink.
    pub slot: Slot,
    pub bank: Bank,
    /// Width of the register (8 to 128), or of the value where it is no register.
    pub bits: u32,
}

impl Element {
    pub(crate) const SINK: Element = Element {
        slot: Slot::NONE,
        bank: Bank::B32,
        bits: 32,
    };
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instr {
    pub op: Op,
    /// Guard predicate, or none.
    pub guard: Slot,
    pub negated: bool,
    /// Has no guard and reads no clock, as most have: one question instead of two.
    pub is_plain: bool,
    /// Reads a clock: specials must be refreshed first.
    pub reads_clock: bool,
    /// Runs in the same step as the next instruction of the code: it is not counted, and the group that runs stays
    /// the one that runs.
    pub with_next: bool,
}

/// Why an instruction is refused when it would be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Checked, but not run yet: the opcode as written, and what is missing where the front end states that.
    NotEmulated { opcode: String, why: Option<String> },
    /// The front end and the decoder disagree about the operands: which one, and how.
    Internal { what: String },
}

/// A video instruction; result, a, b and c are 32 bits wide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VideoPlan {
    pub(crate) op: VideoOp,
    pub(crate) lanes: VideoLanes,
    /// Whether result, a and b are signed.
    pub(crate) signs: [Signedness; 3],
    pub(crate) saturates: bool,
    pub(crate) second: Option<ReduceOp>,
    pub(crate) compare: Option<CompareOp>,
    /// Whether amounts of shifts wrap; else they are clamped.
    pub(crate) wraps: bool,
    /// How far the sum of `vmad` is shifted right.
    pub(crate) scale: u32,
    pub(crate) plus_one: bool,
    pub(crate) selection: Selection,
    pub(crate) slots: [Slot; 4],
}

/// A predicate that is read, and whether its opposite is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    pub slot: Slot,
    pub negated: bool,
}

/// What is compared.
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

    /// Returns how the compared integers are interpreted.
    pub const fn signedness(self) -> Signedness {
        use CompareKind as K;
        match self {
            K::S16 | K::S32 | K::S64 => Signedness::Signed,
            K::U16 | K::U32 | K::U64 | K::F32 | K::F64 | K::F16 | K::Bf16 => Signedness::Unsigned,
        }
    }
}

/// The predicate that a comparison is combined with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combine {
    pub op: BoolOp,
    pub slot: Slot,
    pub negated: bool,
}

/// How the third operand of `slct` says which of the others is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignOf {
    Integer,
    Float,
    /// A float, subnormals as zeros.
    Flushed,
}

/// A comparison of two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub kind: CompareKind,
    pub op: CompareOp,
    pub ftz: bool,
    pub a: Slot,
    pub b: Slot,
}

/// An operation of machine code: up to two registers and seven predicates from five registers and seven predicates.
#[derive(Clone, Debug)]
pub(crate) struct MachinePlan {
    pub(crate) op: MachineOp,
    pub(crate) registers: [Slot; 2],
    pub(crate) predicates: [Slot; 7],
    pub(crate) sources: [Slot; 5],
    /// Bit i: source i is negated.
    pub(crate) negated: u8,
    /// Bit i: source i is inverted.
    pub(crate) inverted: u8,
    pub(crate) conditions: [Predicate; 7],
    pub(crate) number: u32,
}

/// A load or a store.
#[derive(Clone, Debug)]
pub struct AccessPlan {
    pub space: StateSpace,
    pub base: Slot,
    /// Whether the base is in the 64-bit bank.
    pub wide: bool,
    pub offset: i64,
    pub element_bytes: u32,
    /// Of all elements.
    pub width_bytes: u32,
    /// Loads of signed types extend.
    pub sign: Signedness,
    pub elements: Vec<Element>,
    /// Bit i: element i is not a sink.
    pub written: u32,
    /// All elements are registers of exactly the element's width, 32 or 64 bits.
    pub whole_registers: bool,
    /// One word for each lane, or four, all of them whole registers: a warp's move in one go.
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

/// What only listeners ask of an access.
#[derive(Clone, Debug)]
pub struct AccessNotes {
    /// Of an element.
    pub ty: ScalarType,
    pub sem: Sem,
    pub scope: Option<Scope>,
    pub cache: CacheHints,
    /// Bytes of a lane that compiled code moves at once, where an instruction becomes several accesses.
    pub access_bytes: Option<u32>,
    /// By element: which of the function's operands it is.
    pub operands: Vec<u32>,
}

/// An atomic operation on memory.
#[derive(Clone, Debug)]
pub struct AtomicPlan {
    /// Its elements are those of the old value.
    pub access: AccessPlan,
    pub op: AtomicOp,
    pub ty: ScalarType,
    /// Whether the old value is returned: `atom`, not `red`.
    pub returns: bool,
    /// One for each element of the old value.
    pub b: Vec<Element>,
    pub c: Element,
}

/// An operation on an mbarrier object.
#[derive(Clone, Debug)]
pub(crate) struct MbarrierPlan {
    /// The object; it has no elements.
    pub(crate) access: AccessPlan,
    pub(crate) action: MbarrierAction,
    /// Count, bytes, state or parity; none where the operation has no such operand.
    pub(crate) value: Element,
    /// The state or the answer.
    pub(crate) result: Element,
    /// Whether the text has the operation; what prepares a snippet is not shown.
    pub(crate) is_of_text: bool,
}

/// What an operation does to an mbarrier object.
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
    /// Asks whether a phase is complete, after waiting for it if `waits`.
    Test {
        phase: Phase,
        waits: bool,
    },
    CheckLayout,
}

/// How a phase is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// By a state that an arrival gave.
    State,
    Parity,
}

/// The start of an operation that lands later.
#[derive(Clone, Debug)]
pub struct AsyncPlan {
    /// Where bytes go; for copies its width is the alignment. None for an arrival.
    pub(crate) to: Option<AccessPlan>,
    /// The object that counts the bytes, or at which the operation arrives.
    pub(crate) mbarrier: Option<AccessPlan>,
    pub(crate) transfer: Transfer,
    /// How the bytes are combined with memory; they replace it where there is none.
    pub(crate) reduces: Option<Reduction>,
    /// The groups of the thread that the operation belongs to.
    pub(crate) group: Option<GroupKind>,
}

/// What an operation brings.
#[derive(Clone, Debug)]
pub(crate) enum Transfer {
    /// The elements of the destination.
    Registers,
    Copy(Source),
    /// An arrival after all earlier copies of the lane.
    Arrival(ArrivalCount),
}

/// Whether an arrival is expected by the phase already, or increments the expected arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrivalCount {
    Expected,
    Added,
}

/// Where a copy comes from.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Its width is the alignment.
    pub(crate) from: AccessPlan,
    /// Bytes that are written.
    pub(crate) size: Element,
    /// Bytes that are read, if fewer.
    pub(crate) read: Option<Element>,
    /// Whether the low bits of the source address count the bytes at the end that are not read (`LDGSTS.ZFILL`).
    pub(crate) address_counts: bool,
    /// Whether nothing is read.
    pub(crate) ignores: Option<Predicate>,
    /// Ranks of the blocks that get the bytes, a bit each.
    pub(crate) blocks: Option<Element>,
    /// Which bytes of each 16 are written.
    pub(crate) byte_mask: Option<Element>,
    /// How many bytes are left out at the start and at the end.
    pub(crate) left_out: Option<[Element; 2]>,
}

/// The start of a copy of a part of a tensor.
#[derive(Clone, Debug)]
pub(crate) struct TensorCopyPlan {
    pub(crate) direction: TensorDirection,
    pub(crate) mode: LoadMode,
    /// Its width is the alignment.
    pub(crate) shared: AccessPlan,
    /// The generic address of the tensor map.
    pub(crate) map: Element,
    pub(crate) coordinates: Vec<Element>,
    /// The object that counts the bytes; a bulk group does where there is none.
    pub(crate) mbarrier: Option<AccessPlan>,
    /// Of a walk over an image.
    pub(crate) offsets: Vec<Element>,
    /// Ranks of the blocks that get the bytes, a bit each.
    pub(crate) blocks: Option<Element>,
    /// Whether the mbarrier may be that of the other block of the pair.
    pub(crate) is_pair: bool,
    /// How the elements are combined with the tensor.
    pub(crate) reduces: Option<AtomicOp>,
}

/// A change of a tensor map, or a fence for one.
#[derive(Clone, Debug)]
pub(crate) enum TensorMapPlan {
    Replace {
        access: AccessPlan,
        field: TensorMapField,
        dimension: usize,
        value: Element,
    },
    /// Copies a map from shared to global memory.
    Publish { to: AccessPlan, from: AccessPlan },
    /// `fence.proxy.tensormap::generic.acquire`: copies that follow read the map as it is now.
    Acquire { map: AccessPlan },
}

/// An operation on the stack of each lane.
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

/// An operation on the launch.
#[derive(Clone, Debug)]
pub(crate) enum LaunchPlan {
    TryCancel {
        to: AccessPlan,
        mbarrier: AccessPlan,
        /// Whether every block of the cluster gets the answer.
        to_all: bool,
    },
    /// Parts of an answer, each to a register.
    Read {
        answer: Element,
        parts: Vec<(Element, AnswerPart)>,
    },
}

/// What is done with a texture or a surface.
#[derive(Clone, Debug)]
pub(crate) enum ImagePlan {
    Sample(SamplePlan),
    Query(QueryPlan),
    Refers(ReferencePlan),
    Access(SurfacePlan),
}

/// An access to memory of several devices.
#[derive(Clone, Debug)]
pub(crate) struct MultimemPlan {
    /// Its elements are those that are loaded.
    pub(crate) access: AccessPlan,
    pub(crate) action: MultimemAction,
    /// What is stored, or combined with what each device holds.
    pub(crate) sources: Vec<Element>,
}

/// What an access to memory of several devices does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MultimemAction {
    /// Combines what all devices hold.
    Load(AtomicOp),
    Store,
    Reduce(AtomicOp),
}

/// A read of a texture.
#[derive(Clone, Debug)]
pub(crate) struct SamplePlan {
    pub(crate) geometry: Geometry,
    /// The channel that is read of four texels.
    pub(crate) gathers: Option<usize>,
    pub(crate) image: Element,
    /// Where textures and samplers are apart.
    pub(crate) sampler: Option<Element>,
    pub(crate) coordinates: Vec<Element>,
    /// Of the coordinates; else they are integers.
    pub(crate) is_float: bool,
    pub(crate) offsets: Vec<Element>,
    /// A float that texels are compared with.
    pub(crate) compared: Option<Element>,
    pub(crate) elements: Vec<Element>,
    /// A predicate that says whether the texels are there.
    pub(crate) resident: Option<Element>,
    /// Of an element.
    pub(crate) to: ScalarType,
}

/// Whether a value refers to a texture, a sampler or a surface.
#[derive(Clone, Debug)]
pub(crate) struct ReferencePlan {
    pub(crate) kind: ReferenceKind,
    /// A predicate.
    pub(crate) to: Element,
    pub(crate) image: Element,
}

/// A question about a texture or a surface.
#[derive(Clone, Debug)]
pub(crate) struct QueryPlan {
    pub(crate) property: Property,
    pub(crate) to: Element,
    pub(crate) image: Element,
    /// Added to the handle.
    pub(crate) addend: i64,
    pub(crate) level: Option<Element>,
}

/// An access to a surface.
#[derive(Clone, Debug)]
pub(crate) struct SurfacePlan {
    pub(crate) op: SurfaceOp,
    pub(crate) geometry: Geometry,
    pub(crate) bounds: SurfaceBounds,
    /// Coordinates count elements, which are converted.
    pub(crate) is_formatted: bool,
    pub(crate) image: Element,
    pub(crate) coordinates: Vec<Element>,
    pub(crate) reduces: Option<AtomicOp>,
    /// Its elements are what is moved; its base is not used.
    pub(crate) access: AccessPlan,
}

/// A wait for groups of asynchronous operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupWait {
    pub kind: GroupKind,
    /// Groups that may be pending; none for no operation at all, grouped or not.
    pub latest: Option<u32>,
    /// Whether only their sources must have been read.
    pub reads: bool,
}

/// `st.bulk`
#[derive(Clone, Debug)]
pub(crate) struct FillPlan {
    pub(crate) access: AccessPlan,
    pub(crate) size: Element,
}

/// A call of one of several functions.
#[derive(Clone, Debug)]
pub struct CallPlan {
    /// Address of the function, for indirect calls.
    pub(crate) register: Element,
    pub(crate) targets: Vec<CallTargetPlan>,
}

/// How arguments go to and results come from a function.
#[derive(Clone, Debug)]
pub(crate) struct CallTargetPlan {
    /// Index into [`Code::functions`].
    pub(crate) function: u32,
    pub(crate) address: u64,
    /// From places of the caller to places of the callee.
    pub(crate) arguments: Vec<(Place, Place)>,
    /// From places of the callee to places of the caller.
    pub(crate) returns: Vec<(Place, Place)>,
}

/// Where a value that crosses a call lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Register(Element),
    /// Bytes of the frame.
    Stack {
        offset: u32,
        size: u32,
    },
}

/// An operation across the lanes of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Collective {
    /// Lanes that must take part; none for the old forms without a mask.
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
        op: ReduceOp,
        ty: ScalarType,
        /// Of floats: magnitudes are compared.
        absolute: bool,
        /// Of floats: the result is a NaN if a source is.
        nan: bool,
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

/// `bar` and `barrier`.
#[derive(Clone, Copy, Debug)]
pub struct BarrierPlan {
    pub id: Slot,
    /// None for the whole block.
    pub threads: Slot,
    pub kind: BarrierMode,
    /// All threads of the warp must come to it together.
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

/// A call into the driver.
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

    /// Whether some instruction makes groups of this kind. Machine code waits by other means, too.
    pub(crate) fn makes_groups(&self, kind: GroupKind) -> bool {
        !self.addresses.is_empty() || self.made_groups.contains(&kind)
    }

    /// Where a function with this index starts, and its frame.
    pub(crate) fn function_at(&self, pc: u32) -> Option<&FunctionCode> {
        let after = self.functions.partition_point(|f| f.start <= pc);
        self.functions.get(after.checked_sub(1)?)
    }

    /// Function and instruction index of a place in the code.
    pub(crate) fn origin(&self, pc: u32) -> (FunctionId, u32) {
        match self.function_at(pc) {
            Some(function) => {
                let index = self.origins.get(pc as usize).copied();
                (function.id, index.unwrap_or(pc - function.start))
            }
            None => (FunctionId(0), 0),
        }
    }

    /// The first code of an instruction, from where its function starts.
    fn start_of(&self, function_start: u32, instruction: u32) -> u32 {
        let origins = self.origins.get(function_start as usize..).unwrap_or(&[]);
        // Within a function, origins ascend.
        let n = origins.iter().take_while(|origin| **origin < instruction);
        function_start + n.count() as u32
    }

    /// Place in the code of a function's instruction; 0 for functions that cannot be reached.
    pub(crate) fn pc_of(&self, function: FunctionId, instruction: u32) -> u32 {
        let found = self.functions.iter().find(|f| f.id == function);
        found.map_or(0, |f| self.start_of(f.start, instruction))
    }

    /// Where the frame of a call depth starts in the banks.
    #[inline(always)]
    pub(crate) fn base(&self, depth: u32) -> BankSizes {
        if depth == 0 {
            BankSizes::default()
        } else {
            self.entry_sizes.plus_times(depth - 1, self.frame_sizes)
        }
    }
}

/// The widest access of a lane, in bytes.
pub(crate) const MAX_WIDTH: usize = 32;
