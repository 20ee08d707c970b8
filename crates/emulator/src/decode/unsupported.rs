//! Search for the instructions of a program that the decoder does not support, with the reasons. The execution of an
//! unsupported instruction faults.

use crate::code::decoded_op::DecodedOp;
use crate::code::{DecodedCode, FunctionCode, UnsupportedReason};
use crate::contract::launch::Launch;
use crate::decode::decode;
use crate::state::memory_layout::MemoryLayout;
use warpgrid_isa::Operation;
use warpgrid_program::{Function, FunctionId, FunctionKind, Instruction, Program, Span};

/// Valid instruction of a program that the emulator does not support, with the missing feature. Its execution faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedInstruction {
    pub span: Span,
    /// Semantics of the instruction, or [`Operation::Unknown`] if the program cannot represent its operands.
    pub operation: Operation,
    /// Feature that the emulator lacks.
    pub why: String,
}

/// Returns the instructions in all kernels of a program that the emulator cannot execute.
pub fn refused(program: &Program) -> Vec<UnsupportedInstruction> {
    let functions = program.functions.iter().enumerate();
    let kernels = functions.filter(|(_, function)| is_kernel(function));
    kernels
        .flat_map(|(index, _)| refused_from(program, FunctionId(index as u32)))
        .collect()
}

fn is_kernel(function: &Function) -> bool {
    function.kind == FunctionKind::Entry && function.defined
}

/// Returns the unsupported instructions that are reachable from a kernel.
fn refused_from(program: &Program, entry: FunctionId) -> Vec<UnsupportedInstruction> {
    let layout = MemoryLayout::new(program, &Launch::single(entry));
    let code = decode(program, &layout);
    let mut found = Vec::new();
    for (at, instruction) in code.instructions.iter().enumerate() {
        let DecodedOp::Unsupported(index) = instruction.op else {
            continue;
        };
        let why = match code.refused.get(index) {
            Some(UnsupportedReason::NotEmulated { opcode, .. }) => {
                format!("`{opcode}` is not emulated")
            }
            Some(UnsupportedReason::Internal { what }) => what.clone(),
            None => "no reason".to_owned(),
        };
        if let Some(instruction) = origin(program, &code, at) {
            let span = instruction.span;
            let action = program.opcode(instruction);
            let operation = action.map_or(Operation::Unknown, |action| action.operation);
            found.push(UnsupportedInstruction {
                span,
                operation,
                why,
            });
        }
    }
    found
}

/// Returns the program instruction from which an operation was decoded.
fn origin<'p>(program: &'p Program, code: &DecodedCode, at: usize) -> Option<&'p Instruction> {
    let starts_before = |function: &&FunctionCode| function.start as usize <= at;
    let function = code.functions.iter().rev().find(starts_before)?;
    let function = program.functions.get(function.id.0 as usize)?;
    let origin = *code.origins.get(at)? as usize;
    function.instructions.get(origin)
}
