//! What an instruction does, resolved and typed. The emulator matches on this exhaustively, so a new
//! meaning is one arm there; the front ends build it and nothing else.

use crate::function::{FunctionId, RegisterId, VariableId};
use warpgrid_isa::{
    BitwiseOp, BoolOp, CacheOp, CompareOp, Completion, EvictionPriority, MatrixLayout, MulPart,
    Rounding, ScalarType, Scope, Sem, ShuffleMode, SpecialRegister, StateSpace, VoteMode,
};

/// A value that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Register(RegisterId),
    /// The bits of a literal, in the low bits (a float is already in the format of the operation).
    Immediate(u64),
    Special(SpecialRegister),
    /// The address of a variable plus a constant. `generic` means the generic address.
    VariableAddress {
        variable: VariableId,
        offset: i64,
        generic: bool,
    },
    /// The address of a function, for indirect calls.
    FunctionAddress(FunctionId),
    /// The sink `_`: nothing is read, and the element is not stored.
    Sink,
}

/// Where the base of an address comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBase {
    Register(RegisterId),
    Variable(VariableId),
    /// Absolute: the offset is all.
    None,
}

/// `[base + offset]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub base: AddressBase,
    pub offset: i64,
}

/// How a memory access looks apart from its address and data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    pub space: StateSpace,
    pub sem: Sem,
    /// `None` where no scope is written (weak and volatile accesses).
    pub scope: Option<Scope>,
    pub mmio: bool,
    /// Of one element.
    pub ty: ScalarType,
    /// Hints: shown, never semantic.
    pub cache: Option<CacheOp>,
    pub evict_l1: Option<EvictionPriority>,
    pub evict_l2: Option<EvictionPriority>,
    pub cache_policy: Option<Source>,
    /// `ld.global.nc`
    pub non_coherent: bool,
}

/// Arithmetic of one type over up to three sources. `ty` is that of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    Add,
    Sub,
    /// Integers say which part; floats use `Lo`.
    Mul(MulPart),
    /// a*b+c. Integers say which part; floating `mad` and `fma` are `Fma`.
    Mad(MulPart),
    Mul24(MulPart),
    Mad24(MulPart),
    Sad,
    Div,
    Rem,
    Abs,
    Neg,
    Min,
    Max,
    Fma,
    Rcp,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Lg2,
    Ex2,
    Tanh,
    Copysign,
    And,
    Or,
    Xor,
    Not,
    Cnot,
    /// Three-input logic by truth table.
    Lop3(u8),
    Shl,
    Shr,
    /// Funnel shift of b:a by c; left or right.
    ShfLeft {
        wrap: bool,
    },
    ShfRight {
        wrap: bool,
    },
    Popc,
    Clz,
    Brev,
    /// Position of the most significant non-sign bit; `shift_amount` gives the shift that brings it to the top.
    Bfind {
        shift_amount: bool,
    },
    Bfe,
    /// Sign- or zero-extends the low b bits of a.
    Szext {
        wrap: bool,
    },
    /// Mask of b bits from bit a.
    Bmsk {
        wrap: bool,
    },
    /// Byte permute: selector c in default mode.
    Prmt,
    PrmtMode(PermuteMode),
    /// Four 8-bit products plus c; signedness of a and b.
    Dp4a {
        a_signed: bool,
        b_signed: bool,
    },
    Dp2a {
        a_signed: bool,
        b_signed: bool,
        high: bool,
    },
}

/// Modes of `prmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PermuteMode {
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// Rounding, flushing and clamping of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ArithmeticMode {
    pub rounding: Option<Rounding>,
    /// Flush subnormals to zero.
    pub ftz: bool,
    /// Clamp: integers to their range, floats to [0, 1].
    pub saturate: bool,
    /// `min`/`max`: a NaN input gives NaN.
    pub nan: bool,
    /// `min`/`max`/`fma`: extra bits of the form, as spelled.
    pub xorsign_abs: bool,
    /// `fma.relu`
    pub relu: bool,
}

/// Extended-precision arithmetic: whether the carry flag is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarryUse {
    pub reads: bool,
    pub writes: bool,
}

/// Operations that take part in carry chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carry {
    Add,
    Sub,
    MadLo,
    MadHi,
}

/// A conversion between two types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    pub to: ScalarType,
    pub from: ScalarType,
    pub mode: ArithmeticMode,
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallTarget {
    Direct(FunctionId),
    /// A register that holds a function's address; the candidates are those the prototype or table allows.
    Indirect {
        register: RegisterId,
        candidates: Vec<FunctionId>,
    },
    /// `vprintf`, `malloc`, `free`, `__assertfail`: provided by the driver, by name.
    System(String),
}

/// An argument or result of a call.
pub type CallArgument = Source;

/// What one instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// `d = op(a, b, c)`. Sources that the operation lacks are `Source::Immediate(0)`.
    Arithmetic {
        op: Arithmetic,
        ty: ScalarType,
        mode: ArithmeticMode,
        d: RegisterId,
        sources: [Source; 3],
    },
    /// `bfi`: b with `length` bits from `position` on replaced by the low bits of a.
    BitFieldInsert {
        ty: ScalarType,
        d: RegisterId,
        a: Source,
        b: Source,
        position: Source,
        length: Source,
    },
    /// `add.cc`, `addc`, `madc.hi.cc` and relatives.
    Carry {
        op: Carry,
        ty: ScalarType,
        carry: CarryUse,
        d: RegisterId,
        sources: [Source; 3],
    },
    /// `d = a`, bits unchanged (sizes equal, or a predicate).
    Move {
        ty: ScalarType,
        d: RegisterId,
        a: Source,
    },
    /// `mov.b64 %rd, {%r1, %r2}`: first element in the low bits.
    Pack {
        ty: ScalarType,
        d: RegisterId,
        elements: Vec<Source>,
    },
    /// `mov.b64 {%r1, %r2}, %rd`; `None` is the sink.
    Unpack {
        ty: ScalarType,
        elements: Vec<Option<RegisterId>>,
        a: Source,
    },
    Convert {
        conversion: Conversion,
        d: RegisterId,
        a: Source,
    },
    /// Two floats to one packed register: a in the high half.
    ConvertPacked {
        conversion: Conversion,
        d: RegisterId,
        a: Source,
        b: Source,
    },
    /// `cvta` (`to_space` false: space to generic) and `cvta.to`.
    ConvertAddress {
        space: StateSpace,
        to_space: bool,
        width_bits: u32,
        d: RegisterId,
        a: Source,
    },
    /// `isspacep`
    IsSpace {
        space: StateSpace,
        d: RegisterId,
        a: Source,
    },
    /// `setp`: `d = (a cmp b) bool c`, `q = !(a cmp b) bool c`.
    SetPredicate {
        compare: CompareOp,
        ty: ScalarType,
        ftz: bool,
        d: Option<RegisterId>,
        q: Option<RegisterId>,
        a: Source,
        b: Source,
        combine: Option<(BoolOp, Source, /* negated */ bool)>,
    },
    /// `set`: all ones, 1.0 or zero into a register of type `to`.
    Set {
        compare: CompareOp,
        to: ScalarType,
        ty: ScalarType,
        ftz: bool,
        d: RegisterId,
        a: Source,
        b: Source,
        combine: Option<(BoolOp, Source, bool)>,
    },
    /// `testp`: classifies a float.
    TestFloat {
        test: FloatTest,
        ty: ScalarType,
        d: RegisterId,
        a: Source,
    },
    /// `d = p ? a : b`
    Select {
        ty: ScalarType,
        d: RegisterId,
        a: Source,
        b: Source,
        predicate: Source,
    },
    /// `slct`: `d = (c >= 0) ? a : b`
    SelectSign {
        ty: ScalarType,
        sign_ty: ScalarType,
        ftz: bool,
        d: RegisterId,
        a: Source,
        b: Source,
        c: Source,
    },
    /// Logic on predicates: `and.pred`, `or.pred`, `xor.pred`, `not.pred` (b unused).
    PredicateLogic {
        op: PredicateOp,
        d: RegisterId,
        a: Source,
        b: Source,
    },

    /// Loads one element a destination; `None` is the sink.
    Load {
        access: MemoryAccess,
        address: Address,
        d: Vec<Option<RegisterId>>,
    },
    /// Stores one element a source, in order of address.
    Store {
        access: MemoryAccess,
        address: Address,
        sources: Vec<Source>,
    },
    /// `st.async`: as `Store`, but done at some later time, which `barrier` (if there is one) learns.
    StoreAsync {
        access: MemoryAccess,
        address: Address,
        sources: Vec<Source>,
        /// How the end is reported; `None` where the text does not say.
        completion: Option<Completion>,
        /// The mbarrier; in the space of the access.
        barrier: Option<Address>,
    },
    /// `wmma.store`: all lanes of a warp write a matrix from their fragments.
    WmmaStore {
        shape: MatrixShape,
        layout: MatrixLayout,
        /// Of an element in memory; `.f16` elements come in pairs, two to a source.
        ty: ScalarType,
        space: StateSpace,
        address: Address,
        /// The fragment, in register order.
        sources: Vec<Source>,
        /// Elements from one row (column) to the next; `None` for the default of the shape.
        stride: Option<Source>,
    },
    Atomic {
        op: AtomicOp,
        access: MemoryAccess,
        address: Address,
        d: Option<RegisterId>,
        b: Source,
        c: Option<Source>,
    },
    /// `prefetch`, `discard`, `applypriority`, `createpolicy` without result: no effect on memory.
    Hint,
    /// `createpolicy`: an opaque 64-bit value.
    CreatePolicy {
        d: RegisterId,
    },

    /// To the instruction with this index. `uniform` is the programmer's promise.
    Branch {
        target: u32,
        uniform: bool,
    },
    /// `brx.idx`
    BranchIndexed {
        index: Source,
        targets: Vec<u32>,
    },
    Call {
        target: CallTarget,
        arguments: Vec<CallArgument>,
        returns: Vec<CallArgument>,
        uniform: bool,
    },
    Return,
    Exit,
    Trap,
    Breakpoint,

    /// `bar`/`barrier`: `threads` is `None` for all of the block.
    Barrier {
        kind: BarrierKind,
        id: Source,
        threads: Option<Source>,
        aligned: bool,
    },
    /// `bar.warp.sync`
    WarpBarrier {
        mask: Source,
    },
    /// `membar`, `fence`: order only.
    Fence,
    /// `shfl.sync` (mask given) and `shfl`.
    Shuffle {
        mode: ShuffleMode,
        d: Option<RegisterId>,
        predicate: Option<RegisterId>,
        a: Source,
        b: Source,
        c: Source,
        mask: Option<Source>,
    },
    /// `vote.sync` (mask given) and `vote`; ballot writes 32 bits, the others a predicate.
    Vote {
        mode: VoteMode,
        d: RegisterId,
        a: Source,
        negated: bool,
        mask: Option<Source>,
    },
    /// `match.any`/`match.all`
    Match {
        all: bool,
        ty: ScalarType,
        d: Option<RegisterId>,
        predicate: Option<RegisterId>,
        a: Source,
        mask: Source,
    },
    /// `activemask`
    ActiveMask {
        d: RegisterId,
    },
    /// `redux.sync`
    WarpReduce {
        op: ReduceOp,
        ty: ScalarType,
        d: RegisterId,
        a: Source,
        mask: Source,
    },
    /// `elect.sync`
    Elect {
        d: Option<RegisterId>,
        predicate: RegisterId,
        mask: Source,
    },
    /// `nanosleep`, `pmevent`: no effect here but a turn of the scheduler.
    Yield,
    /// Checked, and refused when it would be executed: the opcode as written.
    NotEmulated {
        opcode: String,
    },
}

/// Shape of a matrix operation: the result has `rows` times `columns` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixShape {
    pub rows: u16,
    pub columns: u16,
    pub depth: u16,
}

/// Tests of `testp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatTest {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

/// Logic on predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PredicateOp {
    And,
    Or,
    Xor,
    Not,
}

/// What an atomic does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    Add,
    Min,
    Max,
    Inc,
    Dec,
    Bitwise(BitwiseOp),
    Exchange,
    CompareExchange,
}

/// What `redux.sync` computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    Add,
    Min,
    Max,
    Bitwise(BitwiseOp),
}

/// Block barriers; reductions name their destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierKind {
    Sync,
    Arrive,
    /// `bar.red`: popc into a 32-bit register, and/or into a predicate.
    Reduce {
        op: BarrierReduce,
        d: RegisterId,
        predicate: RegisterId,
        negated: bool,
    },
}

/// Reductions of `bar.red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierReduce {
    Popc,
    And,
    Or,
}
