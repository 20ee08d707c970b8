//! Decoder of warp-level collectives. Each plan contains the operand of the member mask.

use crate::code::decoded_op::DecodedOp;
use crate::code::{CollectiveKind, CollectivePlan, MatchMode, WarpReduction};
use crate::contract::support::Support;
use crate::decode::{DecodeError, DecodeResult, Decoder};
use crate::semantics::registers::OperandSlot;
use warpgrid_isa::{Flag, Modifiers, ScalarType, VoteMode, WarpOp};

pub(crate) fn supports(op: WarpOp, modifiers: &Modifiers) -> Support {
    match op {
        WarpOp::Shuffle | WarpOp::Vote | WarpOp::Match | WarpOp::ActiveMask | WarpOp::Elect => {
            Support::Runs
        }
        WarpOp::Movmatrix => Support::Runs,
        WarpOp::Redux => match modifiers.ty.map(ScalarType::width_bits) {
            Some(32) => Support::Runs,
            _ => Support::not_yet("reductions for this type"),
        },
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: WarpOp) -> DecodeResult<DecodedOp> {
    let ty = d.modifiers.ty.unwrap_or(ScalarType::B32);
    let (kind, mask) = match op {
        WarpOp::Shuffle => shuffle(d)?,
        WarpOp::Vote => vote(d)?,
        WarpOp::Match => {
            let a = d.element(1, ty.width_bits())?;
            let (to, predicate) = d.pair(0, 32)?;
            let kind = CollectiveKind::Match {
                mode: match d.modifiers.has(Flag::All) {
                    true => MatchMode::All,
                    false => MatchMode::Any,
                },
                d: to,
                predicate,
                a,
            };
            (kind, d.source_or_none(2, 32)?)
        }
        WarpOp::ActiveMask => {
            return Ok(DecodedOp::ActiveMask {
                d: d.target(0, 32)?,
            });
        }
        WarpOp::Redux => {
            let op = d.modifiers.reduce;
            let kind = CollectiveKind::Reduce {
                reduction: WarpReduction {
                    op: op.ok_or_else(|| DecodeError::missing("operation"))?,
                    ty,
                    absolute: d.modifiers.has(Flag::Abs),
                    nan: d.modifiers.has(Flag::NaN),
                },
                a: d.source(1, 32)?,
                d: d.target(0, 32)?,
            };
            (kind, d.source_or_none(2, 32)?)
        }
        WarpOp::Elect => {
            let (to, predicate) = d.pair(0, 32)?;
            let kind = CollectiveKind::Elect { d: to, predicate };
            (kind, d.source_or_none(1, 32)?)
        }
        WarpOp::Movmatrix => {
            let a = d.source(1, 32)?;
            let kind = CollectiveKind::Transpose {
                d: d.target(0, 32)?,
                a,
            };
            (kind, OperandSlot::NONE)
        }
    };
    Ok(DecodedOp::Collective(
        d.code.collectives.add(CollectivePlan { mask, kind }),
    ))
}

fn shuffle(d: &mut Decoder<'_>) -> DecodeResult<(CollectiveKind, OperandSlot)> {
    let mode = d.modifiers.shuffle;
    let (a, b, c) = (d.source(1, 32)?, d.source(2, 32)?, d.source(3, 32)?);
    let (to, predicate) = d.pair(0, 32)?;
    let kind = CollectiveKind::Shuffle {
        mode: mode.ok_or_else(|| DecodeError::missing("mode"))?,
        d: to,
        predicate,
        a,
        b,
        c,
    };
    Ok((kind, d.source_or_none(4, 32)?))
}

fn vote(d: &mut Decoder<'_>) -> DecodeResult<(CollectiveKind, OperandSlot)> {
    let mode = d
        .modifiers
        .vote
        .ok_or_else(|| DecodeError::missing("mode"))?;
    let bits = match mode {
        VoteMode::Ballot => 32,
        VoteMode::All | VoteMode::Any | VoteMode::Uni => 1,
    };
    let a = d.predicate(1)?;
    let to = d.target(0, bits)?;
    let kind = CollectiveKind::Vote { mode, d: to, a };
    Ok((kind, d.source_or_none(2, 32)?))
}
