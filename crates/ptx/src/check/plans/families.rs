//! What the families of instructions say beyond their rows: of their modifiers, and of how operands are read. In: a bound
//! form; out: diagnostics of the opcode, and the grammar of its operands.
//!
//! The one file of this room where every meaning has its place.

use crate::check::plans::convert;
use crate::check::plans::load;
use crate::check::plans::matrix;
use crate::check::plans::rules;
use crate::check::plans::store;
use crate::check::plans::store_async;
use crate::diagnostics::check as diagnose;
use crate::module::Module;
use crate::opcode::Opcode;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::Bound;
use warpgrid_isa::{
    ArithmeticOp, AsyncOp, CompareForm, CompareOp, ControlOp, Does, Flag, Gate, MatrixOp,
    MbarrierOp, MemoryOp, Modifiers, MoveOp, ScalarType, SyncOp, TargetGate, TypeKind, Version,
    VideoLanes, VideoOp, WarpOp,
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
        Does::Unit(op) => match op.accesses_surface() {
            true => rules::find_too_wide(opcode, bound, module),
            false => Vec::new(),
        },
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

/// How the operands of an instruction are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandGrammar {
    /// As the row says of each, and compared with something more.
    Row(Beyond),
    /// Without a row: names are looked up.
    Names,
    /// `st`
    Store,
    /// `st.bulk`
    Fill,
    /// `st.async`
    StoreAsync,
    Matrix(MatrixOp),
    Video(VideoOp, VideoLanes),
    Mov,
    Branch,
    BranchIndexed,
    Call,
}

/// What operands are compared with beyond what the row says of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    Nothing,
    Load,
    /// `atom` and `red`
    Atomic,
    /// `cp.async`
    Copy,
    /// `cp.async.bulk`
    BulkCopy,
    /// Arrivals at an mbarrier.
    Arrival,
    /// The state that a wait for a phase has.
    State,
    /// `cvta`
    ConvertedAddress,
    /// An address of shared memory that another block may have.
    ClusterAddress,
    /// `createpolicy.cvt`
    AccessProperty,
    /// `createpolicy.range`
    PolicyRange,
    /// `set` on `.bf16`
    BrainComparison,
    /// Minimum or maximum of two or three.
    Extreme,
    /// Division of integers of 64 bits.
    LongDivision,
    /// A barrier of the block.
    Barrier(Sums),
    /// What the lanes of a warp do together.
    Lanes(Sums),
}

/// Whether a sum with a name may be an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sums {
    Taken,
    /// Where the assembler writes the instruction out itself: below `sm_90` it calls code of its own library, which takes no
    /// sums (assembler 13.5).
    SinceSm90,
}

impl Sums {
    /// The sums that `barrier` accepts.
    const fn of_barrier(modifiers: &Modifiers) -> Sums {
        match modifiers.has(Flag::Aligned) {
            true => Sums::Taken,
            false => Sums::SinceSm90,
        }
    }

    /// The sums that an instruction of a warp accepts.
    const fn of_lanes(modifiers: &Modifiers) -> Sums {
        match modifiers.has(Flag::Sync) {
            true => Sums::SinceSm90,
            false => Sums::Taken,
        }
    }
}

impl OperandGrammar {
    /// The grammar of the operands of a bound form.
    pub(crate) fn of(bound: &Bound, modifiers: &Modifiers) -> OperandGrammar {
        let has = |flag| modifiers.has(flag);
        match bound.layout.form.does {
            Does::Memory(op) => match op {
                MemoryOp::Load => OperandGrammar::Row(Beyond::Load),
                MemoryOp::Store => OperandGrammar::Store,
                MemoryOp::Atomic | MemoryOp::Reduction => OperandGrammar::Row(Beyond::Atomic),
                MemoryOp::StoreBulk => OperandGrammar::Fill,
            },
            Does::Async(op) => match op {
                AsyncOp::Store => OperandGrammar::StoreAsync,
                AsyncOp::Copy => OperandGrammar::Row(Beyond::Copy),
                AsyncOp::BulkCopy => OperandGrammar::Row(Beyond::BulkCopy),
                AsyncOp::Reduction
                | AsyncOp::CopyCommit
                | AsyncOp::CopyWait
                | AsyncOp::CopyWaitAll
                | AsyncOp::CopyArrive
                | AsyncOp::BulkReduction
                | AsyncOp::BulkCommit
                | AsyncOp::BulkWait => OperandGrammar::Row(Beyond::Nothing),
            },
            Does::Mbarrier(op) => match op {
                MbarrierOp::Arrive | MbarrierOp::ArriveDrop => OperandGrammar::Row(Beyond::Arrival),
                MbarrierOp::TestWait | MbarrierOp::TryWait if !has(Flag::Parity) => {
                    OperandGrammar::Row(Beyond::State)
                }
                MbarrierOp::Init
                | MbarrierOp::Inval
                | MbarrierOp::ExpectTx
                | MbarrierOp::CompleteTx
                | MbarrierOp::TestWait
                | MbarrierOp::TryWait
                | MbarrierOp::PendingCount
                | MbarrierOp::CheckLayout => OperandGrammar::Row(Beyond::Nothing),
            },
            Does::Matrix(op) => OperandGrammar::Matrix(op),
            Does::Video(op, lanes) => OperandGrammar::Video(op, lanes),
            Does::Move(op) => match op {
                MoveOp::Mov => OperandGrammar::Mov,
                MoveOp::Cvta => OperandGrammar::Row(Beyond::ConvertedAddress),
                MoveOp::MapToRank | MoveOp::RankOf => OperandGrammar::Row(Beyond::ClusterAddress),
                MoveOp::CreatePolicy if has(Flag::Cvt) => {
                    OperandGrammar::Row(Beyond::AccessProperty)
                }
                MoveOp::CreatePolicy if has(Flag::Range) => {
                    OperandGrammar::Row(Beyond::PolicyRange)
                }
                MoveOp::CreatePolicy
                | MoveOp::Cvt
                | MoveOp::CvtPacked
                | MoveOp::CvtPack
                | MoveOp::Isspacep => OperandGrammar::Row(Beyond::Nothing),
            },
            Does::Compare(CompareForm::Set | CompareForm::Setp)
                if matches!(
                    modifiers.source_type(),
                    Some(ScalarType::Bf16 | ScalarType::Bf16x2)
                ) =>
            {
                OperandGrammar::Row(Beyond::BrainComparison)
            }
            Does::Arithmetic(ArithmeticOp::Min | ArithmeticOp::Max)
                if bound.layout.operands.len() > 3 =>
            {
                OperandGrammar::Row(Beyond::Extreme)
            }
            Does::Arithmetic(ArithmeticOp::Div | ArithmeticOp::Rem)
                if modifiers.ty.is_some_and(|ty| ty.width_bits() == 64) =>
            {
                OperandGrammar::Row(Beyond::LongDivision)
            }
            Does::Control(op) => match op {
                ControlOp::Branch => OperandGrammar::Branch,
                ControlOp::BranchIndexed => OperandGrammar::BranchIndexed,
                ControlOp::Call => OperandGrammar::Call,
                ControlOp::Return
                | ControlOp::Exit
                | ControlOp::Trap
                | ControlOp::Breakpoint
                | ControlOp::PushReconvergence
                | ControlOp::Reconverge
                | ControlOp::ReconvergeUnlessYielded
                | ControlOp::GiveWay
                | ControlOp::LeaveReconvergence
                | ControlOp::BranchIndirect
                | ControlOp::BranchDivergent => OperandGrammar::Row(Beyond::Nothing),
            },
            Does::Sync(op) => match op {
                SyncOp::Bar => OperandGrammar::Row(Beyond::Barrier(Sums::Taken)),
                SyncOp::Barrier => {
                    OperandGrammar::Row(Beyond::Barrier(Sums::of_barrier(modifiers)))
                }
                SyncOp::WarpBarrier => {
                    OperandGrammar::Row(Beyond::Lanes(Sums::of_lanes(modifiers)))
                }
                SyncOp::Fence | SyncOp::Membar | SyncOp::ClusterArrive | SyncOp::ClusterWait => {
                    OperandGrammar::Row(Beyond::Nothing)
                }
            },
            Does::Warp(_) => OperandGrammar::Row(Beyond::Lanes(Sums::of_lanes(modifiers))),
            Does::Arithmetic(_)
            | Does::Carry(_)
            | Does::Compare(_)
            | Does::Machine(_)
            | Does::Unit(_)
            | Does::Hint(_) => OperandGrammar::Row(Beyond::Nothing),
            Does::Unknown => OperandGrammar::Names,
        }
    }
}

/// `mad.f32` without rounding ended with `sm_20`, where it became `fma` (assembler 13.5).
fn needs_rounding(modifiers: &Modifiers, module: &Module) -> bool {
    modifiers.ty == Some(ScalarType::F32)
        && modifiers.rounding.is_none()
        && TargetGate::From(20).met_by(module.target)
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
