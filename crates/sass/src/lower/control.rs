//! Branches, calls, reconvergence, barriers. Labels are addresses until the whole function is lowered.

use super::body::{Arg, Step, written};
use super::words::{Lowered, Words, as_register, number};
use super::{Context, copy, known, one, step, typed};
use crate::syntax::Value;
use warpgrid_isa::{ArithmeticOp, ControlOp, Does, Flag, HintOp, Modifiers, ScalarType, SyncOp};
use warpgrid_program::{Guard, OperandValue, RegisterRun, Source, SourceModifiers, Span};

fn control(op: ControlOp, args: Vec<Arg>) -> Step {
    step(Does::Control(op), Modifiers::default(), args)
}

/// Where a branch leads: an address, or the name of a label or function. Until the end it is kept as an address.
fn target(c: &Context<'_>, w: &mut Words<'_>) -> Lowered<(u64, Span)> {
    let operand = w.next()?;
    let address = match operand.value {
        Value::Integer(address) => Some(address),
        Value::Target(span) | Value::Word(span) => c.text.label(span.text(w.source)),
        Value::Register(_)
        | Value::Float(_)
        | Value::Memory(_)
        | Value::Relocation(_)
        | Value::Set(_)
        | Value::Unknown(_) => None,
    };
    let is_there = |address: &u64| c.text.has(*address);
    let address = address
        .filter(is_there)
        .ok_or_else(|| w.unknown("a place that the text does not have", operand.span))?;
    Ok((address, operand.span))
}

/// A place as an operand: [`OperandValue::Label`] holds the address until the end.
fn label((address, span): (u64, Span)) -> Lowered<Arg> {
    Ok(Arg::One(OperandValue::Label(address as u32), span))
}

/// `BRA {p,} target`; `.DIV` and `.CONV` ask whether the lanes of a mask are together.
pub(super) fn branch(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["U", "INC", "DEC", "NODEC", "NOINC", "ABS"]);
    let divergent = w.take("DIV");
    let convergent = w.take("CONV");
    if divergent || convergent {
        let operand = w.next()?;
        let mask = w.value_of(operand, ScalarType::B32)?;
        let to = target(c, w)?;
        let mask = Arg::One(mask, operand.span);
        if divergent {
            return Ok(vec![control(
                ControlOp::BranchDivergent,
                vec![mask, label(to)?],
            )]);
        }
        // To the next instruction where they are not together.
        let next = (c.address + 16, operand.span);
        return Ok(vec![
            control(ControlOp::BranchDivergent, vec![mask, label(next)?]),
            control(ControlOp::Branch, vec![label(to)?]),
        ]);
    }
    let mut steps = Vec::new();
    let mut guard = None;
    if w.is_predicate() {
        let (p, span) = w.predicate()?;
        match known(&p) {
            Some(true) => {}
            Some(false) => {
                target(c, w)?;
                return Ok(step_over());
            }
            None => {
                let both = c.body.hidden(ScalarType::Pred);
                let own = match c.guard {
                    Some(guard) => OperandValue::Predicate {
                        source: Source::Register(RegisterRun::one(guard.predicate)),
                        negated: guard.negated,
                    },
                    None => OperandValue::Predicate {
                        source: Source::Immediate(1),
                        negated: false,
                    },
                };
                // Not under the guard itself, since the sum must be made in all lanes.
                let mut sum = step(
                    Does::Arithmetic(ArithmeticOp::And),
                    typed(ScalarType::Pred),
                    vec![
                        Arg::One(written(both), span),
                        Arg::One(p, span),
                        Arg::One(own, span),
                    ],
                );
                sum.unguarded = true;
                steps.push(sum);
                guard = Some(Guard {
                    predicate: both,
                    negated: false,
                });
            }
        }
    }
    let to = target(c, w)?;
    let mut jump = control(ControlOp::Branch, vec![label(to)?]);
    jump.guard = guard;
    steps.push(jump);
    Ok(steps)
}

/// A step that does nothing.
fn step_over() -> Vec<Step> {
    vec![step(
        Does::Sync(SyncOp::Fence),
        Modifiers::default(),
        Vec::new(),
    )]
}

/// The lower half of an address in a register, plus a constant.
fn register_address(w: &mut Words<'_>, base: u64) -> Lowered<Arg> {
    let operand = w.next()?;
    let register = as_register(&operand.value).and_then(super::id_of);
    let Some(register) = register else {
        return Err(w.unknown("an address that is in no register", operand.span));
    };
    let source = match base {
        0 => Source::Register(RegisterRun::one(register)),
        offset => Source::RegisterOffset {
            register,
            offset: offset as i64,
        },
    };
    let value = OperandValue::Source(source, SourceModifiers::NONE);
    Ok(Arg::One(value, operand.span))
}

/// `BRX R2 -0x30`: relative to the next instruction; `JMX` is not.
pub(super) fn branch_indirect(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["INC", "DEC", "NODEC", "NOINC"]);
    let is_relative = w.opcode() == "BRX";
    let place = w.peek().map(|operand| operand.span);
    let mut offset = if is_relative { c.address + 16 } else { 0 };
    let arg = register_address(w, 0)?;
    if w.n_left() > 0 {
        let operand = w.next()?;
        let constant = match operand.value {
            Value::Integer(_) => w.number(operand, ScalarType::B64)?,
            _ => return Err(w.unknown("where the table is", operand.span)),
        };
        offset = offset.wrapping_add(constant);
    }
    let arg = match arg {
        Arg::One(OperandValue::Source(Source::Register(run), _), span) => {
            let source = match offset {
                0 => Source::Register(run),
                offset => Source::RegisterOffset {
                    register: run.first,
                    offset: offset as i64,
                },
            };
            Arg::One(OperandValue::Source(source, SourceModifiers::NONE), span)
        }
        _ => {
            let place = place.unwrap_or(w.instruction.span);
            return Err(w.unknown("this address", place));
        }
    };
    Ok(vec![control(ControlOp::BranchIndirect, vec![arg])])
}

/// `CALL.REL.NOINC target`: the caller has put the address to return to into registers.
pub(super) fn call(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["REL", "ABS", "NOINC", "INC"]);
    let in_register = w
        .peek()
        .is_some_and(|operand| as_register(&operand.value).is_some());
    if in_register {
        let arg = register_address(w, 0)?;
        if w.n_left() > 0 && w.immediate()? != 0 {
            return Err(w.unknown("this call", w.instruction.span));
        }
        return Ok(vec![control(ControlOp::BranchIndirect, vec![arg])]);
    }
    let to = target(c, w)?;
    Ok(vec![control(ControlOp::Branch, vec![label(to)?])])
}

/// `RET.REL.NODEC R8 base`
pub(super) fn returns(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["REL", "ABS", "NODEC", "DEC"]);
    let register = w.next()?;
    let base = match w.n_left() {
        0 => 0,
        _ => target(c, w)?.0,
    };
    let id = as_register(&register.value).and_then(super::id_of);
    let Some(id) = id else {
        return Err(w.unknown("an address that is in no register", register.span));
    };
    let source = match base {
        0 => Source::Register(RegisterRun::one(id)),
        base => Source::RegisterOffset {
            register: id,
            offset: base as i64,
        },
    };
    let value = OperandValue::Source(source, SourceModifiers::NONE);
    let arg = Arg::One(value, register.span);
    Ok(vec![control(ControlOp::BranchIndirect, vec![arg])])
}

/// `LEPC d`: the address of this instruction.
pub(super) fn program_counter(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let (run, span) = w.destination(2)?;
    let place = match w.n_left() {
        0 => c.address,
        _ => target(c, w)?.0,
    };
    let halves = super::words::destinations(run, 2, span).into_iter();
    let values = [place & 0xffff_ffff, place >> 32];
    let copies = halves
        .zip(values)
        .map(|((to, span), value)| copy(Arg::One(to, span), (number(value), span)));
    Ok(copies.collect())
}

pub(super) fn exit(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["KEEPREFCOUNT", "NO_ATEXIT"]);
    Ok(vec![control(ControlOp::Exit, Vec::new())])
}

pub(super) fn trap(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["TRAP", "PAUSE", "DRAIN"]);
    while w.n_left() > 0 {
        w.next()?;
    }
    Ok(vec![control(ControlOp::Trap, Vec::new())])
}

/// `BSSY B0, target`: the lanes that are here meet again at `BSYNC B0`.
pub(super) fn begin_reconvergence(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["RECONVERGENT", "RELIABLE"]);
    let to = w.to(1)?;
    let place = target(c, w)?;
    Ok(vec![control(
        ControlOp::PushReconvergence,
        vec![to, label(place)?],
    )])
}

/// `BSYNC B0`
pub(super) fn reconverge(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["RECONVERGENT", "RELIABLE"]);
    let barrier = w.source()?;
    Ok(vec![control(ControlOp::Reconverge, vec![one(barrier)])])
}

/// `BREAK {p,} B0`
pub(super) fn leave_reconvergence(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["RECONVERGENT", "RELIABLE"]);
    if w.is_predicate() {
        let (p, span) = w.predicate()?;
        match known(&p) {
            Some(true) => {}
            Some(false) => {
                w.source()?;
                return Ok(step_over());
            }
            None => return Err(w.unknown("a second predicate", span)),
        }
    }
    let barrier = w.source()?;
    Ok(vec![control(
        ControlOp::LeaveReconvergence,
        vec![one(barrier)],
    )])
}

/// `WARPSYNC mask`, `WARPSYNC.ALL`, `WARPSYNC.COLLECTIVE mask, next`
pub(super) fn warp_barrier(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["EXCLUSIVE", "NOEXCLUSIVE"]);
    let all = w.take("ALL");
    let collects = w.take("COLLECTIVE");
    let mask = if all {
        (number(u32::MAX.into()), w.instruction.span)
    } else {
        w.source()?
    };
    if collects {
        // What follows leads there.
        w.next()?;
    }
    Ok(vec![step(
        Does::Sync(SyncOp::WarpBarrier),
        Modifiers::default(),
        vec![one(mask)],
    )])
}

/// `BAR.SYNC id{, threads}`, `BAR.ARV id, threads`
pub(super) fn barrier(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore(&["DEFER_BLOCKING", "ALL"]);
    let mut modifiers = Modifiers::default();
    if w.take("ARV") {
        modifiers.flags = modifiers.flags.with(Flag::Arrive);
    } else if !w.take("SYNC") {
        return Err(w.unknown("this kind of barrier", w.instruction.opcode));
    }
    let mut args = Vec::new();
    while w.n_left() > 0 && args.len() < 2 {
        args.push(one(w.source()?));
    }
    if args.is_empty() {
        args.push(Arg::One(number(0), w.instruction.span));
    }
    Ok(vec![step(Does::Sync(SyncOp::Barrier), modifiers, args)])
}

pub(super) fn sleep(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    while w.n_left() > 0 {
        w.next()?;
    }
    Ok(vec![step(
        Does::Hint(HintOp::Nanosleep),
        Modifiers::default(),
        Vec::new(),
    )])
}

/// `YIELD`: a hint.
pub(super) fn gives_way(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    nothing(w)
}

/// What has no effect where each step is complete before the next one: fences, waits for loads, caches.
pub(super) fn nothing(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    w.ignore_rest();
    Ok(vec![step(
        Does::Sync(SyncOp::Fence),
        Modifiers::default(),
        Vec::new(),
    )])
}
