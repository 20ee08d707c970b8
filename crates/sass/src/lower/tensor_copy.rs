//! Lowering of tensor copies. A run of consecutive uniform registers contains the shared memory address, the mbarrier address of a load,
//! and the coordinates. A register pair contains the address of the tensor map. The operand layout was determined by comparison of the
//! output of assembler 13.5 with the original PTX.

use super::body::{LoweredInstruction, LoweredOperand, plain, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, number};
use super::memory::AddressWidth;
use super::{LoweringContext, arithmetic, memory, one, step};
use warpgrid_isa::{
    ArithmeticOp, Completion, CtaGroup, DeviceUnitOp, Flag, LoadMode, Modifiers, Operation,
    ScalarType, StateSpace, TensorCopyOp,
};
use warpgrid_program::{
    Address, AddressBase, OperandValue, RegisterId, RegisterTuple, Source, Span,
};

/// Number of dimensions of the tensor, by modifier.
const RANKS: &[(&str, u32)] = &[("1D", 1), ("2D", 2), ("3D", 3), ("4D", 4), ("5D", 5)];

const LOAD_MODES: &[(&str, LoadMode)] = &[
    ("IM2COL", LoadMode::Im2col),
    ("W128", LoadMode::Im2colW128),
    ("W", LoadMode::Im2colW),
    ("GATHER4", LoadMode::Gather4),
];

/// Returns the width in bits of each packed im2col offset of a copy.
const fn offset_widths(mode: LoadMode, rank: u32) -> &'static [u32] {
    match (mode, rank) {
        (LoadMode::Im2col, 3) => &[16],
        (LoadMode::Im2col, 4) => &[8, 8],
        (LoadMode::Im2col, _) => &[5, 5, 5],
        (LoadMode::Im2colW | LoadMode::Im2colW128, _) => &[11, 5],
        _ => &[],
    }
}

/// Lowers `UTMALDG.4D.IM2COL.MULTICAST [d], [map], b{, desc[policy]}`: the destination d, the mbarrier address and the coordinates are in a
/// register run. The lower half of b contains the offsets of an `im2col` copy, and the upper half contains the CTA mask of a multicast.
pub(super) fn load(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let rank = rank(w)?;
    let mode = w.consume_one_of(LOAD_MODES).unwrap_or(LoadMode::Tile);
    let mut modifiers = Modifiers {
        space: Some(StateSpace::SharedCluster),
        completion: Some(Completion::MbarrierCompleteTxBytes),
        ..super::blank()
    };
    modifiers.unit.load_mode = Some(mode);
    let multicasts = w.consume("MULTICAST");
    if multicasts {
        modifiers.flags = modifiers.flags.with(Flag::Multicast);
    }
    if w.consume("2CTA") {
        modifiers.unit.group = Some(CtaGroup::Two);
    }
    let span = w.instruction.span;
    let run = run(w)?;
    let n_coordinates = match mode {
        LoadMode::Gather4 => 5,
        _ => rank,
    };
    let mut args = vec![
        address_in(run, 0, span),
        tensor(w, run, 2, n_coordinates)?,
        address_in(run, 1, span),
    ];
    let offsets = offset_widths(mode, rank);
    let mut steps = Vec::new();
    if multicasts || !offsets.is_empty() {
        let packed = w.source()?;
        let mut part = |start: u32, bits: u32| {
            let to = c.body.temporary(ScalarType::U32);
            let literal = |value: u32| LoweredOperand::One(number(value.into()), span);
            let to_part = LoweredOperand::One(written(to), span);
            let args = vec![to_part, one(packed.clone()), literal(start), literal(bits)];
            steps.push(arithmetic(ArithmeticOp::Bfe, ScalarType::U32, args));
            (read(to), span)
        };
        let mut start = 0;
        let mut parts = Vec::new();
        for bits in offsets {
            parts.push(part(start, *bits));
            start += bits;
        }
        if !parts.is_empty() {
            args.push(LoweredOperand::List(parts, span));
        }
        if multicasts {
            args.push(one(part(16, 16)));
        }
    }
    policy(w)?;
    let copy = unit(TensorCopyOp::Load, modifiers, args);
    steps.extend(c.in_one_lane(copy, span));
    Ok(steps)
}

/// Lowers `UTMASTG.2D [a], [map]` and `UTMAREDG.2D.ADD [a], [map]{, desc[policy]}`: the source address a and the coordinates are in the
/// same register run.
pub(super) fn store(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let rank = rank(w)?;
    let modes = [
        ("IM2COL", LoadMode::Im2colNoOffsets),
        ("SCATTER4", LoadMode::Scatter4),
    ];
    let mode = w.consume_one_of(&modes).unwrap_or(LoadMode::Tile);
    let mut modifiers = Modifiers {
        completion: Some(Completion::BulkGroup),
        ..super::blank()
    };
    modifiers.unit.load_mode = Some(mode);
    let op = match w.opcode() {
        "UTMAREDG" => {
            let combines = w.consume_one_of(memory::OPERATIONS);
            modifiers.atomic = combines;
            combines
                .ok_or_else(|| w.unknown("missing operation modifier", w.instruction.opcode))?;
            TensorCopyOp::Reduction
        }
        _ => TensorCopyOp::Store,
    };
    let span = w.instruction.span;
    let run = run(w)?;
    let n_coordinates = match mode {
        LoadMode::Scatter4 => 5,
        _ => rank,
    };
    let args = vec![tensor(w, run, 1, n_coordinates)?, address_in(run, 0, span)];
    policy(w)?;
    let copy = unit(op, modifiers, args);
    Ok(c.in_one_lane(copy, span).into())
}

fn unit(op: TensorCopyOp, modifiers: Modifiers, args: Vec<LoweredOperand>) -> LoweredInstruction {
    step(
        Operation::Unit(DeviceUnitOp::TensorCopy(op)),
        modifiers,
        args,
    )
}

fn rank(w: &mut InstructionCursor<'_>) -> LowerResult<u32> {
    let rank = w.consume_one_of(RANKS);
    rank.ok_or_else(|| w.unknown("missing dimensionality", w.instruction.opcode))
}

/// Reads an operand in brackets, and returns the first register of the register run.
fn run(w: &mut InstructionCursor<'_>) -> LowerResult<RegisterId> {
    let (address, span) = memory::address(w, AddressWidth::Narrow)?;
    match address {
        OperandValue::Address(Address {
            base: AddressBase::None,
            uniform: Some(run),
            offset: 0,
            ..
        }) => Ok(run.first),
        _ => Err(w.unknown("this register range", span)),
    }
}

fn register_in(run: RegisterId, i: u32) -> RegisterTuple {
    RegisterTuple::one(RegisterId(run.0 + i))
}

/// Returns an address operand that consists of register `i` of a run.
fn address_in(run: RegisterId, i: u32, span: Span) -> LoweredOperand {
    let address = Address::new(AddressBase::Register(register_in(run, i)), 0);
    LoweredOperand::One(OperandValue::Address(address), span)
}

/// Reads the tensor map operand, and returns it with the `n` coordinates that start at register `first` of a run.
fn tensor(
    w: &mut InstructionCursor<'_>,
    run: RegisterId,
    first: u32,
    n: u32,
) -> LowerResult<LoweredOperand> {
    let (map, span) = (self::run(w)?, w.instruction.span);
    let map = RegisterTuple { first: map, n: 2 };
    let coordinates = (first..first + n).map(|i| register_in(run, i));
    let all = std::iter::once(map).chain(coordinates);
    let values = all.map(|run| (plain(Source::Register(run)), span));
    Ok(LoweredOperand::List(values.collect(), span))
}

/// Consumes the cache policy operand, which has no effect on results.
fn policy(w: &mut InstructionCursor<'_>) -> LowerResult<()> {
    if w.n_left() > 0 {
        w.next()?;
    }
    Ok(())
}
