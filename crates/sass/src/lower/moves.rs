//! Lowering of moves between registers, from special registers, and from constant banks.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, plain, read, written};
use super::instruction_cursor::{
    InstructionCursor, LowerResult, as_register, destinations, is_zero as is_zero_register, number,
    parts, signed,
};
use super::linked_functions::read_relocation;
use super::{
    LoweringContext, SassOperandLists, arithmetic, copy, is_zero, one, predicate_source, step,
    typed,
};
use crate::syntax::{Operand, OperandKind, TermValue};
use warpgrid_isa::{
    ArithmeticOp, CompareOp, ComparisonOp, MemoryOp, Modifiers, MoveOp, Operation, SassOp,
    ScalarType, SpecialRegister, StateSpace, VectorWidth,
};
use warpgrid_program::{
    Address, AddressBase, LaunchConstant, OperandValue, RegisterTuple, Source, Span, VariableId,
};

/// Lowers `MOV d, a{, lanes}`, a copy, and `MOV d, 32@lo(name)`, which loads half of an address that the linker resolves.
pub(super) fn copy_register(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if w.consume("64") {
        let to = w.to(2)?;
        let a = w.source_as(ScalarType::B64)?;
        return Ok(vec![step(
            Operation::Move(MoveOp::Mov),
            typed(ScalarType::B64),
            vec![to, one(a)],
        )]);
    }
    let to = w.to(1)?;
    if let Some(span) = relocation(w) {
        return address_half(c, w, to, span);
    }
    let a = w.source()?;
    if w.n_left() > 0 && w.immediate()? & 0xf != 0xf {
        return Err(w.unknown("a byte mask", w.instruction.span));
    }
    Ok(vec![copy(to, a)])
}

/// Lowers `IMAD.MOV.U32 d, RZ, RZ, 32@lo(name)`, which loads half of an address that the linker resolves. Returns `None` for other
/// instructions.
pub(super) fn copy_by_product(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> Option<LowerResult<Vec<LoweredInstruction>>> {
    let mut ahead = w.clone();
    if !ahead.consume("MOV") {
        return None;
    }
    ahead.ignore_modifiers(&["U32"]);
    let to = ahead.to(1).ok()?;
    for _ in 0..2 {
        let (value, _) = ahead.source().ok()?;
        if !is_zero(&value) {
            return None;
        }
    }
    let span = relocation(&mut ahead)?;
    *w = ahead;
    Some(address_half(c, w, to, span))
}

/// Consumes the next operand if the operand is a relocation.
fn relocation(w: &mut InstructionCursor<'_>) -> Option<Span> {
    match w.peek()?.value {
        OperandKind::Relocation(span) => {
            w.next().ok()?;
            Some(span)
        }
        OperandKind::Register(_)
        | OperandKind::Integer(_)
        | OperandKind::Float(_)
        | OperandKind::Memory(_)
        | OperandKind::Target(_)
        | OperandKind::Set(_)
        | OperandKind::Word(_)
        | OperandKind::Unknown(_) => None,
    }
}

/// Lowers a copy of one half of an address that the linker resolves.
fn address_half(
    c: &mut LoweringContext<'_>,
    w: &InstructionCursor<'_>,
    to: LoweredOperand,
    span: Span,
) -> LowerResult<Vec<LoweredInstruction>> {
    let unknown = || w.unknown("a symbol that is not in the listing", span);
    let relocated = read_relocation(span.text(w.source)).ok_or_else(unknown)?;
    if let Some(address) = c.text.label(relocated.label.unwrap_or(relocated.name)) {
        let half = match relocated.is_high {
            true => address >> 32,
            false => address & 0xffff_ffff,
        };
        return Ok(vec![copy(to, (number(half), span))]);
    }
    let variable = c.variables.iter().position(|of| of.name == relocated.name);
    let variable = variable.ok_or_else(unknown)?;
    let halves = [ScalarType::B32; 2].map(|ty| c.body.temporary(ty));
    let address = Source::VariableAddress {
        variable: VariableId::Module(variable as u32),
        offset: 0,
        generic: true,
    };
    let pair = RegisterTuple {
        first: halves[0],
        n: 2,
    };
    Ok(vec![
        step(
            Operation::Move(MoveOp::Mov),
            typed(ScalarType::B64),
            vec![
                LoweredOperand::One(OperandValue::Destination(Some(pair)), span),
                LoweredOperand::One(plain(address), span),
            ],
        ),
        copy(to, (read(halves[usize::from(relocated.is_high)]), span)),
    ])
}

/// Returns the source for a special register of SASS.
fn special_source(name: &str) -> Option<Source> {
    use SpecialRegister as S;
    let (base, axis) = match name.rsplit_once('.') {
        Some((base, "X")) => (base, 0),
        Some((base, "Y")) => (base, 1),
        Some((base, "Z")) => (base, 2),
        _ => (name, 0),
    };
    let special = match base {
        // `SR_LMEMHIOFF` is 0, because the stack may grow down to the start of local memory. `SR_CgaSize` is 0, because a launch has the
        // first of the possible cluster sizes.
        "SRZ" | "SR_LMEMHIOFF" | "SR_CgaSize" => return Some(Source::Immediate(0)),
        "SR_SWINHI" => return Some(Source::Launch(LaunchConstant::SharedWindowHigh)),
        "SR_SWINLO" => return Some(Source::Launch(LaunchConstant::SharedWindowLow)),
        "SR_LWINHI" => return Some(Source::Launch(LaunchConstant::LocalWindowHigh)),
        "SR_LWINLO" => return Some(Source::Launch(LaunchConstant::LocalWindowLow)),
        "SR_TID" => S::Tid(axis),
        "SR_CTAID" => S::Ctaid(axis),
        "SR_NTID" => S::Ntid(axis),
        "SR_NCTAID" => S::Nctaid(axis),
        "SR_LANEID" => S::Laneid,
        "SR_EQMASK" => S::LanemaskEq,
        "SR_LTMASK" => S::LanemaskLt,
        "SR_LEMASK" => S::LanemaskLe,
        "SR_GTMASK" => S::LanemaskGt,
        "SR_GEMASK" => S::LanemaskGe,
        "SR_CLOCKLO" | "SR_CLOCK" => S::Clock,
        "SR_CLOCKHI" => S::ClockHi,
        "SR_GLOBALTIMERLO" => S::GlobaltimerLo,
        "SR_GLOBALTIMERHI" => S::GlobaltimerHi,
        "SR_VIRTUALSMID" => S::Smid,
        "SR_SMEMSZ" => S::TotalSmemSize,
        "SR_CgaCtaId" => S::ClusterCtarank,
        _ => return None,
    };
    Some(Source::Special(special))
}

/// Reads the name of the special register.
fn special_name<'a>(w: &mut InstructionCursor<'a>) -> LowerResult<(&'a str, Span)> {
    let operand = w.next()?;
    Ok((operand.span.text(w.source), operand.span))
}

/// Special registers of SASS that contain a warp index in their second byte. The assembler compiles `%warpid` to `S2R r, SR_VIRTID;
/// SHF.R.U32.HI r, RZ, 0x8, r; SGXT.U32 r, r, 0x7` (13.5).
const IN_SECOND_BYTE: &[(&str, SpecialRegister)] = &[
    ("SR_VIRTID", SpecialRegister::Warpid),
    ("SR_VIRTCFG", SpecialRegister::Nwarpid),
];

/// Lowers `S2R d, SR_TID.X`, which reads a special register.
pub(super) fn special(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let to = w.to(1)?;
    let (name, span) = special_name(w)?;
    if let Some((_, special)) = IN_SECOND_BYTE.iter().find(|(of, _)| *of == name) {
        let full_value = c.body.temporary(ScalarType::B32);
        let source = (plain(Source::Special(*special)), span);
        let args = [read(full_value), number(8)].map(|operand| LoweredOperand::One(operand, span));
        let moved = std::iter::once(to).chain(args).collect();
        return Ok(vec![
            copy(LoweredOperand::One(written(full_value), span), source),
            step(
                Operation::Arithmetic(ArithmeticOp::Shl),
                typed(ScalarType::B32),
                moved,
            ),
        ]);
    }
    let source = special_source(name).ok_or_else(|| w.unknown(format!("`{name}`"), span))?;
    Ok(vec![copy(to, (plain(source), span))])
}

/// Lowers `CS2R d, SR_CLOCKLO`, which copies a special register to a register pair, or to one register with `.32`.
pub(super) fn special_pair(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if w.consume("32") {
        return special(c, w);
    }
    let (run, to_span) = w.destination(2)?;
    let (name, span) = special_name(w)?;
    let high = match name {
        "SR_CLOCKLO" => "SR_CLOCKHI",
        "SR_GLOBALTIMERLO" => "SR_GLOBALTIMERHI",
        "SRZ" => "SRZ",
        _ => return Err(w.unknown(format!("`{name}`"), span)),
    };
    let to = destinations(run, 2, to_span).into_iter();
    let halves = to.zip([name, high]).map(|((to, to_span), name)| {
        let source = special_source(name).unwrap_or(Source::Immediate(0));
        copy(LoweredOperand::One(to, to_span), (plain(source), span))
    });
    Ok(halves.collect())
}

/// Lowers `R2UR {p,} d, a`: d is the value of a in the first lane. The predicate p is true in the lanes in which a differs from d. With
/// `.OR`, p remains true in the lanes in which p was already true.
pub(super) fn first_lane(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let adds = w.consume("OR");
    w.ignore_modifiers(&["FILL", "BROADCAST"]);
    let differs = match w.is_predicate() {
        true => w.predicate_destination()?.0,
        false => None,
    };
    let (run, span) = w.destination(1)?;
    let source = w.source()?;
    // The uniform destination register receives a single value, even if the guard excludes some lanes.
    let condition = match c.guard {
        Some(guard) => predicate_source(guard.predicate, guard.negated),
        None => OperandValue::Predicate {
            source: Source::Immediate(1),
            negated: false,
        },
    };
    let first_of = |registers: Vec<SpannedValue>, old| {
        let machine = SassOperandLists {
            registers,
            sources: vec![source.clone(), (old, span)],
            conditions: vec![(condition.clone(), span)],
            ..SassOperandLists::default()
        };
        let mut first = machine.step(SassOp::ReadFirstLane, w.instruction.span);
        first.unguarded = true;
        first
    };
    let mut steps = Vec::new();
    if let Some(differs) = differs {
        let first = c.body.temporary(ScalarType::B32);
        let other = match adds {
            true => c.body.temporary(ScalarType::Pred),
            false => differs,
        };
        steps.push(first_of(vec![(written(first), span)], read(first)));
        let to = OperandValue::Pair(Some(RegisterTuple::one(other)), None);
        steps.push(step(
            Operation::Compare(ComparisonOp::Setp),
            Modifiers {
                compare: Some(CompareOp::Ne),
                ..super::typed(ScalarType::B32)
            },
            vec![
                LoweredOperand::One(to, span),
                LoweredOperand::One(read(first), span),
                one(source.clone()),
            ],
        ));
        if adds {
            let [a, b] =
                [differs, other].map(|p| LoweredOperand::One(predicate_source(p, false), span));
            let args = vec![LoweredOperand::One(written(differs), span), a, b];
            steps.push(arithmetic(ArithmeticOp::Or, ScalarType::Pred, args));
        }
    }
    let old = run.map_or(number(0), |run| plain(Source::Register(run)));
    steps.push(first_of(destinations(run, 1, span), old));
    Ok(steps)
}

/// Lowers `BMOV`, a move between registers and convergence barriers.
pub(super) fn barrier(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    if w.consume("64") {
        return Err(w.unknown("64-bit access to a barrier", w.instruction.opcode));
    }
    w.ignore_modifiers(&["32", "PQUAD"]);
    let clears = w.consume("CLEAR");
    let to = w.to(1)?;
    let from = w.peek().and_then(|operand| as_register(&operand.value));
    let a = w.source()?;
    let span = a.1;
    let mut steps = vec![copy(to, a)];
    if let Some(register) = from.filter(|_| clears) {
        let run = super::body::id_of(register).map(RegisterTuple::one);
        let to = LoweredOperand::One(OperandValue::Destination(run), span);
        steps.push(copy(to, (number(0), span)));
    }
    Ok(steps)
}

/// Access widths of loads from a constant bank.
const WIDTHS: &[(&str, (ScalarType, u8))] = &[
    ("U8", (ScalarType::U8, 1)),
    ("S8", (ScalarType::S8, 1)),
    ("U16", (ScalarType::U16, 1)),
    ("S16", (ScalarType::S16, 1)),
    ("32", (ScalarType::B32, 1)),
    ("64", (ScalarType::B32, 2)),
    ("128", (ScalarType::B32, 4)),
];

/// Lowers `LDC`, `ULDC` and `LDCU`, loads from a constant bank at a fixed offset or at an offset in a register.
pub(super) fn load_constant(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let (ty, n) = w.consume_one_of(WIDTHS).unwrap_or((ScalarType::B32, 1));
    let (run, to_span) = w.destination(n)?;
    let operand = w.next()?;
    let OperandKind::Memory(memory) = &operand.value else {
        return Err(w.unknown("a source operand that is not a constant", operand.span));
    };
    let (bank, inside) = w.bank(memory, operand.span)?;
    let (mut offset, mut index) = (0i64, None);
    for term in w.tree.terms(inside) {
        match term.value {
            TermValue::Integer(value) => offset += signed(term.joint, value),
            TermValue::Register(register) if is_zero_register(register) => {}
            TermValue::Register(register) if index.is_none() => {
                index = super::body::id_of(register).map(RegisterTuple::one);
            }
            TermValue::Register(_) | TermValue::Other(_) => {
                return Err(w.unknown("this kind of offset in a constant bank", term.span));
            }
        }
    }
    if index.is_none() && ty == ScalarType::B32 {
        let source = Source::Constant {
            bank,
            byte_offset: offset as u32,
        };
        let from = parts((plain(source), operand.span), n).into_iter();
        let to = destinations(run, n, to_span).into_iter();
        let copies = to
            .zip(from)
            .map(|((to, span), from)| copy(LoweredOperand::One(to, span), from));
        return Ok(copies.collect());
    }
    let vector = match n {
        2 => Some(VectorWidth::V2),
        4 => Some(VectorWidth::V4),
        _ => None,
    };
    let modifiers = Modifiers {
        ty: Some(ty),
        vector,
        space: Some(match bank {
            0 => StateSpace::ParamEntry,
            _ => StateSpace::Const,
        }),
        ..super::blank()
    };
    let base = AddressBase::Bank { bank, index };
    let address = OperandValue::Address(Address::new(base, offset));
    Ok(vec![step(
        Operation::Memory(MemoryOp::Load),
        modifiers,
        vec![
            LoweredOperand::List(destinations(run, n, to_span), to_span),
            LoweredOperand::One(address, operand.span),
        ],
    )])
}

/// Lowers `RPCMOV.32 Rpc.LO, R2` and `RPCMOV.32 R2, Rpc.LO`, which access one half of the return-address register. Compiled code also
/// stores other values in this register.
pub(super) fn return_address(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["32"]);
    let half = |operand: &Operand| match operand.span.text(w.source) {
        "Rpc.LO" => Some(0),
        "Rpc.HI" => Some(1),
        _ => None,
    };
    let operands = w.tree.operands(w.instruction);
    let halves: Vec<Option<usize>> = operands.iter().map(half).collect();
    let span = w.instruction.span;
    match halves[..] {
        [Some(half), None] => {
            w.next()?;
            let to = c.body.return_address(half);
            let from = w.source()?;
            Ok(vec![copy(LoweredOperand::One(written(to), span), from)])
        }
        [None, Some(half)] => {
            let to = w.to(1)?;
            w.next()?;
            let from = c.body.return_address(half);
            Ok(vec![copy(to, (read(from), span))])
        }
        _ => Err(w.unknown("this copy", span)),
    }
}
