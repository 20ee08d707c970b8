//! Listings to programs: each instruction of the machine becomes instructions of the contract that share its step. One file
//! a family; an opcode has one place, and what a place does not know makes the instruction unknown.

mod asynchronous;
mod body;
mod bytes;
mod control;
mod convert;
mod dispatch;
mod double;
mod extreme;
mod float;
#[cfg(test)]
mod forms;
mod half;
mod integer;
mod kernel;
mod library;
mod logic;
mod matrix;
mod mbarrier;
mod memory;
mod moves;
mod packed;
mod parameters;
mod simd;
mod tensor_copy;
mod tensor_memory;
mod texture;
mod undetermined;
mod uniform;
mod warp;
mod warpgroup;
mod words;

pub(crate) use kernel::{NotRun, lower};
pub(crate) use parameters::offsets_read;

use crate::listing::Text;
use body::{Arg, Body, Placed, Step, id_of};
use warpgrid_isa::{ArithmeticOp, Does, MachineOp, Modifiers, MoveOp, ScalarType, Target, WarpOp};
use warpgrid_program::{Guard, OperandValue, RegisterId, RegisterRun, Source, Span, Variable};
use words::{Lowered, Words};

/// What the lowering of an instruction can ask beside its words.
struct Context<'a> {
    text: &'a Text,
    target: &'static Target,
    /// Those of the module.
    variables: &'a [Variable],
    body: &'a mut Body,
    /// Of the instruction at hand.
    address: u64,
    guard: Option<Guard>,
}

/// Checks whether instructions with an opcode are executed.
pub(crate) fn is_executed(opcode: &str) -> bool {
    dispatch::find(opcode).is_some()
}

/// Checks whether an opcode is executed with any operands and modifiers.
pub(crate) fn ignores_modifiers(opcode: &str) -> bool {
    kernel::is_lowered(&format!("{opcode}.ANY_MODIFIER ANY_OPERAND;"))
}

/// One instruction of the text to the instructions of its step.
fn lower_one(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let opcode = w.opcode();
    let Some(lower) = dispatch::find(opcode) else {
        return Err(w.unknown(format!("opcode `{opcode}`"), w.instruction.opcode));
    };
    let steps = lower(c, w)?;
    w.finish()?;
    Ok(steps)
}

/// A step without a guard of its own.
#[inline(never)]
fn step(does: Does, modifiers: Modifiers, args: Vec<Arg>) -> Step {
    Step {
        does,
        modifiers,
        args,
        guard: None,
        unguarded: false,
    }
}

/// Modifiers of which none is set.
#[inline(never)]
fn blank() -> Modifiers {
    Modifiers::default()
}

/// An operation with a type.
#[inline(never)]
fn typed(ty: ScalarType) -> Modifiers {
    Modifiers {
        ty: Some(ty),
        ..Modifiers::default()
    }
}

/// An arithmetic operation.
#[inline(never)]
fn arithmetic(op: ArithmeticOp, ty: ScalarType, args: Vec<Arg>) -> Step {
    step(Does::Arithmetic(op), typed(ty), args)
}

/// A copy of 32 bits.
fn copy(to: Arg, from: Placed) -> Step {
    step(
        Does::Move(MoveOp::Mov),
        typed(ScalarType::B32),
        vec![to, one(from)],
    )
}

/// A source that is a number.
fn number_of(value: u64) -> OperandValue {
    words::number(value)
}

/// Logic of up to three predicates by a table: the result of a, b and c is at bit `4 * a + 2 * b + c`.
fn predicates_by_table(
    to: Option<RegisterId>,
    conditions: Vec<Placed>,
    table: u8,
    span: Span,
) -> Step {
    let machine = Machine {
        predicates: vec![(OperandValue::Destination(to.map(RegisterRun::one)), span)],
        conditions,
        number: u64::from(table),
        ..Machine::default()
    };
    machine.step(MachineOp::PredicateLogic3, span)
}

/// A predicate register that is read.
fn predicate_source(register: RegisterId, negated: bool) -> OperandValue {
    OperandValue::Predicate {
        source: Source::Register(RegisterRun::one(register)),
        negated,
    }
}

impl Context<'_> {
    /// A predicate that holds in the lanes whose guard holds and where `condition` does, and the step that makes it.
    fn guard_with(&mut self, (condition, span): Placed) -> (Guard, Step) {
        let both = self.body.hidden(ScalarType::Pred);
        let own = match self.guard {
            Some(guard) => predicate_source(guard.predicate, guard.negated),
            None => OperandValue::Predicate {
                source: Source::Immediate(1),
                negated: false,
            },
        };
        let args = vec![
            Arg::One(body::written(both), span),
            Arg::One(condition, span),
            Arg::One(own, span),
        ];
        // Not under the guard itself, since the sum must be made in all lanes.
        let mut sum = step(
            Does::Arithmetic(ArithmeticOp::And),
            typed(ScalarType::Pred),
            args,
        );
        sum.unguarded = true;
        let guard = Guard {
            predicate: both,
            negated: false,
        };
        (guard, sum)
    }

    /// The steps that do `step` in one of the lanes where the guard holds.
    fn in_one_lane(&mut self, mut step: Step, span: Span) -> [Step; 3] {
        let elected = self.body.hidden(ScalarType::Pred);
        let to = Arg::One(OperandValue::Pair(None, Some(elected)), span);
        let elect = self::step(Does::Warp(WarpOp::Elect), Modifiers::default(), vec![to]);
        let (guard, sum) = self.guard_with((predicate_source(elected, false), span));
        step.guard = Some(guard);
        [elect, sum, step]
    }
}

fn one((value, span): Placed) -> Arg {
    Arg::One(value, span)
}

/// Lists of an operation of machine code, in their order.
#[derive(Default)]
struct Machine {
    registers: Vec<Placed>,
    predicates: Vec<Placed>,
    sources: Vec<Placed>,
    conditions: Vec<Placed>,
    number: u64,
}

impl Machine {
    fn step(self, op: MachineOp, span: Span) -> Step {
        let args = vec![
            Arg::List(self.registers, span),
            Arg::List(self.predicates, span),
            Arg::List(self.sources, span),
            Arg::List(self.conditions, span),
            Arg::One(words::number(self.number), span),
        ];
        step(Does::Machine(op), Modifiers::default(), args)
    }
}

/// Whether a predicate that is read always holds, or never does.
fn known(value: &OperandValue) -> Option<bool> {
    match value {
        OperandValue::Predicate {
            source: Source::Immediate(bit),
            negated,
        } => Some((bit & 1 != 0) != *negated),
        OperandValue::Predicate { .. }
        | OperandValue::Absent
        | OperandValue::Destination(_)
        | OperandValue::Pair(..)
        | OperandValue::Source(..)
        | OperandValue::Address(_)
        | OperandValue::List(_)
        | OperandValue::Label(_)
        | OperandValue::Callee(_) => None,
    }
}

/// The modifiers of a source; none for other operands.
fn modifiers_of(value: &OperandValue) -> warpgrid_program::SourceModifiers {
    match value {
        OperandValue::Source(_, modifiers) => *modifiers,
        OperandValue::Predicate { .. }
        | OperandValue::Absent
        | OperandValue::Destination(_)
        | OperandValue::Pair(..)
        | OperandValue::Address(_)
        | OperandValue::List(_)
        | OperandValue::Label(_)
        | OperandValue::Callee(_) => warpgrid_program::SourceModifiers::NONE,
    }
}

/// Whether a source is zero.
fn is_zero(value: &OperandValue) -> bool {
    is_number(value, 0)
}

/// Whether a source is this number.
fn is_number(value: &OperandValue, number: u64) -> bool {
    let is_plain = modifiers_of(value) == warpgrid_program::SourceModifiers::NONE;
    matches!(value, OperandValue::Source(Source::Immediate(bits), _) if *bits == number) && is_plain
}
