//! Decoder of texture and surface instructions.

use crate::code::decoded_op::DecodedOp;
use crate::code::{
    AccessMetadata, AccessPlan, ImagePlan, QueryPlan, RegisterOperand, SurfacePlan, TexturePlan,
    TypeQueryPlan,
};
use crate::contract::observer::CacheHints;
use crate::decode::{DecodeError, DecodeResult, Decoder};
use crate::semantics::registers::OperandSlot;
use warpgrid_isa::{
    Geometry, Modifiers, ScalarType, Sem, Signedness, StateSpace, SurfaceMode, SurfaceOp,
    TexelComponent, TextureOp,
};
use warpgrid_program::{OperandValue, Source, SourceModifiers};

/// Upper bound of immediates that are decoded as texel offsets. A larger immediate is a depth comparison value.
const MAX_OFFSET: i64 = 64;

pub(crate) fn decode(d: &mut Decoder<'_>, op: TextureOp) -> DecodeResult<DecodedOp> {
    let plan = match op {
        TextureOp::Sample => sample(d, 2)?,
        TextureOp::SampleLevel => sample(d, 3)?,
        TextureOp::SampleGradient => sample(d, 4)?,
        TextureOp::Gather => sample(d, 2)?,
        TextureOp::Query => ImagePlan::Query(query(d)?),
        TextureOp::QueryLevel => ImagePlan::Query(QueryPlan {
            level: Some(d.element(2, 32)?),
            ..query(d)?
        }),
        TextureOp::IsReference => reference(d)?,
    };
    Ok(planned(d, plan))
}

pub(crate) fn decode_surface(d: &mut Decoder<'_>, op: SurfaceOp) -> DecodeResult<DecodedOp> {
    let plan = match op {
        SurfaceOp::Load | SurfaceOp::Store | SurfaceOp::Reduction => surface(d, op)?,
        SurfaceOp::Query => ImagePlan::Query(query(d)?),
    };
    Ok(planned(d, plan))
}

fn planned(d: &mut Decoder<'_>, plan: ImagePlan) -> DecodedOp {
    DecodedOp::Image(d.code.images.add(plan))
}

fn geometry(d: &Decoder<'_>) -> DecodeResult<Geometry> {
    d.modifiers
        .unit
        .geometry
        .ok_or_else(|| DecodeError::missing("geometry"))
}

/// Decodes the operands `d, [texture{, sampler}, coordinates]{, level}{, gradients}{, offset}{, reference}`.
/// `offset_at` is the position of the optional offset.
fn sample(d: &mut Decoder<'_>, offset_at: usize) -> DecodeResult<ImagePlan> {
    let geometry = geometry(d)?;
    let missing = |what| move || DecodeError::missing(what);
    let to = d.modifiers.d_type.ok_or_else(missing("result type"))?;
    let coordinate = d.modifiers.c_type.ok_or_else(missing("coordinate type"))?;
    let n = d.modifiers.n_elements();
    let (mut elements, _) = d.destinations(0)?;
    let resident = match elements.len() > n {
        true => elements.pop(),
        false => None,
    };
    let (image, sampler, coordinates) = place(d, 1)?;
    let mut compared = match d.is_absent(offset_at + 1) {
        true => None,
        false => Some(d.element(offset_at + 1, 32)?),
    };
    let offsets = match d.operand(offset_at) {
        OperandValue::Absent => Vec::new(),
        OperandValue::List(_) => d.sources(offset_at, 32)?.0,
        OperandValue::Source(source, _) if compared.is_some() || is_offset(d, *source) => {
            vec![d.element(offset_at, 32)?]
        }
        _ => {
            compared = Some(d.element(offset_at, 32)?);
            Vec::new()
        }
    };
    Ok(ImagePlan::Sample(TexturePlan {
        geometry,
        gathers: d.modifiers.unit.component.map(|component| match component {
            TexelComponent::Red => 0,
            TexelComponent::Green => 1,
            TexelComponent::Blue => 2,
            TexelComponent::Alpha => 3,
        }),
        image,
        sampler,
        coordinates,
        is_float: coordinate == ScalarType::F32,
        offsets,
        compared,
        elements,
        resident,
        to,
    }))
}

/// Decodes `istypep.texref p, a`.
fn reference(d: &mut Decoder<'_>) -> DecodeResult<ImagePlan> {
    let kind = d.modifiers.unit.reference;
    Ok(ImagePlan::Refers(TypeQueryPlan {
        kind: kind.ok_or_else(|| DecodeError::missing("type of reference"))?,
        image: d.element(1, 64)?,
        to: d.destination(0)?,
    }))
}

/// Checks whether a single operand after the texture is a texel offset. Otherwise, the operand is a depth comparison
/// value.
fn is_offset(d: &Decoder<'_>, source: Source) -> bool {
    match source {
        Source::Immediate(value) => (value as i32 as i64).abs() < MAX_OFFSET,
        Source::Register(run) => {
            let register = d.function.registers.get(run.first.0 as usize);
            register.is_some_and(|register| register.ty.is_integer())
        }
        _ => false,
    }
}

/// Decodes the texture or surface, the optional sampler, and the coordinates.
fn place(
    d: &mut Decoder<'_>,
    index: usize,
) -> DecodeResult<(
    RegisterOperand,
    Option<RegisterOperand>,
    Vec<RegisterOperand>,
)> {
    let elements = d.place(index)?;
    let Some((image, rest)) = elements.split_first() else {
        return Err(DecodeError::missing("texture"));
    };
    // Distinguish the sampler from coordinates by its width: handles have 64 bits, and coordinates have 32 bits.
    match rest.split_first() {
        Some((sampler, coordinates)) if sampler.bits == 64 => {
            Ok((*image, Some(*sampler), coordinates.to_vec()))
        }
        _ => Ok((*image, None, rest.to_vec())),
    }
}

/// Decodes the operands of a query, `d, [a]`.
fn query(d: &mut Decoder<'_>) -> DecodeResult<QueryPlan> {
    let property = d.modifiers.unit.property;
    let property = property.ok_or_else(|| DecodeError::missing("property"))?;
    let to = d.destination(0)?;
    let (slot, _, addend) = d.address(d.address_operand(1)?)?;
    let image = RegisterOperand {
        slot,
        bank: crate::decode::bank_of(64),
        bits: 64,
    };
    Ok(QueryPlan {
        property,
        to,
        image,
        addend,
        level: None,
    })
}

/// Decodes `suld d, [a, coordinates]`, `sust [a, coordinates], b` and `sured [a, coordinates], b`.
fn surface(d: &mut Decoder<'_>, op: SurfaceOp) -> DecodeResult<ImagePlan> {
    let geometry = geometry(d)?;
    let modifiers = d.modifiers;
    let missing = |what| move || DecodeError::missing(what);
    let ty = modifiers.ty.ok_or_else(missing("type"))?;
    let bounds = modifiers.unit.bounds.ok_or_else(missing("clamp mode"))?;
    let is_formatted = modifiers.unit.surface == Some(SurfaceMode::Formatted);
    let n = modifiers.n_elements();
    let (at, values_at) = match op {
        SurfaceOp::Load => (1, 0),
        SurfaceOp::Store | SurfaceOp::Reduction | SurfaceOp::Query => (0, 1),
    };
    let (image, _, coordinates) = place(d, at)?;
    let (mut elements, mut operands) = match op {
        SurfaceOp::Load => d.destinations(values_at)?,
        SurfaceOp::Store | SurfaceOp::Reduction | SurfaceOp::Query => {
            surface_sources(d, values_at, ty)?
        }
    };
    // Repeat a single source value for all elements.
    let (Some(last), Some(operand)) = (elements.last().copied(), operands.last().copied()) else {
        return Err(DecodeError::missing("element"));
    };
    elements.resize(n, last);
    operands.resize(n, operand);
    Ok(ImagePlan::Access(SurfacePlan {
        op,
        geometry,
        bounds,
        is_formatted,
        image,
        coordinates,
        reduces: modifiers.atomic,
        access: surface_access(modifiers, ty, elements, operands),
    }))
}

/// Returns the memory access for the elements of a surface. The addresses of the access are computed from coordinates.
fn surface_access(
    modifiers: &Modifiers,
    ty: ScalarType,
    elements: Vec<RegisterOperand>,
    operands: Vec<u32>,
) -> AccessPlan {
    let element_bytes = ty.width_bytes();
    AccessPlan {
        space: StateSpace::Global,
        base: OperandSlot::NONE,
        has_64_bit_base: true,
        offset: 0,
        element_bytes,
        width_bytes: element_bytes * elements.len() as u32,
        sign: Signedness::Unsigned,
        written: elements
            .iter()
            .enumerate()
            .filter(|(_, element)| element.slot.is_some())
            .fold(0, |mask, (index, _)| mask | 1 << index),
        whole_registers: false,
        moves_words: false,
        elements,
        metadata: AccessMetadata {
            ty,
            sem: Sem::Weak,
            scope: None,
            cache: CacheHints {
                op: modifiers.cache,
                ..CacheHints::default()
            },
            access_bytes: None,
            operands,
        },
    }
}

/// Decodes the source values of a surface instruction, with their operand indices.
fn surface_sources(
    d: &mut Decoder<'_>,
    index: usize,
    ty: ScalarType,
) -> DecodeResult<(Vec<RegisterOperand>, Vec<u32>)> {
    let bits = ty.width_bits();
    match d.operand(index) {
        OperandValue::Source(source, modifiers) => {
            let element = d.read_as(*source, *modifiers, bits, ty)?;
            Ok((vec![element], vec![d.operand_index(index)]))
        }
        OperandValue::Predicate {
            source,
            negated: false,
        } => {
            let element = d.read_as(*source, SourceModifiers::NONE, bits, ty)?;
            Ok((vec![element], vec![d.operand_index(index)]))
        }
        _ => d.sources(index, bits),
    }
}
