//! Lowering of allocation, transfers and matrix multiplications in tensor memory. Compiled code maintains a mask of allocated columns with
//! one bit per 32 columns, and the hardware sets and clears bits of this mask. The operand `idesc[UR5]` denotes a register pair. The
//! register before this pair, denoted by the operand `tmem[UR4]`, contains the address of the metadata. The descriptors are identical to
//! those of PTX, which was determined by comparison of the output of assembler 13.5 with the original PTX.

use super::body::{LoweredInstruction, LoweredOperand, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, destinations, number, parts};
use super::memory::AddressWidth;
use super::warpgroup::descriptors;
use super::{LoweringContext, arithmetic, memory, one, predicates_by_table, step};
use crate::syntax::{Operand, OperandKind, TermValue};
use warpgrid_isa::{
    ArithmeticOp, CtaGroup, DeviceUnitOp, Flag, MmaKind, Modifiers, MulPart, Operation, ReduceOp,
    ScalarType, ScaleVector, StateSpace, TensorMemoryAccessShape, TensorMemoryCopyShape,
    TensorMemoryOp, Unpacking, WarpMulticast,
};
use warpgrid_program::{Address, AddressBase, OperandValue, RegisterId, RegisterTuple, Span};

fn unit(op: TensorMemoryOp, modifiers: Modifiers, args: Vec<LoweredOperand>) -> LoweredInstruction {
    step(
        Operation::Unit(DeviceUnitOp::TensorMemory(op)),
        modifiers,
        args,
    )
}

fn in_group(w: &mut InstructionCursor<'_>) -> Modifiers {
    let mut modifiers = super::blank();
    modifiers.unit.group = w.consume("2CTA").then_some(CtaGroup::Two);
    modifiers
}

/// Lowers `UTCATOMSWS.FIND_AND_SET.ALIGN p, d, n`, which allocates n times 32 columns. The result d is the first allocated column in units
/// of 32 columns, and p indicates success. Also lowers `UTCATOMSWS.AND RZ, kept`, which deallocates the columns whose bits are clear in
/// `kept`.
pub(super) fn reserve(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let modifiers = in_group(w);
    let [mask, columns, place] = [0; 3].map(|_| c.body.temporary(ScalarType::U32));
    let from = |register| LoweredOperand::One(read(register), span);
    let to = |register| LoweredOperand::One(written(register), span);
    let literal = |value| LoweredOperand::One(number(value), span);
    let bits = ScalarType::B32;
    let mut steps = Vec::new();
    if w.consume("FIND_AND_SET") {
        w.ignore_modifiers(&["ALIGN"]);
        let p = w.predicate_destination()?;
        let d = w.to(1)?;
        let args = vec![to(columns), one(w.source()?), literal(5)];
        steps.push(arithmetic(ArithmeticOp::Shl, bits, args));
        let args = vec![to(place), from(columns)];
        steps.push(unit(TensorMemoryOp::Allocate, modifiers, args));
        let args = vec![d, from(place), literal(5)];
        steps.push(arithmetic(ArithmeticOp::Shr, ScalarType::U32, args));
        // The predicate is always true, because the emulator stops with an error if the allocation fails.
        steps.push(predicates_by_table(p.0, Vec::new(), 0xff, p.1));
        return Ok(steps);
    }
    if !w.consume("AND") {
        return Err(w.unknown(
            "this kind of tensor memory allocation",
            w.instruction.opcode,
        ));
    }
    let (old, old_span) = w.destination(1)?;
    if old.is_some() {
        return Err(w.unknown("the previous allocation", old_span));
    }
    let source_mask = one(w.source()?);
    let mut push = |op, args| steps.push(arithmetic(op, bits, args));
    push(
        ArithmeticOp::Xor,
        vec![to(mask), source_mask, literal(0xffff_ffff)],
    );
    push(ArithmeticOp::Popc, vec![to(columns), from(mask)]);
    // Compute the first column from the position of the lowest set bit of the mask.
    push(ArithmeticOp::Brev, vec![to(place), from(mask)]);
    push(ArithmeticOp::Clz, vec![to(place), from(place)]);
    for columns in [columns, place] {
        push(
            ArithmeticOp::Shl,
            vec![to(columns), from(columns), literal(5)],
        );
    }
    let args = vec![from(place), from(columns)];
    steps.push(unit(TensorMemoryOp::Deallocate, modifiers, args));
    Ok(steps)
}

/// Shape modifiers of a transfer. The second value is the half of the lanes that participate in the transfer, or `None` if all lanes
/// participate.
const SHAPES: &[(&str, (TensorMemoryAccessShape, Option<MulPart>))] = &[
    ("16dp64bit", (TensorMemoryAccessShape::M16x64, None)),
    ("16dp128bit", (TensorMemoryAccessShape::M16x128, None)),
    ("16dp256bit", (TensorMemoryAccessShape::M16x256, None)),
    (
        "16dp32bit_t0_t15",
        (TensorMemoryAccessShape::M16x32x2, Some(MulPart::Lo)),
    ),
    (
        "16dp32bit_t16_t31",
        (TensorMemoryAccessShape::M16x32x2, Some(MulPart::Hi)),
    ),
];

const REPETITIONS: &[(&str, u8)] = &[
    ("x2", 2),
    ("x4", 4),
    ("x8", 8),
    ("x16", 16),
    ("x32", 32),
    ("x64", 64),
    ("x128", 128),
];

/// Consumes the modifiers of a transfer, and returns the PTX modifiers and the number of registers.
fn shape(w: &mut InstructionCursor<'_>) -> LowerResult<(Modifiers, u8)> {
    let (shape, lanes) = w
        .consume_one_of(SHAPES)
        .unwrap_or((TensorMemoryAccessShape::M32x32, None));
    let times = w.consume_one_of(REPETITIONS).unwrap_or(1);
    let mut modifiers = Modifiers {
        part: lanes,
        ..super::blank()
    };
    modifiers.unit.moved = Some(shape);
    match times.checked_mul(shape.registers() as u8) {
        Some(n) if n <= 128 => Ok((modifiers, n)),
        Some(_) | None => Err(w.unknown("more than 128 registers", w.instruction.opcode)),
    }
}

/// Lowers `LDTM.16dp64bit.x8 d, tmem[a]` and `LDTM.STAT.x8.MIN r, d, tmem[a]`. The result r is the minimum of the loaded registers of a
/// lane.
pub(super) fn load(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let (mut modifiers, n) = shape(w)?;
    let span = w.instruction.span;
    if w.consume("PACK16BIT") {
        modifiers.flags = modifiers.flags.with(Flag::Pack16);
    }
    let found = match w.consume("STAT") {
        true => {
            let operations = [
                ("MIN", (ReduceOp::Min, false)),
                ("MAX", (ReduceOp::Max, false)),
                ("MINABS", (ReduceOp::Min, true)),
                ("MAXABS", (ReduceOp::Max, true)),
            ];
            let found = w.consume_one_of(&operations);
            let (op, absolute) = found
                .ok_or_else(|| w.unknown("missing operation modifier", w.instruction.opcode))?;
            modifiers.reduce = Some(op);
            if absolute {
                modifiers.flags = modifiers.flags.with(Flag::Abs);
            }
            if w.consume("NAN") {
                modifiers.flags = modifiers.flags.with(Flag::NaN);
            }
            let types = [("F32", ScalarType::F32), ("S32", ScalarType::S32)];
            modifiers.ty = Some(w.consume_one_of(&types).unwrap_or(ScalarType::U32));
            Some(w.to(1)?)
        }
        false => None,
    };
    let (run, run_span) = w.destination(n)?;
    let registers = LoweredOperand::List(destinations(run, n, run_span), run_span);
    let place = place(w)?;
    let (op, args) = match found {
        Some(found) => (
            TensorMemoryOp::LoadReduce,
            vec![
                registers,
                found,
                place,
                LoweredOperand::One(number(0), span),
            ],
        ),
        None => (
            TensorMemoryOp::Load,
            vec![registers, place, LoweredOperand::One(number(0), span)],
        ),
    };
    Ok(vec![unit(op, modifiers, args)])
}

/// Lowers `STTM.16dp64bit.x8 tmem[a], b`.
pub(super) fn store(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let (mut modifiers, n) = shape(w)?;
    if w.consume("EXPAND16BIT") {
        modifiers.flags = modifiers.flags.with(Flag::Unpack16);
    }
    let mut args = vec![place(w)?];
    if modifiers.unit.moved == Some(TensorMemoryAccessShape::M16x32x2) {
        args.push(LoweredOperand::One(number(0), w.instruction.span));
    }
    let value = w.source()?;
    let span = value.1;
    args.push(LoweredOperand::List(parts(value, n), span));
    Ok(vec![unit(TensorMemoryOp::Store, modifiers, args)])
}

/// Lowers `UTCCP.T.S.4x32dp128bit tmem[a], gdesc[b]`, a copy from shared to tensor memory.
pub(super) fn copy(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let mut modifiers = in_group(w);
    if !w.consume("T") || !w.consume("S") {
        return Err(w.unknown(
            "missing or unknown direction modifier",
            w.instruction.opcode,
        ));
    }
    let shapes = [
        ("4dp256bit", (TensorMemoryCopyShape::L4x256, None)),
        ("128dp128bit", (TensorMemoryCopyShape::L128x128, None)),
        (
            "2x64dp128bit_lw02_lw13",
            (TensorMemoryCopyShape::L64x128, Some(WarpMulticast::X2Even)),
        ),
        (
            "2x64dp128bit_lw01_lw23",
            (
                TensorMemoryCopyShape::L64x128,
                Some(WarpMulticast::X2Halves),
            ),
        ),
        (
            "4x32dp128bit",
            (TensorMemoryCopyShape::L32x128, Some(WarpMulticast::X4)),
        ),
    ];
    let shape = w.consume_one_of(&shapes);
    let (shape, warps) = shape.unwrap_or((TensorMemoryCopyShape::L128x256, None));
    modifiers.unpacking =
        w.consume_one_of(&[("U6x16P32", Unpacking::B6), ("U4x16P64", Unpacking::B4)]);
    modifiers.unit.copied = Some(shape);
    modifiers.unit.warps = warps;
    let to = place(w)?;
    let operand = w.next()?;
    let from = super::warpgroup::pair(descriptors(w, operand, "gdesc")?, 0, operand.span);
    let copy = unit(TensorMemoryOp::Copy, modifiers, vec![to, from]);
    Ok(c.in_one_lane(copy, w.instruction.span).into())
}

/// Lowers `UTCSHIFT.DOWN tmem[a]`, which shifts the rows of tensor memory down by one row.
pub(super) fn shift(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let modifiers = in_group(w);
    if !w.consume("DOWN") {
        return Err(w.unknown(
            "missing or unknown direction modifier",
            w.instruction.opcode,
        ));
    }
    let rows = place(w)?;
    let shift = unit(TensorMemoryOp::Shift, modifiers, vec![rows]);
    Ok(c.in_one_lane(shift, w.instruction.span).into())
}

/// Lowers `UTCBAR{.MULTICAST} [a], URZ{, blocks}`, which arrives at an mbarrier when all preceding asynchronous operations have completed.
pub(super) fn commit(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let mut modifiers = Modifiers {
        space: Some(StateSpace::SharedCluster),
        ..in_group(w)
    };
    let multicasts = w.consume("MULTICAST");
    let mut args = vec![one(memory::address(w, AddressWidth::Narrow)?)];
    let (what, span) = w.source()?;
    if !super::is_zero(&what) {
        return Err(w.unknown("a nonzero second operand of an mbarrier arrival", span));
    }
    if multicasts {
        modifiers.flags = modifiers.flags.with(Flag::Multicast);
        args.push(one(w.source()?));
    }
    let arrive = unit(TensorMemoryOp::Commit, modifiers, args);
    Ok(c.in_one_lane(arrive, w.instruction.span).into())
}

/// Lowers `UTCHMMA{.WS}{.ASHIFT} a, gdesc[b], tmem[d], tmem[metadata], idesc[i]{, tmem[factors]}{, left out}, p{, scale}`. The operand
/// `left out` disables updates of rows of D, or of columns of D with `.WS`.
pub(super) fn product(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let mut modifiers = in_group(w);
    let is_stationary = w.consume("WS");
    if w.consume("ASHIFT") {
        modifiers.flags = modifiers.flags.with(Flag::AShift);
    }
    let a = w.next()?;
    let b = w.next()?;
    for operand in [a, b] {
        ignore_collectors(w, operand)?;
    }
    let a = match prefix(w, a) {
        Some("tmem") => tensor_address(w, a)?,
        _ => super::warpgroup::pair(descriptors(w, a, "gdesc")?, 0, a.span),
    };
    let b = super::warpgroup::pair(descriptors(w, b, "gdesc")?, 0, b.span);
    let d = place(w)?;
    let metadata = place(w)?;
    let operand = w.next()?;
    let instruction_descriptor = descriptors(w, operand, "idesc")?;
    let instruction_descriptor = LoweredOperand::One(read(instruction_descriptor), operand.span);
    let factors = w.peek().filter(|next| prefix(w, next) == Some("tmem"));
    let mut args = vec![d, a, b, metadata, instruction_descriptor];
    (modifiers.kind, modifiers.scale_vector) = product_kind(w, factors)?;
    let op = match (factors, is_stationary) {
        (Some(factors), _) => {
            w.next()?;
            let first = descriptors(w, factors, "tmem")?;
            for i in 0..2 {
                let register = RegisterId(first.0 + i);
                args.push(in_tensor_memory(register, 0, factors.span));
            }
            TensorMemoryOp::MmaSparseBlockScaled
        }
        (None, true) => TensorMemoryOp::MmaWeightStationarySparse,
        (None, false) => {
            args.push(rows_left_out(w, modifiers.unit.group)?);
            TensorMemoryOp::MmaSparse
        }
    };
    let zero_columns = match is_stationary && !w.is_predicate() {
        true => Some(one(w.source_as(ScalarType::B64)?)),
        false => None,
    };
    let (adds, p_span) = w.predicate()?;
    args.push(match super::known(&adds) {
        Some(always) => LoweredOperand::One(number(always.into()), p_span),
        None => LoweredOperand::One(adds, p_span),
    });
    args.extend(zero_columns);
    if w.n_left() > 0 && op == TensorMemoryOp::MmaSparse {
        args.push(LoweredOperand::One(number(w.immediate()?), span));
    }
    let product = unit(op, modifiers, args);
    Ok(c.in_one_lane(product, span).into())
}

/// Returns the MMA kind and the number of scale factors per row. The instruction descriptor determines whether A is sparse.
fn product_kind(
    w: &mut InstructionCursor<'_>,
    factors: Option<&Operand>,
) -> LowerResult<(Option<MmaKind>, Option<ScaleVector>)> {
    let (kind, scale_vector) = match (w.opcode(), factors.is_some()) {
        ("UTCHMMA", false) => (MmaKind::F16, None),
        ("UTCIMMA", false) => (MmaKind::I8, None),
        ("UTCQMMA", false) => (MmaKind::F8f6f4, None),
        ("UTCQMMA", true) => (MmaKind::Mxf8f6f4, Some(ScaleVector::X1)),
        ("UTCOMMA", true) if w.consume("4X") || w.consume("BLOCK16") => {
            (MmaKind::Mxf4nvf4, Some(ScaleVector::X4))
        }
        ("UTCOMMA", true) => (MmaKind::Mxf4nvf4, Some(ScaleVector::X2)),
        _ => return Err(w.unknown("this kind of MMA", w.instruction.opcode)),
    };
    Ok((Some(kind), scale_vector))
}

/// Ignores the collector modifiers of operand matrices, which have no effect on results.
fn ignore_collectors(w: &InstructionCursor<'_>, operand: &Operand) -> LowerResult<()> {
    let is_known = |word: &&str| {
        matches!(
            *word,
            "A_KEEP"
                | "A_REUSE"
                | "B_KEEP"
                | "B_REUSE"
                | "BUFFER0"
                | "BUFFER1"
                | "BUFFER2"
                | "BUFFER3"
        )
    };
    match w
        .operand_words(operand)
        .into_iter()
        .find(|word| !is_known(word))
    {
        Some(word) => Err(w.unknown(format!("`.{word}`"), operand.span)),
        None => Ok(()),
    }
}

/// Reads the disable-output-lane mask, which consists of four registers, or of eight registers for two CTAs. Its bits select the rows of D
/// that are not updated.
fn rows_left_out(
    w: &mut InstructionCursor<'_>,
    group: Option<CtaGroup>,
) -> LowerResult<LoweredOperand> {
    let span = w.instruction.span;
    if w.is_predicate() {
        return Ok(LoweredOperand::One(OperandValue::Absent, span));
    }
    let n = match group {
        Some(CtaGroup::Two) => 8,
        Some(CtaGroup::One) | None => 4,
    };
    Ok(LoweredOperand::List(parts(w.source()?, n), span))
}

/// Returns the prefix before the brackets of an operand.
fn prefix<'a>(w: &InstructionCursor<'a>, operand: &Operand) -> Option<&'a str> {
    match &operand.value {
        OperandKind::Memory(memory) => memory.prefix.map(|prefix| prefix.text(w.source)),
        OperandKind::Register(_)
        | OperandKind::Integer(_)
        | OperandKind::Float(_)
        | OperandKind::Target(_)
        | OperandKind::Relocation(_)
        | OperandKind::Set(_)
        | OperandKind::Word(_)
        | OperandKind::Unknown(_) => None,
    }
}

/// Reads an address operand in tensor memory, such as `tmem[UR4+0x8]`.
fn place(w: &mut InstructionCursor<'_>) -> LowerResult<LoweredOperand> {
    let operand = w.next()?;
    tensor_address(w, operand)
}

fn tensor_address(w: &InstructionCursor<'_>, operand: &Operand) -> LowerResult<LoweredOperand> {
    let unknown = || w.unknown("an address outside tensor memory", operand.span);
    let OperandKind::Memory(memory) = &operand.value else {
        return Err(unknown());
    };
    let ([inside], Some("tmem")) = (w.tree.brackets(memory), prefix(w, operand)) else {
        return Err(unknown());
    };
    let mut offset = 0i64;
    let mut base = None;
    for term in w.tree.terms(inside) {
        match term.value {
            TermValue::Integer(value) => {
                offset = offset.wrapping_add(super::instruction_cursor::signed(term.joint, value));
            }
            TermValue::Register(register) if base.is_none() => base = super::id_of(register),
            TermValue::Register(_) | TermValue::Other(_) => return Err(unknown()),
        }
    }
    Ok(match base {
        Some(register) => in_tensor_memory(register, offset, operand.span),
        None => {
            let address = Address::new(AddressBase::None, offset);
            LoweredOperand::One(OperandValue::Address(address), operand.span)
        }
    })
}

fn in_tensor_memory(register: RegisterId, offset: i64, span: Span) -> LoweredOperand {
    let base = AddressBase::Register(RegisterTuple::one(register));
    LoweredOperand::One(OperandValue::Address(Address::new(base, offset)), span)
}
