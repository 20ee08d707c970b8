//! Lowering of operations on mbarrier objects in shared memory. The lowering converts between the layout of the hardware and the layout of
//! the emulator: the initialization extracts the arrival count from the stored bits, and the highest bit of a phase state contains the
//! parity.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult};
use super::memory::AddressWidth;
use super::{LoweringContext, arithmetic, memory, number_of, one, predicate_source, step, typed};
use warpgrid_isa::{
    ArithmeticOp, AsyncOp, AtomicOp, ClusterLaunchControlOp, CompareOp, ComparisonOp, Completion,
    DeviceUnitOp, Flag, MbarrierOp, MemoryOp, Modifiers, Operation, ScalarType, StateSpace,
};
use warpgrid_program::{OperandValue, RegisterId, RegisterTuple, Span};

/// Limit of the arrival counter in the hardware layout, which counts from `LIMIT - count` up to `LIMIT`.
const LIMIT: u64 = 0x10_0000;

/// Lowers `SYNCS`, whose first modifier selects the operation.
pub(super) fn sync(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if w.consume("EXCH") {
        return initialise(c, w);
    }
    if w.consume("ARRIVE") {
        if w.has("A0T1") {
            // The instruction only increments the pending count for the arrival of a later `ARRIVES`.
            return super::control::no_op(w);
        }
        return arrive(c, w);
    }
    if w.consume("PHASECHK") {
        return test(c, w);
    }
    if w.consume("CCTL") {
        if w.consume("IVALL") {
            // `.IVALL` invalidates cached mbarrier objects, which the emulator does not have.
            return super::control::no_op(w);
        }
        if w.consume("IV") {
            // `.IV` invalidates the mbarrier object.
            let at = memory::address(w, AddressWidth::Narrow)?;
            let end = Operation::Mbarrier(MbarrierOp::Inval);
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

fn to(register: RegisterId, span: Span) -> LoweredOperand {
    LoweredOperand::One(written(register), span)
}

/// Lowers `SYNCS.EXCH.64 URZ, [a], b`: one lane initializes the mbarrier object.
fn initialise(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let is_wide = w.consume("64");
    let (old, span) = w.destination(2)?;
    if !is_wide || old.is_some() {
        return Err(w.unknown("this form of exchange", span));
    }
    let at = memory::address(w, AddressWidth::Narrow)?;
    let bits = w.source()?;
    let [left, count] = [0; 2].map(|_| c.body.temporary(ScalarType::U32));
    let number = |value| LoweredOperand::One(number_of(value), span);
    let init = step(
        Operation::Mbarrier(MbarrierOp::Init),
        in_shared(StateSpace::Shared),
        vec![one(at), LoweredOperand::One(read(count), span)],
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
            vec![
                to(count, span),
                number(LIMIT),
                LoweredOperand::One(read(left), span),
            ],
        ),
    ];
    steps.extend(c.in_one_lane(init, span));
    Ok(steps)
}

/// Effect of `SYNCS.ARRIVE`. The modifier `A1` specifies one arrival, `AR` specifies b arrivals, and `TR` increments the expected
/// transaction count by b bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArrivalKind {
    One,
    Some,
    OneAndBytes,
    Bytes,
}

/// Lowers `SYNCS.ARRIVE.TRANS64.A1T0 d, [a], b`, an arrival at the mbarrier at address a that returns the phase state d.
fn arrive(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let counts = w.consume_one_of(&[
        ("A1T0", ArrivalKind::One),
        ("ART0", ArrivalKind::Some),
        ("A0TR", ArrivalKind::Bytes),
        ("A1TR", ArrivalKind::OneAndBytes),
    ]);
    let counts = counts.unwrap_or(ArrivalKind::OneAndBytes);
    if !w.consume("TRANS64") {
        return Err(w.unknown(
            "an mbarrier object that does not have 64 bits",
            w.instruction.opcode,
        ));
    }
    // With `.RED`, the address may refer to any CTA of the cluster, and the instruction has no result.
    let space = match w.consume("RED") {
        true => StateSpace::SharedCluster,
        false => StateSpace::Shared,
    };
    let mut modifiers = in_shared(space);
    let (run, span) = w.destination(2)?;
    let at = memory::address(w, AddressWidth::Narrow)?;
    let value = w.source()?;
    if counts == ArrivalKind::Bytes {
        let args = vec![one(at), one(value)];
        let expect = Operation::Mbarrier(MbarrierOp::ExpectTx);
        return Ok(vec![step(expect, modifiers, args)]);
    }
    let state = c.body.temporary(ScalarType::B64);
    let result = match run {
        Some(_) => written(state),
        None => OperandValue::Destination(None),
    };
    let mut args = vec![LoweredOperand::One(result, span), one(at)];
    if counts == ArrivalKind::OneAndBytes {
        modifiers.flags = modifiers.flags.with(Flag::ExpectTx);
    }
    if counts != ArrivalKind::One {
        args.push(one(value));
    }
    let arrive = Operation::Mbarrier(MbarrierOp::Arrive);
    let mut steps = vec![step(arrive, modifiers, args)];
    if run.is_some() {
        // Move the parity bit of the phase state to the highest bit.
        let args = vec![
            LoweredOperand::One(OperandValue::Destination(run), span),
            LoweredOperand::One(read(state), span),
            LoweredOperand::One(number_of(2), span),
        ];
        steps.push(arithmetic(ArithmeticOp::Shl, ScalarType::B64, args));
    }
    Ok(steps)
}

/// Lowers `ATOMS.ARRIVE.64 d, [a]` of Ampere and Ada. On these architectures, compiled code initializes the mbarrier object with a store
/// and tests the object with a load. The lower word of the object is the negated arrival count. The upper word contains the arrival
/// counter, which counts up to zero, and the parity of the phase in the highest bit. The arrival that completes a phase flips the parity
/// and resets the counter.
pub(super) fn arrive_ampere(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if !w.consume("64") {
        return Err(w.unknown(
            "an mbarrier object that does not have 64 bits",
            w.instruction.opcode,
        ));
    }
    let (run, span) = w.destination(2)?;
    let at = memory::address(w, AddressWidth::Narrow)?;
    Ok(count_arrival(c, run, at, span))
}

/// Returns the operations of one arrival at an mbarrier object of Ampere and Ada, which is an integer in shared memory. `run` receives the
/// previous value of the integer.
pub(super) fn count_arrival(
    c: &mut LoweringContext<'_>,
    run: Option<RegisterTuple>,
    at: SpannedValue,
    span: Span,
) -> Vec<LoweredInstruction> {
    const ONE: u64 = 1 << 32;
    /// Value of the arrival counter without the parity bit before the arrival that completes the phase.
    const LAST: u64 = 0x7fff_ffff;
    /// Addend that resets the arrival counter, in the upper word of the mbarrier object.
    const ABOVE: u64 = 0x4000_0000 << 32;
    let [state, left, again] = [0; 3].map(|_| c.body.temporary(ScalarType::B64));
    let ends = c.body.temporary(ScalarType::Pred);
    let number = |value| LoweredOperand::One(number_of(value), span);
    let from = |register| LoweredOperand::One(read(register), span);
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
        let args = vec![LoweredOperand::One(old, span), one(at.clone()), value];
        step(Operation::Memory(MemoryOp::Atomic), add, args)
    };
    let is_equal = Modifiers {
        compare: Some(CompareOp::Eq),
        ..typed(ty)
    };
    let pair = OperandValue::Pair(Some(RegisterTuple::one(ends)), None);
    let compared = vec![LoweredOperand::One(pair, span), from(left), number(LAST)];
    let (guard, both) = c.guard_with((predicate_source(ends, false), span));
    let mut restart = atomic(OperandValue::Destination(None), from(again));
    restart.guard = Some(guard);
    let mut steps = vec![
        atomic(written(state), number(ONE)),
        compute(ArithmeticOp::Shl, left, state, 1),
        compute(ArithmeticOp::Shr, left, left, 33),
        step(Operation::Compare(ComparisonOp::Setp), is_equal, compared),
        compute(ArithmeticOp::Shl, again, state, 32),
        compute(ArithmeticOp::Add, again, again, ABOVE),
        both,
        restart,
    ];
    if run.is_some() {
        let args = vec![
            LoweredOperand::One(OperandValue::Destination(run), span),
            from(state),
        ];
        let mov = Operation::Move(warpgrid_isa::MoveOp::Mov);
        steps.push(step(mov, typed(ScalarType::B64), args));
    }
    steps
}

/// Lowers `SYNCS.PHASECHK.TRANS64.TRYWAIT p, [a], b`: the highest bit of b is the parity of a phase, and p is true if this phase is
/// complete.
fn test(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if !w.consume("TRANS64") {
        return Err(w.unknown(
            "an mbarrier object that does not have 64 bits",
            w.instruction.opcode,
        ));
    }
    let op = match w.consume("TRYWAIT") {
        true => MbarrierOp::TryWait,
        false => MbarrierOp::TestWait,
    };
    let mut modifiers = in_shared(StateSpace::Shared);
    modifiers.flags = modifiers.flags.with(Flag::Parity);
    let (p, span) = w.predicate_destination()?;
    let at = memory::address(w, AddressWidth::Narrow)?;
    let bits = w.source()?;
    let parity = c.body.temporary(ScalarType::U32);
    let p = OperandValue::Destination(p.map(RegisterTuple::one));
    let shift = vec![
        to(parity, span),
        one(bits),
        LoweredOperand::One(number_of(31), span),
    ];
    let args = vec![
        LoweredOperand::One(p, span),
        one(at),
        LoweredOperand::One(read(parity), span),
    ];
    Ok(vec![
        arithmetic(ArithmeticOp::Shr, ScalarType::U32, shift),
        step(Operation::Mbarrier(op), modifiers, args),
    ])
}

/// Lowers `UGETNEXTWORKID.SELFCAST [a], [b]`, which requests a cluster that has not been launched. The instruction writes the response to
/// address a, and the mbarrier at address b counts the bytes of the response.
pub(super) fn next_cluster(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let mut modifiers = in_shared(StateSpace::Shared);
    if w.consume("BROADCAST") {
        modifiers.flags = modifiers.flags.with(Flag::MulticastAll);
    } else if !w.consume("SELFCAST") {
        return Err(w.unknown("the destination of the response", w.instruction.opcode));
    }
    let args = vec![
        one(memory::address(w, AddressWidth::Narrow)?),
        one(memory::address(w, AddressWidth::Narrow)?),
    ];
    let ask = Operation::Unit(DeviceUnitOp::ClusterLaunchControl(
        ClusterLaunchControlOp::TryCancel,
    ));
    let ask = step(ask, modifiers, args);
    Ok(c.in_one_lane(ask, w.instruction.span).into())
}

/// Lowers `STAS.64 [a.64], b`: the upper register of the pair a contains the address of the mbarrier that counts the stored bytes.
pub(super) fn store(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let n = w.consume_one_of(&[("64", 2), ("128", 4)]).unwrap_or(1u8);
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
        warpgrid_program::AddressBase::Register(RegisterTuple::one(register))
    };
    data.base = half(0);
    let counter = warpgrid_program::Address::new(half(1), 0);
    let value = w.source()?;
    let value_span = value.1;
    let args = vec![
        LoweredOperand::One(OperandValue::Address(data), span),
        LoweredOperand::List(super::instruction_cursor::parts(value, n), value_span),
        LoweredOperand::One(OperandValue::Address(counter), span),
    ];
    Ok(vec![step(
        Operation::Async(AsyncOp::Store),
        modifiers,
        args,
    )])
}
