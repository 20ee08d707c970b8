//! Check of the operands of an asm block for consistency between declaration and use. It reports inputs that the assembly writes, and
//! outputs that the assembly does not write or reads before the first write.

use crate::block::{AsmBlock, AsmOperand};
use crate::constraint::{AsmDialect, ConstraintAccess, OperandKind};
use crate::diagnostics as diagnose;
use warpgrid_program::{
    AddressBase, Diagnostic, Function, Guard, Instruction, OperandValue, RegisterId, Source, Span,
};

/// Reads and writes of one operand by the instructions of an asm block.
#[derive(Debug, Default)]
struct OperandUse {
    /// First instruction that reads the operand before an instruction has written it.
    read_first: Option<Span>,
    first_write: Option<Span>,
    /// Guards of the instructions that write the operand.
    guards: Vec<Option<Guard>>,
}

/// Returns the diagnostics about the operands of a block, with spans in the host source.
pub(crate) fn check_operand_use(block: &AsmBlock, function: &Function) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    // Accept operands of a statement without assembly, because this statement orders the computation of its operands.
    let is_empty = block.snippet.text.trim().is_empty();
    let is_unused = |operand: &AsmOperand| {
        operand.role == ConstraintAccess::Read
            && operand.uses.is_empty()
            // An operand whose constraint is a number is used, because the number ties the input to an output.
            && operand.constraint.parse::<usize>().is_err()
            && matches!(operand.kind, OperandKind::Register(_))
    };
    let unused = block.operands.iter().enumerate();
    let unused = unused.filter(|(_, operand)| !is_empty && is_unused(operand));
    found.extend(
        unused.map(|(number, operand)| diagnose::operand_not_used(block.dialect, number, operand)),
    );
    let has_unused = !found.is_empty();
    for operand in &block.operands {
        if !matches!(operand.kind, OperandKind::Register(_)) {
            continue;
        }
        let names = function.registers.names();
        let register = names.zip(0..).find(|(name, _)| *name == operand.name);
        let uses = register.map_or_else(OperandUse::default, |(_, id)| {
            uses(function, RegisterId(id))
        });
        let mut misuse = examine(block, operand, &uses);
        // Suggest no other constraint if the block has unused operands, because operand numbers may be wrong.
        if let Some(misuse) = misuse.as_mut().filter(|_| has_unused) {
            misuse.help = None;
            misuse.fixes.clear();
        }
        // Replace the help text for C# and Rust, where keywords specify the direction of an operand instead of a constraint modifier.
        let direction = match block.dialect {
            AsmDialect::Ilgpu => Some(diagnose::csharp_direction()),
            AsmDialect::Rust => Some(diagnose::rust_direction()),
            AsmDialect::Cuda | AsmDialect::Llvm => None,
        };
        if let (Some(misuse), Some(direction)) = (misuse.as_mut(), direction) {
            misuse.help = Some(direction.to_owned());
            misuse.fixes.clear();
        }
        found.extend(misuse);
    }
    found
}

fn examine(block: &AsmBlock, operand: &AsmOperand, uses: &OperandUse) -> Option<Diagnostic> {
    let letter = operand.constraint.trim_start_matches(['=', '+', '&']);
    let place = |span: Option<Span>| {
        // Find the span of the operand within the instruction, if the source contains it.
        let instruction = block.snippet.map.span(span.unwrap_or_default());
        let within = |own: &&Span| instruction.start <= own.start && own.end <= instruction.end;
        operand
            .uses
            .iter()
            .find(within)
            .copied()
            .unwrap_or(instruction)
    };
    match operand.role {
        ConstraintAccess::Read if uses.first_write.is_some() => Some(diagnose::input_written(
            &operand.name,
            letter,
            place(uses.first_write),
            operand.place,
        )),
        ConstraintAccess::Written if uses.read_first.is_some() => Some(diagnose::output_read(
            block.dialect,
            &operand.name,
            letter,
            place(uses.read_first),
            operand.place,
        )),
        ConstraintAccess::Written if uses.first_write.is_none() => {
            Some(diagnose::output_not_written(&operand.name, operand.place))
        }
        ConstraintAccess::Written if is_partial(&uses.guards) => Some(diagnose::output_kept(
            block.dialect,
            &operand.name,
            letter,
            place(uses.first_write),
            operand.place,
        )),
        ConstraintAccess::Read | ConstraintAccess::Written | ConstraintAccess::ReadAndWritten => {
            None
        }
    }
}

/// Checks whether every write of an operand is guarded by the same predicate.
fn is_partial(guards: &[Option<Guard>]) -> bool {
    let Some(Some(first)) = guards.first() else {
        return false;
    };
    guards.iter().all(|guard| *guard == Some(*first))
}

fn uses(function: &Function, register: RegisterId) -> OperandUse {
    let mut uses = OperandUse::default();
    for instruction in &function.instructions {
        // Skip instructions without a span: a front end has inserted them, and the source does not contain them.
        if instruction.span.end <= instruction.span.start {
            continue;
        }
        let is_written = function.destinations(instruction).contains(&register);
        let is_read = reads(function, instruction, register);
        if is_read && uses.first_write.is_none() && uses.read_first.is_none() {
            uses.read_first = Some(instruction.span);
        }
        if is_written {
            uses.first_write = uses.first_write.or(Some(instruction.span));
            uses.guards.push(instruction.guard);
        }
    }
    uses
}

fn reads(function: &Function, instruction: &Instruction, register: RegisterId) -> bool {
    if instruction
        .guard
        .is_some_and(|guard| guard.predicate == register)
    {
        return true;
    }
    let is_read = |value: &OperandValue| match value {
        OperandValue::Source(source, _) | OperandValue::Predicate { source, .. } => {
            is_source(*source, register)
        }
        OperandValue::Address(address) => match address.base {
            AddressBase::Register(run) => run.registers().any(|own| own == register),
            _ => false,
        },
        OperandValue::Absent
        | OperandValue::Destination(_)
        | OperandValue::Pair(..)
        | OperandValue::List(_)
        | OperandValue::Label(_)
        | OperandValue::Callee(_) => false,
    };
    function
        .operands_of(instruction.operands)
        .iter()
        .any(|operand| match operand.value {
            OperandValue::List(list) => function
                .operands_of(list)
                .iter()
                .any(|element| is_read(&element.value)),
            ref value => is_read(value),
        })
}

fn is_source(source: Source, register: RegisterId) -> bool {
    match source {
        Source::Register(run) => run.registers().any(|own| own == register),
        Source::RegisterOffset { register: own, .. } => own == register,
        _ => false,
    }
}
