//! Operands of instructions, resolved: registers by number, variables by index, labels by instruction.
//!
//! Operands stand in the order of the row's syntax line. Lists (vectors, arguments, branch tables) are ranges of the
//! function's operands, so that an instruction is small and a function has two allocations for all of them.

use crate::ids::{FunctionId, RegisterId, VariableId};
use crate::machine::LaunchFact;
use crate::span::Span;
use warpgrid_isa::SpecialRegister;

/// Operands that follow each other in [`Function::operands`](crate::Function::operands).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct OperandList {
    pub start: u32,
    pub n: u32,
}

/// One operand, and its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    pub value: OperandValue,
    pub span: Span,
}

/// What an operand is.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandValue {
    /// An optional operand that is left out.
    Absent,
    /// A register that is written; `None` for the sink `_`.
    Destination(Option<RegisterRun>),
    /// A register and a predicate that are written: `d|p`. `None` for a half that is left out or a sink.
    Pair(Option<RegisterRun>, Option<RegisterId>),
    /// A value that is read.
    Source(Source, SourceModifiers),
    /// A predicate that is read; `negated` for `!p`.
    Predicate { source: Source, negated: bool },
    /// A place in memory.
    Address(Address),
    /// Elements of a vector, arguments of a call, targets of a branch table. Lists hold no lists.
    List(OperandList),
    /// The instruction with this index.
    Label(u32),
    /// What is called.
    Callee(Callee),
}

/// Registers that follow each other and hold one value, the low bits first: one register in PTX, pairs and quads of
/// 32-bit registers in machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterRun {
    pub first: RegisterId,
    /// 1, 2 or 4.
    pub n: u8,
}

impl RegisterRun {
    /// A single register.
    pub const fn one(register: RegisterId) -> RegisterRun {
        RegisterRun {
            first: register,
            n: 1,
        }
    }

    /// The registers, low bits first.
    pub fn registers(self) -> impl Iterator<Item = RegisterId> {
        (0..u32::from(self.n)).map(move |i| RegisterId(self.first.0 + i))
    }
}

/// A value that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Register(RegisterRun),
    /// The bits of a literal, in the low bits (a float is already in the format of the operation).
    Immediate(u64),
    Special(SpecialRegister),
    /// A register plus a constant, added at the register's width.
    RegisterOffset {
        register: RegisterId,
        offset: i64,
    },
    /// The address of a variable plus a constant. `generic` means the generic address.
    VariableAddress {
        variable: VariableId,
        offset: i64,
        generic: bool,
    },
    /// The address of a function, for indirect calls.
    FunctionAddress(FunctionId),
    /// A word of a constant bank, `c[bank][offset]`; the bank holds the parameters and what the launch sets.
    Constant {
        bank: u8,
        byte_offset: u32,
    },
    /// What the launch decides.
    Launch(LaunchFact),
    /// The sink `_`: nothing is read, and the element is not stored.
    Sink,
}

impl Source {
    /// Returns the registers that the source reads, if any.
    pub const fn register(self) -> Option<RegisterRun> {
        match self {
            Source::Register(run) => Some(run),
            Source::RegisterOffset { register, .. } => Some(RegisterRun::one(register)),
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

/// What is done to a source before the instruction reads it. All are absent in PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SourceModifiers {
    /// `-a`
    pub negate: bool,
    /// `|a|`; taken before the negation.
    pub absolute: bool,
    /// `~a`
    pub invert: bool,
    /// What is taken of the source, before all else.
    pub part: SourcePart,
}

/// Which part of a 32-bit source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum SourcePart {
    #[default]
    Whole,
    /// The low 16 bits, in both halves: `.H0_H0`.
    LowTwice,
    /// The high 16 bits, in both halves: `.H1_H1`.
    HighTwice,
    /// The halves change places: `.H0_H1`.
    Swapped,
    /// The byte with this number, 0 to 3, with zeros above it: `.B1`.
    Byte(u8),
}

impl SourceModifiers {
    /// The source as it is.
    pub const NONE: SourceModifiers = SourceModifiers {
        negate: false,
        absolute: false,
        invert: false,
        part: SourcePart::Whole,
    };
}

/// Where the base of an address comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBase {
    Register(RegisterRun),
    Variable(VariableId),
    /// A constant bank of machine code, and a register that is added.
    Bank {
        bank: u8,
        index: Option<RegisterRun>,
    },
    /// Absolute: the offset is all.
    None,
}

impl AddressBase {
    /// Returns the register of the base, if it has one.
    pub const fn register(self) -> Option<RegisterRun> {
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
    /// The base is multiplied by `1 << scale_log2`.
    pub scale_log2: u8,
    /// A second register that is added, a uniform one in machine code.
    pub uniform: Option<RegisterRun>,
    /// In bytes.
    pub offset: i64,
}

impl Address {
    /// `[base + offset]`
    pub const fn new(base: AddressBase, offset: i64) -> Address {
        Address {
            base,
            scale_log2: 0,
            uniform: None,
            offset,
        }
    }
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    Direct(FunctionId),
    /// A register that holds a function's address; the candidates are those that the prototype or table allows.
    Indirect {
        register: RegisterId,
        candidates: Vec<FunctionId>,
    },
    /// `vprintf`, `malloc`, `free`, `__assertfail`: provided by the driver, by name.
    System(String),
}
