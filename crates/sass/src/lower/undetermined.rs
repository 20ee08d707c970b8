//! Predicates with undocumented values, such as the predicate results of `VIMNMX`. Execution stops if an instruction reads a predicate with
//! an undocumented value.
//!
//! Each of these predicates has a tag: a hidden predicate that is true in the lanes in which the value is undetermined. The instruction
//! with the undocumented result sets the tag, and every other write to the predicate clears the tag. A read of the predicate executes an
//! unknown instruction in the lanes in which the tag is true.

use super::body::{LoweredInstruction, LoweredOperand, predicate_name};
use super::{LoweringContext, predicate_source, predicates_by_table, step};
use warpgrid_isa::{Modifiers, Operation};
use warpgrid_program::{Guard, OperandValue, RegisterId, Source, Span};

/// Returns the predicates that the operations of an instruction read.
fn predicates_read(c: &LoweringContext<'_>, steps: &[LoweredInstruction]) -> Vec<RegisterId> {
    let args = steps.iter().flat_map(|step| &step.args);
    let values = args.flat_map(LoweredOperand::all).map(|(value, _)| value);
    let mut read: Vec<RegisterId> = values
        .filter_map(|value| match value {
            OperandValue::Predicate {
                source: Source::Register(run),
                ..
            }
            | OperandValue::Source(Source::Register(run), _) => Some(run.first),
            _ => None,
        })
        .collect();
    read.extend(c.guard.map(|guard| guard.predicate));
    read
}

/// Returns whether an operation writes to a register.
fn writes(step: &LoweredInstruction, register: RegisterId) -> bool {
    let mut values = step.args.iter().flat_map(LoweredOperand::all);
    values.any(|(value, _)| match value {
        OperandValue::Destination(Some(run)) => run.first == register,
        OperandValue::Pair(run, predicate) => {
            *predicate == Some(register) || run.is_some_and(|run| run.first == register)
        }
        _ => false,
    })
}

/// Adds the operations that maintain the tags to the operations `steps` of an instruction. Returns the indices of the operations in `steps`
/// that stop execution, each with the reason.
pub(super) fn tag(
    c: &mut LoweringContext<'_>,
    steps: &mut Vec<LoweredInstruction>,
    span: Span,
) -> Vec<(usize, String)> {
    let left = std::mem::take(&mut c.body.undetermined);
    let read = predicates_read(c, steps);
    let (mut before, mut stops) = (Vec::new(), Vec::new());
    for (register, tag) in c.body.tags.clone() {
        if !read.contains(&register) {
            continue;
        }
        let mut stop = step(Operation::Unknown, Modifiers::default(), Vec::new());
        let (guard, both) = match c.guard {
            // The tag of a register is true in the lanes whose value is undetermined. If the guard of the instruction is undetermined
            // in a lane, the lane stops, because it is unknown whether the lane executes the instruction.
            Some(guard) if guard.predicate == register => {
                let guard = Guard {
                    predicate: tag,
                    negated: false,
                };
                (guard, None)
            }
            _ => {
                let (guard, both) = c.guard_with((predicate_source(tag, false), span));
                (guard, Some(both))
            }
        };
        before.extend(both);
        stop.guard = Some(guard);
        let name = predicate_name(register);
        let reason = format!(
            "the value of `{name}` is unknown, because the predicate results of minimum and maximum instructions are undocumented"
        );
        stops.push((before.len(), reason));
        before.push(stop);
    }
    for (register, tag) in c.body.tags.clone() {
        let is_left = left.contains(&register);
        let is_written = steps.iter().any(|step| writes(step, register));
        let set =
            |to: RegisterId, table: u8| predicates_by_table(Some(to), Vec::new(), table, span);
        if is_left {
            before.push(set(tag, 0xff));
            steps.push(set(register, 0));
        } else if is_written {
            before.push(set(tag, 0));
        }
    }
    steps.splice(0..0, before);
    stops
}

/// Allocates a tag for each predicate in `registers`.
pub(super) fn tags(c: &mut super::FunctionBuilder, mut registers: Vec<RegisterId>) {
    registers.sort_by_cached_key(|register| u64::from(register.0));
    registers.dedup();
    for register in registers {
        let tag = c.temporary(warpgrid_isa::ScalarType::Pred);
        c.tags.push((register, tag));
    }
}
