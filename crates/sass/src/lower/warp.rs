//! Lowering of data exchange between the lanes of a warp. SASS instructions have no mask operand. All lanes that execute an instruction
//! together participate in the exchange.

use super::body::{LoweredInstruction, LoweredOperand};
use super::instruction_cursor::{InstructionCursor, LowerResult};
use super::{LoweringContext, one, step, typed};
use warpgrid_isa::{
    Flag, Modifiers, Operation, ReduceOp, ScalarType, ShuffleMode, VoteMode, WarpOp,
};
use warpgrid_program::{OperandValue, RegisterTuple};

/// Lowers `SHFL.BFLY p, d, a, b, c`, a shuffle between the lanes of a warp.
pub(super) fn shuffle(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let mode = w.consume_one_of(&[
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
    let mut args = vec![LoweredOperand::One(OperandValue::Pair(run, p), span)];
    for _ in 0..3 {
        args.push(one(w.source()?));
    }
    Ok(vec![step(
        Operation::Warp(WarpOp::Shuffle),
        modifiers,
        args,
    )])
}

/// Returns the member mask of the instruction, which is the mask of the directly preceding `WARPSYNC`. Returns `None` if there is no such
/// `WARPSYNC`. Lanes with different member masks may execute the instruction in the same step, and the result of a lane depends only on the
/// lanes of its member mask. A predicated instruction has no member mask, because lanes of the `WARPSYNC` mask may be predicated off.
pub(super) fn members(c: &mut LoweringContext<'_>) -> Option<LoweredOperand> {
    let (next, members) = c.body.converged_lanes.take()?;
    (next == c.address && c.guard.is_none()).then(|| one(members))
}

/// Lowers `VOTE.ANY {d,} p, a`: the result d is the mask of the lanes in which a is true. The result p is true if a is true in any lane
/// (`.ANY`) or in all lanes (`.ALL`). `members` is the mask of the participating lanes. Without a mask, the active lanes participate.
pub(super) fn vote(
    members: Option<LoweredOperand>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let mode = w.consume_one_of(&[
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
    let vote = |modifiers: Modifiers, to: LoweredOperand| {
        let operands = [to, one(a.clone())].into_iter().chain(members.clone());
        step(Operation::Warp(WarpOp::Vote), modifiers, operands.collect())
    };
    let mut steps = Vec::new();
    if let Some((run @ Some(_), span)) = ballot {
        let to = LoweredOperand::One(OperandValue::Destination(run), span);
        steps.push(vote(of(VoteMode::Ballot, ScalarType::B32), to));
    }
    if p.is_some() || steps.is_empty() {
        let to = OperandValue::Destination(p.map(RegisterTuple::one));
        steps.push(vote(
            of(mode, ScalarType::Pred),
            LoweredOperand::One(to, p_span),
        ));
    }
    Ok(steps)
}

/// Lowers `MATCH.ANY d, a` and `MATCH.ALL p, d, a`, which compare the values of a in the lanes of a warp.
pub(super) fn matches(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let flag = w.consume_one_of(&[("ANY", Flag::Any), ("ALL", Flag::All)]);
    let flag = flag.ok_or_else(|| w.unknown("no mode", w.instruction.opcode))?;
    let ty = if w.consume("U64") {
        ScalarType::B64
    } else {
        ScalarType::B32
    };
    w.ignore_modifiers(&["U32"]);
    let (p, p_span) = if w.is_predicate() {
        w.predicate_destination()?
    } else {
        (None, w.instruction.span)
    };
    let (run, _) = w.destination(1)?;
    let a = w.source_as(ty)?;
    let mut modifiers = typed(ty);
    modifiers.flags = modifiers.flags.with(flag);
    let to = LoweredOperand::One(OperandValue::Pair(run, p), p_span);
    let operands = [to, one(a)].into_iter().chain(members(c));
    Ok(vec![step(
        Operation::Warp(WarpOp::Match),
        modifiers,
        operands.collect(),
    )])
}

/// Lowers `REDUX.SUM d, a`, a reduction over the lanes of the member mask, or over the active lanes without a member mask.
pub(super) fn reduce(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let is_absolute = w.has("MINABS") || w.has("MAXABS");
    let op = w.consume_one_of(&[
        ("SUM", ReduceOp::Add),
        ("MIN", ReduceOp::Min),
        ("MAX", ReduceOp::Max),
        ("AND", ReduceOp::And),
        ("OR", ReduceOp::Or),
        ("XOR", ReduceOp::Xor),
        ("MINABS", ReduceOp::Min),
        ("MAXABS", ReduceOp::Max),
    ]);
    // Without an operation modifier, `REDUX` computes a bitwise AND.
    let op = op.unwrap_or(ReduceOp::And);
    let types = [("S32", ScalarType::S32), ("F32", ScalarType::F32)];
    let mut modifiers = typed(w.consume_one_of(&types).unwrap_or(ScalarType::U32));
    if is_absolute {
        modifiers.flags = modifiers.flags.with(Flag::Abs);
    }
    if w.consume("NAN") {
        modifiers.flags = modifiers.flags.with(Flag::NaN);
    }
    modifiers.reduce = Some(op);
    let to = w.to(1)?;
    let mut args = vec![to, one(w.source()?)];
    args.extend(members(c));
    Ok(vec![step(Operation::Warp(WarpOp::Redux), modifiers, args)])
}

/// Lowers `ELECT p, d, PT`, which elects one of the active lanes.
pub(super) fn elect(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let (p, span) = w.predicate_destination()?;
    let (run, _) = w.destination(1)?;
    let (all, all_span) = w.predicate()?;
    if super::known(&all) != Some(true) {
        return Err(w.unknown("an election among a subset of the lanes", all_span));
    }
    let to = LoweredOperand::One(OperandValue::Pair(run, p), span);
    Ok(vec![step(
        Operation::Warp(WarpOp::Elect),
        super::blank(),
        vec![to],
    )])
}
