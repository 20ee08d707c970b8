//! Lowering of arithmetic on two 32-bit floats in a register pair: `FADD2`, `FMUL2`, `FFMA2`.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, as_register, destinations, parts};
use super::{LoweringContext, copy, float, one, step};
use crate::syntax::OperandKind;
use warpgrid_isa::{ArithmeticOp, Operation, ScalarType};
use warpgrid_program::OperandValue;

/// Lowers instructions such as `FFMA2 d, a.F32x2.HI_LO, b.F32, c.F32x2.LO_HI` to one operation per float.
pub(super) fn floats(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    op: ArithmeticOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    let modifiers = float::mode(w, ScalarType::F32);
    let (run, to_span) = w.destination(2)?;
    let n = if op == ArithmeticOp::Fma { 3 } else { 2 };
    let mut sources = Vec::new();
    for _ in 0..n {
        sources.push(pair(w)?);
    }
    // The instruction computes both results before it writes the destination pair, because the destination pair may also be a source.
    let results = [0; 2].map(|_| c.body.temporary(ScalarType::B32));
    let mut steps = Vec::new();
    for (half, result) in results.into_iter().enumerate() {
        let mut args = vec![LoweredOperand::One(written(result), to_span)];
        args.extend(sources.iter().map(|source| one(source[half].clone())));
        steps.push(step(Operation::Arithmetic(op), modifiers, args));
    }
    let to = destinations(run, 2, to_span).into_iter();
    for ((to, span), result) in to.zip(results) {
        steps.push(copy(LoweredOperand::One(to, span), (read(result), span)));
    }
    Ok(steps)
}

/// Reads the low and the high float of a source. For `.F32` and for literals, both floats have the same value. `.NP` negates the upper
/// float, and `.PN` negates the lower float.
fn pair(w: &mut InstructionCursor<'_>) -> LowerResult<[SpannedValue; 2]> {
    let operand = w.next()?;
    let words = w.operand_words(operand);
    let known = ["F32x2", "HI_LO", "LO_HI", "F32", "NP", "PN", "reuse", "64"];
    let is_known = words.iter().all(|word| known.contains(word));
    let is_literal = matches!(
        operand.value,
        OperandKind::Integer(_) | OperandKind::Float(_)
    );
    if !is_known || (as_register(&operand.value).is_none() && !is_literal) {
        return Err(w.unknown("this kind of pair", operand.span));
    }
    let value = (w.plain_value_of(operand, ScalarType::F32)?, operand.span);
    let [low, high] = if is_literal || words.contains(&"F32") {
        [value.clone(), value]
    } else {
        let mut halves = parts(value, 2).into_iter();
        let (Some(low), Some(high)) = (halves.next(), halves.next()) else {
            return Err(w.unknown("this kind of pair", operand.span));
        };
        match words.contains(&"LO_HI") {
            true => [high, low],
            false => [low, high],
        }
    };
    let negated = |(mut value, span): SpannedValue, word: &str| {
        if let OperandValue::Source(_, signs) = &mut value {
            signs.negate ^= words.contains(&word);
        }
        (value, span)
    };
    Ok([negated(low, "PN"), negated(high, "NP")])
}
