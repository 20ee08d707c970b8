//! Lowering of asynchronous copies, and of instructions that wait for copies.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, as_register, number};
use super::memory::AddressWidth;
use super::{LoweringContext, arithmetic, is_zero, mbarrier, memory, one, step};
use crate::syntax::{RegisterFile, RegisterNumber};
use crate::target_abi::TargetAbi;
use warpgrid_isa::{
    ArithmeticOp, AsyncOp, Completion, Flag, MemoryOp, Modifiers, Operation, ScalarType,
    StateSpace, SyncOp,
};
use warpgrid_program::OperandValue;

/// Lowers `LDGSTS.E.BYPASS.128 [a], [b]{, p}`, a copy from global memory at address b to shared memory at address a. If the predicate p is
/// false, the copy stores zeros. With `.ZFILL`, the low bits of b specify the number of zero bytes at the end of the destination.
pub(super) fn copy(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let from_width = AddressWidth::take(w);
    // Cache hints have no effect on results.
    w.ignore_modifiers(&["BYPASS", "ACCESS"]);
    let fills = w.consume("ZFILL");
    let sizes = [("32", 4), ("64", 8), ("128", 16)];
    let size = w.consume_one_of(&sizes).unwrap_or(4);
    let mut modifiers = memory::hints(w);
    modifiers.space = Some(StateSpace::Shared);
    modifiers.source_space = Some(StateSpace::Global);
    if fills {
        modifiers.flags = modifiers.flags.with(Flag::ZeroFill);
    }
    let to = memory::address(w, AddressWidth::Narrow)?;
    let from = memory::address(w, from_width)?;
    let span = w.instruction.span;
    let mut args = vec![one(to), one(from), LoweredOperand::One(number(size), span)];
    if w.is_predicate() {
        let (p, p_span) = w.predicate()?;
        let OperandValue::Predicate { source, negated } = p else {
            return Err(w.unknown("this condition", p_span));
        };
        if super::known(&p) != Some(true) {
            // The predicate of the PTX operation is inverted, because the PTX operation ignores the source if its predicate is true, and
            // the SASS instruction ignores the source if its predicate is false.
            let ignored = OperandValue::Predicate {
                source,
                negated: !negated,
            };
            args.push(LoweredOperand::One(ignored, p_span));
        }
    }
    Ok(vec![step(Operation::Async(AsyncOp::Copy), modifiers, args)])
}

/// Lowers `UBLKCP.S.G [d], [a], size` and `UBLKRED.G.S.ADD.S32 [d], [a], size`, bulk copies and reductions that one lane executes for the
/// whole warp. The lower half of the size register contains the size in units of 16 bytes. Depending on the modifiers, the upper half of
/// this register selects the destination CTAs of the cluster or the bytes to write. If the destination is in shared memory, the register
/// after the destination address contains the address of the mbarrier.
pub(super) fn copy_range(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let (to_space, from_space) = direction(w)?;
    let mut modifiers = super::blank();
    let is_reduction = w.opcode() == "UBLKRED";
    if is_reduction {
        memory::operation(w, &mut modifiers)?;
    }
    modifiers.space = Some(to_space);
    modifiers.source_space = Some(from_space);
    let masks = [
        ("MULTICAST", Flag::Multicast),
        ("DST_G_BYTE_MASK", Flag::CpMask),
    ];
    let mask = w.consume_one_of(&masks);
    if let Some(flag) = mask {
        modifiers.flags = modifiers.flags.with(flag);
    }
    let to = memory::address(w, AddressWidth::of_space(to_space))?;
    let from = memory::address(w, AddressWidth::of_space(from_space))?;
    let packed = w.source()?;
    if w.n_left() > 0 {
        // The cache policy has no effect on results.
        w.next()?;
    }
    let mbarrier = match to_space == StateSpace::Global {
        true => OperandValue::Absent,
        false => mbarrier_beside(w, &to)?,
    };
    modifiers.completion = Some(match mbarrier {
        OperandValue::Address(_) => Completion::MbarrierCompleteTxBytes,
        _ => Completion::BulkGroup,
    });
    let [size, upper] = [0; 2].map(|_| c.body.temporary(ScalarType::U32));
    let ty = ScalarType::U32;
    let literal = |value| LoweredOperand::One(number(value), span);
    let mut args = vec![one(to), one(from), LoweredOperand::One(read(size), span)];
    args.push(LoweredOperand::One(mbarrier, span));
    if mask.is_some() {
        args.push(LoweredOperand::One(read(upper), span));
    }
    let op = match is_reduction {
        true => AsyncOp::BulkReduction,
        false => AsyncOp::BulkCopy,
    };
    let copy = step(Operation::Async(op), modifiers, args);
    let to_upper = LoweredOperand::One(written(upper), span);
    let to_size = |register| LoweredOperand::One(written(register), span);
    let halves = vec![to_upper, one(packed.clone()), literal(16)];
    let lower = vec![to_size(size), one(packed), literal(0xffff)];
    let bytes = vec![
        to_size(size),
        LoweredOperand::One(read(size), span),
        literal(4),
    ];
    let mut steps = vec![
        arithmetic(ArithmeticOp::Shr, ty, halves),
        arithmetic(ArithmeticOp::And, ScalarType::B32, lower),
        arithmetic(ArithmeticOp::Shl, ScalarType::B32, bytes),
    ];
    steps.extend(c.in_one_lane(copy, span));
    Ok(steps)
}

/// Returns the state spaces of the destination and the source, which the first two modifiers specify.
fn direction(w: &mut InstructionCursor<'_>) -> LowerResult<(StateSpace, StateSpace)> {
    // A shared memory address contains the rank of the CTA in the cluster, so the destination state space is `.shared::cluster`.
    let to = match w.modifiers_left().first().copied() {
        Some("S") => StateSpace::SharedCluster,
        Some("G") => StateSpace::Global,
        _ => {
            return Err(w.unknown(
                "missing or unknown direction modifier",
                w.instruction.opcode,
            ));
        }
    };
    w.consume(match to == StateSpace::Global {
        true => "G",
        false => "S",
    });
    let from = w.consume_one_of(&[("G", StateSpace::Global), ("S", StateSpace::Shared)]);
    let from = from.ok_or_else(|| {
        w.unknown(
            "missing or unknown direction modifier",
            w.instruction.opcode,
        )
    })?;
    Ok((to, from))
}

/// Returns the mbarrier of a copy to shared memory. The register after the destination address contains the address of the mbarrier.
fn mbarrier_beside(w: &InstructionCursor<'_>, to: &SpannedValue) -> LowerResult<OperandValue> {
    let unknown = || w.unknown("an address without a register", to.1);
    let OperandValue::Address(mut address) = to.0 else {
        return Err(unknown());
    };
    let run = address.uniform.as_mut().ok_or_else(unknown)?;
    run.first.0 += 1;
    Ok(OperandValue::Address(address))
}

/// Lowers `UMEMSETS.64 [a], URZ, n`, which zeroes n times 8 bytes of shared memory.
pub(super) fn fill(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let is_wide = w.consume("64");
    let to = memory::address(w, AddressWidth::Narrow)?;
    let (value, value_span) = w.source()?;
    if !is_wide || !is_zero(&value) {
        return Err(w.unknown("a fill value other than zero", value_span));
    }
    let bytes = c.body.temporary(ScalarType::U32);
    let args = vec![
        LoweredOperand::One(written(bytes), span),
        one(w.source()?),
        LoweredOperand::One(number(3), span),
    ];
    let size = arithmetic(ArithmeticOp::Shl, ScalarType::B32, args);
    let modifiers = Modifiers {
        space: Some(StateSpace::Shared),
        ..super::blank()
    };
    let args = vec![one(to), LoweredOperand::One(read(bytes), span)];
    let fill = step(Operation::Memory(MemoryOp::StoreBulk), modifiers, args);
    let mut steps = vec![size];
    steps.extend(c.in_one_lane(fill, span));
    Ok(steps)
}

/// Lowers `LDGDEPBAR` and `UTMACMDFLUSH`, which commit all copies since the last commit as an async-group.
pub(super) fn commit(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    commit: AsyncOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_rest();
    if !c.body.commits.contains(&commit) {
        c.body.commits.push(commit);
    }
    Ok(vec![step(
        Operation::Async(commit),
        super::blank(),
        Vec::new(),
    )])
}

/// Lowers `ARRIVES.LDGSTSBAR.64 [a]`, which arrives at the mbarrier at address a when all preceding copies of the thread have completed.
/// With `.ARVCNT`, the expected count of the mbarrier includes this arrival. With `.TRANSCNT`, the preceding
/// `SYNCS.ARRIVE.TRANS64.RED.A0T1` has already incremented the pending count for this arrival.
pub(super) fn arrive(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if !w.consume("LDGSTSBAR") || !w.consume("64") {
        return Err(w.unknown("this arrival", w.instruction.opcode));
    }
    if !TargetAbi::of(c.target).has_mbarrier_instructions {
        // On these architectures, compiled code implements the mbarrier as an integer that it updates with ordinary instructions. The
        // lowering completes the copies at this instruction, which is a permitted order, because copies may complete at any time.
        let at = memory::address(w, AddressWidth::Narrow)?;
        let wait = Operation::Async(AsyncOp::CopyWaitAll);
        let mut steps = vec![step(wait, super::blank(), Vec::new())];
        steps.extend(mbarrier::count_arrival(c, None, at, w.instruction.span));
        return Ok(steps);
    }
    let mut modifiers = Modifiers {
        space: Some(StateSpace::Shared),
        ty: Some(ScalarType::B64),
        ..super::blank()
    };
    if !w.consume("TRANSCNT") {
        w.ignore_modifiers(&["ARVCNT"]);
        modifiers.flags = modifiers.flags.with(Flag::Noinc);
    }
    let at = memory::address(w, AddressWidth::Narrow)?;
    let arrive = Operation::Async(AsyncOp::CopyArrive);
    Ok(vec![step(arrive, modifiers, vec![one(at)])])
}

/// Lowers `DEPBAR.LE SB0, n`, which waits until at most n async-groups are pending. The wait applies to each kind of async-group that the
/// function commits earlier in the listing. If the function commits no async-group earlier, `DEPBAR` waits for loads, which has no effect,
/// because the emulator completes a load in its step.
pub(super) fn wait(
    c: &LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let register = w.peek().and_then(|operand| as_register(&operand.value));
    let is_first = register.is_some_and(|register| {
        register.file == RegisterFile::Scoreboard && register.number == RegisterNumber::Number(0)
    });
    let commits = &c.body.commits;
    if !w.consume("LE") || !is_first || commits.is_empty() {
        w.ignore_rest();
        let fence = Operation::Sync(SyncOp::Fence);
        return Ok(vec![step(fence, super::blank(), Vec::new())]);
    }
    w.next()?;
    let n = w.immediate()?;
    w.ignore_rest();
    let until = |commit: &AsyncOp| {
        let wait = match *commit == AsyncOp::BulkCommit {
            true => AsyncOp::BulkWait,
            false => AsyncOp::CopyWait,
        };
        let left = LoweredOperand::One(number(n), w.instruction.span);
        step(Operation::Async(wait), super::blank(), vec![left])
    };
    Ok(commits.iter().map(until).collect())
}
