//! Lowering of SIMD operations on the four bytes of a register, which are equivalent to SIMD video instructions of PTX.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, number};
use super::{LoweringContext, known, min_max, one, step, typed};
use warpgrid_isa::video_selectors::SubwordSelectors;
use warpgrid_isa::{ComparisonOp, Modifiers, Operation, ScalarType, SimdWidth, VideoOp};
use warpgrid_program::OperandValue;

/// Type modifiers for registers with four byte elements.
const BYTES: &[(&str, ScalarType)] = &[("U8x4", ScalarType::U32), ("S8x4", ScalarType::S32)];

/// Returns whether the instruction has a type modifier for four byte elements.
pub(super) fn are_bytes(w: &InstructionCursor<'_>) -> bool {
    BYTES.iter().any(|(word, _)| w.has(word))
}

/// Lowers operations on four bytes such as `VIADD.U8x4 d, a, -b` and `VIMNMX.S8x4 d, P0, P0, a, b, p`.
pub(super) fn four_bytes(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = w.consume_one_of(BYTES);
    let modifiers = Modifiers {
        d_type: ty,
        a_type: ty,
        b_type: ty,
        ..super::blank()
    };
    match w.opcode().ends_with("VIADD") {
        true => sum(w, modifiers),
        false => minimum_or_maximum(c, w, modifiers),
    }
}

/// Creates a SIMD video operation on four bytes.
fn video(
    op: VideoOp,
    modifiers: Modifiers,
    to: LoweredOperand,
    a: SpannedValue,
    b: SpannedValue,
) -> LoweredInstruction {
    let span = b.1;
    let args = vec![
        to,
        one(a),
        one(b),
        LoweredOperand::One(number(0), span),
        LoweredOperand::One(number(SubwordSelectors::default().to_bits()), span),
    ];
    step(Operation::Video(op, SimdWidth::Four), modifiers, args)
}

fn sum(
    w: &mut InstructionCursor<'_>,
    modifiers: Modifiers,
) -> LowerResult<Vec<LoweredInstruction>> {
    let to = w.to(1)?;
    let a = w.source()?;
    let (mut b, span) = w.source()?;
    let negates = match &mut b {
        OperandValue::Source(_, signs) => std::mem::take(&mut signs.negate),
        _ => false,
    };
    let op = if negates { VideoOp::Sub } else { VideoOp::Add };
    Ok(vec![video(op, modifiers, to, a, (b, span))])
}

fn minimum_or_maximum(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    modifiers: Modifiers,
) -> LowerResult<Vec<LoweredInstruction>> {
    min_max::predicate_results(c, w)?;
    let to = w.to(1)?;
    min_max::predicate_results(c, w)?;
    let (a, b) = (w.source()?, w.source()?);
    let span = b.1;
    let clamps = w.consume("RELU");
    if clamps && modifiers.d_type != Some(ScalarType::S32) {
        return Err(w.unknown("`.RELU` with an unsigned type", w.instruction.opcode));
    }
    let p = w.predicate()?;
    let of = |op, to, a, b| video(op, modifiers, to, a, b);
    let mut register = || c.body.temporary(ScalarType::B32);
    let (result, clamped) = match clamps {
        true => {
            let before = register();
            let zero = (number(0), span);
            let clamped = of(VideoOp::Max, to, (read(before), span), zero);
            (LoweredOperand::One(written(before), span), Some(clamped))
        }
        false => (to, None),
    };
    let mut steps = match known(&p.0) {
        Some(true) => vec![of(VideoOp::Min, result, a, b)],
        Some(false) => vec![of(VideoOp::Max, result, a, b)],
        None => {
            let (low, high) = (register(), register());
            let selected = vec![
                result,
                LoweredOperand::One(read(low), span),
                LoweredOperand::One(read(high), span),
                one(p),
            ];
            let to = |register| LoweredOperand::One(written(register), span);
            let select = Operation::Compare(ComparisonOp::Selp);
            vec![
                of(VideoOp::Min, to(low), a.clone(), b.clone()),
                of(VideoOp::Max, to(high), a, b),
                step(select, typed(ScalarType::B32), selected),
            ]
        }
    };
    steps.extend(clamped);
    Ok(steps)
}
