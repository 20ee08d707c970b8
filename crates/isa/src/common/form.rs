//! Instruction forms as data: one row says how a form is spelled, what it needs and what it does.
//!
//! The row's `syntax` is read once at start-up into slots and operands (see [`crate::form::layout`]); parser, checker,
//! hover, completion and the reference page all read the same row.

pub mod bind;
pub mod gate;
pub mod layout;
mod operand_help;
pub mod rule;
pub mod slot;
pub mod spelling;

pub use bind::{Binding, Bound, Complaint, bind, is_known_word};
pub use gate::{Gate, Lacking, Origin};
pub use layout::{Layout, OperandShape, OperandSlot, Slot, SlotKind, forms_of, layouts};
pub use rule::{Pick, Rule, RuleKind, Verdict, Wide, alternatives};
pub use slot::{SlotKey, SlotName};
pub use spelling::{distance, meant, nearest};

use crate::does::Does;
use crate::modifier::{
    AtomicOp, BarrierReduce, BlockIndex, BoolOp, CacheLevel, CacheOp, CompareOp, Completion,
    CopyShape, CtaGroup, EvictionPriority, Flag, FloatTest, Geometry, LoadMode, MatrixCount,
    MatrixLayout, MmaKind, MoveShape, MulPart, OverflowMode, PermuteMode, PrefetchSize, Property,
    Proxy, Queried, ReduceOp, ReferenceKind, Rounding, ScaleVector, Scope, Sem, ShuffleMode,
    SurfaceBounds, SurfaceMode, TensorMapField, TexelComponent, Unpacking, VectorWidth, VoteMode,
    WarpMulticast,
};
use crate::space::StateSpace;
use crate::target::TargetGate;
use crate::types::ScalarType;
use crate::version::Version;

/// What one spelled modifier means to the rooms that never see text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    Type(ScalarType),
    Space(StateSpace),
    /// Where a copy comes from.
    SourceSpace(StateSpace),
    Vector(VectorWidth),
    Cache(CacheOp),
    Sem(Sem),
    Scope(Scope),
    EvictL1(EvictionPriority),
    EvictL2(EvictionPriority),
    Completion(Completion),
    Layout(MatrixLayout),
    /// `m16n16k16`: rows, columns, depth; the depth of `m8n8` is 0.
    Shape(u16, u16, u16),
    Count(MatrixCount),
    Kind(MmaKind),
    ScaleVector(ScaleVector),
    Unpacking(Unpacking),
    Round(Rounding),
    Compare(CompareOp),
    Bool(BoolOp),
    Part(MulPart),
    Shuffle(ShuffleMode),
    Vote(VoteMode),
    Overflow(OverflowMode),
    Permute(PermuteMode),
    Test(FloatTest),
    Atomic(AtomicOp),
    Reduce(ReduceOp),
    BarrierReduce(BarrierReduce),
    CacheLevel(CacheLevel),
    Prefetch(PrefetchSize),
    Proxy(Proxy),
    Geometry(Geometry),
    Query(Queried, Property),
    /// Dimensions of a tensor: 1 to 5.
    Dimensions(u8),
    LoadMode(LoadMode),
    CtaGroup(CtaGroup),
    /// What an access to tensor memory moves.
    MoveShape(MoveShape),
    /// What a copy to tensor memory moves.
    CopyShape(CopyShape),
    /// Which warps a copy to tensor memory is for.
    Warps(WarpMulticast),
    /// What `tensormap.replace` replaces.
    Field(TensorMapField),
    /// Which part of the index of a block is read.
    Block(BlockIndex),
    /// The type in which sums are kept.
    Accumulator(ScalarType),
    /// What the coordinates of a surface count.
    Surface(SurfaceMode),
    /// What happens outside of a surface.
    Beyond(SurfaceBounds),
    Component(TexelComponent),
    /// What a value may refer to.
    Reference(ReferenceKind),
    /// A modifier that is either written or not.
    Flag(Flag),
    /// A word that changes nothing that is computed or stored.
    Word,
}

/// One spelling that a slot takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// Without the leading dot: `L1::evict_first`.
    pub text: &'static str,
    pub meaning: Meaning,
    pub gate: Gate,
    /// One line in our own words.
    pub help: &'static str,
}

impl Value {
    /// The same value with another gate.
    pub const fn since(self, gate: Gate) -> Value {
        Value { gate, ..self }
    }

    /// The same value with another line of help.
    pub const fn saying(self, help: &'static str) -> Value {
        Value { help, ..self }
    }
}

/// The values of a named slot of the syntax line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Set {
    /// The slot that takes them.
    pub slot: SlotName,
    /// Title of the slot: "state space".
    pub title: &'static str,
    pub values: &'static [Value],
}

/// What type an operand of a form has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandType {
    /// The type in this slot (`Slot(Type)` is what an operand has when nothing is said).
    Slot(SlotName),
    /// The type in this slot, or a wider register of its kind (stores, conversions).
    Loose(SlotName),
    /// An integer of twice the width of the type in this slot (`mul.wide`).
    Wide(SlotName),
    /// Always this type.
    Fixed(ScalarType),
    /// As many registers as the vector width says, each of the type in this slot or wider (what loads write).
    Vector(SlotName),
    /// As many registers as the vector width says, each of the very type in this slot (vector atomics).
    Elements(SlotName),
    /// As many values of the type in this slot, in braces: `{a, b, e, f}`.
    List(SlotName, usize),
    /// An integer of 32 or 64 bits that holds an address.
    AnyAddress,
    /// Fixed width, any integer or bits type: shift amounts, lane masks.
    Bits(u32),
    /// A register of the very type, or a literal of it.
    Own(ScalarType),
    /// This type, or a wider register of its kind.
    Wider(ScalarType),
    /// A word of a fragment: a register of 32 bits, where predicates pass too and integers do not (assembler 13.5).
    Row,
    /// A register of untyped bits of this width, and nothing else (assembler 13.5).
    Untyped(u32),
    /// The type in this slot; a literal is a single (assembler 13.5).
    SingleOf(SlotName),
    /// A number with bounds.
    Number(NumberRule),
    /// A literal of this width.
    Literal(u32),
    /// A predicate.
    Predicate,
    /// An address in brackets; the space is that of slot `ss`, generic without one.
    Address,
    /// An address in brackets in this space.
    AddressIn(StateSpace),
    /// An mbarrier in brackets in this space; without brackets the assembler takes any 64-bit value too.
    MbarrierIn(StateSpace),
    /// A branch target or the name of a function.
    Label,
    /// A 64-bit cache policy.
    CachePolicy,
    /// An operand of another unit of the device.
    Unit(UnitOperand),
    /// Checked by code of the family; what it is, in a phrase.
    Custom(&'static str),
}

/// Which numbers an operand takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberRule {
    /// A floating-point literal above 0, at most 1, or a register.
    Fraction,
    /// A number from the first to the second.
    Between(u64, u64),
    /// A multiple of the first number, from the second to the third.
    Multiple(u64, u64, u64),
    /// Any 32-bit integer; a number is at most this.
    UpTo(u64),
    /// Any 32-bit integer; a number, cut to 32 bits, is one from the first to the second.
    Within(u32, u32),
    /// Any 32-bit integer; a number is a multiple of the first and at most the second.
    MultipleUpTo(u64, u64),
    /// A predicate that may be negated, or any 32-bit integer, which as a number is at most this.
    PredicateOrUpTo(u64),
}

/// Operands that only instructions of units beside the lanes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitOperand {
    /// A register of the type in this slot, and no number.
    Register(SlotName),
    /// A number that is a power of two.
    Alignment,
    /// Columns of tensor memory: a power of two from 32 to 512, or a register.
    Columns,
    /// An address in tensor memory without brackets: an integer of 32 bits, which no packed halves are.
    TensorAddress,
    /// The descriptor of an instruction: the same.
    InstructionDescriptor,
    /// A value of 128 bits, or parts of one in braces.
    Packed,
    /// As many values of the type in this slot as the vector width says.
    Values(SlotName),
    /// A value of the type in this slot, or a wider one of its kind that is no float; no number for a float.
    Widened(SlotName),
    /// A mask of 16 bits.
    Mask,
    /// Bytes of a copy: a multiple of 16 below 2^20, or a register.
    Bytes,
    /// An address in this space, whose brackets the assembler does not ask for.
    AddressOrName(StateSpace),
    /// The description of a tensor, and coordinates.
    TensorPlace,
    /// Offsets or sizes of a walk over an image.
    ImageOffsets,
    /// As many words as tensor memory is read or written.
    Words,
    /// One word that a reduction writes.
    Reduced,
    /// The descriptor of a matrix in shared memory.
    Descriptor,
    /// A mask of 64 bits: the columns of B that count as zero.
    ZeroColumns,
    /// A factor in tensor memory, or the descriptor of one in shared memory.
    Factor,
    /// Lanes that a product leaves out: a word for each 32 of them.
    Lanes,
    /// The sums of a product of four warps.
    Sums,
    /// A factor of such a product: registers, or the descriptor of one in shared memory.
    WarpgroupFactor,
    /// A register of 32 bits, or a number, that says what a sparse factor has.
    Metadata,
    /// The texture, sampler or surface in brackets that a query is about.
    Reference,
    /// A level of a mipmap.
    Level,
    /// A surface, and coordinates.
    SurfacePlace,
    /// As many values of a surface as the vector width says.
    Texels,
    /// The texels that a texture gives: four values, or two pairs of halves.
    Sampled,
    /// A texture, a sampler where they are apart, and coordinates.
    TexturePlace,
    /// A level of detail, of the type of the coordinates.
    Detail,
    /// How far coordinates are from those of the next lane.
    Gradient,
    /// Texels to go on, or alone a value to compare with.
    TextureOffset,
    /// A value that texels are compared with.
    Compared,
    /// 1 or -1.
    Sign,
    /// A number, whatever its size.
    Constant,
    /// A number that is at most this.
    NumberUpTo(u64),
    /// A number that is at most the first, and on these targets at most the second.
    NumberBy(u64, TargetGate, u64),
    /// The power of two that the sum of a product in tensor memory is divided by.
    SumScale,
    /// A number, where no lanes are left out.
    SparseScale,
    /// A predicate, 0 or 1.
    Condition,
}

/// Whether an instruction writes an operand or reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Written,
    Read,
}

/// What an operand of a form may be besides what its type says (assembler 13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A source may be a special register.
    SpecialRegister,
    /// A source may be the bare name of a variable, which is its address.
    VariableAddress,
    /// A single destination may be the sink `_`.
    Sink,
    /// A predicate may be a register of packed halves.
    Halves,
    /// A source may be a list of four registers of 32 bits, of which the manual says nothing.
    FourWords,
    /// Results and parameters are lists in parentheses.
    ParameterLists,
    /// A source may not be the address of a variable, with or without an offset.
    NoAddress,
    /// A source or address may be an array element, `name[index]` (PTX ISA, "Arrays as Operands").
    ArrayElement,
}

/// How strictly the addresses of a form are checked (assembler 13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// Loads, atomics and prefetches: registers as wide as addresses are, in global memory and in generic addressing.
    Whole,
    /// Loads: as [`Addressing::Whole`], and special registers are taken.
    Loaded,
    /// As [`Addressing::Whole`], with registers of any width in any space.
    AnyWidth,
    /// The description of a tensor: as [`Addressing::Whole`], and a number alone is an address anywhere.
    Described,
    /// Plain stores: as [`Addressing::Whole`].
    Stored,
    /// Asynchronous and matrix stores: registers of at least 32 bits whatever the space, no constants; special registers
    /// are taken.
    Strict,
    /// An mbarrier in shared memory: as [`Addressing::Strict`], with registers of any width.
    Barrier,
    /// Asynchronous copies: registers of any width in any space, no constants; special registers are taken.
    Copied,
    /// Registers of 32 or 64 bits, no constants, no special registers.
    Plain,
    /// Registers of 64 bits, no constants, no special registers.
    Full,
    /// Tensor memory: registers of 32 bits and nothing else.
    Tensor,
    /// Tensor memory, for products: registers of 32 untyped bits and nothing else.
    Product,
}

/// Where a number alone is an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    Anywhere,
    LocalMemory,
    Nowhere,
}

impl Addressing {
    /// Whether a register of type `ty` can hold an address, wherever it points.
    pub const fn takes_register(self, ty: ScalarType) -> bool {
        if matches!(self, Addressing::Product) && !matches!(ty, ScalarType::B32) {
            return false;
        }
        let (least, most) = match self {
            Addressing::Plain | Addressing::Strict => (32, 64),
            Addressing::Full => (64, 64),
            Addressing::Tensor | Addressing::Product => (32, 32),
            Addressing::Whole
            | Addressing::Loaded
            | Addressing::AnyWidth
            | Addressing::Described
            | Addressing::Stored
            | Addressing::Barrier
            | Addressing::Copied => (8, 64),
        };
        ty.is_integer() && ty.width_bits() >= least && ty.width_bits() <= most
    }

    /// Whether a register with an address in this space must be as wide as the module says addresses are.
    pub const fn needs_whole(self, space: StateSpace) -> bool {
        matches!(
            self,
            Addressing::Whole | Addressing::Loaded | Addressing::Described | Addressing::Stored
        ) && matches!(space, StateSpace::Generic | StateSpace::Global)
    }

    /// Where a number alone is an address.
    pub const fn constants(self) -> Constants {
        match self {
            Addressing::Whole | Addressing::Loaded | Addressing::AnyWidth | Addressing::Stored => {
                Constants::LocalMemory
            }
            Addressing::Described => Constants::Anywhere,
            Addressing::Strict
            | Addressing::Barrier
            | Addressing::Copied
            | Addressing::Plain
            | Addressing::Full
            | Addressing::Tensor
            | Addressing::Product => Constants::Nowhere,
        }
    }

    /// Whether a variable may be the address.
    pub const fn takes_variable(self) -> bool {
        !matches!(self, Addressing::Tensor | Addressing::Product)
    }

    /// Whether a special register may be the address.
    pub const fn takes_special(self) -> bool {
        matches!(
            self,
            Addressing::Strict | Addressing::Barrier | Addressing::Copied | Addressing::Loaded
        )
    }
}

/// Which diagnostics a wrong modifier leaves room for (assembler 13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    /// Rules between modifiers and operands are checked once every single modifier is right.
    ModifiersFirst,
    /// Everything that is wrong is reported at once.
    Everything,
}

/// Instruction form.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The manual's own syntax line: opcode, slots (`.x` required, `{.x}` optional), operands.
    pub syntax: &'static str,
    /// Values of the slots; a slot without a set is a literal modifier of that spelling.
    pub sets: &'static [&'static Set],
    /// How many of the first slots belong to the name of the instruction (`st.async`, `wmma.store.d`, `mul.lo`): their
    /// words come right after the opcode, in this order; all others are free in their order (assembler 13.5).
    pub leads: usize,
    /// Optional operands that are there where a flag is written, and only there.
    pub announced: &'static [(&'static str, Flag)],
    /// Names of the operands that are written; all others are read.
    pub writes: &'static [&'static str],
    /// Operand types that are not that of the slot `type`.
    pub types: &'static [(&'static str, OperandType)],
    /// What operands may be besides.
    pub takes: &'static [Takes],
    /// How strictly its addresses are checked.
    pub address: Addressing,
    pub gate: Gate,
    pub does: Does,
    /// What holds between the modifiers.
    pub rules: &'static [Rule],
    /// Literals that are refused before a version and required from it on, although the syntax line makes them optional.
    pub required_from: &'static [(Flag, Version)],
    /// Literals that may be written twice (assembler 13.5).
    pub repeatable: &'static [Flag],
    /// Types that mean nothing after those of the matrices (assembler 13.5).
    pub overlooks: &'static [&'static str],
    /// Operands beyond the line's that are not refused by their number, since the family has a diagnostic for them.
    pub extra_operands: usize,
    pub reports: Reports,
    /// One sentence in our own words.
    pub help: &'static str,
    /// Anchor of the PTX ISA section.
    pub section: &'static str,
    /// Instructions that must be accepted.
    #[cfg(feature = "examples")]
    pub good: &'static [&'static str],
    /// Instructions that must be refused, with the code of the diagnostic.
    #[cfg(feature = "examples")]
    pub bad: &'static [(&'static str, &'static str)],
}

impl Form {
    /// A row that says nothing: what the fields are that a row leaves out.
    pub const BLANK: Form = Form {
        syntax: "",
        sets: &[],
        leads: 0,
        announced: &[],
        writes: &["d"],
        types: &[],
        takes: &[],
        address: Addressing::Whole,
        gate: Gate::ALWAYS,
        does: Does::Unknown,
        rules: &[],
        required_from: &[],
        repeatable: &[],
        overlooks: &[],
        extra_operands: 0,
        reports: Reports::ModifiersFirst,
        help: "",
        section: "",
        #[cfg(feature = "examples")]
        good: &[],
        #[cfg(feature = "examples")]
        bad: &[],
    };

    /// Whether operands may be this.
    pub fn takes(&self, what: Takes) -> bool {
        self.takes.contains(&what)
    }

    /// The version from which on the literal `flag` is required; before it, the literal is refused. `None` for literals
    /// that are the same in every version.
    pub fn required_from(&self, flag: Flag) -> Option<Version> {
        let found = self.required_from.iter().find(|(f, _)| *f == flag);
        found.map(|(_, version)| *version)
    }
}
