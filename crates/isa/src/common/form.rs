//! Instruction forms as data: each table entry specifies the syntax, the requirements and the operation of one instruction form.
//!
//! The `syntax` line is parsed once into slots and operands (see [`crate::form::syntax`]). The parser, the checker, hover, completion and
//! the reference page all use the same entry.

pub mod bind;
pub mod gate;
mod operand_help;
pub mod rule;
pub mod slot;
pub mod suggestion;
pub mod syntax;

pub use bind::{BindError, Binding, BoundForm, bind, is_known_word};
pub use gate::{FactSource, Gate, UnmetRequirements};
pub use rule::{Enforcement, Rule, RuleKind, SlotPredicate, WideAccess, alternatives};
pub use slot::{SlotKey, SlotName};
pub use suggestion::{distance, meant, nearest};
pub use syntax::{
    FormSyntax, ModifierSlot, OperandPosition, OperandShape, SlotKind, forms_of, layouts,
};

use crate::modifier::{
    AtomicOp, BarrierReduce, BlockIndex, BoolOp, CacheLevel, CacheOp, CompareOp, Completion,
    CtaGroup, EvictionPriority, Flag, FloatTest, Geometry, LoadMode, MatrixCount, MatrixLayout,
    MmaKind, MulPart, OverflowMode, PermuteMode, PrefetchSize, Proxy, QueryObject, ReduceOp,
    ReferenceKind, Rounding, ScaleVector, Scope, Sem, ShuffleMode, SurfaceBounds, SurfaceMode,
    TensorMapField, TensorMemoryAccessShape, TensorMemoryCopyShape, TexelComponent, TextureQuery,
    Unpacking, VectorWidth, VoteMode, WarpMulticast,
};
use crate::operation::Operation;
use crate::space::StateSpace;
use crate::target::TargetRequirement;
use crate::types::ScalarType;
use crate::version::Version;

/// Typed value of a modifier, for crates that do not handle source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModifierValue {
    Type(ScalarType),
    Space(StateSpace),
    /// State space of the source address of a copy.
    SourceSpace(StateSpace),
    Vector(VectorWidth),
    Cache(CacheOp),
    Sem(Sem),
    Scope(Scope),
    EvictL1(EvictionPriority),
    EvictL2(EvictionPriority),
    Completion(Completion),
    Layout(MatrixLayout),
    /// Matrix shape such as `m16n16k16`: rows, columns and depth. The depth of `m8n8` is 0.
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
    Query(QueryObject, TextureQuery),
    /// Number of dimensions of a tensor, 1 to 5.
    Dimensions(u8),
    LoadMode(LoadMode),
    CtaGroup(CtaGroup),
    /// Access shape of `tcgen05.ld` and `tcgen05.st`.
    MoveShape(TensorMemoryAccessShape),
    /// Copy shape of `tcgen05.cp`.
    CopyShape(TensorMemoryCopyShape),
    /// Warps to whose lanes `tcgen05.cp` copies each row.
    Warps(WarpMulticast),
    /// Tensor map field that `tensormap.replace` sets.
    Field(TensorMapField),
    /// Component of the CTA index that the instruction reads.
    Block(BlockIndex),
    /// Type of the accumulator of a matrix operation.
    Accumulator(ScalarType),
    /// Unit of surface coordinates.
    Surface(SurfaceMode),
    /// Out-of-bounds behavior of a surface access.
    Beyond(SurfaceBounds),
    Component(TexelComponent),
    /// Kind of reference that `istypep` tests.
    Reference(ReferenceKind),
    /// Modifier that is either present or absent.
    Flag(Flag),
    /// Modifier without a typed value, because it affects neither results nor memory.
    Word,
}

/// Modifier spelling that a slot accepts, with the typed value of the modifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModifierSpelling {
    /// Spelling without the leading dot, such as `L1::evict_first`.
    pub text: &'static str,
    pub meaning: ModifierValue,
    pub gate: Gate,
    /// One-line description of the modifier.
    pub help: &'static str,
}

impl ModifierSpelling {
    /// Returns the same spelling with another gate.
    pub const fn since(self, gate: Gate) -> ModifierSpelling {
        ModifierSpelling { gate, ..self }
    }

    /// Returns the same spelling with another description.
    pub const fn with_help(self, help: &'static str) -> ModifierSpelling {
        ModifierSpelling { help, ..self }
    }
}

/// Set of values that a named slot of the syntax line accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModifierSet {
    /// Slot that accepts these values.
    pub slot: SlotName,
    /// Title of the slot for messages and documentation, such as "state space".
    pub title: &'static str,
    pub values: &'static [ModifierSpelling],
}

/// Type of an operand of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandType {
    /// Type that the modifier in this slot specifies. `Slot(Type)` is the default.
    Slot(SlotName),
    /// Type that the modifier in this slot specifies, or a wider register of the same kind (stores, conversions).
    SlotOrWider(SlotName),
    /// Integer of twice the width of the type in this slot (`mul.wide`).
    Wide(SlotName),
    /// The given type, independent of the modifiers of the instruction.
    Fixed(ScalarType),
    /// One register per element of the vector width. Each register has the type of this slot or a wider type (destinations of loads).
    Vector(SlotName),
    /// One register per element of the vector width. Each register has exactly the type of this slot (vector atomics).
    Elements(SlotName),
    /// Brace-enclosed list with this number of values, each with the type of this slot, such as `{a, b, e, f}`.
    List(SlotName, usize),
    /// Integer of 32 or 64 bits that contains an address.
    AnyAddress,
    /// Any integer or untyped bits type of this width in bits, for shift amounts and lane masks.
    Bits(u32),
    /// Register or literal of exactly this type.
    ExactType(ScalarType),
    /// The given type, or a wider register of the same kind.
    Wider(ScalarType),
    /// Register of a matrix fragment, 32 bits wide. Predicates are accepted, but integer literals are rejected (assembler 13.5).
    FragmentRegister,
    /// Register of an untyped bits type of this width in bits. All other operands are rejected (assembler 13.5).
    Untyped(u32),
    /// Type that the modifier in this slot specifies. Literals must be single-precision (assembler 13.5).
    SingleOf(SlotName),
    /// Integer literal that must be within a range.
    Number(ImmediateRange),
    /// Literal of this width in bits.
    Literal(u32),
    /// Predicate register.
    Predicate,
    /// Address in brackets. Slot `ss` specifies the state space of the address. If this slot is empty, the address is generic.
    Address,
    /// Address of this state space, in brackets.
    AddressIn(StateSpace),
    /// Address of an mbarrier in this state space, in brackets. Without brackets, the assembler also accepts any 64-bit value.
    MbarrierIn(StateSpace),
    /// Branch target or function name.
    Label,
    /// 64-bit register that contains a cache policy.
    CachePolicy,
    /// Operand of a device unit.
    Unit(DeviceUnitOperand),
    /// Operand for which the checker has a separate function per instruction family. The string is a short description of the operand.
    Custom(&'static str),
}

/// Constraint on the value of an immediate operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImmediateRange {
    /// Floating-point literal greater than 0 and at most 1, or a register.
    Fraction,
    /// Number from the first value to the second value, inclusive.
    Between(u64, u64),
    /// Multiple of the first value, from the second value to the third value.
    Multiple(u64, u64, u64),
    /// Any 32-bit integer register, or an immediate that is at most this value.
    UpTo(u64),
    /// Any 32-bit integer register, or an immediate whose low 32 bits are in the range from the first to the second value.
    Within(u32, u32),
    /// Any 32-bit integer register, or an immediate that is a multiple of the first value and at most the second value.
    MultipleUpTo(u64, u64),
    /// Predicate, which may be negated, any 32-bit integer register, or an immediate that is at most this value.
    PredicateOrUpTo(u64),
}

/// Operand types specific to device units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceUnitOperand {
    /// Register of the type in this slot. Immediates are rejected.
    Register(SlotName),
    /// Immediate that is a power of two.
    Alignment,
    /// Number of tensor-memory columns: a power of two from 32 to 512, or a register.
    Columns,
    /// Tensor memory address without brackets: a 32-bit integer. Registers of packed halves are rejected.
    TensorAddress,
    /// Instruction descriptor, which is checked like [`DeviceUnitOperand::TensorAddress`].
    InstructionDescriptor,
    /// 128-bit value, or its parts in braces.
    Packed,
    /// One value for each element of the vector width, with the type of this slot.
    Values(SlotName),
    /// Value of the type in this slot. Integer registers may be wider than the type. For floating-point types, immediates are rejected.
    Widened(SlotName),
    /// Mask of 16 bits in a register.
    Mask,
    /// Size of a copy in bytes: a multiple of 16 below 2^20, or a register.
    Bytes,
    /// Address of this state space, which the assembler also accepts without brackets.
    AddressOrName(StateSpace),
    /// Tensor map and tensor coordinates.
    TensorCoordinates,
    /// List of im2col offsets or im2col sizes.
    Im2colOffsets,
    /// Registers of a tensor memory load or store. The access shape determines the number of registers.
    Words,
    /// 32-bit result of the reduction of a tensor memory load.
    Reduced,
    /// Matrix descriptor of shared memory.
    Descriptor,
    /// 64-bit mask of the columns of B that are treated as zero.
    ZeroColumns,
    /// Operand matrix in tensor memory, or its matrix descriptor in shared memory.
    MatrixOperand,
    /// Disable-output-lane mask of a matrix multiplication: one word per 32 lanes.
    DisableOutputLane,
    /// Accumulators of `wgmma.mma_async`.
    Accumulators,
    /// Operand matrix of `wgmma.mma_async`: registers, or its matrix descriptor in shared memory.
    WarpgroupMatrixOperand,
    /// Sparsity metadata: a 32-bit register or an immediate.
    Metadata,
    /// Texture, sampler or surface of a query instruction, in brackets.
    Reference,
    /// Level of a mipmapped texture.
    Level,
    /// Surface and the coordinates of the accessed element.
    SurfaceCoordinates,
    /// One surface element value for each element of the vector width.
    Texels,
    /// Result of a texture access: four values, or two pairs of halves.
    TexelResult,
    /// Texture, sampler (in independent mode) and coordinates.
    TextureCoordinates,
    /// Level of detail, with the type of the coordinates.
    LevelOfDetail,
    /// Gradient: difference of the coordinates between adjacent lanes.
    Gradient,
    /// Texel offsets, or a depth comparison value if no offsets are present.
    TextureOffset,
    /// Reference value of a depth comparison.
    DepthReference,
    /// Immediate operand with the value 1 or -1.
    Sign,
    /// Immediate operand with an arbitrary value.
    Constant,
    /// Immediate that does not exceed this value.
    NumberUpTo(u64),
    /// Immediate that is at most the first number, or at most the second number on the given targets.
    NumberBy(u64, TargetRequirement, u64),
    /// Immediate n of `scale-input-d`. A matrix multiplication in tensor memory divides the accumulator by 2^n.
    ScaleInputD,
    /// Immediate that is permitted only without a disable-output-lane mask.
    SparseScale,
    /// Predicate, or the immediate 0 or 1.
    PredicateOrBool,
}

/// Role of an operand position of an instruction form: whether the instruction writes or reads the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandAccess {
    Written,
    Read,
}

/// Operand kinds that a form accepts in addition to the kinds that its operand types permit (assembler 13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandExtension {
    /// A source operand may be a special register.
    SpecialRegister,
    /// A source operand may be the name of a variable without brackets, which denotes the address of the variable.
    VariableAddress,
    /// A destination operand that is a single register may be the sink symbol `_`.
    Sink,
    /// A predicate operand may be a register of type `.f16x2`.
    Halves,
    /// A source operand may be a list of four 32-bit registers. The manual does not document this operand.
    FourWords,
    /// Return values and arguments are parenthesized lists.
    ParameterLists,
    /// A source operand must not be the address of a variable, with or without an offset.
    NoAddress,
    /// A source operand or an address may be an array element, `name[index]` (PTX ISA, "Arrays as Operands").
    ArrayElement,
}

/// Strictness of the checks of an address operand (assembler 13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressCheck {
    /// Loads, atomics and prefetches: for global memory and generic addressing, an address register must have exactly the address width of
    /// the module.
    FullWidth,
    /// Loads: like [`AddressCheck::FullWidth`], but special registers are accepted.
    Load,
    /// Like [`AddressCheck::FullWidth`], but address registers of any width are accepted in every state space.
    AnyWidth,
    /// Tensor maps: like [`AddressCheck::FullWidth`], but an integer literal is accepted as an address in every state space.
    TensorMap,
    /// Plain stores: like [`AddressCheck::FullWidth`].
    Store,
    /// Asynchronous and matrix stores: registers must have at least 32 bits in any state space. Constants are rejected, and special
    /// registers are accepted.
    Strict,
    /// mbarrier in shared memory: like [`AddressCheck::Strict`], but registers of any width are accepted.
    Barrier,
    /// Asynchronous copies: registers may have any width in any state space. Constants are rejected, and special registers are accepted.
    AsyncCopy,
    /// Registers must have 32 or 64 bits. Constants and special registers are rejected.
    Plain,
    /// Registers must have 64 bits. Constants and special registers are rejected.
    Full,
    /// Tensor memory: registers must have 32 bits.
    Tensor,
    /// Tensor memory operands of matrix multiplications: registers must have the type `.b32`.
    TensorMemoryMma,
}

/// Set of state spaces in which an integer literal is accepted as an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbsoluteAddressRule {
    Anywhere,
    LocalMemory,
    Nowhere,
}

impl AddressCheck {
    /// Returns whether a register of type `ty` may contain an address in some state space.
    pub const fn takes_register(self, ty: ScalarType) -> bool {
        if matches!(self, AddressCheck::TensorMemoryMma) && !matches!(ty, ScalarType::B32) {
            return false;
        }
        let (least, most) = match self {
            AddressCheck::Plain | AddressCheck::Strict => (32, 64),
            AddressCheck::Full => (64, 64),
            AddressCheck::Tensor | AddressCheck::TensorMemoryMma => (32, 32),
            AddressCheck::FullWidth
            | AddressCheck::Load
            | AddressCheck::AnyWidth
            | AddressCheck::TensorMap
            | AddressCheck::Store
            | AddressCheck::Barrier
            | AddressCheck::AsyncCopy => (8, 64),
        };
        ty.is_integer() && ty.width_bits() >= least && ty.width_bits() <= most
    }

    /// Returns whether an address register for `space` must have exactly the address width of the module.
    pub const fn needs_whole(self, space: StateSpace) -> bool {
        matches!(
            self,
            AddressCheck::FullWidth
                | AddressCheck::Load
                | AddressCheck::TensorMap
                | AddressCheck::Store
        ) && matches!(space, StateSpace::Generic | StateSpace::Global)
    }

    /// Returns the state spaces in which an integer literal is accepted as an address.
    pub const fn constants(self) -> AbsoluteAddressRule {
        match self {
            AddressCheck::FullWidth
            | AddressCheck::Load
            | AddressCheck::AnyWidth
            | AddressCheck::Store => AbsoluteAddressRule::LocalMemory,
            AddressCheck::TensorMap => AbsoluteAddressRule::Anywhere,
            AddressCheck::Strict
            | AddressCheck::Barrier
            | AddressCheck::AsyncCopy
            | AddressCheck::Plain
            | AddressCheck::Full
            | AddressCheck::Tensor
            | AddressCheck::TensorMemoryMma => AbsoluteAddressRule::Nowhere,
        }
    }

    /// Returns whether the address may be a variable.
    pub const fn takes_variable(self) -> bool {
        !matches!(self, AddressCheck::Tensor | AddressCheck::TensorMemoryMma)
    }

    /// Returns whether the address may be a special register.
    pub const fn takes_special(self) -> bool {
        matches!(
            self,
            AddressCheck::Strict
                | AddressCheck::Barrier
                | AddressCheck::AsyncCopy
                | AddressCheck::Load
        )
    }
}

/// Determines which diagnostics are reported for an instruction with an invalid modifier (assembler 13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticPolicy {
    /// Operands and combinations of modifiers are checked only if each modifier is valid on its own.
    ModifiersFirst,
    /// All errors of the instruction are reported.
    Everything,
}

/// Form of an instruction: the modifiers and operands that one syntax line of the manual permits.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Syntax line in the notation of the manual: opcode, modifier slots (`.x` is required, `{.x}` is optional), and operands.
    pub syntax: &'static str,
    /// Value sets of the slots. A slot without a set is a literal modifier with the spelling of the slot.
    pub sets: &'static [&'static ModifierSet],
    /// Number of leading slots that belong to the instruction name (`st.async`, `wmma.store.d`, `mul.lo`). The modifiers in these slots
    /// must directly follow the opcode in the order of the slots. All other modifiers may appear in any order (assembler 13.5).
    pub n_name_modifiers: usize,
    /// Names of optional operands, each with the flag that must be present if and only if the operand is present.
    pub flag_gated_operands: &'static [(&'static str, Flag)],
    /// Names of the destination operands. All other operands are sources.
    pub destination_operands: &'static [&'static str],
    /// Names and types of the operands whose type differs from the type in slot `type`.
    pub types: &'static [(&'static str, OperandType)],
    /// Operand kinds that the form accepts in addition to the kinds that its operand types permit.
    pub operand_extensions: &'static [OperandExtension],
    /// Strictness of the checks of address operands.
    pub address: AddressCheck,
    pub gate: Gate,
    pub operation: Operation,
    /// Constraints between the modifiers of the form.
    pub rules: &'static [Rule],
    /// Literal modifiers that the assembler rejects in versions before the given version and requires from the given version on, although
    /// the syntax line declares them as optional.
    pub required_from: &'static [(Flag, Version)],
    /// Literal modifiers that may be repeated (assembler 13.5).
    pub repeatable: &'static [Flag],
    /// Type modifiers that the assembler ignores after the types of the matrices (assembler 13.5).
    pub ignored_types: &'static [&'static str],
    /// Number of operands after the operands of the syntax line that cause no operand-count error, because the checker of the instruction
    /// family reports a more specific diagnostic.
    pub extra_operands: usize,
    pub reports: DiagnosticPolicy,
    /// One-sentence description of the form.
    pub help: &'static str,
    /// Anchor of the section in the PTX ISA manual.
    pub section: &'static str,
    /// Test cases: instructions that the checker must accept.
    #[cfg(feature = "examples")]
    pub accepted_examples: &'static [&'static str],
    /// Test cases: instructions that the checker must reject, with the expected diagnostic code.
    #[cfg(feature = "examples")]
    pub rejected_examples: &'static [(&'static str, &'static str)],
}

impl Form {
    /// Default values of the fields, for use with the struct update syntax.
    pub const DEFAULT: Form = Form {
        syntax: "",
        sets: &[],
        n_name_modifiers: 0,
        flag_gated_operands: &[],
        destination_operands: &["d"],
        types: &[],
        operand_extensions: &[],
        address: AddressCheck::FullWidth,
        gate: Gate::ALWAYS,
        operation: Operation::Unknown,
        rules: &[],
        required_from: &[],
        repeatable: &[],
        ignored_types: &[],
        extra_operands: 0,
        reports: DiagnosticPolicy::ModifiersFirst,
        help: "",
        section: "",
        #[cfg(feature = "examples")]
        accepted_examples: &[],
        #[cfg(feature = "examples")]
        rejected_examples: &[],
    };

    /// Returns whether the form accepts the additional operand kind `what`.
    pub fn operand_extensions(&self, what: OperandExtension) -> bool {
        self.operand_extensions.contains(&what)
    }

    /// Returns the version from which on the literal modifier `flag` is required. Earlier versions reject the modifier. Returns `None` for
    /// a modifier that does not depend on the version.
    pub fn required_from(&self, flag: Flag) -> Option<Version> {
        let found = self.required_from.iter().find(|(f, _)| *f == flag);
        found.map(|(_, version)| *version)
    }
}
