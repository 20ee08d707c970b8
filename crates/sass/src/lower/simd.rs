//! Four bytes of a register at once, as the SIMD video instructions of PTX.

use super::body::{Arg, Step};
use super::words::{Lowered, Words, number};
use super::{known, one, step};
use warpgrid_isa::video::Selection;
use warpgrid_isa::{Does, Modifiers, ScalarType, VideoLanes, VideoOp};
use warpgrid_program::OperandValue;

/// The types whose bytes are values.
const BYTES: &[(&str, ScalarType)] = &[("U8x4", ScalarType::U32), ("S8x4", ScalarType::S32)];

/// Whether the words of an instruction say that it is of bytes.
pub(super) fn are_bytes(w: &Words<'_>) -> bool {
    BYTES.iter().any(|(word, _)| w.has(word))
}

/// `VIADD.U8x4 d, a, -b`, `VIMNMX.S8x4 d, a, b, p`
pub(super) fn four_bytes(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let ty = w.take_one(BYTES);
    let to = w.to(1)?;
    let a = w.source()?;
    let (mut b, span) = w.source()?;
    let op = if w.opcode().ends_with("VIADD") {
        match &mut b {
            OperandValue::Source(_, signs) => match std::mem::take(&mut signs.negate) {
                true => VideoOp::Sub,
                false => VideoOp::Add,
            },
            _ => VideoOp::Add,
        }
    } else {
        let (p, span) = w.predicate()?;
        match known(&p) {
            Some(true) => VideoOp::Min,
            Some(false) => VideoOp::Max,
            None => return Err(w.unknown("a choice of the smaller or larger bytes", span)),
        }
    };
    let modifiers = Modifiers {
        d_type: ty,
        a_type: ty,
        b_type: ty,
        ..super::blank()
    };
    let args = vec![
        to,
        one(a),
        Arg::One(b, span),
        Arg::One(number(0), span),
        Arg::One(number(Selection::default().to_bits()), span),
    ];
    Ok(vec![step(
        Does::Video(op, VideoLanes::Four),
        modifiers,
        args,
    )])
}
