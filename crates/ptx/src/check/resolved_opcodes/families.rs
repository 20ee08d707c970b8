//! Checks of instruction families that the table rows cannot express: rules for the modifiers of an opcode, and the syntax of its
//! operands.
//!
//! The matches over [`Operation`] in this file are exhaustive, so that each operation has an explicit entry.

use crate::check::resolved_opcodes::convert;
use crate::check::resolved_opcodes::load;
use crate::check::resolved_opcodes::matrix;
use crate::check::resolved_opcodes::rules;
use crate::check::resolved_opcodes::store;
use crate::check::resolved_opcodes::store_async;
use crate::diagnostics::check as diagnose;
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::BoundForm;
use warpgrid_isa::{
    ArithmeticOp, AsyncOp, CompareOp, ComparisonOp, ControlOp, Flag, Gate, MatrixOp, MbarrierOp,
    MemoryOp, Modifiers, MoveOp, Operation, ScalarType, SimdWidth, SyncOp, TargetRequirement,
    TypeKind, Version, VideoOp, WarpOp,
};
use warpgrid_program::Diagnostic;

/// Checks the rules of an instruction family that depend on several modifiers.
pub(crate) fn check(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    module: &TargetContext,
) -> Vec<Diagnostic> {
    let modifiers = bound.modifiers();
    match bound.layout.form.operation {
        Operation::Memory(op) => match op {
            MemoryOp::Load => {
                let mut problems = load::check_scope(opcode, bound, &modifiers);
                problems.extend(rules::find_too_wide(opcode, bound, module));
                problems
            }
            MemoryOp::Store => store::check_order(opcode, bound),
            MemoryOp::Atomic | MemoryOp::Reduction | MemoryOp::StoreBulk => Vec::new(),
        },
        Operation::Async(AsyncOp::Store) => store_async::check(opcode, bound, module),
        Operation::Async(
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
        | Operation::Mbarrier(_) => Vec::new(),
        Operation::Matrix(op) => matrix::check(op, opcode, bound, module),
        Operation::Move(MoveOp::Cvt | MoveOp::CvtPacked) => {
            convert::check(opcode, bound, &modifiers, module)
        }
        Operation::Unit(op) => match op.accesses_surface() {
            true => rules::find_too_wide(opcode, bound, module),
            false => Vec::new(),
        },
        Operation::Compare(ComparisonOp::Setp | ComparisonOp::Set) => {
            check_comparison(opcode, bound, &modifiers)
        }
        Operation::Arithmetic(ArithmeticOp::Mad) if needs_rounding(&modifiers, module) => {
            vec![diagnose::mad_rounding(opcode)]
        }
        Operation::Warp(WarpOp::Shuffle | WarpOp::Vote)
            if !modifiers.has(Flag::Sync) && module.meets(SYNC_ONLY) =>
        {
            vec![diagnose::needs_sync(opcode)]
        }
        Operation::Arithmetic(_)
        | Operation::Carry(_)
        | Operation::Video(..)
        | Operation::Compare(ComparisonOp::Testp | ComparisonOp::Selp | ComparisonOp::Slct)
        | Operation::Move(
            MoveOp::Mov
            | MoveOp::CvtPack
            | MoveOp::Cvta
            | MoveOp::Isspacep
            | MoveOp::CreatePolicy
            | MoveOp::Mapa
            | MoveOp::GetCtaRank,
        )
        | Operation::Control(_)
        | Operation::Sync(_)
        | Operation::Warp(_)
        | Operation::Hint(_)
        | Operation::Machine(_)
        | Operation::Unknown => Vec::new(),
    }
}

/// Operand syntax of an instruction, which selects the function that checks and lowers its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandGrammar {
    /// The operands are specified by the table row, with additional checks.
    Row(ExtraOperandCheck),
    /// The opcode has no table row, so only the names in the operands are resolved.
    Names,
    /// Operands of `st`.
    Store,
    /// Operands of `st.bulk`.
    Fill,
    /// Operands of `st.async`.
    StoreAsync,
    Matrix(MatrixOp),
    Video(VideoOp, SimdWidth),
    Mov,
    Branch,
    BranchIndexed,
    Call,
}

/// Operand check of an instruction family, in addition to the checks that the table row specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtraOperandCheck {
    Nothing,
    Load,
    /// Operands of `atom` and `red`.
    Atomic,
    /// Operands of `cp.async`.
    Copy,
    /// Operands of `cp.async.bulk`.
    BulkCopy,
    /// Operands of `mbarrier.arrive` and its variants.
    Arrival,
    /// Phase state operand of an mbarrier wait.
    State,
    /// Operands of `cvta`.
    ConvertedAddress,
    /// Operands of `mapa` and `getctarank`, whose address may belong to another block of the cluster.
    ClusterAddress,
    /// Operands of `createpolicy.cvt`.
    AccessProperty,
    /// Operands of `createpolicy.range`.
    PolicyRange,
    /// Operands of `set` with `.bf16`.
    BrainComparison,
    /// Operands of a minimum or maximum of two or three values.
    Extreme,
    /// Operands of a 64-bit integer division.
    LongDivision,
    /// Operands of a `bar` or `barrier` instruction.
    Barrier(SymbolOffsetRule),
    /// Operands of a warp-level operation such as `shfl` or `vote`.
    Lanes(SymbolOffsetRule),
}

/// Rule for operands that are the sum of a name and a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolOffsetRule {
    Taken,
    /// The assembler accepts sums from `sm_90` on. For older targets, the assembler replaces the instruction by a call of a library
    /// function, which does not accept sums (assembler 13.5).
    SinceSm90,
}

impl SymbolOffsetRule {
    /// Returns whether the operands of a `barrier` instruction may be sums.
    const fn of_barrier(modifiers: &Modifiers) -> SymbolOffsetRule {
        match modifiers.has(Flag::Aligned) {
            true => SymbolOffsetRule::Taken,
            false => SymbolOffsetRule::SinceSm90,
        }
    }

    /// Returns whether the operands of a warp instruction may be sums.
    const fn of_lanes(modifiers: &Modifiers) -> SymbolOffsetRule {
        match modifiers.has(Flag::Sync) {
            true => SymbolOffsetRule::SinceSm90,
            false => SymbolOffsetRule::Taken,
        }
    }
}

impl OperandGrammar {
    /// Returns the operand syntax of a bound form.
    pub(crate) fn of(bound: &BoundForm, modifiers: &Modifiers) -> OperandGrammar {
        let has = |flag| modifiers.has(flag);
        match bound.layout.form.operation {
            Operation::Memory(op) => match op {
                MemoryOp::Load => OperandGrammar::Row(ExtraOperandCheck::Load),
                MemoryOp::Store => OperandGrammar::Store,
                MemoryOp::Atomic | MemoryOp::Reduction => {
                    OperandGrammar::Row(ExtraOperandCheck::Atomic)
                }
                MemoryOp::StoreBulk => OperandGrammar::Fill,
            },
            Operation::Async(op) => match op {
                AsyncOp::Store => OperandGrammar::StoreAsync,
                AsyncOp::Copy => OperandGrammar::Row(ExtraOperandCheck::Copy),
                AsyncOp::BulkCopy => OperandGrammar::Row(ExtraOperandCheck::BulkCopy),
                AsyncOp::Reduction
                | AsyncOp::CopyCommit
                | AsyncOp::CopyWait
                | AsyncOp::CopyWaitAll
                | AsyncOp::CopyArrive
                | AsyncOp::BulkReduction
                | AsyncOp::BulkCommit
                | AsyncOp::BulkWait => OperandGrammar::Row(ExtraOperandCheck::Nothing),
            },
            Operation::Mbarrier(op) => match op {
                MbarrierOp::Arrive | MbarrierOp::ArriveDrop => {
                    OperandGrammar::Row(ExtraOperandCheck::Arrival)
                }
                MbarrierOp::TestWait | MbarrierOp::TryWait if !has(Flag::Parity) => {
                    OperandGrammar::Row(ExtraOperandCheck::State)
                }
                MbarrierOp::Init
                | MbarrierOp::Inval
                | MbarrierOp::ExpectTx
                | MbarrierOp::CompleteTx
                | MbarrierOp::TestWait
                | MbarrierOp::TryWait
                | MbarrierOp::PendingCount
                | MbarrierOp::CheckLayout => OperandGrammar::Row(ExtraOperandCheck::Nothing),
            },
            Operation::Matrix(op) => OperandGrammar::Matrix(op),
            Operation::Video(op, lanes) => OperandGrammar::Video(op, lanes),
            Operation::Move(op) => match op {
                MoveOp::Mov => OperandGrammar::Mov,
                MoveOp::Cvta => OperandGrammar::Row(ExtraOperandCheck::ConvertedAddress),
                MoveOp::Mapa | MoveOp::GetCtaRank => {
                    OperandGrammar::Row(ExtraOperandCheck::ClusterAddress)
                }
                MoveOp::CreatePolicy if has(Flag::Cvt) => {
                    OperandGrammar::Row(ExtraOperandCheck::AccessProperty)
                }
                MoveOp::CreatePolicy if has(Flag::Range) => {
                    OperandGrammar::Row(ExtraOperandCheck::PolicyRange)
                }
                MoveOp::CreatePolicy
                | MoveOp::Cvt
                | MoveOp::CvtPacked
                | MoveOp::CvtPack
                | MoveOp::Isspacep => OperandGrammar::Row(ExtraOperandCheck::Nothing),
            },
            Operation::Compare(ComparisonOp::Set | ComparisonOp::Setp)
                if matches!(
                    modifiers.source_type(),
                    Some(ScalarType::Bf16 | ScalarType::Bf16x2)
                ) =>
            {
                OperandGrammar::Row(ExtraOperandCheck::BrainComparison)
            }
            Operation::Arithmetic(ArithmeticOp::Min | ArithmeticOp::Max)
                if bound.layout.operands.len() > 3 =>
            {
                OperandGrammar::Row(ExtraOperandCheck::Extreme)
            }
            Operation::Arithmetic(ArithmeticOp::Div | ArithmeticOp::Rem)
                if modifiers.ty.is_some_and(|ty| ty.width_bits() == 64) =>
            {
                OperandGrammar::Row(ExtraOperandCheck::LongDivision)
            }
            Operation::Control(op) => match op {
                ControlOp::Branch => OperandGrammar::Branch,
                ControlOp::BranchIndexed => OperandGrammar::BranchIndexed,
                ControlOp::Call => OperandGrammar::Call,
                ControlOp::Return
                | ControlOp::Exit
                | ControlOp::Trap
                | ControlOp::Breakpoint
                | ControlOp::PushReconvergence
                | ControlOp::Reconverge
                | ControlOp::ReconvergeYieldable
                | ControlOp::Yield
                | ControlOp::BreakReconvergence
                | ControlOp::BranchIndirect
                | ControlOp::BranchDivergent => OperandGrammar::Row(ExtraOperandCheck::Nothing),
            },
            Operation::Sync(op) => match op {
                SyncOp::Bar => {
                    OperandGrammar::Row(ExtraOperandCheck::Barrier(SymbolOffsetRule::Taken))
                }
                SyncOp::Barrier => OperandGrammar::Row(ExtraOperandCheck::Barrier(
                    SymbolOffsetRule::of_barrier(modifiers),
                )),
                SyncOp::WarpBarrier => OperandGrammar::Row(ExtraOperandCheck::Lanes(
                    SymbolOffsetRule::of_lanes(modifiers),
                )),
                SyncOp::Fence | SyncOp::Membar | SyncOp::ClusterArrive | SyncOp::ClusterWait => {
                    OperandGrammar::Row(ExtraOperandCheck::Nothing)
                }
            },
            Operation::Warp(_) => OperandGrammar::Row(ExtraOperandCheck::Lanes(
                SymbolOffsetRule::of_lanes(modifiers),
            )),
            Operation::Arithmetic(_)
            | Operation::Carry(_)
            | Operation::Compare(_)
            | Operation::Machine(_)
            | Operation::Unit(_)
            | Operation::Hint(_) => OperandGrammar::Row(ExtraOperandCheck::Nothing),
            Operation::Unknown => OperandGrammar::Names,
        }
    }
}

/// Returns whether `mad.f32` requires a rounding modifier, which is the case from `sm_20` on, because `mad.f32` is equivalent to `fma` on
/// these targets (assembler 13.5).
fn needs_rounding(modifiers: &Modifiers, module: &TargetContext) -> bool {
    modifiers.ty == Some(ScalarType::F32)
        && modifiers.rounding.is_none()
        && TargetRequirement::From(20).met_by(module.target)
        && module.version > Version::new(2, 0)
}

/// Version and target from which on `shfl` and `vote` require `.sync` with a member mask (assembler 13.5).
const SYNC_ONLY: Gate = Gate::ptx(6, 4).sm(70);

/// Checks the comparison operator: bit types support only `.eq` and `.ne`, and signed integers do not support unsigned operators
/// (PTX ISA, "setp").
fn check_comparison(
    opcode: &Opcode<'_>,
    bound: &BoundForm,
    modifiers: &Modifiers,
) -> Vec<Diagnostic> {
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
