//! What the families of instructions say of their modifiers beyond the rules of their rows. In: a bound form; out:
//! diagnostics of the opcode.

use crate::check::Module;
use crate::check::plans::convert;
use crate::check::plans::load;
use crate::check::plans::matrix;
use crate::check::plans::rules;
use crate::check::plans::store;
use crate::check::plans::store_async;
use crate::diagnostics::check as diagnose;
use crate::opcode::Opcode;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::Bound;
use warpgrid_isa::{
    ArithmeticOp, AsyncOp, CompareForm, CompareOp, Does, Flag, Gate, MemoryOp, Modifiers, MoveOp,
    ScalarType, TypeKind, Version, WarpOp,
};
use warpgrid_program::Diagnostic;

/// The rules of a family that need several modifiers at once.
pub(crate) fn check(opcode: &Opcode<'_>, bound: &Bound, module: &Module) -> Vec<Diagnostic> {
    let modifiers = bound.modifiers();
    match bound.layout.form.does {
        Does::Memory(op) => match op {
            MemoryOp::Load => {
                let mut problems = load::check_scope(opcode, bound, &modifiers);
                problems.extend(rules::find_too_wide(opcode, bound, module));
                problems
            }
            MemoryOp::Store => store::check_order(opcode, bound),
            MemoryOp::Atomic | MemoryOp::Reduction | MemoryOp::StoreBulk => Vec::new(),
        },
        Does::Async(AsyncOp::Store) => store_async::check(opcode, bound, module),
        Does::Async(
            AsyncOp::Reduction
            | AsyncOp::Copy
            | AsyncOp::CopyCommit
            | AsyncOp::CopyWait
            | AsyncOp::CopyWaitAll
            | AsyncOp::CopyArrive
            | AsyncOp::BulkCopy
            | AsyncOp::BulkReduction
            | AsyncOp::BulkCommit
            | AsyncOp::BulkWait,
        )
        | Does::Mbarrier(_) => Vec::new(),
        Does::Matrix(op) => matrix::check(op, opcode, bound, module),
        Does::Move(MoveOp::Cvt | MoveOp::CvtPacked) => {
            convert::check(opcode, bound, &modifiers, module)
        }
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
        | Does::Video(..)
        | Does::Compare(CompareForm::Testp | CompareForm::Selp | CompareForm::Slct)
        | Does::Move(
            MoveOp::Mov
            | MoveOp::CvtPack
            | MoveOp::Cvta
            | MoveOp::Isspacep
            | MoveOp::CreatePolicy
            | MoveOp::MapToRank
            | MoveOp::RankOf,
        )
        | Does::Control(_)
        | Does::Sync(_)
        | Does::Warp(_)
        | Does::Hint(_)
        | Does::Machine(_)
        | Does::Unknown => Vec::new(),
    }
}

/// `mad.f32` without rounding ended with `sm_20`, where it became `fma` (assembler 13.5).
fn needs_rounding(modifiers: &Modifiers, module: &Module) -> bool {
    modifiers.ty == Some(ScalarType::F32)
        && modifiers.rounding.is_none()
        && module.target.sm >= 20
        && module.version > Version::new(2, 0)
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
    match bound.word(SlotName::Compare) {
        Some(word) if !allowed => vec![diagnose::compare_mismatch(opcode, word, ty)],
        _ => Vec::new(),
    }
}
