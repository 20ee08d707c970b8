//! Lowering of logic, shifts and permutations on registers and predicates.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue};
use super::instruction_cursor::{InstructionCursor, LowerResult, destinations, number};
use super::{
    LoweringContext, SassOperandLists, arithmetic, is_zero, modifiers_of, one, predicate_source,
    step, typed,
};
use crate::syntax::Operand;
use warpgrid_isa::{
    ArithmeticOp, BoolOp, CompareOp, ComparisonOp, FunnelShift, Operation, PermuteMode, SassOp,
    ScalarType,
};
use warpgrid_program::{OperandValue, RegisterTuple, SourceModifiers};

/// Lowers `LOP3.LUT {p,} d, a, b, c, table, x`, a bitwise operation of three sources that a lookup table defines.
pub(super) fn logic3(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["LUT"]);
    let combine = w.consume_one_of(&[("PAND", BoolOp::And), ("POR", BoolOp::Or)]);
    let p = if w.is_predicate() {
        w.placed_predicate()?
    } else {
        (OperandValue::Destination(None), w.instruction.span)
    };
    let (run, span) = w.destination(1)?;
    let (a, b, c) = (w.source()?, w.source()?, w.source()?);
    let table = w.immediate()?;
    let mut conditions = Vec::new();
    if w.n_left() > 0 {
        conditions.push(w.predicate()?);
    }
    let is_plain = |value: &OperandValue| modifiers_of(value) == SourceModifiers::NONE;
    if p.0 == OperandValue::Destination(None) && is_plain(&a.0) && is_plain(&b.0) && is_plain(&c.0)
    {
        let to = LoweredOperand::One(OperandValue::Destination(run), span);
        let table = LoweredOperand::One(number(table & 0xff), span);
        let args = vec![to, one(a), one(b), one(c), table];
        return Ok(vec![arithmetic(ArithmeticOp::Lop3, ScalarType::B32, args)]);
    }
    let machine = SassOperandLists {
        registers: destinations(run, 1, span),
        predicates: vec![p],
        sources: vec![a, b, c],
        conditions,
        number: table,
    };
    let op = SassOp::Logic3 {
        combine: combine.unwrap_or(BoolOp::Or),
    };
    Ok(vec![machine.step(op, w.instruction.span)])
}

/// Lowers `LOP.AND d, a, b`, a bitwise operation of two sources on older architectures.
pub(super) fn logic2(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let op = w.consume_one_of(&[
        ("AND", ArithmeticOp::And),
        ("OR", ArithmeticOp::Or),
        ("XOR", ArithmeticOp::Xor),
        ("PASS_B", ArithmeticOp::Not),
    ]);
    let op = op.ok_or_else(|| w.unknown("missing operation modifier", w.instruction.opcode))?;
    let to = w.to(1)?;
    let (a, b) = (w.source()?, w.source()?);
    if op == ArithmeticOp::Not {
        return Ok(vec![super::copy(to, b)]);
    }
    Ok(vec![arithmetic(
        op,
        ScalarType::B32,
        vec![to, one(a), one(b)],
    )])
}

/// Lowers `PLOP3.LUT p, q, a, b, c, table, table`, two logic operations on three predicates that lookup tables define.
pub(super) fn predicates(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["LUT"]);
    let (p, q) = (w.placed_predicate()?, w.placed_predicate()?);
    let (mut steps, mut conditions) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        conditions.push(predicate_or_sign(c, w, &mut steps)?);
    }
    let (first, second) = (w.immediate()?, w.immediate()?);
    let machine = SassOperandLists {
        predicates: vec![p, q],
        conditions,
        number: (first & 0xff) | (second & 0xff) << 8,
        ..SassOperandLists::default()
    };
    steps.push(machine.step(SassOp::PredicateLogic3, w.instruction.span));
    Ok(steps)
}

/// Reads a predicate, or `R2.SIGN`, which is true if the register is negative.
fn predicate_or_sign(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    steps: &mut Vec<LoweredInstruction>,
) -> LowerResult<SpannedValue> {
    let is_sign = |operand: &&Operand| w.operand_words(operand).contains(&"SIGN");
    let Some(operand) = w.peek().filter(is_sign) else {
        return w.predicate();
    };
    w.next()?;
    let span = operand.span;
    let value = w.plain_value_of(operand, ScalarType::S32)?;
    if modifiers_of(&value) != SourceModifiers::NONE {
        return Err(w.unknown("the negation of this source", span));
    }
    let is_negative = c.body.temporary(ScalarType::Pred);
    let mut modifiers = typed(ScalarType::S32);
    modifiers.compare = Some(CompareOp::Lt);
    let to = OperandValue::Pair(Some(RegisterTuple::one(is_negative)), None);
    let args = [to, value, number(0)].map(|value| LoweredOperand::One(value, span));
    let compare = Operation::Compare(ComparisonOp::Setp);
    steps.push(step(compare, modifiers, args.into()));
    Ok((predicate_source(is_negative, operand.signs.not), span))
}

/// Lowers `SHF d, a, n, b`, which shifts the 64-bit value `{b, a}` by n.
pub(super) fn funnel_shift(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let left = w.consume_one_of(&[("L", true), ("R", false)]);
    let left = left.ok_or_else(|| w.unknown("missing direction modifier", w.instruction.opcode))?;
    let wraps = w.consume("W");
    let (wide, signed) = w
        .consume_one_of(&[
            ("U32", (false, false)),
            ("S32", (false, true)),
            ("U64", (true, false)),
            ("S64", (true, true)),
        ])
        .unwrap_or((false, false));
    let high = w.consume("HI");
    let (run, span) = w.destination(1)?;
    let (a, amount, b) = (w.source()?, w.source()?, w.source()?);
    let to = LoweredOperand::One(OperandValue::Destination(run), span);
    if !wraps && !wide {
        // Without the upper result, a left shift depends only on the register a.
        if left && !high {
            let args = vec![to, one(a), one(amount)];
            return Ok(vec![arithmetic(ArithmeticOp::Shl, ScalarType::B32, args)]);
        }
        if !left && high && is_zero(&a.0) {
            let ty = if signed {
                ScalarType::S32
            } else {
                ScalarType::U32
            };
            let args = vec![to, one(b), one(amount)];
            return Ok(vec![arithmetic(ArithmeticOp::Shr, ty, args)]);
        }
    }
    let machine = SassOperandLists {
        registers: destinations(run, 1, span),
        sources: vec![a, amount, b],
        ..SassOperandLists::default()
    };
    let how = FunnelShift {
        left,
        wraps,
        wide,
        signed,
        high,
    };
    Ok(vec![
        machine.step(SassOp::FunnelShift(how), w.instruction.span),
    ])
}

/// Lowers `SHL` and `SHR`. With `.W`, the shift amount is taken modulo 32.
pub(super) fn shift(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let left = w.opcode().ends_with('L');
    let wraps = w.consume("W");
    let is_unsigned = w.consume("U32");
    w.ignore_modifiers(&["S32"]);
    let (run, span) = w.destination(1)?;
    let (a, amount) = (w.source()?, w.source()?);
    let machine = SassOperandLists {
        registers: destinations(run, 1, span),
        sources: if left {
            vec![a, amount, (number(0), span)]
        } else {
            vec![(number(0), span), amount, a]
        },
        ..SassOperandLists::default()
    };
    let how = FunnelShift {
        left,
        wraps,
        wide: false,
        signed: !left && !is_unsigned,
        high: !left,
    };
    Ok(vec![
        machine.step(SassOp::FunnelShift(how), w.instruction.span),
    ])
}

/// Lowers `PRMT d, a, selector, b`, which permutes the bytes of a and b.
pub(super) fn permute(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let mut modifiers = typed(ScalarType::B32);
    modifiers.permute = w.consume_one_of(&[
        ("F4E", PermuteMode::F4e),
        ("B4E", PermuteMode::B4e),
        ("RC8", PermuteMode::Rc8),
        ("ECL", PermuteMode::Ecl),
        ("ECR", PermuteMode::Ecr),
        ("RC16", PermuteMode::Rc16),
    ]);
    let to = w.to(1)?;
    let (a, selector, b) = (w.source()?, w.source()?, w.source()?);
    Ok(vec![step(
        Operation::Arithmetic(ArithmeticOp::Prmt),
        modifiers,
        vec![to, one(a), one(b), one(selector)],
    )])
}

/// Modifiers that select the byte of a register into which predicates are packed, or from which predicates are unpacked.
const BYTES: &[(&str, u8)] = &[("B0", 0), ("B1", 1), ("B2", 2), ("B3", 3)];

/// Lowers `P2R d, PR, a, mask`, which packs predicates into a byte of a register.
pub(super) fn pack_predicates(
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let byte = w.consume_one_of(BYTES).unwrap_or(0);
    let (run, span) = w.destination(1)?;
    w.all_predicates()?;
    let a = w.source()?;
    let mask = w.immediate()?;
    let machine = SassOperandLists {
        registers: destinations(run, 1, span),
        sources: vec![a],
        conditions: (0..7)
            .map(|n| (w.predicate_number(n, mask), span))
            .collect(),
        number: mask & 0x7f,
        ..SassOperandLists::default()
    };
    Ok(vec![
        machine.step(SassOp::PackPredicates { byte }, w.instruction.span),
    ])
}

/// Lowers `R2P PR, a, mask`, which unpacks predicates from a byte of a register.
pub(super) fn unpack_predicates(
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let byte = w.consume_one_of(BYTES).unwrap_or(0);
    let span = w.all_predicates()?;
    let a = w.source()?;
    let mask = match w.n_left() {
        0 => 0x7f,
        _ => w.immediate()?,
    };
    let destination = |n: u16| {
        let id = (mask >> n & 1 != 0).then(|| w.predicate_id(n)).flatten();
        (OperandValue::Destination(id.map(RegisterTuple::one)), span)
    };
    let machine = SassOperandLists {
        predicates: (0..7).map(destination).collect(),
        sources: vec![a],
        ..SassOperandLists::default()
    };
    Ok(vec![machine.step(
        SassOp::UnpackPredicates { byte },
        w.instruction.span,
    )])
}
