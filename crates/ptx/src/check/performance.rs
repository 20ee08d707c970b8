//! Predicts where the assembler ignores `setmaxnreg` or serializes `wgmma.mma_async`. In: a module whose bodies are checked; out:
//! diagnostics. The rules were probed with assembler 13.5.

mod calls;
mod liveness;
mod products;
mod registers;

use crate::tree::SourceKind;
use calls::Calls;
use warpgrid_isa::{Does, HintOp, UnitOp, WarpgroupOp};
use warpgrid_program::{Action, Diagnostic, Module};

/// Returns what is predicted of a module or a snippet.
pub(crate) fn check(module: &Module, kind: SourceKind) -> Vec<Diagnostic> {
    let has = |is_one: fn(&Action) -> bool| module.actions.iter().any(is_one);
    let has_products = has(|action| is_product(action.does));
    let has_counts = has(|action| sets_max_registers(action.does));
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

/// The operation of a warpgroup that an action is.
fn warpgroup(does: Does) -> Option<WarpgroupOp> {
    does.unit().and_then(UnitOp::warpgroup)
}

/// Whether an operation is a product of a warpgroup, dense or sparse.
fn is_product(does: Does) -> bool {
    warpgroup(does).is_some_and(WarpgroupOp::is_product)
}

/// Whether an operation is `setmaxnreg`.
fn sets_max_registers(does: Does) -> bool {
    does.hint().is_some_and(HintOp::sets_max_registers)
}
