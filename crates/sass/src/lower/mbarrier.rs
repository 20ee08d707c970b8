//! Lowering of operations on mbarrier objects in shared memory. Hardware mbarriers have a specific layout: the initialization extracts
//! the count from the stored bits, and a phase state has its parity in the highest bit.

use super::body::{Arg, Placed, Step, read, written};
use super::memory::AddressWidth;
use super::words::{Lowered, Words};
use super::{Context, arithmetic, memory, number_of, one, predicate_source, step, typed};
use warpgrid_isa::{
    ArithmeticOp, AsyncOp, AtomicOp, CompareForm, CompareOp, Completion, Does, Flag, LaunchOp,
    MbarrierOp, MemoryOp, Modifiers, ScalarType, StateSpace, UnitOp,
};
use warpgrid_program::{OperandValue, RegisterId, RegisterRun, Span};

/// Arrival counts run from `LIMIT - count` to `LIMIT`.
const LIMIT: u64 = 0x10_0000;

/// Lowers `SYNCS`, whose first modifier selects the operation.
pub(super) fn sync(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    if w.take("EXCH") {
        return initialise(c, w);
    }
    if w.take("ARRIVE") {
        if w.has("A0T1") {
            // `ARRIVES` counts the announced arrival.
            return super::control::nothing(w);
        }
        return arrive(c, w);
    }
    if w.take("PHASECHK") {
        return test(c, w);
    }
    if w.take("CCTL") {
        if w.take("IVALL") {
            // The emulator has no cache of mbarrier objects.
            return super::control::nothing(w);
        }
        if w.take("IV") {
            // The mbarrier object is invalidated.
            let at = memory::address(w, AddressWidth::Narrow)?;
            let end = Does::Mbarrier(MbarrierOp::Inval);
            let shared = in_shared(StateSpace::Shared);
            return Ok(vec![step(end, shared, vec![one(at)])]);
        }
    }
    Err(w.unknown("this operation on an mbarrier", w.instruction.opcode))
}

fn in_shared(space: StateSpace) -> Modifiers {
    Modifiers {
        space: Some(space),
        ..super::blank()
    }
}

fn to(register: RegisterId, span: Span) -> Arg {
    Arg::One(written(register), span)
}

/// Lowers `SYNCS.EXCH.64 URZ, [a], b`: one lane initializes the mbarrier.
fn initialise(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let is_wide = w.take("64");
    let (old, span) = w.destination(2)?;
    if !is_wide || old.is_some() {
        return Err(w.unknown("this form of exchange", span));
    }
    let at = memory::address(w, AddressWidth::Narrow)?;
    let bits = w.source()?;
    let [left, count] = [0; 2].map(|_| c.body.hidden(ScalarType::U32));
    let number = |value| Arg::One(number_of(value), span);
    let init = step(
        Does::Mbarrier(MbarrierOp::Init),
        in_shared(StateSpace::Shared),
        vec![one(at), Arg::One(read(count), span)],
    );
    let ty = ScalarType::U32;
    let mut steps = vec![
        arithmetic(
            ArithmeticOp::Shr,
            ty,
            vec![to(left, span), one(bits), number(1)],
        ),
        arithmetic(
            ArithmeticOp::Sub,
            ty,
            vec![to(count, span), number(LIMIT), Arg::One(read(left), span)],
        ),
    ];
    steps.extend(c.in_one_lane(init, span));
    Ok(steps)
}

/// Effect of an arrival: `A1` arrives once, `AR` arrives b times, `TR` expects b bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    One,
    Some,
    OneAndBytes,
    Bytes,
}

/// Lowers `SYNCS.ARRIVE.TRANS64.A1T0 d, [a], b`.
fn arrive(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let counts = w.take_one(&[
        ("A1T0", Counts::One),
        ("ART0", Counts::Some),
        ("A0TR", Counts::Bytes),
        ("A1TR", Counts::OneAndBytes),
    ]);
    let counts = counts.unwrap_or(Counts::OneAndBytes);
    if !w.take("TRANS64") {
        return Err(w.unknown(
            "an mbarrier object that does not have 64 bits",
            w.instruction.opcode,
        ));
    }
    // `.RED` may address any CTA of the cluster and has no result.
    let space = match w.take("RED") {
        true => StateSpace::SharedCluster,
        false => StateSpace::Shared,
    };
    let mut modifiers = in_shared(space);
    let (run, span) = w.destination(2)?;
    let at = memory::address(w, AddressWidth::Narrow)?;
    let value = w.source()?;
    if counts == Counts::Bytes {
        let args = vec![one(at), one(value)];
        let expect = Does::Mbarrier(MbarrierOp::ExpectTx);
        return Ok(vec![step(expect, modifiers, args)]);
    }
    let state = c.body.hidden(ScalarType::B64);
    let result = match run {
        Some(_) => written(state),
        None => OperandValue::Destination(None),
    };
    let mut args = vec![Arg::One(result, span), one(at)];
    if counts == Counts::OneAndBytes {
        modifiers.flags = modifiers.flags.with(Flag::ExpectTx);
    }
    if counts != Counts::One {
        args.push(one(value));
    }
    let arrive = Does::Mbarrier(MbarrierOp::Arrive);
    let mut steps = vec![step(arrive, modifiers, args)];
    if run.is_some() {
        // The parity of a state moves to the highest bit.
        let args = vec![
            Arg::One(OperandValue::Destination(run), span),
            Arg::One(read(state), span),
            Arg::One(number_of(2), span),
        ];
        steps.push(arithmetic(ArithmeticOp::Shl, ScalarType::B64, args));
    }
    Ok(steps)
}

/// Lowers `ATOMS.ARRIVE.64 d, [a]` of Ampere and Ada, where the code itself initializes the object with a store and tests it with a load:
/// the lower word is the negated count; the upper word contains the arrivals, counted up to zero, below the parity of the phase. The
/// arrival that completes a phase flips the parity and resets the arrivals.
pub(super) fn arrive_by_hand(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    if !w.take("64") {
        return Err(w.unknown(
            "an mbarrier object that does not have 64 bits",
            w.instruction.opcode,
        ));
    }
    let (run, span) = w.destination(2)?;
    let at = memory::address(w, AddressWidth::Narrow)?;
    Ok(count_arrival(c, run, at, span))
}

/// Returns the operations of one arrival at an object that code maintains as a number; `run` receives the previous state.
pub(super) fn count_arrival(
    c: &mut Context<'_>,
    run: Option<RegisterRun>,
    at: Placed,
    span: Span,
) -> Vec<Step> {
    const ONE: u64 = 1 << 32;
    /// Arrivals of an object, without the parity, if the next arrival completes the phase.
    const LAST: u64 = 0x7fff_ffff;
    /// Value of the upper word above the bits of the lower one.
    const ABOVE: u64 = 0x4000_0000 << 32;
    let [state, left, again] = [0; 3].map(|_| c.body.hidden(ScalarType::B64));
    let ends = c.body.hidden(ScalarType::Pred);
    let number = |value| Arg::One(number_of(value), span);
    let from = |register| Arg::One(read(register), span);
    let ty = ScalarType::U64;
    let compute = |op, result, source, literal| {
        let args = vec![to(result, span), from(source), number(literal)];
        arithmetic(op, ty, args)
    };
    let add = Modifiers {
        atomic: Some(AtomicOp::Add),
        ty: Some(ty),
        ..in_shared(StateSpace::Shared)
    };
    let atomic = |old, value| {
        let args = vec![Arg::One(old, span), one(at.clone()), value];
        step(Does::Memory(MemoryOp::Atomic), add, args)
    };
    let is_equal = Modifiers {
        compare: Some(CompareOp::Eq),
        ..typed(ty)
    };
    let pair = OperandValue::Pair(Some(RegisterRun::one(ends)), None);
    let compared = vec![Arg::One(pair, span), from(left), number(LAST)];
    let (guard, both) = c.guard_with((predicate_source(ends, false), span));
    let mut restart = atomic(OperandValue::Destination(None), from(again));
    restart.guard = Some(guard);
    let mut steps = vec![
        atomic(written(state), number(ONE)),
        compute(ArithmeticOp::Shl, left, state, 1),
        compute(ArithmeticOp::Shr, left, left, 33),
        step(Does::Compare(CompareForm::Setp), is_equal, compared),
        compute(ArithmeticOp::Shl, again, state, 32),
        compute(ArithmeticOp::Add, again, again, ABOVE),
        both,
        restart,
    ];
    if run.is_some() {
        let args = vec![Arg::One(OperandValue::Destination(run), span), from(state)];
        let mov = Does::Move(warpgrid_isa::MoveOp::Mov);
        steps.push(step(mov, typed(ScalarType::B64), args));
    }
    steps
}

/// Lowers `SYNCS.PHASECHK.TRANS64.TRYWAIT p, [a], b`: p is true if the phase with the parity in the highest bit of b is complete.
fn test(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    if !w.take("TRANS64") {
        return Err(w.unknown(
            "an mbarrier object that does not have 64 bits",
            w.instruction.opcode,
        ));
    }
    let op = match w.take("TRYWAIT") {
        true => MbarrierOp::TryWait,
        false => MbarrierOp::TestWait,
    };
    let mut modifiers = in_shared(StateSpace::Shared);
    modifiers.flags = modifiers.flags.with(Flag::Parity);
    let (p, span) = w.predicate_destination()?;
    let at = memory::address(w, AddressWidth::Narrow)?;
    let bits = w.source()?;
    let parity = c.body.hidden(ScalarType::U32);
    let p = OperandValue::Destination(p.map(RegisterRun::one));
    let shift = vec![to(parity, span), one(bits), Arg::One(number_of(31), span)];
    let args = vec![Arg::One(p, span), one(at), Arg::One(read(parity), span)];
    Ok(vec![
        arithmetic(ArithmeticOp::Shr, ScalarType::U32, shift),
        step(Does::Mbarrier(op), modifiers, args),
    ])
}

/// Lowers `UGETNEXTWORKID.SELFCAST [a], [b]`, which requests a cluster that has not been launched; the response is written to a, and the
/// mbarrier at b counts its bytes.
pub(super) fn next_cluster(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let mut modifiers = in_shared(StateSpace::Shared);
    if w.take("BROADCAST") {
        modifiers.flags = modifiers.flags.with(Flag::MulticastAll);
    } else if !w.take("SELFCAST") {
        return Err(w.unknown("the destination of the response", w.instruction.opcode));
    }
    let args = vec![
        one(memory::address(w, AddressWidth::Narrow)?),
        one(memory::address(w, AddressWidth::Narrow)?),
    ];
    let ask = Does::Unit(UnitOp::Launch(LaunchOp::TryCancel));
    let ask = step(ask, modifiers, args);
    Ok(c.in_one_lane(ask, w.instruction.span).into())
}

/// Lowers `STAS.64 [a.64], b`: the upper register of a contains the address of the mbarrier that counts the bytes.
pub(super) fn store(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let n = w.take_one(&[("64", 2), ("128", 4)]).unwrap_or(1u8);
    let modifiers = Modifiers {
        completion: Some(Completion::MbarrierCompleteTxBytes),
        vector: match n {
            2 => Some(warpgrid_isa::VectorWidth::V2),
            4 => Some(warpgrid_isa::VectorWidth::V4),
            _ => None,
        },
        space: Some(StateSpace::SharedCluster),
        ..typed(ScalarType::B32)
    };
    let (address, span) = memory::address(w, AddressWidth::Wide)?;
    let OperandValue::Address(mut data) = address else {
        return Err(w.unknown("this address", span));
    };
    let warpgrid_program::AddressBase::Register(run) = data.base else {
        return Err(w.unknown("this address", span));
    };
    if run.n != 2 || data.uniform.is_some() {
        return Err(w.unknown("this address", span));
    }
    let half = |i: u32| {
        let register = RegisterId(run.first.0 + i);
        warpgrid_program::AddressBase::Register(RegisterRun::one(register))
    };
    data.base = half(0);
    let counter = warpgrid_program::Address::new(half(1), 0);
    let value = w.source()?;
    let value_span = value.1;
    let args = vec![
        Arg::One(OperandValue::Address(data), span),
        Arg::List(super::words::parts(value, n), value_span),
        Arg::One(OperandValue::Address(counter), span),
    ];
    Ok(vec![step(Does::Async(AsyncOp::Store), modifiers, args)])
}
