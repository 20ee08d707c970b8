//! What the families of instructions say of their operands and modifiers beyond their rows. In: a meaning, or a bound
//! form; out: facts for the plan, and diagnostics of the opcode.

use super::plan::Opcode;
use super::{Module, convert, memory, store, store_async, wmma_store};
use crate::diagnostics::check as diagnose;
use warpgrid_isa::form::{Bound, Complaint};
use warpgrid_isa::{
    ArithmeticOp, AsyncOp, CompareForm, CompareOp, Does, Flag, Gate, HintOp, MatrixOp, MemoryOp,
    Modifiers, MoveOp, ScalarType, TypeKind, WarpOp,
};
use warpgrid_program::Diagnostic;

/// Whether a value may be a special register (assembler 13.5: moves and conversions only).
pub(crate) fn takes_special(does: Does) -> bool {
    matches!(
        does,
        Does::Move(MoveOp::Mov | MoveOp::Cvt | MoveOp::CvtPacked) | Does::Unknown
    )
}

/// Whether a value may be the bare name of a variable, which is its address.
pub(crate) fn takes_address(does: Does) -> bool {
    matches!(does, Does::Move(MoveOp::Mov | MoveOp::Cvta) | Does::Unknown)
}

/// Whether a scalar destination may be the sink `_`: only the old value of an atomic may be dropped.
pub(crate) fn takes_sink(does: Does) -> bool {
    matches!(does, Does::Memory(MemoryOp::Atomic))
}

/// Whether a register with an address of global or generic memory must be as wide as addresses are; asynchronous
/// and matrix stores take narrower ones (assembler 13.5).
pub(crate) fn needs_whole_addresses(does: Does) -> bool {
    matches!(
        does,
        Does::Memory(MemoryOp::Load | MemoryOp::Atomic | MemoryOp::Reduction)
            | Does::Hint(HintOp::Prefetch | HintOp::Discard)
    )
}

/// The rules of a family that need several modifiers at once.
pub(crate) fn check(opcode: &Opcode<'_>, bound: &Bound, module: &Module) -> Vec<Diagnostic> {
    let modifiers = bound.modifiers();
    match bound.layout.form.does {
        Does::Memory(op) => match op {
            MemoryOp::Load => memory::check_scope(opcode, bound, &modifiers),
            MemoryOp::Store => store::check_order(opcode, bound),
            MemoryOp::Atomic | MemoryOp::Reduction | MemoryOp::StoreBulk => Vec::new(),
        },
        Does::Async(AsyncOp::Store) => store_async::check(opcode, bound, module),
        Does::Matrix(MatrixOp::WmmaStore) => wmma_store::check(opcode, bound, module),
        Does::Move(MoveOp::Cvt | MoveOp::CvtPacked) => convert::check(opcode, bound, &modifiers),
        Does::Compare(CompareForm::Setp | CompareForm::Set) => {
            check_comparison(opcode, bound, &modifiers)
        }
        Does::Arithmetic(ArithmeticOp::Mad) if needs_rounding(&modifiers, module) => {
            vec![diagnose::mad_rounding(opcode)]
        }
        Does::Warp(WarpOp::Shuffle | WarpOp::Vote)
            if !modifiers.has(Flag::Sync) && module.meets(SYNC_ONLY) =>
        {
            vec![diagnose::needs_sync(opcode)]
        }
        Does::Arithmetic(_)
        | Does::Carry(_)
        | Does::Compare(CompareForm::Testp | CompareForm::Selp | CompareForm::Slct)
        | Does::Move(MoveOp::Mov | MoveOp::Cvta | MoveOp::Isspacep | MoveOp::CreatePolicy)
        | Does::Control(_)
        | Does::Sync(_)
        | Does::Warp(_)
        | Does::Hint(_)
        | Does::Unknown => Vec::new(),
    }
}

/// `mad.f32` without rounding ended with `sm_20`, where it became `fma` (assembler 13.5).
fn needs_rounding(modifiers: &Modifiers, module: &Module) -> bool {
    modifiers.ty == Some(ScalarType::F32) && modifiers.rounding.is_none() && module.target.sm >= 20
}

/// From here on, exchange between lanes names its lanes (assembler 13.5).
const SYNC_ONLY: Gate = Gate::ptx(6, 4).sm(70);

/// Bits are only equal or not, and signed integers have no unsigned order (PTX ISA, "setp").
fn check_comparison(opcode: &Opcode<'_>, bound: &Bound, modifiers: &Modifiers) -> Vec<Diagnostic> {
    use CompareOp as C;
    let (Some(ty), Some(compare)) = (modifiers.source_type(), modifiers.compare) else {
        return Vec::new();
    };
    let allowed = match ty.kind() {
        TypeKind::Bits => matches!(compare, C::Eq | C::Ne),
        TypeKind::Signed => !matches!(compare, C::Lo | C::Ls | C::Hi | C::Hs),
        TypeKind::Unsigned | TypeKind::Float | TypeKind::Predicate => true,
    };
    match bound.word("cmp") {
        Some(word) if !allowed => vec![diagnose::compare_mismatch(opcode, word, ty)],
        _ => Vec::new(),
    }
}

/// Whether the assembler overlooks what the form complains about.
pub(crate) fn forgives(opcode: &Opcode<'_>, bound: &Bound, complaint: Complaint) -> bool {
    bound.layout.form.does == Does::Matrix(MatrixOp::WmmaStore)
        && wmma_store::forgives(opcode, complaint)
}

/// The most operands that are not refused by their number alone.
pub(crate) fn n_most(bound: &Bound) -> usize {
    let n = bound.layout.operands.len();
    // A third operand of `st.async` is an mbarrier, which has rules of its own.
    let is_async = bound.layout.form.does == Does::Async(AsyncOp::Store);
    if is_async { n.max(3) } else { n }
}

/// Whether the rules of the family are checked beside complaints about single modifiers, and operands too.
pub(crate) fn is_always_checked(does: Does) -> bool {
    matches!(
        does,
        Does::Async(AsyncOp::Store) | Does::Matrix(MatrixOp::WmmaStore)
    )
}
