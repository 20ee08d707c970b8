//! Copies that are done at some later time, and waits for them.

use super::body::{Arg, Step};
use super::words::{Lowered, Words, as_register, number};
use super::{Context, memory, one, step};
use crate::syntax::{RegisterFile, RegisterNumber};
use warpgrid_isa::{AsyncOp, Does, Flag, Modifiers, ScalarType, StateSpace, SyncOp};
use warpgrid_program::OperandValue;

/// `LDGSTS.E.BYPASS.128 [a], [b]{, p}`: from global memory at b to shared memory at a; with `.ZFILL` zeros where p does not hold.
pub(super) fn copy(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let wide = w.take("E");
    // How caches are used.
    w.ignore(&["BYPASS", "ACCESS"]);
    let fills = w.take("ZFILL");
    let sizes = [("32", 4), ("64", 8), ("128", 16)];
    let size = w.take_one(&sizes).unwrap_or(4);
    let mut modifiers = memory::hints(w);
    modifiers.space = Some(StateSpace::Shared);
    modifiers.source_space = Some(StateSpace::Global);
    let to = memory::address(w, false)?;
    let from = memory::address(w, wide)?;
    let span = w.instruction.span;
    let mut args = vec![one(to), one(from), Arg::One(number(size), span)];
    if w.is_predicate() {
        let (p, p_span) = w.predicate()?;
        let OperandValue::Predicate { source, negated } = p else {
            return Err(w.unknown("this condition", p_span));
        };
        if super::known(&p) == Some(true) {
        } else if fills {
            // The operation has the opposite: where the source is ignored.
            let ignored = OperandValue::Predicate {
                source,
                negated: !negated,
            };
            args.push(Arg::One(ignored, p_span));
        } else {
            let (guard, sum) = c.guard_with((p, p_span));
            let mut copy = step(Does::Async(AsyncOp::Copy), modifiers, args);
            copy.guard = Some(guard);
            return Ok(vec![sum, copy]);
        }
    }
    Ok(vec![step(Does::Async(AsyncOp::Copy), modifiers, args)])
}

/// `LDGDEPBAR`: the copies since the last one are a group.
pub(super) fn commit(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore_rest();
    let commit = Does::Async(AsyncOp::CopyCommit);
    Ok(vec![step(commit, Modifiers::default(), Vec::new())])
}

/// `ARRIVES.LDGSTSBAR.64 [a]`: an arrival once the copies so far are done. With `.TRANSCNT` the mbarrier waits for one more
/// arrival, which `SYNCS.ARRIVE.TRANS64.RED.A0T1` before it has announced.
pub(super) fn arrive(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    if !w.take("LDGSTSBAR") || !w.take("64") {
        return Err(w.unknown("this arrival", w.instruction.opcode));
    }
    // Before `sm_90` the object is a number that the code itself counts in.
    if c.target.sm < 90 {
        return Err(w.unknown("an mbarrier that code makes by hand", w.instruction.opcode));
    }
    let mut modifiers = Modifiers {
        space: Some(StateSpace::Shared),
        ty: Some(ScalarType::B64),
        ..Modifiers::default()
    };
    if !w.take("TRANSCNT") {
        modifiers.flags = modifiers.flags.with(Flag::Noinc);
    }
    let at = memory::address(w, false)?;
    let arrive = Does::Async(AsyncOp::CopyArrive);
    Ok(vec![step(arrive, modifiers, vec![one(at)])])
}

/// `DEPBAR.LE SB0, n`: until n groups are left at most. Loads, which others wait for, are complete in their step.
pub(super) fn wait(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let register = w.peek().and_then(|operand| as_register(&operand.value));
    let is_first = register.is_some_and(|register| {
        register.file == RegisterFile::Scoreboard && register.number == RegisterNumber::Number(0)
    });
    if !w.take("LE") || !is_first {
        w.ignore_rest();
        let fence = Does::Sync(SyncOp::Fence);
        return Ok(vec![step(fence, Modifiers::default(), Vec::new())]);
    }
    w.next()?;
    let n = w.immediate()?;
    w.ignore_rest();
    let span = w.instruction.span;
    Ok(vec![step(
        Does::Async(AsyncOp::CopyWait),
        Modifiers::default(),
        vec![Arg::One(number(n), span)],
    )])
}
