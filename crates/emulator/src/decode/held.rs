//! Registers of products in flight (PTX ISA, "wgmma.mma_async": they must not be touched until the product is complete). In: a function; out: for
//! each instruction the registers of products that it touches, so that a run can tell whether one of them is in flight.

use crate::code::held::{HeldRegisters, Touched};
use warpgrid_isa::{Does, UnitOp, WarpgroupOp};
use warpgrid_program::{
    Function, Instruction, OperandValue, Program, RegisterAccess, RegisterId, StepPart,
};

const DENSE: Does = Does::Unit(UnitOp::Warpgroup(WarpgroupOp::Product));
const SPARSE: Does = Does::Unit(UnitOp::Warpgroup(WarpgroupOp::SparseProduct));

/// Whether an instruction is a product of a warpgroup.
pub(crate) fn is_product(program: &Program, instruction: &Instruction) -> bool {
    let action = program.action(instruction);
    action.is_some_and(|action| [DENSE, SPARSE].contains(&action.does))
}

/// What a product holds: its operands are the sums, A, B, and the metadata of a sparse A.
pub(crate) fn held(
    program: &Program,
    function: &Function,
    instruction: &Instruction,
) -> HeldRegisters {
    let operands = function.operands_of(instruction.operands);
    let registers = |at: usize| match operands.get(at) {
        Some(operand) => function.operand_registers(&operand.value),
        None => Vec::new(),
    };
    // A descriptor is read when the product starts.
    let is_list = matches!(
        operands.get(1).map(|operand| &operand.value),
        Some(OperandValue::List(_))
    );
    let mut factors = match is_list {
        true => registers(1),
        false => Vec::new(),
    };
    let action = program.action(instruction);
    if action.is_some_and(|action| action.does == SPARSE) {
        factors.extend(registers(3));
    }
    HeldRegisters {
        sums: registers(0),
        factors,
    }
}

/// By register of the function: whether a product holds it.
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

/// Returns the registers held by asynchronous products that the instruction at `place` accesses. Products of one shape may share their
/// sums, so only the factors of a product count.
pub(crate) fn touched(
    program: &Program,
    function: &Function,
    place: usize,
    is_held: &[bool],
) -> Touched {
    let mut touched = Touched::default();
    let rest = function.instructions.get(place..).unwrap_or(&[]);
    let Some(instruction) = rest.first() else {
        return touched;
    };
    // Machine code states the addend of a product, which is copied to the sums in the step of the product.
    let n_step = rest.iter().position(|of| of.step == StepPart::Whole);
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
