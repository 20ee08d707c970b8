//! Lowering of branches, calls, reconvergence and barriers. The lowering of a branch creates a label operand that contains an address.
//! After the whole function is lowered, instruction indices replace the addresses.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, plain, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, as_register, number};
use super::linked_functions::SystemFunction;
use super::{LoweringContext, copy, known, one, predicate_source, predicates_by_table, step};
use crate::syntax::{OperandKind, Register, RegisterFile, RegisterNumber};
use crate::target_abi::TargetAbi;
use warpgrid_isa::{
    ArithmeticOp, BarrierReduce, CompareOp, ComparisonOp, ControlOp, Flag, HintOp, Modifiers,
    Operation, ScalarType, SyncOp, VoteMode, WarpOp,
};
use warpgrid_program::{
    Callee, Guard, OperandValue, RegisterId, RegisterTuple, Source, SourceModifiers, Span,
};

fn control(op: ControlOp, args: Vec<LoweredOperand>) -> LoweredInstruction {
    step(Operation::Control(op), super::blank(), args)
}

/// Branch target of a SASS instruction: the address of an instruction, with the span of the operand.
#[derive(Clone, Copy, Debug)]
struct BranchTarget {
    address: u64,
    span: Span,
}

/// Reads a branch target: an address, or the name of a label or function. The operand contains an address until the whole function is
/// lowered.
fn target(c: &LoweringContext<'_>, w: &mut InstructionCursor<'_>) -> LowerResult<BranchTarget> {
    let operand = w.next()?;
    let address = match operand.value {
        OperandKind::Integer(address) => Some(address),
        OperandKind::Target(span) | OperandKind::Word(span) => c.text.label(span.text(w.source)),
        OperandKind::Register(_)
        | OperandKind::Float(_)
        | OperandKind::Memory(_)
        | OperandKind::Relocation(_)
        | OperandKind::Set(_)
        | OperandKind::Unknown(_) => None,
    };
    let is_there = |address: &u64| c.text.has(*address);
    let address = address
        .filter(is_there)
        .ok_or_else(|| w.unknown("an address outside the listing", operand.span))?;
    Ok(BranchTarget {
        address,
        span: operand.span,
    })
}

/// Creates a label operand: [`OperandValue::Label`] contains the address until the whole function is lowered.
fn label(target: BranchTarget) -> LoweredOperand {
    LoweredOperand::One(OperandValue::Label(target.address as u32), target.span)
}

/// Lowers `BRA {p,} target` and its forms `.U`, `.DIV`, `.CONV` and `.U.ANY`.
pub(super) fn branch(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let is_uniform = w.consume("U");
    w.ignore_modifiers(&["INC", "DEC", "NODEC", "NOINC", "ABS"]);
    let relation = w.consume_one_of(&[("DIV", CompareOp::Ne), ("CONV", CompareOp::Eq)]);
    if w.consume("ANY") {
        return branch_on_vote(c, w, VoteMode::Any);
    }
    // A branch on a uniform predicate requires no vote, because a uniform predicate has the same value in all lanes.
    if is_uniform && c.guard.is_some() && !w.is_predicate() {
        return branch_on_vote(c, w, VoteMode::All);
    }
    if let Some(relation) = relation {
        return branch_on_convergence(c, w, relation);
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
                let (both, sum) = c.guard_with((p, span));
                steps.push(sum);
                guard = Some(both);
            }
        }
    }
    let to = target(c, w)?;
    let mut jump = control(ControlOp::Branch, vec![label(to)]);
    jump.guard = guard;
    steps.push(jump);
    Ok(steps)
}

/// Lowers `BRA.DIV mask, target` and `BRA.CONV mask, target`. All active lanes take `BRA.DIV` if a lane of the mask is inactive, and
/// `BRA.CONV` if all lanes of the mask are active. `relation` is the operator that compares the active lanes with the mask.
///
/// A guard excludes lanes from the comparison with the mask, but not from the branch. Assembler 13.5 generates a guard that compares the
/// mask of a lane with the mask of the first lane (`sm_80` to `sm_89`: `R2UR P1, URZ, R0; @!P1 BRA.DIV UR6, slow_path`), and a slow path
/// that computes the result for each mask separately.
fn branch_on_convergence(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    relation: CompareOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    // Older variants of these instructions have no mask operand, and refer to all lanes.
    let mask = match w.n_left() {
        0 | 1 => (number(u32::MAX.into()), w.instruction.span),
        _ => w.source()?,
    };
    let span = mask.1;
    let to = target(c, w)?;
    if let Some(guard) = c.guard {
        let present = c.body.temporary(ScalarType::B32);
        let taken = c.body.temporary(ScalarType::Pred);
        let ballot = vote(guard, VoteMode::Ballot, ScalarType::B32, present, span);
        let compare = Modifiers {
            compare: Some(relation),
            ..super::typed(ScalarType::B32)
        };
        let result = OperandValue::Pair(Some(RegisterTuple::one(taken)), None);
        let mut compare = step(
            Operation::Compare(ComparisonOp::Setp),
            compare,
            vec![
                LoweredOperand::One(result, span),
                LoweredOperand::One(read(present), span),
                one(mask),
            ],
        );
        compare.unguarded = true;
        let mut jump = control(ControlOp::Branch, vec![label(to)]);
        jump.guard = Some(Guard {
            predicate: taken,
            negated: false,
        });
        return Ok(vec![ballot, compare, jump]);
    }
    if relation == CompareOp::Ne {
        return Ok(vec![control(
            ControlOp::BranchDivergent,
            vec![one(mask), label(to)],
        )]);
    }
    let next = BranchTarget {
        address: c.address + 16,
        span,
    };
    Ok(vec![
        control(ControlOp::BranchDivergent, vec![one(mask), label(next)]),
        control(ControlOp::Branch, vec![label(to)]),
    ])
}

/// Returns the operations of a vote on the guard, in which all active lanes participate.
fn vote(
    guard: Guard,
    mode: VoteMode,
    ty: ScalarType,
    to: RegisterId,
    span: Span,
) -> LoweredInstruction {
    let modifiers = Modifiers {
        vote: Some(mode),
        ty: Some(ty),
        ..super::blank()
    };
    let args = vec![
        LoweredOperand::One(written(to), span),
        LoweredOperand::One(predicate_source(guard.predicate, guard.negated), span),
    ];
    let mut vote = step(Operation::Warp(WarpOp::Vote), modifiers, args);
    vote.unguarded = true;
    vote
}

/// Lowers `@P0 BRA.U.ANY target` and `BRA.U.ANY !UP0, target`: all lanes branch if the guard and the predicate are true in any lane. Lowers
/// `@P0 BRA.U target`: all lanes branch if the guard is true in every lane, otherwise no lane branches. This semantics is derived from
/// compiled code, in which an `@P0 BRA` to the end of the same region is located after this branch.
fn branch_on_vote(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    mode: VoteMode,
) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let mut steps = Vec::new();
    let mut guard = c.guard;
    if w.is_predicate() {
        let condition = w.predicate()?;
        let (both, sum) = c.guard_with(condition);
        steps.push(sum);
        guard = Some(both);
    }
    let to = target(c, w)?;
    let mut jump = control(ControlOp::Branch, vec![label(to)]);
    let Some(guard) = guard else {
        return Ok(vec![jump]);
    };
    let voted = c.body.temporary(ScalarType::Pred);
    let vote = vote(guard, mode, ScalarType::Pred, voted, span);
    jump.guard = Some(Guard {
        predicate: voted,
        negated: false,
    });
    steps.extend([vote, jump]);
    Ok(steps)
}

/// Lowers `USETMAXREG.TRY_ALLOC.CTAPOOL p, n`. The result p is always true, because the emulator always grants the requested registers. The
/// variant that releases registers has no predicate operand.
pub(super) fn registers_of_warp(
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let p = match w.is_predicate() {
        true => w.predicate_destination()?,
        false => return no_op(w),
    };
    w.ignore_rest();
    Ok(vec![predicates_by_table(p.0, Vec::new(), 0xff, p.1)])
}

/// Returns an operation without effect, to which an instruction is lowered that the emulator need not execute.
fn step_over() -> Vec<LoweredInstruction> {
    vec![step(
        Operation::Sync(SyncOp::Fence),
        super::blank(),
        Vec::new(),
    )]
}

/// Reads an operand that consists of the register with the lower half of an address, and a constant offset.
fn register_address(w: &mut InstructionCursor<'_>, base: u64) -> LowerResult<LoweredOperand> {
    let operand = w.next()?;
    let register = as_register(&operand.value).and_then(super::id_of);
    let Some(register) = register else {
        return Err(w.unknown("an address that is not in a register", operand.span));
    };
    let source = match base {
        0 => Source::Register(RegisterTuple::one(register)),
        offset => Source::RegisterOffset {
            register,
            offset: offset as i64,
        },
    };
    let value = OperandValue::Source(source, SourceModifiers::NONE);
    Ok(LoweredOperand::One(value, operand.span))
}

/// Lowers `BRX R2 -0x30`, whose target address is relative to the next instruction, and `JMX`, whose target address is absolute.
pub(super) fn branch_indirect(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["INC", "DEC", "NODEC", "NOINC"]);
    let is_relative = w.opcode().starts_with("BRX");
    let place = w.peek().map(|operand| operand.span);
    let mut offset = if is_relative { c.address + 16 } else { 0 };
    let arg = register_address(w, 0)?;
    if w.n_left() > 0 {
        let operand = w.next()?;
        let constant = match operand.value {
            OperandKind::Integer(_) => w.number(operand, ScalarType::B64)?,
            _ => {
                return Err(w.unknown(
                    "a branch table address that is not a constant",
                    operand.span,
                ));
            }
        };
        offset = offset.wrapping_add(constant);
    }
    let arg = match arg {
        LoweredOperand::One(OperandValue::Source(Source::Register(run), _), span) => {
            let source = match offset {
                0 => Source::Register(run),
                offset => Source::RegisterOffset {
                    register: run.first,
                    offset: offset as i64,
                },
            };
            LoweredOperand::One(OperandValue::Source(source, SourceModifiers::NONE), span)
        }
        _ => {
            let place = place.unwrap_or(w.instruction.span);
            return Err(w.unknown("this address", place));
        }
    };
    Ok(vec![control(ControlOp::BranchIndirect, vec![arg])])
}

/// Lowers `CALL.REL.NOINC target` and `CALL.REL.NOINC R10 base`. Before the call, the caller stores the return address in registers.
pub(super) fn call(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["REL", "NOINC", "INC"]);
    let is_absolute = w.consume("ABS");
    let in_register = w
        .peek()
        .is_some_and(|operand| as_register(&operand.value).is_some());
    if in_register {
        return to_register(c, w);
    }
    let to = target(c, w)?;
    // Compiled code never calls the kernel entry at address 0, so a call to address 0 is an unresolved relocation.
    if is_absolute && to.address == 0 {
        return Err(w.unknown("a function that is resolved by the linker", to.span));
    }
    Ok(vec![control(ControlOp::Branch, vec![label(to)])])
}

/// Lowers `RET.REL.NODEC R8 base`.
pub(super) fn returns(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["REL", "ABS", "NODEC", "DEC"]);
    to_register(c, w)
}

/// Lowers a jump to an address in a register. The optional second operand is the base to which the address is relative.
fn to_register(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let register = w.next()?;
    let base = match w.n_left() {
        0 => 0,
        _ => target(c, w)?.address,
    };
    let id = as_register(&register.value).and_then(super::id_of);
    let Some(id) = id else {
        return Err(w.unknown("an address that is not in a register", register.span));
    };
    let source = match base {
        0 => Source::Register(RegisterTuple::one(id)),
        base => Source::RegisterOffset {
            register: id,
            offset: base as i64,
        },
    };
    let value = OperandValue::Source(source, SourceModifiers::NONE);
    let arg = LoweredOperand::One(value, register.span);
    Ok(vec![control(ControlOp::BranchIndirect, vec![arg])])
}

/// Returns the operations that implement a system function. `R20` contains the return address (observed in code of assembler 13.5, `sm_75`
/// to `sm_120`).
pub(super) fn system_function(function: &SystemFunction, span: Span) -> Vec<LoweredInstruction> {
    let register = |number: u16| Register {
        file: RegisterFile::General,
        number: RegisterNumber::Number(number),
    };
    let run =
        |number: u16, n: u8| super::id_of(register(number)).map(|first| RegisterTuple { first, n });
    let read = |number: u16, n: u8| run(number, n).map(|run| (plain(Source::Register(run)), span));
    let result = function.result.and_then(|(number, n)| run(number, n));
    let arguments = function.arguments.iter();
    let arguments = arguments.filter_map(|(number, n)| read(*number, *n));
    let results = result.map(|run| (OperandValue::Destination(Some(run)), span));
    let callee = OperandValue::Callee(Callee::System(function.name.to_owned()));
    let call = vec![
        LoweredOperand::List(results.into_iter().collect(), span),
        LoweredOperand::One(callee, span),
        LoweredOperand::List(arguments.collect(), span),
    ];
    let back = read(20, 1).map(one).into_iter().collect();
    vec![
        control(ControlOp::Call, call),
        control(ControlOp::BranchIndirect, back),
    ]
}

/// Lowers `LEPC d`: d is the address of the instruction.
pub(super) fn program_counter(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let (run, span) = w.destination(2)?;
    let place = match w.n_left() {
        0 => c.address,
        _ => target(c, w)?.address,
    };
    let halves = super::instruction_cursor::destinations(run, 2, span).into_iter();
    let values = [place & 0xffff_ffff, place >> 32];
    let copies = halves
        .zip(values)
        .map(|((to, span), value)| copy(LoweredOperand::One(to, span), (number(value), span)));
    Ok(copies.collect())
}

/// Lowers `EXIT {p}`, which ends the lanes in which the predicate p is true.
pub(super) fn exit(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["KEEPREFCOUNT", "NO_ATEXIT"]);
    under(c, w, |_| Ok(control(ControlOp::Exit, Vec::new())))
}

/// Reads an optional predicate, calls `step` to lower the remaining operands, and restricts the resulting operation to the lanes in which
/// the predicate is true.
fn under(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    step: impl FnOnce(&mut InstructionCursor<'_>) -> LowerResult<LoweredInstruction>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if !w.is_predicate() {
        return Ok(vec![step(w)?]);
    }
    let (p, span) = w.predicate()?;
    let mut then = step(w)?;
    Ok(match known(&p) {
        Some(true) => vec![then],
        Some(false) => step_over(),
        None => {
            let (both, sum) = c.guard_with((p, span));
            then.guard = Some(both);
            vec![sum, then]
        }
    })
}

pub(super) fn trap(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["TRAP", "PAUSE", "DRAIN"]);
    while w.n_left() > 0 {
        w.next()?;
    }
    Ok(vec![control(ControlOp::Trap, Vec::new())])
}

/// Lowers `BSSY B0, target`: the active lanes reconverge at `BSYNC B0`.
pub(super) fn begin_reconvergence(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["RECONVERGENT", "RELIABLE"]);
    let to = w.to(1)?;
    let place = target(c, w)?;
    Ok(vec![control(
        ControlOp::PushReconvergence,
        vec![to, label(place)],
    )])
}

/// Lowers `BSYNC B0`. From `sm_100` on, the assembler emits `BSYNC.RECONVERGENT` if lanes must reconverge. Without the modifier, the
/// assembler emits `BSYNC` at the end of loops that wait for another lane of the warp, such as spin locks. Lanes that have left the loop
/// must resume when the other lanes yield (observed in a spin lock compiled by assembler 13.5, which releases the lock after the `BSYNC`).
/// Before `sm_100`, the lowering recognizes such a loop by a `YIELD` between the `BSSY` and the `BSYNC` of the same barrier register.
pub(super) fn reconverge(
    c: &LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let says_reconvergence = TargetAbi::of(c.target).has_reconvergent_bsync;
    let is_reconvergent = w.consume("RECONVERGENT");
    w.ignore_modifiers(&["RELIABLE"]);
    let register = w.peek().and_then(|operand| as_register(&operand.value));
    let barrier = w.source()?;
    let waits_for_all = match says_reconvergence {
        true => is_reconvergent,
        false => !region_yields(c, w, register),
    };
    let op = match waits_for_all {
        true => ControlOp::Reconverge,
        false => ControlOp::ReconvergeYieldable,
    };
    Ok(vec![control(op, vec![one(barrier)])])
}

/// Maximum number of instructions before a `BSYNC` in which the lowering searches for the corresponding `BSSY`.
const MAX_REGION: usize = 4096;

/// Returns whether a `YIELD` is between the last `BSSY` of a barrier register and the current instruction.
fn region_yields(
    c: &LoweringContext<'_>,
    w: &InstructionCursor<'_>,
    barrier: Option<Register>,
) -> bool {
    let before = c.text.instructions.iter().rev();
    let before = before
        .skip_while(|placed| placed.address >= c.address)
        .take(MAX_REGION);
    let mut yields = false;
    for placed in before {
        let Some(instruction) = w.tree.instructions.get(placed.index as usize) else {
            continue;
        };
        match instruction.opcode.text(w.source) {
            "YIELD" => yields = true,
            "BSSY" => {
                let first = w.tree.operands(instruction).first();
                let begun = first.and_then(|operand| as_register(&operand.value));
                if begun.is_some() && begun == barrier {
                    return yields;
                }
            }
            _ => {}
        }
    }
    false
}

/// Lowers `BREAK {p,} B0`, which removes the active lanes from the convergence barrier B0.
pub(super) fn leave_reconvergence(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["RECONVERGENT", "RELIABLE"]);
    let leave = |w: &mut InstructionCursor<'_>| {
        let barrier = w.source()?;
        Ok(control(ControlOp::BreakReconvergence, vec![one(barrier)]))
    };
    under(c, w, leave)
}

/// Lowers `WARPSYNC mask`, `WARPSYNC.ALL` and `WARPSYNC.COLLECTIVE mask, next`, which are warp-level barriers.
pub(super) fn warp_barrier(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["EXCLUSIVE", "NOEXCLUSIVE"]);
    let all = w.consume("ALL");
    let collects = w.consume("COLLECTIVE");
    let mask = if all {
        (number(u32::MAX.into()), w.instruction.span)
    } else {
        w.source()?
    };
    if !all {
        // Lanes with different masks may execute the next instruction in the same step, so the lowering of the next instruction uses the
        // mask.
        c.body.converged_lanes = Some((c.address + 16, mask.clone()));
    }
    if collects {
        // Ignore the label operand, which always denotes the next instruction.
        w.next()?;
    }
    Ok(vec![step(
        Operation::Sync(SyncOp::WarpBarrier),
        super::blank(),
        vec![one(mask)],
    )])
}

/// Lowers the block barriers `BAR.SYNC id{, threads}`, `BAR.ARV id, threads`, `BAR.RED.POPC id{, threads}, p` and `BAR.SYNCALL`.
pub(super) fn barrier(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["DEFER_BLOCKING", "ALL"]);
    let mut modifiers = super::blank();
    let reduces = w.consume("RED");
    if reduces {
        let found = w.consume_one_of(&[
            ("POPC", BarrierReduce::Popc),
            ("AND", BarrierReduce::And),
            ("OR", BarrierReduce::Or),
        ]);
        modifiers.barrier_reduce = found;
        modifiers.flags = modifiers.flags.with(Flag::Red);
        if found.is_none() {
            return Err(w.unknown("this operand of a barrier", w.instruction.opcode));
        }
    } else if w.consume("ARV") {
        modifiers.flags = modifiers.flags.with(Flag::Arrive);
    } else if !w.consume("SYNC") && !w.consume("SYNCALL") {
        return Err(w.unknown("this kind of barrier", w.instruction.opcode));
    }
    let span = w.instruction.span;
    let mut args = Vec::new();
    let mut sources = Vec::new();
    while w.n_left() > 0 && sources.len() < 2 && !w.is_predicate() {
        sources.push(w.source()?);
    }
    let mut steps = Vec::new();
    let packed = match &sources[..] {
        [
            (OperandValue::Source(a @ Source::Register(_), _), _),
            (OperandValue::Source(b, _), _),
        ] => a == b,
        _ => false,
    };
    if packed {
        steps.extend(unpack(c, &mut sources, span));
    }
    args.extend(sources.into_iter().map(one));
    if args.is_empty() {
        args.push(LoweredOperand::One(number(0), span));
    }
    if reduces {
        // A later `B2R` reads the result of the reduction from this register.
        let to = c.body.barrier_result(match modifiers.barrier_reduce {
            Some(BarrierReduce::Popc) => ScalarType::B32,
            Some(BarrierReduce::And | BarrierReduce::Or) | None => ScalarType::Pred,
        });
        args.resize(2, LoweredOperand::One(OperandValue::Absent, span));
        args.insert(0, LoweredOperand::One(written(to), span));
        args.push(one(w.predicate()?));
    }
    steps.push(step(Operation::Sync(SyncOp::Barrier), modifiers, args));
    Ok(steps)
}

/// Splits the single source register of a barrier: the lower half contains the barrier number, and the upper half contains the number of
/// threads.
fn unpack(
    c: &mut LoweringContext<'_>,
    sources: &mut [SpannedValue],
    span: Span,
) -> Vec<LoweredInstruction> {
    let fields = [(0, 4), (16, 16)];
    let unpack = |(source, (start, bits)): (&mut SpannedValue, _)| {
        let part = c.body.temporary(ScalarType::U32);
        let literal = |value| LoweredOperand::One(number(value), span);
        let args = vec![
            LoweredOperand::One(written(part), span),
            one(source.clone()),
            literal(start),
            literal(bits),
        ];
        source.0 = read(part);
        super::arithmetic(ArithmeticOp::Bfe, ScalarType::U32, args)
    };
    sources.iter_mut().zip(fields).map(unpack).collect()
}

/// Lowers `B2R.RESULT d{, p}`, which returns the result of the last `BAR.RED` as a number or predicate.
pub(super) fn barrier_result(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if !w.consume("RESULT") {
        return Err(w.unknown("this part of a barrier", w.instruction.opcode));
    }
    let (run, span) = w.destination(1)?;
    let mut steps = Vec::new();
    if run.is_some() {
        let from = c.body.barrier_result(ScalarType::B32);
        let to = LoweredOperand::One(OperandValue::Destination(run), span);
        steps.push(copy(to, (read(from), span)));
    }
    if w.is_predicate() {
        let (p, span) = w.predicate_destination()?;
        let from = predicate_source(c.body.barrier_result(ScalarType::Pred), false);
        steps.push(predicates_by_table(p, vec![(from, span)], 0xf0, span));
    }
    if steps.is_empty() {
        return Ok(step_over());
    }
    Ok(steps)
}

/// Lowers `UCGABAR_ARV` and `UCGABAR_WAIT`, which arrive and wait at the cluster barrier.
pub(super) fn cluster(
    w: &mut InstructionCursor<'_>,
    op: SyncOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_rest();
    Ok(vec![step(Operation::Sync(op), super::blank(), Vec::new())])
}

pub(super) fn sleep(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_rest();
    Ok(vec![step(
        Operation::Hint(HintOp::Nanosleep),
        super::blank(),
        Vec::new(),
    )])
}

/// Lowers `YIELD`, with which the active lanes yield to other lanes of the warp.
pub(super) fn lower_yield(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_rest();
    Ok(vec![control(ControlOp::Yield, Vec::new())])
}

/// Lowers fences, waits for loads, and cache control, which have no effect in the emulator, because the emulator completes each step before
/// the next step.
pub(super) fn no_op(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_rest();
    Ok(vec![step(
        Operation::Sync(SyncOp::Fence),
        super::blank(),
        Vec::new(),
    )])
}
