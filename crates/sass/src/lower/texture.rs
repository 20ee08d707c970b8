//! Lowering of texture and surface accesses. A 64-bit handle is in constant bank 0, or a uniform register contains its lower half. The
//! mipmap level and the gradients of a sample have no effect, because emulated images have one level. The operand layout was determined by
//! comparing the output of assembler 13.5 with the original PTX.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, plain, read};
use super::instruction_cursor::{InstructionCursor, LowerResult, destinations, number, parts};
use super::{LoweringContext, copy, memory, step};
use crate::syntax::{Operand, OperandKind, TermValue};
use warpgrid_isa::{
    ArithmeticOp, DeviceUnitOp, Geometry, Modifiers, Operation, ScalarType, SurfaceBounds,
    SurfaceMode, SurfaceOp, TexelComponent, TextureOp, TextureQuery, VectorWidth,
};
use warpgrid_program::{Address, AddressBase, OperandValue, RegisterTuple, Source, Span};

/// Geometry modifiers, with the number of coordinates including the layer.
const GEOMETRIES: &[(&str, (Geometry, u8))] = &[
    ("1D", (Geometry::D1, 1)),
    ("2D", (Geometry::D2, 2)),
    ("3D", (Geometry::D3, 3)),
    ("CUBE", (Geometry::Cube, 3)),
    ("ARRAY_1D", (Geometry::A1d, 2)),
    ("ARRAY_2D", (Geometry::A2d, 3)),
    ("ARRAY_CUBE", (Geometry::Acube, 4)),
    ("1D_ARRAY", (Geometry::A1d, 2)),
    ("2D_ARRAY", (Geometry::A2d, 3)),
];

/// Modifiers of a texture instruction that determine the layout of its source operands.
struct SampleWords {
    op: TextureOp,
    coordinate: ScalarType,
    component: Option<TexelComponent>,
    /// Whether the first source contains the first half of all values (`.SCR`) instead of only the coordinates.
    is_spread: bool,
    has_level: bool,
    has_offsets: bool,
    is_compared: bool,
    /// Whether a register after the coordinates contains the handle of the image (`.B`).
    is_in_register: bool,
}

impl SampleWords {
    fn read(w: &mut InstructionCursor<'_>) -> SampleWords {
        let is_spread = w.consume("SCR");
        let has_level = w.consume("LL");
        w.ignore_modifiers(&["LZ", "NODEP"]);
        let has_offsets = w.consume("AOFFI");
        let is_compared = w.consume("DC");
        let components = [
            ("R", TexelComponent::Red),
            ("G", TexelComponent::Green),
            ("A", TexelComponent::Alpha),
            // Keep this entry last, because in `.R.B`, `.R` selects the red component and `.B` marks a handle in a register.
            ("B", TexelComponent::Blue),
        ];
        let (op, coordinate, component) = match w.opcode() {
            "TLD4" => (
                TextureOp::Gather,
                ScalarType::F32,
                w.consume_one_of(&components),
            ),
            "TLD" => (TextureOp::Sample, ScalarType::S32, None),
            _ => (TextureOp::Sample, ScalarType::F32, None),
        };
        SampleWords {
            op,
            coordinate,
            component,
            is_spread,
            has_level,
            has_offsets,
            is_compared,
            is_in_register: w.consume("B"),
        }
    }

    /// Returns the number of source values before the texel offsets.
    fn n_before_offsets(&self, n_coordinates: u8) -> u8 {
        n_coordinates + u8::from(self.is_in_register) + u8::from(self.has_level)
    }

    /// Returns the total number of values in both source operands.
    fn n_values(&self, n_coordinates: u8) -> u8 {
        self.n_before_offsets(n_coordinates)
            + u8::from(self.has_offsets)
            + u8::from(self.is_compared)
    }

    /// Splits both source operands into registers.
    fn values(
        &self,
        a: SpannedValue,
        b: Option<SpannedValue>,
        n_coordinates: u8,
    ) -> Vec<SpannedValue> {
        let n = self.n_values(n_coordinates);
        let n_first = match self.is_spread {
            true => n.div_ceil(2),
            false => n_coordinates,
        };
        let mut values = parts(a, n_first);
        values.extend(b.map(|b| parts(b, n - n_first)).unwrap_or_default());
        values
    }

    fn modifiers(&self, geometry: Geometry) -> Modifiers {
        let mut modifiers = Modifiers {
            d_type: Some(ScalarType::B32),
            c_type: Some(self.coordinate),
            vector: Some(VectorWidth::V4),
            ..super::blank()
        };
        modifiers.unit.geometry = Some(geometry);
        modifiers.unit.component = self.component;
        modifiers
    }
}

/// Lowers `TEX{.SCR}.LL{.AOFFI} high, low, a{, b}, handle, 2D{, elements}`: the registers `low` receive the first two selected elements,
/// and the registers `high` receive the remaining elements. The source a contains the layer and the coordinates. The source b contains the
/// level, the offsets and, with `.DC`, the depth comparison value. With `.SCR`, a contains the first half of all these values. With `.B`,
/// the lower half of the handle is the first register of b.
pub(super) fn sample(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let words = SampleWords::read(w);
    let high = pair(w)?;
    let low = pair(w)?;
    let a = w.source()?;
    // An optional second source register precedes the handle.
    let b = match w.peek() {
        Some(operand) if is_general(operand) => Some(w.source()?),
        _ => None,
    };
    let mut steps = Vec::new();
    let named = match words.is_in_register {
        true => None,
        false => Some(handle(c, w, &mut steps)?),
    };
    let text = w.peek().map(|operand| operand.span.text(w.source));
    let found = GEOMETRIES.iter().find(|(name, _)| Some(*name) == text);
    let (_, (geometry, n_coordinates)) =
        *found.ok_or_else(|| w.unknown("this texture geometry", span))?;
    w.next()?;
    let mask = match w.n_left() {
        0 => 0xf,
        _ => w.immediate()?,
    };
    let n = words.n_values(n_coordinates);
    let values = words.values(a, b, n_coordinates);
    let too_few = || w.unknown("too few coordinates", span);
    if values.len() < usize::from(n) && w.opcode() != "TXD" {
        return Err(too_few());
    }
    let image = match (named, values.get(usize::from(n_coordinates))) {
        (Some(image), _) => image,
        (None, Some(low)) => (whole(c, low.clone(), &mut steps), low.1),
        (None, None) => return Err(w.unknown("no image", span)),
    };
    let mut place = vec![image];
    place.extend(values.iter().take(n_coordinates.into()).cloned());
    let mut args = vec![
        LoweredOperand::List(elements(mask, low, high), span),
        LoweredOperand::List(place, span),
    ];
    if words.has_offsets {
        let packed = values.get(usize::from(words.n_before_offsets(n_coordinates)));
        let packed = packed.ok_or_else(too_few)?;
        let n_offsets = n_coordinates - u8::from(geometry.is_array());
        let offsets = offsets(c, words.op, n_offsets, packed, &mut steps);
        args.push(LoweredOperand::List(offsets, span));
    }
    if words.is_compared {
        let reference = values.get(usize::from(n) - 1).cloned();
        args.resize(3, LoweredOperand::One(OperandValue::Absent, span));
        args.push(super::one(reference.ok_or_else(too_few)?));
    }
    let operation = Operation::Unit(DeviceUnitOp::Texture(words.op));
    steps.push(step(operation, words.modifiers(geometry), args));
    Ok(steps)
}

/// Unpacks the texel offsets of a texture instruction from one register. Each offset of a sample has 4 bits. Each offset of a gather, which
/// supports a larger range, has 6 bits in a separate byte.
fn offsets(
    c: &mut LoweringContext<'_>,
    op: TextureOp,
    n: u8,
    (packed, span): &SpannedValue,
    steps: &mut Vec<LoweredInstruction>,
) -> Vec<SpannedValue> {
    let (stride, width) = match op == TextureOp::Gather {
        true => (8, 6),
        false => (4, 4),
    };
    let offset = |i: u8| {
        let to = c.body.temporary(ScalarType::S32);
        let bits = [number(stride * u64::from(i)), number(width)];
        let sources = std::iter::once(packed.clone()).chain(bits);
        let args = std::iter::once(super::body::written(to)).chain(sources);
        let args = args
            .map(|value| LoweredOperand::One(value, *span))
            .collect();
        steps.push(super::arithmetic(ArithmeticOp::Bfe, ScalarType::S32, args));
        (read(to), *span)
    };
    (0..n).map(offset).collect()
}

fn is_general(operand: &Operand) -> bool {
    let register = super::instruction_cursor::as_register(&operand.value);
    register.is_some_and(|register| register.file == crate::syntax::RegisterFile::General)
}

/// Reads a pair of destination registers.
fn pair(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<SpannedValue>> {
    let (first, span) = w.destination(2)?;
    Ok(destinations(first, 2, span))
}

/// Returns one destination for each texel element: a register for the elements that `mask` selects, and no register for all other elements.
fn elements(mask: u64, low: Vec<SpannedValue>, high: Vec<SpannedValue>) -> Vec<SpannedValue> {
    let span = low.first().map_or(Span::at(0), |(_, span)| *span);
    let mut registers = low.into_iter().chain(high);
    let element = |i: u32| {
        let register = (mask >> i & 1 != 0).then(|| registers.next()).flatten();
        register.unwrap_or((OperandValue::Destination(None), span))
    };
    (0..4).map(element).collect()
}

/// Reads a handle. In the notation `0x0, 0x58`, the numbers denote words of constant bank 0. In the notations `UR4, 0x0` and, from
/// Blackwell on, `UR4`, the uniform register contains the lower half of the handle.
fn handle(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    steps: &mut Vec<LoweredInstruction>,
) -> LowerResult<SpannedValue> {
    let operand = w.next()?;
    let span = operand.span;
    let next_is_number = w
        .peek()
        .is_some_and(|next| matches!(next.value, OperandKind::Integer(_)));
    match operand.value {
        OperandKind::Integer(bank) if bank < 32 && next_is_number => {
            let word = w.immediate()?;
            let source = Source::Constant {
                bank: bank as u8,
                byte_offset: (word as u32).wrapping_mul(4),
            };
            Ok((plain(source), span))
        }
        OperandKind::Register(_) => {
            let low = w.value_of(operand, ScalarType::B32)?;
            // If the handle has only one component, as on Blackwell, the next operand is a geometry or a mask.
            let is_second = w
                .peek()
                .is_some_and(|next| matches!(next.value, OperandKind::Integer(0)));
            if is_second {
                w.next()?;
            }
            Ok((whole(c, (low, span), steps), span))
        }
        _ => Err(w.unknown("this kind of texture", span)),
    }
}

/// Returns a 64-bit handle with the given lower half and a zero upper half.
fn whole(
    c: &mut LoweringContext<'_>,
    low: SpannedValue,
    steps: &mut Vec<LoweredInstruction>,
) -> OperandValue {
    let span = low.1;
    let first = c.body.temporary(ScalarType::B32);
    let second = c.body.temporary(ScalarType::B32);
    let to = |register| LoweredOperand::One(super::body::written(register), span);
    steps.push(copy(to(first), low));
    steps.push(copy(to(second), (number(0), span)));
    plain(Source::Register(RegisterTuple { first, n: 2 }))
}

/// Lowers `TXQ high, low, level, TEX_HEADER_DIMENSION, handle, properties`, which queries the properties of an image. With `.B`, the lower
/// half of the handle precedes the level.
pub(super) fn query(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let high = pair(w)?;
    let low = pair(w)?;
    let is_in_register = w.consume("B");
    let first = w.source()?;
    let attribute_operand = w.next()?;
    if attribute_operand.span.text(w.source) != "TEX_HEADER_DIMENSION" {
        return Err(w.unknown("this texture attribute", attribute_operand.span));
    }
    let mut steps = Vec::new();
    let (image, image_span, level) = match is_in_register {
        true => {
            let mut values = parts(first, 2).into_iter();
            let (Some(low), Some(level)) = (values.next(), values.next()) else {
                return Err(w.unknown("no image", span));
            };
            let image_span = low.1;
            (whole(c, low, &mut steps), image_span, level)
        }
        false => {
            let (image, image_span) = handle(c, w, &mut steps)?;
            (image, image_span, first)
        }
    };
    let mask = w.immediate()?;
    // Copy the handle to a register, because the query operation requires a register.
    let base = c.body.temporary(ScalarType::B64);
    steps.push(step(
        Operation::Move(warpgrid_isa::MoveOp::Mov),
        super::typed(ScalarType::B64),
        vec![
            LoweredOperand::One(super::body::written(base), span),
            LoweredOperand::One(image, image_span),
        ],
    ));
    let properties = [
        TextureQuery::Width,
        TextureQuery::Height,
        TextureQuery::Depth,
        TextureQuery::MipmapLevels,
    ];
    // Copy the level to a hidden register, because a destination register may contain the level.
    let level_copy = c.body.temporary(ScalarType::U32);
    steps.push(copy(
        LoweredOperand::One(super::body::written(level_copy), span),
        level,
    ));
    let registers = elements(mask, low, high).into_iter().enumerate();
    for (i, (to, to_span)) in registers.filter(|(i, _)| mask >> i & 1 != 0) {
        let mut modifiers = super::typed(ScalarType::B32);
        modifiers.unit.property = Some(properties[i]);
        let address = Address::new(AddressBase::Register(RegisterTuple::one(base)), 0);
        let args = vec![
            LoweredOperand::One(to, to_span),
            LoweredOperand::One(OperandValue::Address(address), span),
            LoweredOperand::One(read(level_copy), span),
        ];
        let query = Operation::Unit(DeviceUnitOp::Texture(TextureOp::QueryLevel));
        steps.push(step(query, modifiers, args));
    }
    Ok(steps)
}

/// Lowers `SULD.D.BA.2D.64.STRONG.SM.IGN d, [a], handle`, `SUST.P.2D.STRONG.SM.TRAP [a], b, handle` and `SURED.D.BA.2D.ADD.STRONG.SYS.IGN
/// [a], b, handle`. The coordinates are in consecutive registers, of which the last one contains the layer.
pub(super) fn surface(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let span = w.instruction.span;
    let is_formatted = w.consume("P");
    let is_of_bytes = w.consume("D") && w.consume("BA");
    if is_formatted == is_of_bytes {
        return Err(w.unknown("this element type", w.instruction.opcode));
    }
    let mut modifiers = super::blank();
    let geometry = w.consume_one_of(GEOMETRIES);
    let (geometry, n_coordinates) =
        geometry.ok_or_else(|| w.unknown("this texture geometry", w.instruction.opcode))?;
    let bounds = [("TRAP", SurfaceBounds::Trap), ("IGN", SurfaceBounds::Zero)];
    modifiers.unit.bounds = Some(w.consume_one_of(&bounds).unwrap_or(SurfaceBounds::Clamp));
    modifiers.unit.geometry = Some(geometry);
    modifiers.unit.surface = Some(match is_formatted {
        true => SurfaceMode::Formatted,
        false => SurfaceMode::Bytes,
    });
    w.ignore_modifiers(&["STRONG", "SM", "GPU", "SYS", "CONSTANT"]);
    let op = match w.opcode() {
        "SULD" => SurfaceOp::Load,
        "SUST" => SurfaceOp::Store,
        _ => SurfaceOp::Reduction,
    };
    let n = match op {
        SurfaceOp::Reduction => memory::operation(w, &mut modifiers)?,
        SurfaceOp::Load | SurfaceOp::Store | SurfaceOp::Query => set_texel_width(w, &mut modifiers),
    };
    let to = match op {
        SurfaceOp::Load => Some(w.destination(n)?),
        SurfaceOp::Store | SurfaceOp::Reduction | SurfaceOp::Query => None,
    };
    let coordinates = coordinates(w, geometry, n_coordinates)?;
    let values = match (to, op) {
        (Some((run, to_span)), _) => LoweredOperand::List(destinations(run, n, to_span), to_span),
        (None, SurfaceOp::Reduction) if n == 2 => super::one(w.source_as(ScalarType::B64)?),
        (None, SurfaceOp::Reduction) => super::one(w.source()?),
        (None, SurfaceOp::Load | SurfaceOp::Store | SurfaceOp::Query) => {
            LoweredOperand::List(parts(w.source()?, n), span)
        }
    };
    let mut steps = Vec::new();
    let mut place = vec![handle(c, w, &mut steps)?];
    place.extend(coordinates);
    let place = LoweredOperand::List(place, span);
    let args = match op {
        SurfaceOp::Load => vec![values, place],
        SurfaceOp::Store | SurfaceOp::Reduction | SurfaceOp::Query => vec![place, values],
    };
    steps.push(step(
        Operation::Unit(DeviceUnitOp::Surface(op)),
        modifiers,
        args,
    ));
    Ok(steps)
}

/// Sets the type and the number of elements of a surface access in `modifiers`, and returns the number of registers.
fn set_texel_width(w: &mut InstructionCursor<'_>, modifiers: &mut Modifiers) -> u8 {
    let widths = [
        ("U8", (ScalarType::B8, 1)),
        ("U16", (ScalarType::B16, 1)),
        ("64", (ScalarType::B32, 2)),
        ("128", (ScalarType::B32, 4)),
        ("R", (ScalarType::B32, 1)),
    ];
    let n_formatted = match modifiers.unit.surface {
        Some(SurfaceMode::Formatted) => 4,
        _ => 1,
    };
    let default_texel = (ScalarType::B32, n_formatted);
    let (ty, n) = w.consume_one_of(&widths).unwrap_or(default_texel);
    modifiers.ty = Some(ty);
    modifiers.vector = match n {
        2 => Some(VectorWidth::V2),
        4 => Some(VectorWidth::V4),
        _ => None,
    };
    n
}

/// Reads the coordinates of an operand such as `[R12]`, and returns them in the order of PTX, which starts with the layer.
fn coordinates(
    w: &mut InstructionCursor<'_>,
    geometry: Geometry,
    n: u8,
) -> LowerResult<Vec<SpannedValue>> {
    let operand = w.next()?;
    let unknown = || w.unknown("this kind of coordinates", operand.span);
    let OperandKind::Memory(memory) = &operand.value else {
        return Err(unknown());
    };
    let [inside] = w.tree.brackets(memory) else {
        return Err(unknown());
    };
    let [term] = w.tree.terms(inside) else {
        return Err(unknown());
    };
    let source = match term.value {
        TermValue::Register(register) => match super::id_of(register) {
            Some(first) => Source::Register(RegisterTuple { first, n }),
            None => Source::Immediate(0),
        },
        TermValue::Integer(_) | TermValue::Other(_) => return Err(unknown()),
    };
    let mut values = parts((plain(source), operand.span), n);
    if matches!(geometry, Geometry::A1d | Geometry::A2d) {
        values.rotate_right(1);
    }
    Ok(values)
}
