//! Lowering of matrix multiply-accumulate and matrix transfers. The fragment layouts are identical to those of `mma`, `ldmatrix`,
//! `stmatrix` and `movmatrix`, because the assembler compiles each of these PTX instructions to one SASS instruction.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, id_of, plain, read, written};
use super::instruction_cursor::{
    InstructionCursor, LowerResult, as_register, destinations, number, parts,
};
use super::memory::AddressWidth;
use super::{LoweringContext, arithmetic, memory, one, step, typed};
use crate::syntax::Operand;
use warpgrid_isa::{
    ArithmeticOp, BoolOp, Flag, MatrixCount, MatrixLayout, MatrixOp, MatrixShape, MmaKind,
    Modifiers, Operation, Rounding, ScalarType, ScaleVector, StateSpace, Unpacking, WarpOp,
};
use warpgrid_program::{OperandValue, RegisterId, RegisterTuple, Source, Span};

/// Shape modifiers, whose digits encode rows, columns and depth.
const SHAPES: &[(&str, (u16, u16, u16))] = &[
    ("884", (8, 8, 4)),
    ("8x8x4", (8, 8, 4)),
    ("8816", (8, 8, 16)),
    ("8832", (8, 8, 32)),
    ("88128", (8, 8, 128)),
    ("1684", (16, 8, 4)),
    ("16x8x4", (16, 8, 4)),
    ("1688", (16, 8, 8)),
    ("16x8x8", (16, 8, 8)),
    ("16816", (16, 8, 16)),
    ("16x8x16", (16, 8, 16)),
    ("16832", (16, 8, 32)),
    ("16864", (16, 8, 64)),
    ("168128", (16, 8, 128)),
    ("168256", (16, 8, 256)),
];

/// Formats of operand matrices with 8-bit and sub-byte elements.
const FACTORS: &[(&str, ScalarType)] = &[
    ("S8", ScalarType::S8),
    ("U8", ScalarType::U8),
    ("S4", ScalarType::S4),
    ("U4", ScalarType::U4),
    ("E4M3", ScalarType::E4m3),
    ("E5M2", ScalarType::E5m2),
    ("E3M2", ScalarType::E3m2),
    ("E2M3", ScalarType::E2m3),
    ("E2M1", ScalarType::E2m1),
];

/// Lowers dense MMAs such as `HMMA.16816.F32.BF16 d, a, b, c`, and sparse MMAs such as `HMMA.SP.16816.F32 d, a, b, c, metadata, selector`.
/// With `.SF`, the operands after c are the scale factors and their selectors (determined by comparing the output of assembler 13.5 with
/// the original PTX). In sparse instructions, the scale factors of A and the metadata are in a register pair.
pub(super) fn product(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let has_scales = w.consume("SF");
    let is_sparse = w.consume("SP");
    let shape = w.consume_one_of(SHAPES);
    let (rows, columns, depth) =
        shape.ok_or_else(|| w.unknown("this MMA shape", w.instruction.opcode))?;
    let op = match (is_sparse, has_scales) {
        (true, true) => MatrixOp::MmaSparseBlockScaled,
        (true, false) => MatrixOp::MmaSparse,
        (false, true) => MatrixOp::MmaBlockScaled,
        (false, false) => MatrixOp::Mma,
    };
    let mut modifiers = Modifiers {
        shape: Some(MatrixShape {
            rows,
            columns,
            depth,
        }),
        layout: Some(MatrixLayout::Row),
        b_layout: Some(MatrixLayout::Col),
        ..super::blank()
    };
    let (a, b, sum) = factor_and_sum_types(w, op, &mut modifiers)?;
    modifiers.a_type = Some(a);
    modifiers.b_type = Some(b);
    modifiers.c_type = Some(sum);
    modifiers.d_type = Some(sum);
    // In the registers of `QMMA`, each sub-byte element occupies one byte.
    let least_width = if w.opcode() == "QMMA" { 8 } else { 1 };
    let registers = |rows: u16, columns: u16, ty: ScalarType| {
        let width = ty.width_bits().max(least_width);
        let bits = u32::from(rows) * u32::from(columns) * width;
        (bits / (32 * register_bits(ty))).max(1) as u8
    };
    let to = {
        let n = registers(rows, columns, sum);
        let (run, span) = w.destination(n)?;
        match sum {
            ScalarType::F64 => pairs_written(run, n, span),
            _ => destinations(run, n, span),
        }
    };
    let span = w.instruction.span;
    let mut steps = Vec::new();
    // The registers of a sparse matrix contain half of the elements of each row.
    let stored = if is_sparse { depth / 2 } else { depth };
    let a = factor(c, w, a, registers(rows, stored, a), &mut steps)?;
    let b = factor(c, w, b, registers(depth, columns, b), &mut steps)?;
    let addend = source(w, sum, registers(rows, columns, sum))?;
    let mut args: Vec<LoweredOperand> = [to, a, b, addend]
        .map(|list| LoweredOperand::List(list, span))
        .into();
    args.extend(metadata_and_scales(c, w, op, &mut steps)?);
    steps.push(step(Operation::Matrix(op), modifiers, args));
    Ok(steps)
}

/// Reads the operands that follow the addend: metadata and selector of a sparse MMA, scale factors of a block-scaled MMA.
fn metadata_and_scales(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    op: MatrixOp,
    steps: &mut Vec<LoweredInstruction>,
) -> LowerResult<Vec<LoweredOperand>> {
    let mut args = Vec::new();
    let (metadata, scales) = if op.is_scaled() {
        let scaled = scaled(c, w, op, steps)?;
        (scaled.metadata, Some(scaled.scales))
    } else if op.is_sparse() {
        (Some(w.source()?), None)
    } else {
        (None, None)
    };
    if let Some(metadata) = metadata {
        args.push(one(metadata));
        args.push(LoweredOperand::One(
            number(w.immediate()?),
            w.instruction.span,
        ));
    }
    args.extend(scales.into_iter().flatten());
    Ok(args)
}

/// Reads the types of both operand matrices and of the accumulator, and sets the modifiers that depend on the opcode.
fn factor_and_sum_types(
    w: &mut InstructionCursor<'_>,
    op: MatrixOp,
    modifiers: &mut Modifiers,
) -> LowerResult<(ScalarType, ScalarType, ScalarType)> {
    Ok(match w.opcode() {
        "DMMA" => {
            modifiers.rounding = w
                .consume_one_of(super::float::ROUNDINGS)
                .or(Some(Rounding::Rn));
            (ScalarType::F64, ScalarType::F64, ScalarType::F64)
        }
        "BMMA" => {
            let joins = [("XOR", BoolOp::Xor), ("AND", BoolOp::And)];
            modifiers.combine = w.consume_one_of(&joins);
            if modifiers.combine.is_none() || !w.consume("POPC") {
                return Err(w.unknown("this kind of single-bit MMA", w.instruction.opcode));
            }
            (ScalarType::B1, ScalarType::B1, ScalarType::S32)
        }
        "IMMA" => {
            if w.consume("SAT") {
                modifiers.flags = modifiers.flags.with(Flag::Satfinite);
            }
            let (a, b) = two_formats(w)?;
            (a, b, ScalarType::S32)
        }
        "QMMA" | "OMMA" => {
            let sum = sum_format(w)?;
            let (a, b) = two_formats(w)?;
            match op.is_scaled() {
                true => scale_words(w, modifiers)?,
                false => modifiers.kind = Some(MmaKind::F8f6f4),
            }
            (a, b, sum)
        }
        // The assembler compiles the 8x8x4 shape to several `HMMA` steps on quad pairs, which the lowering does not support.
        _ if modifiers.shape.is_some_and(|shape| shape.rows == 8) => {
            return Err(w.unknown("quad-pair MMA", w.instruction.opcode));
        }
        _ => {
            let sum = sum_format(w)?;
            let ty = half_format(w);
            (ty, ty, sum)
        }
    })
}

/// Reads the kind of a block-scaled MMA on 8-, 6- or 4-bit floats, and the format (`.E8` or `.UE4M3`) and number of its scale factors.
fn scale_words(w: &mut InstructionCursor<'_>, modifiers: &mut Modifiers) -> LowerResult<()> {
    let formats = [("E8", ScalarType::Ue8m0), ("UE4M3", ScalarType::Ue4m3)];
    let format = w.consume_one_of(&formats);
    let unknown = || w.unknown("scale factors in this format", w.instruction.opcode);
    modifiers.scale_type = Some(format.ok_or_else(unknown)?);
    let (kind, vector) = match (w.opcode(), w.consume("4X")) {
        ("QMMA", false) => (MmaKind::Mxf8f6f4, ScaleVector::X1),
        ("OMMA", false) => (MmaKind::Mxf4nvf4, ScaleVector::X2),
        ("OMMA", true) => (MmaKind::Mxf4nvf4, ScaleVector::X4),
        _ => return Err(w.unknown("`.4X`", w.instruction.opcode)),
    };
    modifiers.kind = Some(kind);
    modifiers.scale_vector = Some(vector);
    Ok(())
}

/// Operands of a sparse or block-scaled MMA after the addend: scale factors with their selectors, and sparsity metadata.
struct BlockScaleOperands {
    metadata: Option<SpannedValue>,
    /// Scale factors of A, selectors of A, scale factors of B, and selectors of B.
    scales: [LoweredOperand; 4],
}

/// Reads the scale factors and their selectors. One word contains the selectors: the byte and lane selectors of A at bits 0 and 2, and the
/// byte and lane selectors of B at bits 3 and 5.
fn scaled(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    op: MatrixOp,
    steps: &mut Vec<LoweredInstruction>,
) -> LowerResult<BlockScaleOperands> {
    let first = w.source()?;
    let span = first.1;
    let (metadata, of_a) = match op == MatrixOp::MmaSparseBlockScaled {
        true => match &parts(first, 2)[..] {
            [metadata, of_a] => (Some(metadata.clone()), of_a.clone()),
            _ => return Err(w.unknown("this kind of metadata", span)),
        },
        false => (None, first),
    };
    let of_b = w.source()?;
    let (word, word_span) = w.source()?;
    let mut bits = |from: u64, n: u64| {
        if super::is_zero(&word) {
            return (number(0), word_span);
        }
        let to = c.body.temporary(ScalarType::U32);
        let args = [written(to), word.clone(), number(from), number(n)];
        let args = args.map(|value| LoweredOperand::One(value, word_span));
        steps.push(arithmetic(ArithmeticOp::Bfe, ScalarType::U32, args.into()));
        (read(to), word_span)
    };
    let selectors_of_a = LoweredOperand::List(vec![bits(0, 2), bits(2, 1)], word_span);
    let selectors_of_b = LoweredOperand::List(vec![bits(3, 2), bits(5, 2)], word_span);
    Ok(BlockScaleOperands {
        metadata,
        scales: [one(of_a), selectors_of_a, one(of_b), selectors_of_b],
    })
}

/// Reads an operand matrix. `-R6` negates all elements.
fn factor(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    ty: ScalarType,
    n: u8,
    steps: &mut Vec<LoweredInstruction>,
) -> LowerResult<Vec<SpannedValue>> {
    let sign = match ty {
        ScalarType::F16 | ScalarType::Bf16 => 0x8000_8000,
        ScalarType::Tf32 => 0x8000_0000,
        _ => return source(w, ty, n),
    };
    let is_negated = crate::syntax::OperandModifiers {
        negated: true,
        ..Default::default()
    };
    let operand = w.peek();
    if operand.is_none_or(|operand| operand.signs != is_negated) {
        return source(w, ty, n);
    }
    let operand = w.next()?;
    let registers = registers_of(w, operand, ty, n)?;
    let negated = registers.into_iter().map(|(value, span)| {
        let to = c.body.temporary(ScalarType::B32);
        let args = [written(to), value, number(sign)].map(|value| LoweredOperand::One(value, span));
        steps.push(arithmetic(ArithmeticOp::Xor, ScalarType::B32, args.into()));
        (read(to), span)
    });
    Ok(negated.collect())
}

/// Consumes the accumulator format: `.F32` or `.F16`.
pub(super) fn sum_format(w: &mut InstructionCursor<'_>) -> LowerResult<ScalarType> {
    let formats = [("F32", ScalarType::F32), ("F16", ScalarType::F16)];
    let found = w.consume_one_of(&formats);
    found.ok_or_else(|| w.unknown("accumulators in this format", w.instruction.opcode))
}

/// Consumes the format of both operand matrices of `HMMA` and related opcodes.
pub(super) fn half_format(w: &mut InstructionCursor<'_>) -> ScalarType {
    let formats = [("BF16", ScalarType::Bf16), ("TF32", ScalarType::Tf32)];
    w.consume_one_of(&formats).unwrap_or(ScalarType::F16)
}

/// Consumes the formats of the operand matrices, A first.
pub(super) fn two_formats(w: &mut InstructionCursor<'_>) -> LowerResult<(ScalarType, ScalarType)> {
    let words = w.modifiers_left();
    let mut found = words.iter().filter_map(|word| {
        let format = FACTORS.iter().find(|(name, _)| name == word)?;
        Some(*format)
    });
    let (Some(a), Some(b)) = (found.next(), found.next()) else {
        return Err(w.unknown("operands in this format", w.instruction.opcode));
    };
    w.consume(a.0);
    w.consume(b.0);
    Ok((a.1, b.1))
}

const fn register_bits(ty: ScalarType) -> u32 {
    match ty {
        ScalarType::F64 => 64,
        _ => 32,
    }
}

/// Reads a source matrix from a register run, or returns zeros for `RZ`. `.ROW` and `.COL` are redundant, because the operation implies the
/// layout.
fn source(w: &mut InstructionCursor<'_>, ty: ScalarType, n: u8) -> LowerResult<Vec<SpannedValue>> {
    let operand = w.next()?;
    if ty != ScalarType::F64 && operand.signs != crate::syntax::OperandModifiers::default() {
        return Err(w.unknown("the negation of a matrix", operand.span));
    }
    registers_of(w, operand, ty, n)
}

/// Returns the registers of a matrix operand. The sign modifiers of the operand apply only to registers with 64-bit floats.
fn registers_of(
    w: &InstructionCursor<'_>,
    operand: &Operand,
    ty: ScalarType,
    n: u8,
) -> LowerResult<Vec<SpannedValue>> {
    let is_plain = w
        .operand_words(operand)
        .iter()
        .all(|word| matches!(*word, "reuse" | "ROW" | "COL"));
    let register = as_register(&operand.value).filter(|_| is_plain);
    let Some(register) = register else {
        return Err(w.unknown("this kind of matrix", operand.span));
    };
    let run = id_of(register);
    if ty != ScalarType::F64 {
        let value = match run {
            Some(first) => Source::Register(RegisterTuple { first, n }),
            None => Source::Immediate(0),
        };
        return Ok(parts((plain(value), operand.span), n));
    }
    let signs = operand.signs;
    let modifiers = warpgrid_program::SourceModifiers {
        negate: signs.negated,
        absolute: signs.absolute,
        ..warpgrid_program::SourceModifiers::NONE
    };
    let pair = |i: u8| {
        let source = match run {
            Some(first) => Source::Register(pair_of(first, i)),
            None => Source::Immediate(0),
        };
        (OperandValue::Source(source, modifiers), operand.span)
    };
    Ok((0..n).map(pair).collect())
}

/// Returns the `n` register pairs of a destination run.
fn pairs_written(run: Option<RegisterTuple>, n: u8, span: Span) -> Vec<SpannedValue> {
    let pair = |i: u8| {
        let pair = run.map(|run| pair_of(run.first, i));
        (OperandValue::Destination(pair), span)
    };
    (0..n).map(pair).collect()
}

fn pair_of(first: RegisterId, i: u8) -> RegisterTuple {
    RegisterTuple {
        first: RegisterId(first.0 + 2 * u32::from(i)),
        n: 2,
    }
}

/// Modifiers of `LDSM` and `STSM` for the element format in shared memory: 16 or 8 bits, or 6 or 4 bits that the instruction expands to
/// bytes.
const ROW_FORMATS: &[(&str, (ScalarType, Option<Unpacking>))] = &[
    ("16", (ScalarType::B16, None)),
    ("8", (ScalarType::B8, None)),
    ("U6x16P32TO8", (ScalarType::B8, Some(Unpacking::B6))),
    ("U4x16P64TO8", (ScalarType::B8, Some(Unpacking::B4))),
];

/// Shape of a matrix in `LDSM` or `STSM`: number of rows, number of columns, whether the matrix is transposed, and number of 32-bit
/// registers.
type RowShape = (u16, u16, bool, u8);

/// Shapes of `LDSM` and `STSM`.
const ROW_SHAPES: &[(&str, RowShape)] = &[
    ("M88", (8, 8, false, 1)),
    ("MT88", (8, 8, true, 1)),
    ("M816", (8, 16, false, 1)),
    ("MT168", (16, 8, true, 1)),
    ("MT1616", (16, 16, true, 2)),
];

/// Consumes the format, shape and matrix count modifiers of `LDSM` or `STSM`, and returns the PTX modifiers and the number of 32-bit
/// registers.
fn rows(w: &mut InstructionCursor<'_>) -> LowerResult<(Modifiers, u8)> {
    let is_load = w.opcode() == "LDSM";
    let format = w.consume_one_of(ROW_FORMATS);
    let shape = w.consume_one_of(ROW_SHAPES);
    let unknown = || w.unknown("this kind of matrix", w.instruction.opcode);
    let ((ty, unpacking), (rows, columns, transposes, registers)) =
        format.zip(shape).ok_or_else(unknown)?;
    // Check whether `ldmatrix` and `stmatrix` support the combination of format and shape (assembler 13.5).
    let exists = match (ty, unpacking, (rows, columns)) {
        (ScalarType::B16, None, (8, 8)) => true,
        (ScalarType::B8, None, (16, 8)) => !is_load,
        (ScalarType::B8, None, (16, 16)) | (ScalarType::B8, Some(_), (8 | 16, 16)) => is_load,
        _ => false,
    };
    if !exists {
        return Err(unknown());
    }
    let mut modifiers = Modifiers {
        space: Some(StateSpace::Shared),
        shape: Some(MatrixShape {
            rows,
            columns,
            depth: 0,
        }),
        unpacking,
        ty: unpacking.is_none().then_some(ty),
        ..super::blank()
    };
    if transposes {
        modifiers.flags = modifiers.flags.with(Flag::Trans);
    }
    if unpacking.is_some() {
        modifiers.flags = modifiers.flags.with(Flag::B8x16);
    }
    let counts = [("2", (MatrixCount::X2, 2)), ("4", (MatrixCount::X4, 4))];
    let (count, n) = w.consume_one_of(&counts).unwrap_or((MatrixCount::X1, 1));
    if n * registers > 4 {
        return Err(w.unknown("four matrices with this shape", w.instruction.opcode));
    }
    modifiers.count = Some(count);
    Ok((modifiers, n * registers))
}

/// Lowers `LDSM.16.M88.4 d, [a]` and `LDSM.U4x16P64TO8.MT1616 d, [a]`, which load matrices as `ldmatrix` does.
pub(super) fn load_rows(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let (modifiers, n) = rows(w)?;
    let (run, span) = w.destination(n)?;
    let from = memory::address(w, AddressWidth::Narrow)?;
    Ok(vec![step(
        Operation::Matrix(MatrixOp::Ldmatrix),
        modifiers,
        vec![
            LoweredOperand::List(destinations(run, n, span), span),
            one(from),
        ],
    )])
}

/// Lowers `STSM.16.MT88.2 [a], b` and `STSM.8.MT168 [a], b`, which store matrices as `stmatrix` does.
pub(super) fn store_rows(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let (modifiers, n) = rows(w)?;
    let to = memory::address(w, AddressWidth::Narrow)?;
    let value = w.source()?;
    let span = value.1;
    Ok(vec![step(
        Operation::Matrix(MatrixOp::Stmatrix),
        modifiers,
        vec![one(to), LoweredOperand::List(parts(value, n), span)],
    )])
}

/// Lowers `MOVM.16.MT88 d, a`, which transposes a matrix. Other variants of `MOVM` are not supported. The lane mapping of `MOVM.U4TO8.M832`
/// is not known, because no known PTX instruction compiles to this variant (assembler 13.5.37).
pub(super) fn transpose(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    if !w.consume("16") || !w.consume("MT88") {
        let subject =
            "an expanded matrix without transposition, whose element mapping is undocumented";
        return Err(w.unknown(subject, w.instruction.opcode));
    }
    let to = w.to(1)?;
    let a = w.source()?;
    Ok(vec![step(
        Operation::Warp(WarpOp::Movmatrix),
        typed(ScalarType::B16),
        vec![to, one(a)],
    )])
}
