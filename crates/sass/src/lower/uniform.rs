//! Uniform registers and uniform predicates, which exist once per warp.
//!
//! The emulator stores every register once per lane. If lanes of a warp may diverge, the lowering appends a copy to all lanes after each
//! write to a uniform register, because all lanes share this register on the hardware.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, plain, uniform_type};
use super::{SassOperandLists, predicate_source};
use crate::listing::FunctionCode;
use crate::syntax::{OperandKind, RegisterFile, Tree};
use warpgrid_isa::{SassOp, ScalarType};
use warpgrid_program::{Guard, OperandValue, RegisterId, RegisterTuple, Source, Span};

/// Number of registers that one copy operation copies. The next constant is the number of predicates.
const N_REGISTERS: usize = 2;
const N_PREDICATES: usize = 7;

/// Returns whether lanes of a warp can diverge in a function: the function contains a convergence barrier, an indirect branch, or a branch
/// with a per-lane predicate.
pub(super) fn may_diverge(tree: &Tree, source: &str, text: &FunctionCode) -> bool {
    let placed = text.instructions.iter();
    let mut instructions = placed.filter_map(|at| tree.instructions.get(at.index as usize));
    instructions.any(|instruction| match instruction.opcode.text(source) {
        "BSSY" | "BRX" | "JMX" | "RET" | "CALL" | "BREAK" => true,
        "BRA" | "JMP" => {
            let guard = instruction.guard.map(|guard| guard.predicate.file);
            let operands = tree.operands(instruction).iter();
            let mut conditions = operands.filter_map(|operand| match operand.value {
                OperandKind::Register(register) => Some(register.file),
                _ => None,
            });
            guard == Some(RegisterFile::Predicate)
                || conditions.any(|file| file == RegisterFile::Predicate)
        }
        _ => false,
    })
}

/// Appends the steps that copy the uniform registers and predicates written by `steps` to all lanes of the warp.
pub(super) fn broadcast(steps: &mut Vec<LoweredInstruction>, guard: Option<Guard>, span: Span) {
    let (mut registers, mut predicates) = (Vec::new(), Vec::new());
    for (value, _) in steps
        .iter()
        .flat_map(|step| &step.args)
        .flat_map(LoweredOperand::all)
    {
        let (run, second) = match value {
            OperandValue::Destination(run) => (*run, None),
            OperandValue::Pair(run, predicate) => (*run, *predicate),
            _ => (None, None),
        };
        let written = run.iter().flat_map(|run| run.registers()).chain(second);
        for register in written {
            match uniform_type(register) {
                Some(ScalarType::Pred) => predicates.push(register),
                Some(_) => registers.push(register),
                None => {}
            }
        }
    }
    let n_steps = registers
        .len()
        .div_ceil(N_REGISTERS)
        .max(predicates.len().div_ceil(N_PREDICATES));
    let mut registers = registers.chunks(N_REGISTERS);
    let mut predicates = predicates.chunks(N_PREDICATES);
    // Do not guard the copy with a uniform predicate, because the instruction may have written to this predicate. If the guard is false in
    // all lanes, the copy has no effect.
    let unguarded = guard.is_none_or(|guard| uniform_type(guard.predicate).is_some());
    for _ in 0..n_steps {
        let registers = registers.next().unwrap_or(&[]);
        let predicates = predicates.next().unwrap_or(&[]);
        let placed = |value: OperandValue| -> SpannedValue { (value, span) };
        let to = |register: &RegisterId| {
            placed(OperandValue::Destination(Some(RegisterTuple::one(
                *register,
            ))))
        };
        let from =
            |register: &RegisterId| placed(plain(Source::Register(RegisterTuple::one(*register))));
        let machine = SassOperandLists {
            registers: registers.iter().map(to).collect(),
            sources: registers.iter().map(from).collect(),
            predicates: predicates.iter().map(to).collect(),
            conditions: predicates
                .iter()
                .map(|register| placed(predicate_source(*register, false)))
                .collect(),
            ..SassOperandLists::default()
        };
        let mut step = machine.step(SassOp::BroadcastToWarp, span);
        step.unguarded = unguarded;
        steps.push(step);
    }
}
