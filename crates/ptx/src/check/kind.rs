//! What a bound form will become: everything about an operation that its opcode alone decides.

use super::plan::Opcode;
use super::{Module, convert, memory, store, store_async, wmma_store};
use crate::diagnostics::check as diagnose;
use warpgrid_isa::form::{Bound, Complaint};
use warpgrid_isa::{
    BitwiseOp, BoolOp, CompareOp, Does, Gate, Meaning, MulPart, ScalarType, ShuffleMode,
    StateSpace, TypeKind, VoteMode,
};
use warpgrid_program::{
    Arithmetic, ArithmeticMode, AtomicOp, BarrierReduce, Carry, CarryUse, Conversion, Diagnostic,
    FloatTest, MemoryAccess, PermuteMode, PredicateOp, ReduceOp,
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

/// What the form makes; forms whose modifiers are wrong make nothing that runs.
pub(crate) fn of(bound: &Bound, opcode: &Opcode<'_>) -> Kind {
    match bound.layout.form.does {
        // Their operands are judged in any case.
        Does::StoreAsync => return Kind::StoreAsync,
        Does::WmmaStore => return Kind::WmmaStore,
        _ => {}
    }
    if !bound.complaints.is_empty() {
        return Kind::NotEmulated;
    }
    make(bound, opcode).unwrap_or(Kind::NotEmulated)
}

fn make(bound: &Bound, opcode: &Opcode<'_>) -> Option<Kind> {
    let does = bound.layout.form.does;
    let ty = bound.scalar("type");
    if ty == Some(ScalarType::Pred)
        && let Some(op) = predicate_logic(does)
    {
        return Some(Kind::PredicateLogic(op));
    }
    if let Some(op) = arithmetic(does, bound) {
        return Some(Kind::Arithmetic {
            op,
            ty: ty?,
            mode: mode(bound),
        });
    }
    Some(match does {
        Does::Lop3 => Kind::Lop3,
        Does::Bfi => Kind::Bfi(ty?),
        Does::AddCc | Does::Addc => carry(Carry::Add, bound, does == Does::Addc)?,
        Does::SubCc | Does::Subc => carry(Carry::Sub, bound, does == Does::Subc)?,
        Does::MadCc | Does::Madc => {
            let op = match part(bound) {
                MulPart::Hi => Carry::MadHi,
                _ => Carry::MadLo,
            };
            carry(op, bound, does == Does::Madc)?
        }
        Does::Mov => Kind::Move {
            ty: ty?,
            n_elements: memory::n_elements(bound),
        },
        Does::Cvt => convert::make(bound)?,
        Does::Cvta => Kind::ConvertAddress {
            space: space(bound),
            to_space: bound.has("to"),
            width_bits: bound.scalar("size")?.width_bits(),
        },
        Does::Isspacep => Kind::IsSpace(space(bound)),
        Does::Setp => Kind::SetPredicate {
            compare: compare(bound)?,
            ty: ty?,
            ftz: bound.has("ftz"),
            combine: combine(bound),
        },
        Does::Set => Kind::Set {
            compare: compare(bound)?,
            to: bound.scalar("dtype")?,
            ty: bound.scalar("stype")?,
            ftz: bound.has("ftz"),
            combine: combine(bound),
        },
        Does::Testp => Kind::TestFloat {
            test: float_test(bound.text("op")?)?,
            ty: ty?,
        },
        Does::Selp => Kind::Select(ty?),
        Does::Slct => Kind::SelectSign {
            ty: bound.scalar("dtype")?,
            sign_ty: bound.scalar("stype")?,
            ftz: bound.has("ftz"),
        },
        Does::Load => Kind::Load {
            access: memory::access(bound)?,
            n_elements: memory::n_elements(bound),
        },
        Does::Store => Kind::Store {
            access: memory::access(bound)?,
        },
        Does::Atomic | Does::Reduction => Kind::Atomic {
            op: atomic(bound)?,
            access: memory::access(bound)?,
            returns: does == Does::Atomic,
        },
        Does::Prefetch | Does::Discard => Kind::Hint(space(bound)),
        Does::CreatePolicy => Kind::CreatePolicy,
        Does::Fence => Kind::Fence,
        Does::Nanosleep | Does::Pmevent => Kind::Yield,
        _ => return control(does, bound, opcode),
    })
}

fn control(does: Does, bound: &Bound, opcode: &Opcode<'_>) -> Option<Kind> {
    let uniform = bound.has("uni");
    Some(match does {
        Does::Branch => Kind::Branch { uniform },
        Does::BranchIndexed => Kind::BranchIndexed,
        Does::Call => Kind::Call { uniform },
        Does::Return => Kind::Return,
        Does::Exit => Kind::Exit,
        Does::Trap => Kind::Trap,
        Does::Breakpoint => Kind::Breakpoint,
        Does::Barrier => Kind::Barrier(BarrierForm {
            action: barrier_action(bound)?,
            // `bar` is `barrier` with `.aligned` understood.
            aligned: opcode.name() == "bar" || bound.has("aligned"),
        }),
        Does::WarpBarrier => Kind::WarpBarrier,
        Does::Shuffle => Kind::Shuffle {
            mode: match bound.meaning("mode")? {
                Meaning::Shuffle(mode) => mode,
                _ => return None,
            },
            sync: bound.has("sync"),
        },
        Does::Vote => Kind::Vote {
            mode: match bound.meaning("mode")? {
                Meaning::Vote(mode) => mode,
                _ => return None,
            },
            sync: bound.has("sync"),
        },
        Does::Match => Kind::Match {
            all: bound.has("all"),
            ty: bound.scalar("type")?,
        },
        Does::ActiveMask => Kind::ActiveMask,
        Does::Redux => Kind::WarpReduce {
            op: reduce(bound.text("op")?)?,
            ty: bound.scalar("type")?,
        },
        Does::Elect => Kind::Elect,
        _ => return None,
    })
}

fn arithmetic(does: Does, bound: &Bound) -> Option<Arithmetic> {
    let wrap = bound.text("mode") == Some("wrap");
    let signed = |slot| bound.scalar(slot).is_some_and(|ty| ty.is_signed());
    Some(match does {
        Does::Add => Arithmetic::Add,
        Does::Sub => Arithmetic::Sub,
        Does::Mul => Arithmetic::Mul(part(bound)),
        Does::Mad if bound.scalar("type").is_some_and(|ty| ty.is_float()) => Arithmetic::Fma,
        Does::Mad => Arithmetic::Mad(part(bound)),
        Does::Mul24 => Arithmetic::Mul24(part(bound)),
        Does::Mad24 => Arithmetic::Mad24(part(bound)),
        Does::Sad => Arithmetic::Sad,
        Does::Div => Arithmetic::Div,
        Does::Rem => Arithmetic::Rem,
        Does::Abs => Arithmetic::Abs,
        Does::Neg => Arithmetic::Neg,
        Does::Min => Arithmetic::Min,
        Does::Max => Arithmetic::Max,
        Does::Fma => Arithmetic::Fma,
        Does::Rcp => Arithmetic::Rcp,
        Does::Sqrt => Arithmetic::Sqrt,
        Does::Rsqrt => Arithmetic::Rsqrt,
        Does::Sin => Arithmetic::Sin,
        Does::Cos => Arithmetic::Cos,
        Does::Lg2 => Arithmetic::Lg2,
        Does::Ex2 => Arithmetic::Ex2,
        Does::Tanh => Arithmetic::Tanh,
        Does::Copysign => Arithmetic::Copysign,
        Does::And => Arithmetic::And,
        Does::Or => Arithmetic::Or,
        Does::Xor => Arithmetic::Xor,
        Does::Not => Arithmetic::Not,
        Does::Cnot => Arithmetic::Cnot,
        Does::Shl => Arithmetic::Shl,
        Does::Shr => Arithmetic::Shr,
        Does::Shf if bound.has("l") => Arithmetic::ShfLeft { wrap },
        Does::Shf => Arithmetic::ShfRight { wrap },
        Does::Popc => Arithmetic::Popc,
        Does::Clz => Arithmetic::Clz,
        Does::Brev => Arithmetic::Brev,
        Does::Bfind => Arithmetic::Bfind {
            shift_amount: bound.has("shiftamt"),
        },
        Does::Bfe => Arithmetic::Bfe,
        Does::Szext => Arithmetic::Szext { wrap },
        Does::Bmsk => Arithmetic::Bmsk { wrap },
        Does::Prmt => permute(bound),
        Does::Dp4a => Arithmetic::Dp4a {
            a_signed: signed("atype"),
            b_signed: signed("btype"),
        },
        Does::Dp2a => Arithmetic::Dp2a {
            a_signed: signed("atype"),
            b_signed: signed("btype"),
            high: bound.text("mode") == Some("hi"),
        },
        _ => return None,
    })
}

fn permute(bound: &Bound) -> Arithmetic {
    match bound.text("mode") {
        Some("f4e") => Arithmetic::PrmtMode(PermuteMode::F4e),
        Some("b4e") => Arithmetic::PrmtMode(PermuteMode::B4e),
        Some("rc8") => Arithmetic::PrmtMode(PermuteMode::Rc8),
        Some("ecl") => Arithmetic::PrmtMode(PermuteMode::Ecl),
        Some("ecr") => Arithmetic::PrmtMode(PermuteMode::Ecr),
        Some("rc16") => Arithmetic::PrmtMode(PermuteMode::Rc16),
        _ => Arithmetic::Prmt,
    }
}

fn predicate_logic(does: Does) -> Option<PredicateOp> {
    Some(match does {
        Does::And => PredicateOp::And,
        Does::Or => PredicateOp::Or,
        Does::Xor => PredicateOp::Xor,
        Does::Not => PredicateOp::Not,
        _ => return None,
    })
}

fn carry(op: Carry, bound: &Bound, reads: bool) -> Option<Kind> {
    Some(Kind::Carry {
        op,
        ty: bound.scalar("type")?,
        carry: CarryUse {
            reads,
            writes: bound.has("cc"),
        },
    })
}

fn part(bound: &Bound) -> MulPart {
    match bound.meaning("part") {
        Some(Meaning::Part(part)) => part,
        _ => MulPart::Lo,
    }
}

/// Rounding, flushing and clamping as the modifiers say.
pub(crate) fn mode(bound: &Bound) -> ArithmeticMode {
    let rounding = ["rnd", "irnd", "approx", "full"]
        .into_iter()
        .find_map(|slot| match (bound.meaning(slot), bound.text(slot)) {
            (Some(Meaning::Round(rounding)), _) => Some(rounding),
            (None, Some("approx")) => Some(warpgrid_isa::Rounding::Approx),
            (None, Some("full")) => Some(warpgrid_isa::Rounding::Full),
            _ => None,
        });
    ArithmeticMode {
        rounding,
        ftz: bound.has("ftz"),
        saturate: bound.has("sat"),
        nan: bound.has("NaN"),
        xorsign_abs: bound.has("xorsign") || bound.has("abs"),
        relu: bound.has("relu"),
    }
}

fn compare(bound: &Bound) -> Option<CompareOp> {
    match bound.meaning("cmp")? {
        Meaning::Compare(compare) => Some(compare),
        _ => None,
    }
}

fn combine(bound: &Bound) -> Option<BoolOp> {
    match bound.meaning("bool")? {
        Meaning::Bool(op) => Some(op),
        _ => None,
    }
}

/// The space that the opcode names; generic without one.
pub(crate) fn space(bound: &Bound) -> StateSpace {
    match bound.meaning("ss") {
        Some(Meaning::Space(space)) => space,
        _ => StateSpace::Generic,
    }
}

fn float_test(text: &str) -> Option<FloatTest> {
    Some(match text {
        "finite" => FloatTest::Finite,
        "infinite" => FloatTest::Infinite,
        "number" => FloatTest::Number,
        "notanumber" => FloatTest::NotANumber,
        "normal" => FloatTest::Normal,
        "subnormal" => FloatTest::Subnormal,
        _ => return None,
    })
}

fn bitwise(text: &str) -> Option<BitwiseOp> {
    BitwiseOp::ALL.iter().copied().find(|op| op.name() == text)
}

fn atomic(bound: &Bound) -> Option<AtomicOp> {
    let text = bound.text("op")?;
    Some(match text {
        "add" => AtomicOp::Add,
        "min" => AtomicOp::Min,
        "max" => AtomicOp::Max,
        "inc" => AtomicOp::Inc,
        "dec" => AtomicOp::Dec,
        "exch" => AtomicOp::Exchange,
        "cas" => AtomicOp::CompareExchange,
        _ => AtomicOp::Bitwise(bitwise(text)?),
    })
}

fn reduce(text: &str) -> Option<ReduceOp> {
    Some(match text {
        "add" => ReduceOp::Add,
        "min" => ReduceOp::Min,
        "max" => ReduceOp::Max,
        _ => ReduceOp::Bitwise(bitwise(text)?),
    })
}

fn barrier_action(bound: &Bound) -> Option<BarrierAction> {
    if bound.has("arrive") {
        return Some(BarrierAction::Arrive);
    }
    if !bound.has("red") {
        return Some(BarrierAction::Sync);
    }
    Some(BarrierAction::Reduce(match bound.text("op")? {
        "popc" => BarrierReduce::Popc,
        "and" => BarrierReduce::And,
        "or" => BarrierReduce::Or,
        _ => return None,
    }))
}
