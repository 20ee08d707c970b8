//! Lowering of data exchange between the lanes of a warp. There is no mask operand: the lanes that execute the instruction together
//! participate.

use super::body::{Arg, Step};
use super::words::{Lowered, Words};
use super::{Context, one, step, typed};
use warpgrid_isa::{Does, Flag, Modifiers, ReduceOp, ScalarType, ShuffleMode, VoteMode, WarpOp};
use warpgrid_program::{OperandValue, RegisterRun};

/// Lowers `SHFL.BFLY p, d, a, b, c`.
pub(super) fn shuffle(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let mode = w.take_one(&[
        ("BFLY", ShuffleMode::Bfly),
        ("DOWN", ShuffleMode::Down),
        ("UP", ShuffleMode::Up),
        ("IDX", ShuffleMode::Idx),
    ]);
    let mut modifiers = typed(ScalarType::B32);
    modifiers.shuffle = mode;
    if mode.is_none() {
        return Err(w.unknown("no mode", w.instruction.opcode));
    }
    let (p, span) = w.predicate_destination()?;
    let (run, _) = w.destination(1)?;
    let mut args = vec![Arg::One(OperandValue::Pair(run, p), span)];
    for _ in 0..3 {
        args.push(one(w.source()?));
    }
    Ok(vec![step(Does::Warp(WarpOp::Shuffle), modifiers, args)])
}

/// Returns the member mask of the instruction: the mask of a `WARPSYNC` directly before it, if any. Lanes with different member masks may execute
/// the instruction in the same step, and each result is computed from the lanes of one member mask. A predicated instruction has no member
/// mask, since lanes of the `WARPSYNC` mask may be predicated off.
pub(super) fn members(c: &mut Context<'_>) -> Option<Arg> {
    let (next, members) = c.body.together.take()?;
    (next == c.address && c.guard.is_none()).then(|| one(members))
}

/// Lowers `VOTE.ANY {d,} p, a`: d is the mask of the lanes with true a, p whether a is true in any lane or in all lanes. `members` is the mask of
/// the participating lanes; without a mask, the active lanes participate.
pub(super) fn vote(members: Option<Arg>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let mode = w.take_one(&[
        ("ALL", VoteMode::All),
        ("ANY", VoteMode::Any),
        ("EQ", VoteMode::Uni),
    ]);
    let mode = mode.ok_or_else(|| w.unknown("no mode", w.instruction.opcode))?;
    let ballot = if w.is_predicate() {
        None
    } else {
        Some(w.destination(1)?)
    };
    let (p, p_span) = w.predicate_destination()?;
    let a = w.predicate()?;
    let of = |mode: VoteMode, ty: ScalarType| Modifiers {
        vote: Some(mode),
        ty: Some(ty),
        ..super::blank()
    };
    let vote = |modifiers: Modifiers, to: Arg| {
        let operands = [to, one(a.clone())].into_iter().chain(members.clone());
        step(Does::Warp(WarpOp::Vote), modifiers, operands.collect())
    };
    let mut steps = Vec::new();
    if let Some((run @ Some(_), span)) = ballot {
        let to = Arg::One(OperandValue::Destination(run), span);
        steps.push(vote(of(VoteMode::Ballot, ScalarType::B32), to));
    }
    if p.is_some() || steps.is_empty() {
        let to = OperandValue::Destination(p.map(RegisterRun::one));
        steps.push(vote(of(mode, ScalarType::Pred), Arg::One(to, p_span)));
    }
    Ok(steps)
}

/// Lowers `MATCH.ANY d, a` and `MATCH.ALL p, d, a`.
pub(super) fn matches(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let flag = w.take_one(&[("ANY", Flag::Any), ("ALL", Flag::All)]);
    let flag = flag.ok_or_else(|| w.unknown("no mode", w.instruction.opcode))?;
    let ty = if w.take("U64") {
        ScalarType::B64
    } else {
        ScalarType::B32
    };
    w.ignore(&["U32"]);
    let (p, p_span) = if w.is_predicate() {
        w.predicate_destination()?
    } else {
        (None, w.instruction.span)
    };
    let (run, _) = w.destination(1)?;
    let a = w.source_as(ty)?;
    let mut modifiers = typed(ty);
    modifiers.flags = modifiers.flags.with(flag);
    let to = Arg::One(OperandValue::Pair(run, p), p_span);
    let operands = [to, one(a)].into_iter().chain(members(c));
    Ok(vec![step(
        Does::Warp(WarpOp::Match),
        modifiers,
        operands.collect(),
    )])
}

/// Lowers `REDUX.SUM d, a`, a reduction over the lanes of the member mask, or over the active lanes without a member mask.
pub(super) fn reduce(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let is_absolute = w.has("MINABS") || w.has("MAXABS");
    let op = w.take_one(&[
        ("SUM", ReduceOp::Add),
        ("MIN", ReduceOp::Min),
        ("MAX", ReduceOp::Max),
        ("AND", ReduceOp::And),
        ("OR", ReduceOp::Or),
        ("XOR", ReduceOp::Xor),
        ("MINABS", ReduceOp::Min),
        ("MAXABS", ReduceOp::Max),
    ]);
    // Without an operation modifier the reduction is a bitwise AND.
    let op = op.unwrap_or(ReduceOp::And);
    let types = [("S32", ScalarType::S32), ("F32", ScalarType::F32)];
    let mut modifiers = typed(w.take_one(&types).unwrap_or(ScalarType::U32));
    if is_absolute {
        modifiers.flags = modifiers.flags.with(Flag::Abs);
    }
    if w.take("NAN") {
        modifiers.flags = modifiers.flags.with(Flag::NaN);
    }
    modifiers.reduce = Some(op);
    let to = w.to(1)?;
    let mut args = vec![to, one(w.source()?)];
    args.extend(members(c));
    Ok(vec![step(Does::Warp(WarpOp::Redux), modifiers, args)])
}

/// Lowers `ELECT p, d, PT`, which elects one of the active lanes.
pub(super) fn elect(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let (p, span) = w.predicate_destination()?;
    let (run, _) = w.destination(1)?;
    let (all, all_span) = w.predicate()?;
    if super::known(&all) != Some(true) {
        return Err(w.unknown("an election among a subset of the lanes", all_span));
    }
    let to = Arg::One(OperandValue::Pair(run, p), span);
    Ok(vec![step(
        Does::Warp(WarpOp::Elect),
        super::blank(),
        vec![to],
    )])
}
