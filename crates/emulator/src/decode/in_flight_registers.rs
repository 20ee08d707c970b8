//! Static analysis of the registers of asynchronous `wgmma` instructions, which must not be accessed before completion
//! (PTX ISA, "wgmma.mma_async"). For each instruction of a function, the analysis computes which registers of
//! asynchronous `wgmma` instructions it accesses. At run time, the emulator uses this result to detect accesses to
//! registers of a pending `wgmma`.

use crate::code::held::{InFlightRegisters, TouchedRegisters};
use warpgrid_isa::{DeviceUnitOp, Operation, WarpgroupOp};
use warpgrid_program::{
    Function, Instruction, OperandValue, Program, RegisterAccess, RegisterId, StepGrouping,
};

const DENSE: Operation = Operation::Unit(DeviceUnitOp::Warpgroup(WarpgroupOp::MmaAsync));
const SPARSE: Operation = Operation::Unit(DeviceUnitOp::Warpgroup(WarpgroupOp::MmaAsyncSparse));

/// Checks whether an instruction is a `wgmma`.
pub(crate) fn is_product(program: &Program, instruction: &Instruction) -> bool {
    let action = program.opcode(instruction);
    action.is_some_and(|action| [DENSE, SPARSE].contains(&action.operation))
}

/// Returns the registers that a `wgmma` uses: the accumulators, A if it is in registers, and the metadata of a sparse
/// A.
pub(crate) fn held(
    program: &Program,
    function: &Function,
    instruction: &Instruction,
) -> InFlightRegisters {
    let operands = function.operands_of(instruction.operands);
    let registers = |at: usize| match operands.get(at) {
        Some(operand) => function.operand_registers(&operand.value),
        None => Vec::new(),
    };
    // Exclude the registers of a descriptor, which the program may modify after the issue, because the instruction
    // reads the descriptor only at issue.
    let is_list = matches!(
        operands.get(1).map(|operand| &operand.value),
        Some(OperandValue::List(_))
    );
    let mut factors = match is_list {
        true => registers(1),
        false => Vec::new(),
    };
    let action = program.opcode(instruction);
    if action.is_some_and(|action| action.operation == SPARSE) {
        factors.extend(registers(3));
    }
    InFlightRegisters {
        sums: registers(0),
        factors,
    }
}

/// Returns for each register of the function whether any `wgmma` uses it.
pub(crate) fn held_by_any(program: &Program, function: &Function) -> Vec<bool> {
    let mut is_held = vec![false; function.registers.len()];
    let products = function.instructions.iter();
    for product in products.filter(|instruction| is_product(program, instruction)) {
        let held = held(program, function, product);
        for id in held.sums.iter().chain(&held.factors) {
            if let Some(place) = is_held.get_mut(id.0 as usize) {
                *place = true;
            }
        }
    }
    is_held
}

/// Returns the registers of asynchronous `wgmma` instructions that the instruction at `place` accesses. `wgmma`
/// instructions of the same shape may share accumulators. Therefore, if the instruction is itself a `wgmma`, only its A
/// operand and its metadata are checked.
pub(crate) fn touched(
    program: &Program,
    function: &Function,
    place: usize,
    is_held: &[bool],
) -> TouchedRegisters {
    let mut touched = TouchedRegisters::default();
    let rest = function.instructions.get(place..).unwrap_or(&[]);
    let Some(instruction) = rest.first() else {
        return touched;
    };
    // A `wgmma` of SASS has an explicit addend, which an instruction of the same step copies to the accumulators.
    // Ignore these copies.
    let n_step = rest.iter().position(|of| of.step == StepGrouping::Whole);
    let of_step = rest.get(1..=n_step.unwrap_or(0)).unwrap_or(&[]);
    if of_step.iter().any(|of| is_product(program, of)) {
        return touched;
    }
    function.visit_registers(instruction, |access, id| match access {
        RegisterAccess::Read => touched.read.push(id),
        RegisterAccess::Write => touched.written.push(id),
    });
    if is_product(program, instruction) {
        touched.written.clear();
    }
    let is_held = |id: &RegisterId| is_held.get(id.0 as usize).copied().unwrap_or(false);
    touched.read.retain(is_held);
    touched.written.retain(is_held);
    touched
}
