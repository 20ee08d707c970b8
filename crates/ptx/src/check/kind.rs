//! What a bound form will become: everything about an operation that its opcode alone decides.

mod make;

pub(crate) use make::{mode, of, space};

use super::plan::Opcode;
use super::{Module, convert, memory, store, store_async, wmma_store};
use crate::diagnostics::check as diagnose;
use warpgrid_isa::form::{Bound, Complaint};
use warpgrid_isa::{
    BoolOp, CompareOp, Does, Gate, Meaning, ScalarType, ShuffleMode, StateSpace, TypeKind, VoteMode,
};
use warpgrid_program::{
    Arithmetic, ArithmeticMode, AtomicOp, BarrierReduce, Carry, CarryUse, Conversion, Diagnostic,
    FloatTest, MemoryAccess, PredicateOp, ReduceOp,
};

/// The operation that an opcode makes, without its operands.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Arithmetic {
        op: Arithmetic,
        ty: ScalarType,
        mode: ArithmeticMode,
    },
    /// `lop3`: the fourth source is a literal truth table.
    Lop3,
    Bfi(ScalarType),
    Carry {
        op: Carry,
        ty: ScalarType,
        carry: CarryUse,
    },
    PredicateLogic(PredicateOp),
    Move {
        ty: ScalarType,
        n_elements: usize,
    },
    Convert(Conversion),
    ConvertPacked(Conversion),
    ConvertAddress {
        space: StateSpace,
        to_space: bool,
        width_bits: u32,
    },
    IsSpace(StateSpace),
    SetPredicate {
        compare: CompareOp,
        ty: ScalarType,
        ftz: bool,
        combine: Option<BoolOp>,
    },
    Set {
        compare: CompareOp,
        to: ScalarType,
        ty: ScalarType,
        ftz: bool,
        combine: Option<BoolOp>,
    },
    TestFloat {
        test: FloatTest,
        ty: ScalarType,
    },
    Select(ScalarType),
    SelectSign {
        ty: ScalarType,
        sign_ty: ScalarType,
        ftz: bool,
    },
    Load {
        access: MemoryAccess,
        n_elements: usize,
    },
    Store {
        access: MemoryAccess,
    },
    StoreAsync,
    WmmaStore,
    Atomic {
        op: AtomicOp,
        access: MemoryAccess,
        returns: bool,
    },
    /// Touches memory or caches without effect; its address is of this space.
    Hint(StateSpace),
    CreatePolicy,
    Branch {
        uniform: bool,
    },
    BranchIndexed,
    Call {
        uniform: bool,
    },
    Return,
    Exit,
    Trap,
    Breakpoint,
    Barrier(BarrierForm),
    WarpBarrier,
    Fence,
    Shuffle {
        mode: ShuffleMode,
        sync: bool,
    },
    Vote {
        mode: VoteMode,
        sync: bool,
    },
    Match {
        all: bool,
        ty: ScalarType,
    },
    ActiveMask,
    WarpReduce {
        op: ReduceOp,
        ty: ScalarType,
    },
    Elect,
    Yield,
    NotEmulated,
}

/// Forms of `bar` and `barrier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BarrierForm {
    pub(crate) action: BarrierAction,
    pub(crate) aligned: bool,
}

/// What a block barrier does besides waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierAction {
    Sync,
    Arrive,
    Reduce(BarrierReduce),
}

impl Kind {
    /// The space of the instruction's address.
    pub(crate) fn space(&self) -> StateSpace {
        match self {
            Kind::Load { access, .. }
            | Kind::Store { access, .. }
            | Kind::Atomic { access, .. } => access.space,
            Kind::Hint(space) | Kind::IsSpace(space) => *space,
            Kind::ConvertAddress { space, .. } => *space,
            _ => StateSpace::Generic,
        }
    }

    /// Whether a register with an address of global or generic memory must be as wide as addresses are; asynchronous
    /// and matrix stores take narrower ones (assembler 13.5).
    pub(crate) fn needs_whole_addresses(&self) -> bool {
        matches!(
            self,
            Kind::Load { .. } | Kind::Store { .. } | Kind::Atomic { .. } | Kind::Hint(_)
        )
    }

    /// Whether a variable of this space may be the address.
    pub(crate) fn takes_space(&self, variable: StateSpace) -> bool {
        use StateSpace as S;
        if matches!(self, Kind::NotEmulated) {
            return true;
        }
        match self.space() {
            S::Generic => matches!(variable, S::Global | S::Shared | S::Local),
            S::Shared | S::SharedCluster => variable == S::Shared,
            S::ParamEntry | S::ParamFunc => matches!(variable, S::ParamEntry | S::ParamFunc),
            space => space == variable,
        }
    }
}

/// Whether a value may be a special register.
pub(crate) fn takes_special(does: Does) -> bool {
    matches!(does, Does::Mov | Does::Cvt | Does::NotEmulated)
}

/// Whether a value may be the address of a variable.
pub(crate) fn takes_address(does: Does) -> bool {
    matches!(does, Does::Mov | Does::Cvta | Does::NotEmulated)
}

/// The rules of a family that need several modifiers at once.
pub(crate) fn judge(opcode: &Opcode<'_>, bound: &Bound, module: &Module) -> Vec<Diagnostic> {
    match bound.layout.form.does {
        Does::Store => store::judge(opcode, bound),
        Does::StoreAsync => store_async::judge(opcode, bound, module),
        Does::WmmaStore => wmma_store::judge(opcode, bound, module),
        Does::Cvt => convert::judge(opcode, bound),
        Does::Load => memory::judge(opcode, bound),
        Does::Setp | Does::Set => judge_compare(opcode, bound),
        Does::Mad if needs_rounding(bound, module) => vec![diagnose::mad_rounding(opcode)],
        Does::Shuffle | Does::Vote if !bound.has("sync") && module.meets(SYNC_ONLY) => {
            vec![diagnose::needs_sync(opcode)]
        }
        _ => Vec::new(),
    }
}

/// `mad.f32` without rounding ended with `sm_20`, where it became `fma` (assembler 13.5).
fn needs_rounding(bound: &Bound, module: &Module) -> bool {
    bound.scalar("type") == Some(ScalarType::F32) && !bound.has("rnd") && module.target.sm >= 20
}

/// From here on, exchange between lanes names its lanes (assembler 13.5).
const SYNC_ONLY: Gate = Gate::ptx(6, 4).sm(70);

fn judge_compare(opcode: &Opcode<'_>, bound: &Bound) -> Vec<Diagnostic> {
    let ty = bound.scalar("stype").or_else(|| bound.scalar("type"));
    let (Some(ty), Some(Meaning::Compare(compare))) = (ty, bound.meaning("cmp")) else {
        return Vec::new();
    };
    use CompareOp as C;
    let allowed = match ty.kind() {
        TypeKind::Bits => matches!(compare, C::Eq | C::Ne),
        TypeKind::Signed => !matches!(compare, C::Lo | C::Ls | C::Hi | C::Hs),
        _ => true,
    };
    match bound.word("cmp") {
        Some(word) if !allowed => vec![diagnose::compare_mismatch(opcode, word, ty)],
        _ => Vec::new(),
    }
}

/// Whether the assembler overlooks what the form complains about.
pub(crate) fn forgives(opcode: &Opcode<'_>, bound: &Bound, complaint: Complaint) -> bool {
    match bound.layout.form.does {
        Does::WmmaStore => wmma_store::forgives(opcode, complaint),
        _ => false,
    }
}

/// The most operands that are not refused by their number alone.
pub(crate) fn n_most(bound: &Bound) -> usize {
    match bound.layout.form.does {
        // A third one is an mbarrier, which its own rules tell about.
        Does::StoreAsync => 3,
        _ => bound.layout.operands.len(),
    }
}

/// Whether the rules of the family are told beside complaints about single modifiers.
pub(crate) fn judges_always(bound: &Bound) -> bool {
    matches!(bound.layout.form.does, Does::StoreAsync | Does::WmmaStore)
}
