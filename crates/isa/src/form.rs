//! Instruction forms as data: one row says how a form is spelled, what it needs and what it does.
//!
//! The row's `syntax` is read once at start-up into slots and operands (see [`crate::form::layout`]);
//! parser, checker, hover, completion and the reference page all read the same row.

pub mod bind;
pub mod layout;
pub mod rule;
pub mod spelling;

pub use bind::{Binding, Bound, Complaint, bind, is_known_word};
pub use layout::{Layout, OperandShape, OperandSlot, Slot, SlotKind, forms_of, layouts};
pub use rule::{Pick, Rule, RuleKind, Verdict, Wide};
pub use spelling::{meant, nearest};

use crate::does::Does;
use crate::modifier::{
    AtomicOp, BarrierReduce, BoolOp, CacheLevel, CacheOp, CompareOp, Completion, EvictionPriority,
    Flag, FloatTest, MatrixLayout, MulPart, OverflowMode, PermuteMode, PrefetchSize, Proxy,
    ReduceOp, Rounding, Scope, Sem, ShuffleMode, VectorWidth, VoteMode,
};
use crate::space::StateSpace;
use crate::types::ScalarType;
use crate::version::Version;

/// Since when, and from which target on, something exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// First PTX ISA version.
    pub ptx: Version,
    /// First architecture number; 0 for every target.
    pub sm: u16,
    /// Where the fact comes from.
    pub origin: Origin,
}

impl Gate {
    /// No condition at all.
    pub const ALWAYS: Gate = Gate::ptx(1, 0);

    /// A documented first version, any target.
    pub const fn ptx(major: u8, minor: u8) -> Gate {
        Gate {
            ptx: Version::new(major, minor),
            sm: 0,
            origin: Origin::Documented,
        }
    }

    /// The same gate, from an architecture on.
    pub const fn sm(self, sm: u16) -> Gate {
        Gate { sm, ..self }
    }

    /// The same gate, as the reference assembler of this version has it, against or beyond the manual.
    pub const fn assembler(self, version: &'static str) -> Gate {
        Gate {
            origin: Origin::Assembler(version),
            ..self
        }
    }
}

/// Where a fact comes from; shown beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The section of the PTX ISA that the form names.
    Documented,
    /// Verdicts of this version of the reference assembler.
    Assembler(&'static str),
    /// Measured on this target.
    Measured(&'static str),
}

/// What one spelled modifier means to the rooms that never see text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    Type(ScalarType),
    Space(StateSpace),
    Vector(VectorWidth),
    Cache(CacheOp),
    Sem(Sem),
    Scope(Scope),
    EvictL1(EvictionPriority),
    EvictL2(EvictionPriority),
    Completion(Completion),
    Layout(MatrixLayout),
    /// `m16n16k16`: rows, columns, depth.
    Shape(u16, u16, u16),
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
    /// A modifier that is either written or not.
    Flag(Flag),
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

/// The values of a named slot of the syntax line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Set {
    /// The slot as the syntax line writes it, without the dot: `ss`.
    pub slot: &'static str,
    /// What the slot says, as a noun: "state space".
    pub title: &'static str,
    pub values: &'static [Value],
}

/// What type an operand of a form has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandType {
    /// The type in this slot (`Slot("type")` is what an operand has when nothing is said).
    Slot(&'static str),
    /// The type in this slot, or a wider register of its kind (loads, stores, conversions).
    Loose(&'static str),
    /// An integer of twice the width of the type in this slot (`mul.wide`).
    Wide(&'static str),
    /// Always this type.
    Fixed(ScalarType),
    /// Fixed width, any integer or bits type: shift amounts, lane masks.
    Bits(u32),
    /// A predicate.
    Predicate,
    /// An address in brackets; the space is that of slot `ss`, generic without one.
    Address,
    /// A branch target or the name of a function.
    Label,
    /// A 64-bit cache policy.
    CachePolicy,
    /// Judged by code of the family.
    Custom,
}

/// One instruction form.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The manual's own syntax line: opcode, slots (`.x` required, `{.x}` optional), operands.
    pub syntax: &'static str,
    /// Values of the slots; a slot without a set is a literal modifier of that spelling.
    pub sets: &'static [&'static Set],
    /// Operand types that are not that of the slot `type`.
    pub types: &'static [(&'static str, OperandType)],
    pub gate: Gate,
    pub does: Does,
    /// What holds between the modifiers.
    pub rules: &'static [Rule],
    /// One sentence in our own words.
    pub help: &'static str,
    /// Anchor of the PTX ISA section.
    pub section: &'static str,
    /// Instructions that must be accepted.
    pub good: &'static [&'static str],
    /// Instructions that must be refused, with the code of the diagnostic.
    pub bad: &'static [(&'static str, &'static str)],
}
