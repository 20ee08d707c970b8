//! Reads the modifiers of a bound form into the kind of operation that they make.

use super::{BarrierAction, BarrierForm, Kind};
use crate::check::plan::Opcode;
use crate::check::{convert, memory};
use warpgrid_isa::form::Bound;
use warpgrid_isa::{BitwiseOp, BoolOp, CompareOp, Does, Meaning, MulPart, ScalarType, StateSpace};
use warpgrid_program::{
    Arithmetic, ArithmeticMode, AtomicOp, BarrierReduce, Carry, CarryUse, FloatTest, PermuteMode,
    PredicateOp, ReduceOp,
};

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
