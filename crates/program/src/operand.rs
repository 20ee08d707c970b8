//! Resolved operands of instructions: registers by number, variables by index, labels by instruction index.
//!
//! Operands are stored in the order of the syntax line of the instruction form. Lists (vectors, arguments, branch tables) are
//! ranges of the operands of the function. An instruction is therefore small, and a function needs two allocations for all its
//! instructions and operands.

use crate::ids::{FunctionId, RegisterId, VariableId};
use crate::sass_info::LaunchConstant;
use crate::span::Span;
use warpgrid_isa::SpecialRegister;

/// Consecutive operands in [`Function::operands`](crate::Function::operands).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct OperandList {
    pub start: u32,
    pub n: u32,
}

/// Operand with its source span.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    pub value: OperandValue,
    pub span: Span,
}

/// Kind and contents of an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandValue {
    /// Optional operand that the source omits.
    Absent,
    /// Destination register; `None` for the sink `_`.
    Destination(Option<RegisterTuple>),
    /// Destination register and destination predicate: `d|p`. `None` for a half that is omitted or a sink.
    Pair(Option<RegisterTuple>, Option<RegisterId>),
    /// Source value.
    Source(Source, SourceModifiers),
    /// Source predicate; `negated` for `!p`.
    Predicate { source: Source, negated: bool },
    /// Memory address.
    Address(Address),
    /// Elements of a vector, arguments of a call, or targets of a branch table. Lists are not nested.
    List(OperandList),
    /// Index of the target instruction.
    Label(u32),
    /// Target of a call.
    Callee(Callee),
}

/// Consecutive registers that contain one value, low bits first: one register in PTX; pairs and quads of 32-bit registers in
/// machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterTuple {
    pub first: RegisterId,
    /// Number of registers: 1, 2 or 4.
    pub n: u8,
}

impl RegisterTuple {
    /// Creates a run of a single register.
    pub const fn one(register: RegisterId) -> RegisterTuple {
        RegisterTuple {
            first: register,
            n: 1,
        }
    }

    /// Returns the registers, low bits first.
    pub fn registers(self) -> impl Iterator<Item = RegisterId> {
        (0..u32::from(self.n)).map(move |i| RegisterId(self.first.0 + i))
    }
}

/// Value that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Register(RegisterTuple),
    /// Bits of a literal, in the low bits. A floating-point literal is already in the format of the operation.
    Immediate(u64),
    Special(SpecialRegister),
    /// Register plus a constant, added at the width of the register.
    RegisterOffset {
        register: RegisterId,
        offset: i64,
    },
    /// Address of a variable plus a constant; the generic address if `generic` is set.
    VariableAddress {
        variable: VariableId,
        offset: i64,
        generic: bool,
    },
    /// Address of a function, for indirect calls.
    FunctionAddress(FunctionId),
    /// Word of a constant bank, `c[bank][offset]`. Constant banks contain the kernel parameters and the values that the launch
    /// sets.
    Constant {
        bank: u8,
        byte_offset: u32,
    },
    /// Value that the launch determines.
    Launch(LaunchConstant),
    /// Sink `_`: the instruction reads no value, and does not store the element.
    Sink,
}

impl Source {
    /// Returns the registers that the source reads, if any.
    pub const fn register(self) -> Option<RegisterTuple> {
        match self {
            Source::Register(run) => Some(run),
            Source::RegisterOffset { register, .. } => Some(RegisterTuple::one(register)),
            Source::Immediate(_)
            | Source::Special(_)
            | Source::VariableAddress { .. }
            | Source::FunctionAddress(_)
            | Source::Constant { .. }
            | Source::Launch(_)
            | Source::Sink => None,
        }
    }
}

/// Operations on a source before the instruction reads the source. PTX sources have no source modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SourceModifiers {
    /// `-a`
    pub negate: bool,
    /// `|a|`; applied before the negation.
    pub absolute: bool,
    /// `~a`
    pub invert: bool,
    /// Part of the source; selected before the other modifiers are applied.
    pub part: SubregisterSelector,
}

/// Part of a 32-bit source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum SubregisterSelector {
    #[default]
    Whole,
    /// Low 16 bits, duplicated in both halves: `.H0_H0`.
    LowTwice,
    /// High 16 bits, duplicated in both halves: `.H1_H1`.
    HighTwice,
    /// Swapped halves: `.H0_H1`.
    Swapped,
    /// Byte with this index, 0 to 3, zero-extended: `.B1`.
    Byte(u8),
}

impl SourceModifiers {
    /// No modifiers.
    pub const NONE: SourceModifiers = SourceModifiers {
        negate: false,
        absolute: false,
        invert: false,
        part: SubregisterSelector::Whole,
    };
}

/// Base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBase {
    Register(RegisterTuple),
    Variable(VariableId),
    /// Constant bank of machine code, and a register that is added.
    Bank {
        bank: u8,
        index: Option<RegisterTuple>,
    },
    /// No base: the offset is an absolute address.
    None,
}

impl AddressBase {
    /// Returns the register of the base, if it has one.
    pub const fn register(self) -> Option<RegisterTuple> {
        match self {
            AddressBase::Register(run) => Some(run),
            AddressBase::Bank { index, .. } => index,
            AddressBase::Variable(_) | AddressBase::None => None,
        }
    }
}

/// `[base * scale + uniform + offset]`; PTX has no scale, and a uniform part only in elements of call parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub base: AddressBase,
    /// Binary logarithm of the factor by which the base is multiplied.
    pub scale_log2: u8,
    /// Second register that is added; a uniform register in machine code.
    pub uniform: Option<RegisterTuple>,
    /// Offset in bytes.
    pub offset: i64,
}

impl Address {
    /// Creates the address `[base + offset]`.
    pub const fn new(base: AddressBase, offset: i64) -> Address {
        Address {
            base,
            scale_log2: 0,
            uniform: None,
            offset,
        }
    }
}

/// Target of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    Direct(FunctionId),
    /// Register that contains the address of a function. The candidates are the functions that the prototype or the call table
    /// permits.
    Indirect {
        register: RegisterId,
        candidates: Vec<FunctionId>,
    },
    /// Function that the driver provides, by name: `vprintf`, `malloc`, `free`, `__assertfail`.
    System(String),
}
