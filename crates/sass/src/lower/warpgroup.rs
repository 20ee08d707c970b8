//! Lowering of warpgroup matrix multiplications. Four uniform registers, starting at the register in `gdesc`, contain the descriptors of A
//! and B. If A is in registers, the instruction does not read the descriptor of A. `gsb0` commits the group for which `WARPGROUP.DEPBAR`
//! waits. The operand layout was determined by comparing the output of assembler 13.5 with the original PTX.

use super::body::{LoweredInstruction, LoweredOperand, plain};
use super::instruction_cursor::{
    InstructionCursor, LowerResult, as_register, destinations, number, parts,
};
use super::{known, matrix, one, step};
use crate::syntax::{Operand, OperandKind, RegisterFile, TermValue};
use warpgrid_isa::{
    AtomicOp, DeviceUnitOp, Flag, MatrixShape, Modifiers, Operation, ScalarType, WarpgroupOp,
};
use warpgrid_program::{OperandValue, RegisterId, RegisterTuple, Source, Span};

/// Number of registers per lane of an operand matrix with 16 rows. The number does not depend on the element type.
const FACTOR_REGISTERS: u8 = 4;

/// Lowers `WARPGROUP.ARRIVE`, a fence, and `WARPGROUP.DEPBAR.LE gsb0, n`, which waits until at most n groups are pending.
pub(super) fn sync(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    if w.consume("ARRIVE") {
        return Ok(vec![unit(WarpgroupOp::Fence, super::blank(), Vec::new())]);
    }
    if !w.consume("DEPBAR") || !w.consume("LE") || !takes_group(w)? {
        return Err(w.unknown("this warpgroup operation", w.instruction.opcode));
    }
    let left = LoweredOperand::One(number(w.immediate()?), w.instruction.span);
    let wait = unit(WarpgroupOp::Wait, super::blank(), vec![left]);
    Ok(vec![wait])
}

/// Lowers `HGMMA{.SP}.64x24x16.F32.BF16 d, a, c{, p}{, metadata{, selector}}{, gsb0}`: the operand a is `gdesc[UR4]`, or a register run
/// followed by `gdesc[UR4]`.
pub(super) fn product(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let is_sparse = w.consume("SP");
    let mut modifiers = Modifiers {
        shape: Some(shape(w)?),
        ..super::blank()
    };
    let (a, b, sum) = types(w, &mut modifiers)?;
    modifiers.a_type = Some(a);
    modifiers.b_type = Some(b);
    modifiers.c_type = Some(sum);
    modifiers.d_type = Some(sum);
    let columns = modifiers.shape.map_or(0, |shape| shape.columns);
    let n = u32::from(columns) * sum.width_bits() / 64;
    let (to, to_span) = w.destination(n as u8)?;
    let sums = LoweredOperand::List(destinations(to, n as u8, to_span), to_span);
    let factors = Factors::read(w)?;
    let addend = w.next()?;
    let from = as_register(&addend.value).and_then(super::id_of);
    let mut steps = Vec::new();
    if let Some(first) = from.filter(|first| Some(*first) != to.map(|run| run.first)) {
        // Copy the addend to the destination run, because the PTX operation updates the accumulators in place.
        let run = RegisterTuple { first, n: n as u8 };
        let values = parts((plain(Source::Register(run)), addend.span), n as u8);
        let registers = destinations(to, n as u8, to_span).into_iter();
        let copies = registers.zip(values);
        steps.extend(
            copies.map(|((to, span), value)| super::copy(LoweredOperand::One(to, span), value)),
        );
    }
    let adds = accumulates(w, from)?;
    let mut args = vec![sums, factors.a, factors.b];
    if is_sparse {
        args.extend(metadata(w)?);
    }
    args.push(LoweredOperand::One(adds, span));
    args.extend(factors.is_negated.map(|negated| {
        let factor: i64 = if negated { -1 } else { 1 };
        LoweredOperand::One(number(factor as u64), span)
    }));
    args.extend(
        factors
            .is_transposed
            .map(|word| LoweredOperand::One(number(word.into()), span)),
    );
    let op = match is_sparse {
        true => WarpgroupOp::MmaAsyncSparse,
        false => WarpgroupOp::MmaAsync,
    };
    steps.push(unit(op, modifiers, args));
    if w.n_left() > 0 && takes_group(w)? {
        steps.push(unit(WarpgroupOp::Commit, super::blank(), Vec::new()));
    }
    Ok(steps)
}

/// Operand matrices A and B of a matrix multiplication, with the modifiers that describe them.
struct Factors {
    a: LoweredOperand,
    b: LoweredOperand,
    is_negated: [bool; 2],
    is_transposed: [bool; 2],
}

impl Factors {
    fn read(w: &mut InstructionCursor<'_>) -> LowerResult<Factors> {
        let mut is_negated = [false; 2];
        let mut is_transposed = [false; 2];
        let mut operand = w.next()?;
        let mut rows = None;
        if as_register(&operand.value).is_some() {
            is_negated[0] = operand.signs.negated;
            let base = match w.plain_value_of(operand, ScalarType::B32)? {
                OperandValue::Source(source, _) => plain(source),
                other => other,
            };
            let registers = parts((base, operand.span), FACTOR_REGISTERS);
            rows = Some(LoweredOperand::List(registers, operand.span));
            operand = w.next()?;
        }
        let first = descriptors(w, operand, "gdesc")?;
        for word in w.operand_words(operand) {
            match word {
                "negA" => is_negated[0] = true,
                "negB" => is_negated[1] = true,
                "tnspA" => is_transposed[0] = true,
                "tnspB" => is_transposed[1] = true,
                _ => return Err(w.unknown(format!("`.{word}`"), operand.span)),
            }
        }
        Ok(Factors {
            a: rows.unwrap_or_else(|| pair(first, 0, operand.span)),
            b: pair(first, 2, operand.span),
            is_negated,
            is_transposed,
        })
    }
}

/// Reads the optional predicate that specifies whether the MMA adds the addend to the product. Without this predicate, the MMA adds the
/// addend unless the addend is zero.
fn accumulates(
    w: &mut InstructionCursor<'_>,
    addend: Option<RegisterId>,
) -> LowerResult<OperandValue> {
    let has_addend = number(u64::from(addend.is_some()));
    if !w.is_predicate() {
        return Ok(has_addend);
    }
    let (p, span) = w.predicate()?;
    match (known(&p), addend) {
        (Some(false), _) => Ok(number(0)),
        (Some(true), _) => Ok(has_addend),
        (None, Some(_)) => Ok(p),
        (None, None) => Err(w.unknown("conditional zeroing", span)),
    }
}

/// Reads the metadata and the selector of a sparse operand matrix.
fn metadata(w: &mut InstructionCursor<'_>) -> LowerResult<[LoweredOperand; 2]> {
    let metadata = one(w.source()?);
    let next = w.peek();
    let selector = match next.is_some_and(|next| matches!(next.value, OperandKind::Integer(_))) {
        true => w.immediate()?,
        false => 0,
    };
    Ok([
        metadata,
        LoweredOperand::One(number(selector), w.instruction.span),
    ])
}

fn unit(op: WarpgroupOp, modifiers: Modifiers, args: Vec<LoweredOperand>) -> LoweredInstruction {
    step(
        Operation::Unit(DeviceUnitOp::Warpgroup(op)),
        modifiers,
        args,
    )
}

/// Returns whether the next operand is `gsb0`, which is the only group.
fn takes_group(w: &mut InstructionCursor<'_>) -> LowerResult<bool> {
    let operand = w.next()?;
    Ok(operand.span.text(w.source) == "gsb0")
}

/// Parses a shape such as `64x24x16`, which consists of rows, columns and depth.
fn shape(w: &mut InstructionCursor<'_>) -> LowerResult<MatrixShape> {
    let numbers = |word: &str| {
        let mut numbers = word.split('x').map(|digits| digits.parse::<u16>().ok());
        let shape = MatrixShape {
            rows: numbers.next()??,
            columns: numbers.next()??,
            depth: numbers.next()??,
        };
        (numbers.next().is_none() && shape.columns <= 256).then_some(shape)
    };
    let words = w.modifiers_left();
    let found = words.iter().find_map(|word| Some((*word, numbers(word)?)));
    let Some((word, shape)) = found else {
        return Err(w.unknown("this MMA shape", w.instruction.opcode));
    };
    w.consume(word);
    Ok(shape)
}

/// Reads the types of A, B and of the accumulator.
fn types(
    w: &mut InstructionCursor<'_>,
    modifiers: &mut Modifiers,
) -> LowerResult<(ScalarType, ScalarType, ScalarType)> {
    Ok(match w.opcode() {
        "HGMMA" => {
            let sum = matrix::sum_format(w)?;
            let ty = matrix::half_format(w);
            (ty, ty, sum)
        }
        "QGMMA" => {
            let sum = matrix::sum_format(w)?;
            let (a, b) = matrix::two_formats(w)?;
            (a, b, sum)
        }
        "IGMMA" => {
            if w.consume("SAT") {
                modifiers.flags = modifiers.flags.with(Flag::Satfinite);
            }
            let (a, b) = matrix::two_formats(w)?;
            (a, b, ScalarType::S32)
        }
        _ => {
            if !w.consume("AND") || !w.consume("POPC") {
                return Err(w.unknown("this kind of single-bit MMA", w.instruction.opcode));
            }
            modifiers.atomic = Some(AtomicOp::And);
            (ScalarType::B1, ScalarType::B1, ScalarType::S32)
        }
    })
}

/// Returns the first uniform register of an operand such as `gdesc[UR4]`.
pub(super) fn descriptors(
    w: &InstructionCursor<'_>,
    operand: &Operand,
    prefix: &str,
) -> LowerResult<RegisterId> {
    let unknown = || w.unknown(format!("an operand other than `{prefix}`"), operand.span);
    let OperandKind::Memory(memory) = &operand.value else {
        return Err(unknown());
    };
    let written = memory.prefix.map(|prefix| prefix.text(w.source));
    let [inside] = w.tree.brackets(memory) else {
        return Err(unknown());
    };
    let [term] = w.tree.terms(inside) else {
        return Err(unknown());
    };
    match term.value {
        TermValue::Register(register)
            if written == Some(prefix) && register.file == RegisterFile::Uniform =>
        {
            super::id_of(register).ok_or_else(unknown)
        }
        TermValue::Register(_) | TermValue::Integer(_) | TermValue::Other(_) => Err(unknown()),
    }
}

/// Creates a 64-bit source from the registers `i` and `i + 1` of a run of uniform registers.
pub(super) fn pair(first: RegisterId, i: u32, span: Span) -> LoweredOperand {
    let first = RegisterId(first.0 + i);
    LoweredOperand::One(plain(Source::Register(RegisterTuple { first, n: 2 })), span)
}
