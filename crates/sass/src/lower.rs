//! Lowering of disassembly listings to programs: each SASS instruction becomes a sequence of operations that the emulator executes in one
//! step. The lowering of each instruction family is in a separate file. The lowering function of an opcode rejects unsupported modifiers
//! and operands.

mod asynchronous;
mod body;
mod byte_arithmetic;
mod control;
mod convert;
mod dispatch;
mod double;
mod float;
#[cfg(test)]
mod forms;
mod half;
mod instruction_cursor;
mod integer;
mod kernel;
mod linked_functions;
mod logic;
mod matrix;
mod mbarrier;
mod memory;
mod min_max;
mod moves;
mod packed_f32;
mod parameters;
mod simd;
mod tensor_copy;
mod tensor_memory;
mod texture;
mod undetermined;
mod uniform;
mod warp;
mod warpgroup;

pub(crate) use kernel::{UnsupportedInstruction, lower};
pub(crate) use parameters::offsets_read;

use crate::listing::FunctionCode;
use body::{FunctionBuilder, LoweredInstruction, LoweredOperand, SpannedValue, id_of};
use instruction_cursor::{InstructionCursor, LowerResult};
use warpgrid_isa::{
    ArithmeticOp, Modifiers, MoveOp, Operation, SassOp, ScalarType, Target, WarpOp,
};
use warpgrid_program::{Guard, OperandValue, RegisterId, RegisterTuple, Source, Span, Variable};

/// Context for the lowering of an instruction: the function body under construction, and the properties of the kernel and the module.
/// [`InstructionCursor`] contains the modifiers and operands of the instruction.
struct LoweringContext<'a> {
    text: &'a FunctionCode,
    target: &'static Target,
    /// Variables of the lowered module.
    variables: &'a [Variable],
    body: &'a mut FunctionBuilder,
    /// Address of the current instruction.
    address: u64,
    guard: Option<Guard>,
}

/// Returns whether the emulator supports instructions with this opcode.
pub(crate) fn is_executed(opcode: &str) -> bool {
    dispatch::find(opcode).is_some()
}

/// Returns whether the lowering of an opcode accepts any operands and modifiers, because the instruction has no effect on results.
pub(crate) fn ignores_modifiers(opcode: &str) -> bool {
    kernel::is_lowered(&format!("{opcode}.ANY_MODIFIER ANY_OPERAND;"))
}

/// Lowers one instruction to the operations that the emulator executes in its step.
fn lower_one(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let opcode = w.opcode();
    let Some(lower) = dispatch::find(opcode) else {
        return Err(w.unknown(format!("opcode `{opcode}`"), w.instruction.opcode));
    };
    let steps = lower(c, w)?;
    w.expect_end()?;
    Ok(steps)
}

/// Creates an operation that has the guard of the SASS instruction.
#[inline(never)]
fn step(
    operation: Operation,
    modifiers: Modifiers,
    args: Vec<LoweredOperand>,
) -> LoweredInstruction {
    LoweredInstruction {
        operation,
        modifiers,
        args,
        guard: None,
        unguarded: false,
    }
}

/// Returns modifiers in which no field is set.
#[inline(never)]
fn blank() -> Modifiers {
    Modifiers::default()
}

/// Returns modifiers in which only the type is set.
#[inline(never)]
fn typed(ty: ScalarType) -> Modifiers {
    Modifiers {
        ty: Some(ty),
        ..Modifiers::default()
    }
}

/// Creates an arithmetic operation with operands of the type `ty`.
#[inline(never)]
fn arithmetic(op: ArithmeticOp, ty: ScalarType, args: Vec<LoweredOperand>) -> LoweredInstruction {
    step(Operation::Arithmetic(op), typed(ty), args)
}

/// Creates an operation that copies a 32-bit value.
fn copy(to: LoweredOperand, from: SpannedValue) -> LoweredInstruction {
    step(
        Operation::Move(MoveOp::Mov),
        typed(ScalarType::B32),
        vec![to, one(from)],
    )
}

/// Creates an immediate source operand.
fn number_of(value: u64) -> OperandValue {
    instruction_cursor::number(value)
}

/// Combines up to three predicates by a lookup table: bit `4 * a + 2 * b + c` of the table is the result for the predicates a, b and c.
fn predicates_by_table(
    to: Option<RegisterId>,
    conditions: Vec<SpannedValue>,
    table: u8,
    span: Span,
) -> LoweredInstruction {
    let machine = SassOperandLists {
        predicates: vec![(OperandValue::Destination(to.map(RegisterTuple::one)), span)],
        conditions,
        number: u64::from(table),
        ..SassOperandLists::default()
    };
    machine.step(SassOp::PredicateLogic3, span)
}

/// Creates a source operand that reads a predicate.
fn predicate_source(register: RegisterId, negated: bool) -> OperandValue {
    OperandValue::Predicate {
        source: Source::Register(RegisterTuple::one(register)),
        negated,
    }
}

impl LoweringContext<'_> {
    /// Returns a guard that is the conjunction of the instruction's guard and `condition`, and the operation that computes this
    /// conjunction.
    fn guard_with(&mut self, (condition, span): SpannedValue) -> (Guard, LoweredInstruction) {
        let both = self.body.temporary(ScalarType::Pred);
        let own = match self.guard {
            Some(guard) => predicate_source(guard.predicate, guard.negated),
            None => OperandValue::Predicate {
                source: Source::Immediate(1),
                negated: false,
            },
        };
        let args = vec![
            LoweredOperand::One(body::written(both), span),
            LoweredOperand::One(condition, span),
            LoweredOperand::One(own, span),
        ];
        // Compute the conjunction without the guard of the instruction, because all lanes must compute it.
        let mut sum = step(
            Operation::Arithmetic(ArithmeticOp::And),
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

    /// Returns operations that execute `step` in a single lane, which is elected from the lanes whose guard is true.
    fn in_one_lane(&mut self, mut step: LoweredInstruction, span: Span) -> [LoweredInstruction; 3] {
        let elected = self.body.temporary(ScalarType::Pred);
        let to = LoweredOperand::One(OperandValue::Pair(None, Some(elected)), span);
        let elect = self::step(
            Operation::Warp(WarpOp::Elect),
            Modifiers::default(),
            vec![to],
        );
        let (guard, sum) = self.guard_with((predicate_source(elected, false), span));
        step.guard = Some(guard);
        [elect, sum, step]
    }
}

fn one((value, span): SpannedValue) -> LoweredOperand {
    LoweredOperand::One(value, span)
}

/// Operand lists of an operation that exists only in SASS, in operand order.
#[derive(Default)]
struct SassOperandLists {
    registers: Vec<SpannedValue>,
    predicates: Vec<SpannedValue>,
    sources: Vec<SpannedValue>,
    conditions: Vec<SpannedValue>,
    number: u64,
}

impl SassOperandLists {
    fn step(self, op: SassOp, span: Span) -> LoweredInstruction {
        let args = vec![
            LoweredOperand::List(self.registers, span),
            LoweredOperand::List(self.predicates, span),
            LoweredOperand::List(self.sources, span),
            LoweredOperand::List(self.conditions, span),
            LoweredOperand::One(instruction_cursor::number(self.number), span),
        ];
        step(Operation::Machine(op), Modifiers::default(), args)
    }
}

/// Returns the value of a constant predicate source, or `None` if the source is not constant.
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

/// Returns the source modifiers of an operand. An operand that is not a source has no source modifiers.
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

/// Returns whether a source is the constant zero.
fn is_zero(value: &OperandValue) -> bool {
    is_number(value, 0)
}

/// Returns whether a source is the constant `number`.
fn is_number(value: &OperandValue, number: u64) -> bool {
    let is_plain = modifiers_of(value) == warpgrid_program::SourceModifiers::NONE;
    matches!(value, OperandValue::Source(Source::Immediate(bits), _) if *bits == number) && is_plain
}
