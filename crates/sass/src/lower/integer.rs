//! Lowering of integer arithmetic, comparisons, selections, and bit searches.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, read, written};
use super::instruction_cursor::{
    InstructionCursor, LowerResult, as_register, destinations, is_predicate, number, parts,
};
use super::{
    LoweringContext, SassOperandLists, arithmetic, copy, is_number, is_zero, known, modifiers_of,
    one, predicate_source, step, typed,
};
use crate::syntax::Operand;
use warpgrid_isa::{
    ArithmeticOp, BoolOp, CompareOp, ComparisonOp, Extension, Flag, Modifiers, MulPart, Operation,
    OverflowMode, SassOp, ScalarType, Signedness,
};
use warpgrid_program::{OperandValue, Source, SourceModifiers, Span};

/// Reads the carry destinations of an addition: up to two predicates after the destination register.
fn carries(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<SpannedValue>> {
    let mut found = Vec::new();
    while found.len() < 2 && w.is_predicate() {
        found.push(w.placed_predicate()?);
    }
    Ok(found)
}

/// Returns whether all destination predicates are sinks, so that the carries are discarded.
fn are_sinks(predicates: &[SpannedValue]) -> bool {
    predicates
        .iter()
        .all(|(value, _)| *value == OperandValue::Destination(None))
}

/// Reads a source of an addition. In an addition with carry, `-RZ` is computed as the complement of zero plus one, which produces a carry.
fn summand(
    w: &mut InstructionCursor<'_>,
    ty: ScalarType,
    carries: &[SpannedValue],
) -> LowerResult<SpannedValue> {
    let operand = w.peek();
    let is_negated =
        |operand: &Operand| operand.signs.negated && as_register(&operand.value).is_some();
    let is_negated = operand.is_some_and(is_negated) && !are_sinks(carries);
    let (mut value, span) = w.source_as(ty)?;
    if let OperandValue::Source(Source::Immediate(0), modifiers) = &mut value {
        modifiers.negate = is_negated;
    }
    Ok((value, span))
}

/// Lowers 64-bit additions: `IADD.64 d, a, b`, `UIADD3.64 d, p, q, a, b, c`.
fn add_wide(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let extends = w.consume("X");
    let (run, run_span) = w.destination(2)?;
    let results = carries(w)?;
    let mut summand = || summand(w, ScalarType::U64, &results);
    let (a, b) = (summand()?, summand()?);
    let third = match w.n_left() {
        0 => None,
        _ if w.is_predicate() => None,
        _ => Some(w.source_as(ScalarType::U64)?).filter(|(value, _)| !is_zero(value)),
    };
    if extends || !are_sinks(&results) {
        if third.is_some() {
            return Err(w.unknown(
                "a carry-in or carry-out of a three-operand addition",
                w.instruction.span,
            ));
        }
        let to = destinations(run, 2, run_span);
        let conditions = match extends {
            true => Some(conditions(w)?),
            false => None,
        };
        return add_halves(c, w, to, results, a, b, conditions);
    }
    let to = LoweredOperand::One(OperandValue::Destination(run), run_span);
    let sum = |to: LoweredOperand, a: SpannedValue, b: SpannedValue| {
        arithmetic(ArithmeticOp::Add, ScalarType::U64, vec![to, one(a), one(b)])
    };
    let Some(third) = third else {
        return Ok(vec![sum(to, a, b)]);
    };
    let span = third.1;
    let part = c.body.temporary(ScalarType::U64);
    Ok(vec![
        sum(LoweredOperand::One(written(part), span), a, b),
        sum(to, (read(part), span), third),
    ])
}

/// Reads the carry sources of an addition with `.X`.
fn conditions(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<SpannedValue>> {
    let mut conditions = Vec::new();
    while w.n_left() > 0 {
        conditions.push(w.predicate()?);
    }
    Ok(conditions)
}

/// Lowers `IADD.64 d, p, a, b` and `IADD.64.X d, a, b, x`: adds the lower halves, and then the upper halves with the carry of the lower
/// halves. `conditions` contains the carry sources of an addition with `.X`, and is empty for other additions.
fn add_halves(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    to: Vec<SpannedValue>,
    results: Vec<SpannedValue>,
    a: SpannedValue,
    b: SpannedValue,
    conditions: Option<Vec<SpannedValue>>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let n_negated = [&a, &b]
        .iter()
        .filter(|(value, _)| modifiers_of(value).negate)
        .count();
    if n_negated > usize::from(conditions.is_none()) {
        return Err(w.unknown("two carries of one addition", span));
    }
    let [low_a, high_a] = halves_of_sum(a);
    let [low_b, high_b] = halves_of_sum(b);
    let carry = c.body.temporary(ScalarType::Pred);
    let half = |to, predicates, sources, conditions| {
        let machine = SassOperandLists {
            registers: vec![to],
            predicates,
            sources,
            conditions,
            number: 0,
        };
        machine.step(SassOp::Add3, span)
    };
    let zero = || (number(0), span);
    let mut to = to.into_iter();
    let mut next = || to.next().unwrap_or((OperandValue::Destination(None), span));
    Ok(vec![
        half(
            next(),
            vec![(written(carry), span)],
            vec![low_a, low_b, zero()],
            conditions.unwrap_or_default(),
        ),
        half(
            next(),
            results,
            vec![high_a, high_b, zero()],
            vec![(predicate_source(carry, false), span)],
        ),
    ])
}

/// Returns the halves of a 64-bit addend. For `-a`, the upper half is complemented, and the carry from the lower half completes the
/// negation.
fn halves_of_sum(value: SpannedValue) -> [SpannedValue; 2] {
    let mut halves = parts(value, 2).into_iter();
    let none = || (number(0), Span::default());
    let (low, mut high) = (
        halves.next().unwrap_or_else(none),
        halves.next().unwrap_or_else(none),
    );
    if let OperandValue::Source(_, modifiers) = &mut high.0
        && std::mem::take(&mut modifiers.negate)
    {
        modifiers.invert = true;
    }
    [low, high]
}

/// Lowers `VIADD.S32.ISAT d, a, -b`, a saturating 32-bit addition or subtraction, and `VIADD.16x2`, an addition of half-words.
fn add_whole(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let mut modifiers = typed(match w.consume("16x2") {
        true => ScalarType::U16x2,
        false => ScalarType::S32,
    });
    w.ignore_modifiers(&["S32"]);
    if w.consume("ISAT") {
        modifiers.flags = modifiers.flags.with(Flag::Sat);
    }
    let mut args = vec![w.to(1)?];
    let (mut op, mut is_first) = (ArithmeticOp::Add, false);
    for index in 0..2 {
        let (mut value, span) = w.source()?;
        if let OperandValue::Source(_, signs) = &mut value
            && std::mem::take(&mut signs.negate)
        {
            if op == ArithmeticOp::Sub {
                return Err(w.unknown("two negated operands", span));
            }
            op = ArithmeticOp::Sub;
            is_first = index == 0;
        }
        args.push(LoweredOperand::One(value, span));
    }
    if is_first {
        args.swap(1, 2);
    }
    Ok(vec![step(Operation::Arithmetic(op), modifiers, args)])
}

/// Lowers the sum `a + b` to an addition, a subtraction or a copy. Returns `None` if both sources are negated, or if a source has a
/// modifier other than negation.
fn plain_sum(
    to: &LoweredOperand,
    a: &SpannedValue,
    b: &SpannedValue,
) -> Option<LoweredInstruction> {
    let is_plain = |(value, _): &SpannedValue| modifiers_of(value) == SourceModifiers::NONE;
    let negated = |(value, span): &SpannedValue| match value {
        OperandValue::Source(source, modifiers) => {
            let mut others = *modifiers;
            let is_negated = std::mem::take(&mut others.negate) && others == SourceModifiers::NONE;
            is_negated.then_some((OperandValue::Source(*source, others), *span))
        }
        _ => None,
    };
    let step = |op, a: &SpannedValue, b: SpannedValue| {
        let args = vec![to.clone(), one(a.clone()), one(b)];
        Some(arithmetic(op, ScalarType::U32, args))
    };
    match (is_plain(a), is_plain(b)) {
        (true, true) if is_zero(&b.0) => Some(copy(to.clone(), a.clone())),
        (true, true) => step(ArithmeticOp::Add, a, b.clone()),
        (true, false) => step(ArithmeticOp::Sub, a, negated(b)?),
        (false, true) => step(ArithmeticOp::Sub, b, negated(a)?),
        (false, false) => None,
    }
}

/// Lowers `IADD3`, `IADD` and related opcodes with the operands `d{, p{, q}}, a, b{, c}{, x, y}`: p and q receive carries, and x and y are
/// carry sources.
pub(super) fn add(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if w.consume("64") {
        return add_wide(c, w);
    }
    let extends = w.consume("X");
    if w.opcode().ends_with("VIADD") && (w.has("ISAT") || w.has("16x2")) {
        return add_whole(w);
    }
    let (run, span) = w.destination(1)?;
    let predicates = carries(w)?;
    let summand = |w: &mut InstructionCursor<'_>| summand(w, ScalarType::B32, &predicates);
    let (a, b) = (summand(w)?, summand(w)?);
    let has_third = w
        .peek()
        .is_some_and(|operand| !as_register(&operand.value).is_some_and(is_predicate));
    let third = if has_third {
        summand(w)?
    } else {
        (number(0), span)
    };
    let conditions = match extends {
        true => conditions(w)?,
        false => Vec::new(),
    };
    let to = LoweredOperand::One(OperandValue::Destination(run), span);
    if !extends
        && are_sinks(&predicates)
        && is_zero(&third.0)
        && let Some(sum) = plain_sum(&to, &a, &b)
    {
        return Ok(vec![sum]);
    }
    let machine = SassOperandLists {
        registers: destinations(run, 1, span),
        predicates,
        sources: vec![a, b, third],
        conditions,
        number: 0,
    };
    Ok(vec![machine.step(SassOp::Add3, w.instruction.span)])
}

/// Lowers `IMAD d{, p}, a, b, c{, x}`, a multiply-add with an optional carry destination p and carry source x.
pub(super) fn multiply(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let extends = w.consume("X");
    let part = w.consume_one_of(&[("WIDE", MulPart::Wide), ("HI", MulPart::Hi)]);
    let part = part.unwrap_or(MulPart::Lo);
    let signedness = match w.consume("U32") {
        true => Signedness::Unsigned,
        false => Signedness::Signed,
    };
    // Ignore modifiers that indicate the purpose of the multiplication, because they do not affect the result.
    w.ignore_modifiers(&["MOV", "SHL", "IADD", "S32"]);
    let n = if part == MulPart::Wide { 2 } else { 1 };
    let (run, span) = w.destination(n)?;
    let predicates = carries(w)?;
    let (a, b) = (w.source()?, w.source()?);
    let wide_c = if part == MulPart::Lo {
        ScalarType::B32
    } else {
        ScalarType::B64
    };
    let c = match w.n_left() {
        0 => (number(0), span),
        _ => w.source_as(wide_c)?,
    };
    let mut conditions = Vec::new();
    if extends || w.n_left() > 0 {
        conditions.push(w.predicate()?);
    }
    let to = LoweredOperand::One(OperandValue::Destination(run), span);
    let is_plain = |value: &OperandValue| modifiers_of(value) == SourceModifiers::NONE;
    let all_plain = is_plain(&a.0) && is_plain(&b.0) && is_plain(&c.0);
    let is_simple = !extends && conditions.is_empty() && are_sinks(&predicates);
    if part == MulPart::Lo && is_simple && all_plain {
        if is_zero(&a.0) || is_zero(&b.0) {
            return Ok(vec![copy(to, c)]);
        }
        let args = |sources: Vec<SpannedValue>| {
            let mut args = vec![to.clone()];
            args.extend(sources.into_iter().map(one));
            args
        };
        let (op, sources) = if is_number(&b.0, 1) {
            (ArithmeticOp::Add, vec![a, c])
        } else if is_zero(&c.0) {
            (ArithmeticOp::Mul, vec![a, b])
        } else {
            (ArithmeticOp::Mad, vec![a, b, c])
        };
        return Ok(vec![arithmetic(op, ScalarType::U32, args(sources))]);
    }
    let mut sources = vec![a, b];
    sources.extend(parts(c, if part == MulPart::Lo { 1 } else { 2 }));
    let machine = SassOperandLists {
        registers: destinations(run, n, span),
        predicates,
        sources,
        conditions,
        number: 0,
    };
    let op = SassOp::Multiply { part, signedness };
    Ok(vec![machine.step(op, w.instruction.span)])
}

/// Lowers `LEA d{, p}, a, b{, c}, n{, x}`, which adds b to a shifted left by n.
pub(super) fn scaled_add(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let high = w.consume("HI");
    let extends = w.consume("X");
    let extension = match w.consume("SX32") {
        true => Extension::Sign,
        false => Extension::Source,
    };
    let (run, span) = w.destination(1)?;
    let predicates = carries(w)?;
    let (a, b) = (w.source()?, w.source()?);
    let c = if high && extension == Extension::Source {
        w.source()?
    } else {
        (number(0), span)
    };
    let amount = w.immediate()?;
    let mut conditions = Vec::new();
    if extends {
        conditions.push(w.predicate()?);
    }
    let machine = SassOperandLists {
        registers: destinations(run, 1, span),
        predicates,
        sources: vec![a, b, c],
        conditions,
        number: amount,
    };
    let op = SassOp::ScaledAdd {
        part: if high { MulPart::Hi } else { MulPart::Lo },
        extension,
    };
    Ok(vec![machine.step(op, w.instruction.span)])
}

/// Lowers an integer instruction with one source operand to the arithmetic operation `op`.
pub(super) fn one_of(
    w: &mut InstructionCursor<'_>,
    op: ArithmeticOp,
    modifiers: Modifiers,
) -> LowerResult<Vec<LoweredInstruction>> {
    let to = w.to(1)?;
    let a = w.source()?;
    Ok(vec![step(
        Operation::Arithmetic(op),
        modifiers,
        vec![to, one(a)],
    )])
}

pub(super) fn one_source(
    w: &mut InstructionCursor<'_>,
    op: ArithmeticOp,
    ty: ScalarType,
) -> LowerResult<Vec<LoweredInstruction>> {
    one_of(w, op, typed(ty))
}

/// Lowers `FLO`, which returns the position of the highest bit that differs from the sign bit. With `.SH`, the result is the distance of
/// this bit from the most significant bit.
pub(super) fn find(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = if w.consume("U32") {
        ScalarType::U32
    } else {
        ScalarType::S32
    };
    let mut modifiers = typed(ty);
    if w.consume("SH") {
        modifiers.flags = modifiers.flags.with(Flag::ShiftAmount);
    }
    one_of(w, ArithmeticOp::Bfind, modifiers)
}

/// Lowers `BMSK`, which returns a mask of b ones starting at bit a.
pub(super) fn mask(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let mut modifiers = typed(ScalarType::B32);
    let mode = w.consume_one_of(&[("W", OverflowMode::Wrap), ("C", OverflowMode::Clamp)]);
    modifiers.overflow = Some(mode.unwrap_or(OverflowMode::Clamp));
    two_of(w, ArithmeticOp::Bmsk, modifiers)
}

/// Lowers `SGXT`, which sign-extends or zero-extends the low b bits of a.
pub(super) fn extend(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = if w.consume("U32") {
        ScalarType::U32
    } else {
        ScalarType::S32
    };
    let mut modifiers = typed(ty);
    let mode = w.consume_one_of(&[("W", OverflowMode::Wrap), ("C", OverflowMode::Clamp)]);
    modifiers.overflow = Some(mode.unwrap_or(OverflowMode::Clamp));
    two_of(w, ArithmeticOp::Szext, modifiers)
}

fn two_of(
    w: &mut InstructionCursor<'_>,
    op: ArithmeticOp,
    modifiers: Modifiers,
) -> LowerResult<Vec<LoweredInstruction>> {
    let to = w.to(1)?;
    let (a, b) = (w.source()?, w.source()?);
    Ok(vec![step(
        Operation::Arithmetic(op),
        modifiers,
        vec![to, one(a), one(b)],
    )])
}

/// Comparison operators of integers and floats.
pub(super) const COMPARISONS: &[(&str, CompareOp)] = &[
    ("LT", CompareOp::Lt),
    ("EQ", CompareOp::Eq),
    ("LE", CompareOp::Le),
    ("GT", CompareOp::Gt),
    ("NE", CompareOp::Ne),
    ("GE", CompareOp::Ge),
    ("LTU", CompareOp::Ltu),
    ("EQU", CompareOp::Equ),
    ("LEU", CompareOp::Leu),
    ("GTU", CompareOp::Gtu),
    ("NEU", CompareOp::Neu),
    ("GEU", CompareOp::Geu),
    ("NUM", CompareOp::Num),
    ("NAN", CompareOp::Nan),
    // An integer is never a NaN, so `.T` is mapped to the comparison `num`, and `.F` to the comparison `nan`.
    ("T", CompareOp::Num),
    ("F", CompareOp::Nan),
];

pub(super) const JOINS: &[(&str, BoolOp)] = &[
    ("AND", BoolOp::And),
    ("OR", BoolOp::Or),
    ("XOR", BoolOp::Xor),
];

/// Lowers `ISETP p, q, a, b, x{, y}`, an integer comparison that is combined with the predicate x.
pub(super) fn compare(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let op = w.consume_one_of(COMPARISONS);
    let op = op.ok_or_else(|| w.unknown("missing comparison operator", w.instruction.opcode))?;
    let combine = w.consume_one_of(JOINS).unwrap_or(BoolOp::And);
    let ty = w.consume_one_of(&[
        ("U32", ScalarType::U32),
        ("S32", ScalarType::S32),
        ("S64", ScalarType::S64),
        ("U64", ScalarType::U64),
    ]);
    let ty = ty.unwrap_or(ScalarType::S32);
    if !w.consume("EX") {
        return set_predicate(w, op, combine, typed(ty));
    }
    let (p, q) = (w.placed_predicate()?, w.placed_predicate()?);
    let (a, b) = (w.source()?, w.source()?);
    // If the predicate y with the comparison result of the lower words is `PT`, disassemblers omit it.
    let always = OperandValue::Predicate {
        source: Source::Immediate(1),
        negated: false,
    };
    let joined = w.predicate()?;
    let below = match w.n_left() {
        0 => (always, w.instruction.span),
        _ => w.predicate()?,
    };
    let conditions = vec![joined, below];
    let machine = SassOperandLists {
        registers: Vec::new(),
        predicates: vec![p, q],
        sources: vec![a, b],
        conditions,
        number: 0,
    };
    let op = SassOp::CompareExtended {
        op,
        signedness: ty.signedness(),
        combine,
    };
    Ok(vec![machine.step(op, w.instruction.span)])
}

/// Lowers a comparison with the operands `p, q, a, b, x`, in which the predicate x is combined with the comparison result.
pub(super) fn set_predicate(
    w: &mut InstructionCursor<'_>,
    op: CompareOp,
    combine: BoolOp,
    mut modifiers: Modifiers,
) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = modifiers.ty.unwrap_or(ScalarType::S32);
    let (p, span) = w.predicate_destination()?;
    let (q, _) = w.predicate_destination()?;
    let (a, b) = (w.source_as(ty)?, w.source_as(ty)?);
    let condition = match w.n_left() {
        0 => None,
        _ => Some(w.predicate()?),
    };
    let to = OperandValue::Pair(p.map(warpgrid_program::RegisterTuple::one), q);
    let mut args = vec![LoweredOperand::One(to, span), one(a), one(b)];
    modifiers.compare = Some(op);
    let changes_nothing = |(value, _): &SpannedValue| {
        known(value) == Some(combine == BoolOp::And) && combine != BoolOp::Xor
    };
    if let Some(condition) = condition.filter(|condition| !changes_nothing(condition)) {
        modifiers.combine = Some(combine);
        args.push(one(condition));
    }
    Ok(vec![step(
        Operation::Compare(ComparisonOp::Setp),
        modifiers,
        args,
    )])
}

/// Lowers `SEL d, a, b, p`, which selects a if the predicate p is true, otherwise b.
pub(super) fn select(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let (ty, n) = if w.consume("64") {
        (ScalarType::B64, 2)
    } else {
        (ScalarType::B32, 1)
    };
    select_as(w, ty, n)
}

/// Lowers a selection between two values of the type `ty`.
pub(super) fn select_as(
    w: &mut InstructionCursor<'_>,
    ty: ScalarType,
    n: u8,
) -> LowerResult<Vec<LoweredInstruction>> {
    let to = w.to(n)?;
    let (a, b) = (w.source_as(ty)?, w.source_as(ty)?);
    let p = w.predicate()?;
    Ok(vec![step(
        Operation::Compare(ComparisonOp::Selp),
        typed(ty),
        vec![to, one(a), one(b), one(p)],
    )])
}
