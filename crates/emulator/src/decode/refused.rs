//! What would stop a run for want of a meaning. In: a program; out: the instructions that the decoder refuses, with the reason.

use crate::code::op::Op;
use crate::code::{Code, FunctionCode, Refused};
use crate::contract::launch::Launch;
use crate::decode::decode;
use crate::state::layout::Layout;
use warpgrid_isa::Does;
use warpgrid_program::{Function, FunctionId, FunctionKind, Instruction, Program, Span};

/// An instruction that is accepted and would stop the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedInstruction {
    pub span: Span,
    /// What its row says; [`Does::Unknown`] of operands that the program has no way to say.
    pub does: Does,
    /// What is missing.
    pub why: String,
}

/// The instructions of a program that no run can execute, kernel by kernel.
pub fn refused(program: &Program) -> Vec<RefusedInstruction> {
    let functions = program.functions.iter().enumerate();
    let kernels = functions.filter(|(_, function)| is_kernel(function));
    kernels
        .flat_map(|(index, _)| refused_from(program, FunctionId(index as u32)))
        .collect()
}

fn is_kernel(function: &Function) -> bool {
    function.kind == FunctionKind::Entry && function.defined
}

/// Those that a kernel can reach.
fn refused_from(program: &Program, entry: FunctionId) -> Vec<RefusedInstruction> {
    let layout = Layout::new(program, &Launch::single(entry));
    let code = decode(program, &layout);
    let mut found = Vec::new();
    for (at, instruction) in code.instructions.iter().enumerate() {
        let Op::Refused(index) = instruction.op else {
            continue;
        };
        let why = match code.refused.get(index) {
            Some(Refused::NotEmulated { opcode, .. }) => format!("`{opcode}` is not emulated"),
            Some(Refused::Internal { what }) => what.clone(),
            None => "no reason".to_owned(),
        };
        if let Some(instruction) = origin(program, &code, at) {
            let span = instruction.span;
            let action = program.action(instruction);
            let does = action.map_or(Does::Unknown, |action| action.does);
            found.push(RefusedInstruction { span, does, why });
        }
    }
    found
}

/// The instruction of the program that an instruction of the code is of.
fn origin<'p>(program: &'p Program, code: &Code, at: usize) -> Option<&'p Instruction> {
    let starts_before = |function: &&FunctionCode| function.start as usize <= at;
    let function = code.functions.iter().rev().find(starts_before)?;
    let function = program.functions.get(function.id.0 as usize)?;
    let origin = *code.origins.get(at)? as usize;
    function.instructions.get(origin)
}
