//! Predicts whether the assembler ignores `setmaxnreg` or serializes `wgmma.mma_async` in a checked module. The rules were
//! determined by experiments with assembler 13.5.

pub(crate) mod calls;
pub(crate) mod products;
pub(crate) mod registers;

use crate::check::performance::calls::Calls;
use crate::tree::SourceKind;
use warpgrid_isa::{DeviceUnitOp, HintOp, Operation, RegisterCountDirection, WarpgroupOp};
use warpgrid_program::{Diagnostic, Module, OpcodeInfo};

/// Returns the predicted remarks about a module or a snippet.
pub(crate) fn check(module: &Module, kind: SourceKind) -> Vec<Diagnostic> {
    let has = |is_one: fn(&OpcodeInfo) -> bool| module.opcodes.iter().any(is_one);
    let has_products = has(|action| is_product(action.operation));
    let has_counts = has(|action| register_change(action.operation).is_some());
    if !has_products && !has_counts {
        return Vec::new();
    }
    let calls = Calls::of(module);
    let mut found = Vec::new();
    if has_counts && kind == SourceKind::Module {
        found.append(&mut registers::check(module, &calls));
    }
    if has_products {
        found.append(&mut products::check(module, &calls, kind));
    }
    found
}

/// Returns the warpgroup operation of an instruction, or `None` for other operations.
pub(crate) fn warpgroup(operation: Operation) -> Option<WarpgroupOp> {
    operation.unit().and_then(DeviceUnitOp::warpgroup)
}

/// Checks whether an operation is `wgmma.mma_async`, dense or sparse.
pub(crate) fn is_product(operation: Operation) -> bool {
    warpgroup(operation).is_some_and(WarpgroupOp::is_product)
}

/// Returns the effect of `setmaxnreg` on the number of registers, or `None` for other operations.
pub(crate) fn register_change(operation: Operation) -> Option<RegisterCountDirection> {
    operation.hint().and_then(HintOp::register_change)
}
