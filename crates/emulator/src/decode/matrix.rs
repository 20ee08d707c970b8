//! Decoder of warp-level matrix instructions. Each plan contains the locations of the matrix elements in registers and
//! lanes.

use crate::code::RegisterOperand;
use crate::code::decoded_op::DecodedOp;
use crate::code::matrix_plan::{
    FragmentElement, FragmentPlan, LdmatrixElement, LdmatrixPlan, MatrixPlan, MmaPlan,
    ScaleFactorPlan, WmmaMemoryPlan,
};
use crate::contract::fault::AccessKind;
use crate::contract::support::Support;
use crate::decode::memory::{AddressOperands, access_plan};
use crate::decode::{DecodeError, DecodeResult, Decoder, warpgroup_mma};
use crate::semantics::registers::LANES;
use crate::semantics::tensor::algorithm::{BitOp, IntegerOverflow, MmaDescription, MmaInstruction};
use crate::semantics::tensor::block_scaling::ScaleType;
use crate::semantics::tensor::model::TensorCoreModel;
use warpgrid_isa::fragment::{
    ElementCoord, FragmentMap, FragmentQuery, MatrixOperand, Shape, TensorCoreGeneration, fragment,
    moved_matrix,
};
use warpgrid_isa::{
    BoolOp, Flag, MatrixCount, MatrixLayout, MatrixOp, Modifiers, Rounding, ScalarType, Sem,
    StateSpace,
};
use warpgrid_program::{AddressBase, OperandValue};

pub(crate) fn supports(op: MatrixOp) -> Support {
    match op {
        MatrixOp::WmmaLoadA
        | MatrixOp::WmmaLoadB
        | MatrixOp::WmmaLoadC
        | MatrixOp::WmmaStore
        | MatrixOp::WmmaMma => Support::Runs,
        MatrixOp::Mma | MatrixOp::MmaBlockScaled => Support::Runs,
        MatrixOp::MmaSparse | MatrixOp::MmaSparseBlockScaled => Support::Runs,
        MatrixOp::Ldmatrix | MatrixOp::Stmatrix => Support::Runs,
    }
}

/// Replaces a matrix count that the PTX ISA does not define by one, as assembler 13.5 does.
fn counted(modifiers: &Modifiers) -> Modifiers {
    use MatrixCount as C;
    let count = modifiers.count.map(|count| match count {
        C::X1 | C::X2 | C::X4 => count,
        C::X8 | C::X16 | C::X32 | C::X64 | C::X128 => C::X1,
    });
    Modifiers {
        count,
        ..*modifiers
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: MatrixOp) -> DecodeResult<DecodedOp> {
    let plan = match op {
        MatrixOp::WmmaLoadA | MatrixOp::WmmaLoadB | MatrixOp::WmmaLoadC | MatrixOp::WmmaStore => {
            lines(d, op)?
        }
        MatrixOp::WmmaMma | MatrixOp::Mma | MatrixOp::MmaBlockScaled => product(d, op)?,
        MatrixOp::Ldmatrix | MatrixOp::Stmatrix => rows(d, op)?,
        MatrixOp::MmaSparse | MatrixOp::MmaSparseBlockScaled => {
            MatrixPlan::Sparse(Box::new(warpgroup_mma::sparse_of_warp(d)?))
        }
    };
    Ok(DecodedOp::Matrix(d.code.matrices.add(plan)))
}

/// Returns the fragment layout of an operand.
fn map(d: &Decoder<'_>, op: MatrixOp, matrix: MatrixOperand) -> DecodeResult<FragmentMap> {
    let query = FragmentQuery::of_operand(op, &counted(d.modifiers), matrix, *d.program.target);
    let query = query.ok_or(DecodeError::NotYet(None))?;
    // For SASS, the target was not checked for the features of the instruction, so an unsupported fragment is an error
    // here.
    fragment(&query).map_err(|error| DecodeError::NotYet(Some(error.to_string())))
}

fn access_kind(op: MatrixOp) -> DecodeResult<AccessKind> {
    op.access().ok_or_else(|| DecodeError::missing("access"))
}

/// Decodes `wmma.load` and `wmma.store`.
fn lines(d: &mut Decoder<'_>, op: MatrixOp) -> DecodeResult<MatrixPlan> {
    let ty = d.modifiers.ty.ok_or_else(|| DecodeError::missing("type"))?;
    let layout = d.modifiers.layout;
    let layout = layout.ok_or_else(|| DecodeError::missing("layout"))?;
    let map = map(d, op, moved_matrix(op))?;
    let kind = access_kind(op)?;
    let register_bits = if ty == ScalarType::F64 { 64 } else { 32 };
    let (address, (registers, operands)) = match kind {
        AccessKind::Load => (1, d.destinations(0)?),
        AccessKind::Store | AccessKind::Atomic => (0, d.sources(1, register_bits)?),
    };
    let n_registers = registers.len();
    let at = AddressOperands::address(address);
    let mut access = access_plan(d, at, ty, Sem::Weak, registers, operands)?;
    let stride = match d.operand(2) {
        OperandValue::Absent => {
            let stride = map.default_stride_elements(layout);
            d.constant(u64::from(stride), 32)
        }
        _ => d.source(2, 32)?,
    };
    // Elements with less than 8 bits are transferred as whole registers, because they have the same order in memory and
    // in a register.
    let element_bits = ty.width_bits();
    let per_register = match element_bits {
        0..8 => 1,
        _ => u32::from(map.elements_per_register),
    };
    let unit_bytes = register_bits / 8 / per_register;
    let n_read = usize::from(map.n_read_registers).min(n_registers);
    let places = places_of_lines(&map, layout, n_read as u32, per_register);
    access.width_bytes = n_read as u32 * per_register * unit_bytes;
    let accesses = map
        .accesses(layout)
        .ok_or_else(|| DecodeError::missing("fragment accesses"))?;
    let (n_major, n_minor) = match layout {
        MatrixLayout::Row => (map.rows, map.columns),
        MatrixLayout::Col => (map.columns, map.rows),
    };
    let rules = match access.space {
        StateSpace::Shared => accesses.shared,
        _ => accesses.global,
    };
    access.metadata.access_bytes = Some(rules.lane_bytes());
    Ok(MatrixPlan::Lines(WmmaMemoryPlan {
        rules,
        access,
        kind,
        stride,
        n_read,
        per_register,
        unit_bytes,
        element_bits,
        places,
        n_major,
        n_minor,
    }))
}

/// Returns the matrix line and the position within the line, for each register unit and each lane.
fn places_of_lines(
    map: &FragmentMap,
    layout: MatrixLayout,
    n_read: u32,
    per_register: u32,
) -> Vec<[[u16; 2]; LANES]> {
    let step = u8::try_from(u32::from(map.elements_per_register) / per_register).unwrap_or(1);
    let of_unit = |unit: u32| {
        std::array::from_fn(|lane| {
            let place = map.place(warpgrid_isa::fragment::RegisterLocation {
                lane: lane as u8,
                register: (unit / per_register) as u8,
                element: (unit % per_register) as u8 * step,
            });
            layout.major_minor(place).into()
        })
    };
    (0..n_read * per_register).map(of_unit).collect()
}

/// Returns the description of an MMA: shape, types and modifiers.
fn product_of(d: &Decoder<'_>, op: MatrixOp) -> DecodeResult<MmaDescription> {
    let modifiers = d.modifiers;
    let missing = || DecodeError::missing("type");
    let (c_type, d_type) = (
        modifiers.c_type.ok_or_else(missing)?,
        modifiers.d_type.ok_or_else(missing)?,
    );
    // Assume `f16` operands if the instruction specifies only the types of C and D, as `wmma.mma` with `f16` operands
    // does.
    let a_type = modifiers.a_type.unwrap_or(ScalarType::F16);
    let b_type = modifiers.b_type.unwrap_or(ScalarType::F16);
    let shape = modifiers.shape;
    let shape = shape.ok_or_else(|| DecodeError::missing("shape"))?;
    let core = TensorCoreGeneration::of(d.program.target);
    Ok(MmaDescription {
        core: core.ok_or(DecodeError::NotYet(None))?,
        op: if op == MatrixOp::WmmaMma {
            MmaInstruction::Wmma
        } else {
            MmaInstruction::Mma
        },
        shape: Shape::new(shape.rows, shape.columns, shape.depth),
        a: a_type,
        b: b_type,
        c: c_type,
        d: d_type,
        overflow: match modifiers.has(Flag::Satfinite) {
            true => IntegerOverflow::Saturate,
            false => IntegerOverflow::Wrap,
        },
        rounding: modifiers.rounding.unwrap_or(Rounding::Rn),
        bit_op: match modifiers.combine {
            Some(BoolOp::And) => BitOp::And,
            Some(BoolOp::Or | BoolOp::Xor) | None => BitOp::Xor,
        },
    })
}

/// Decodes `wmma.mma` and `mma`.
fn product(d: &mut Decoder<'_>, op: MatrixOp) -> DecodeResult<MatrixPlan> {
    let modifiers = d.modifiers;
    let product = product_of(d, op)?;
    let factor_type = match modifiers.scale_type {
        Some(ScalarType::Ue4m3) => ScaleType::Ue4m3,
        _ => ScaleType::Ue8m0,
    };
    let is_scaled = op == MatrixOp::MmaBlockScaled;
    let plan = match is_scaled {
        true => TensorCoreModel::scaled(product, factor_type),
        false => TensorCoreModel::new(product),
    };
    let plan = plan.map_err(|error| DecodeError::NotYet(Some(error.to_string())))?;
    let a = map(d, op, MatrixOperand::A)?;
    let b = map(d, op, MatrixOperand::B)?;
    let c = map(d, op, MatrixOperand::C)?;
    let result = map(d, op, MatrixOperand::D)?;
    let bits = |ty: ScalarType| if ty == ScalarType::F64 { 64 } else { 32 };
    let (d_registers, _) = d.destinations(0)?;
    let (a_registers, _) = d.sources(1, bits(product.a))?;
    let (b_registers, _) = d.sources(2, bits(product.b))?;
    let (c_registers, _) = d.sources(3, bits(product.c))?;
    let factors = match is_scaled {
        true => Some([
            factors(d, MatrixOperand::A, 4)?,
            factors(d, MatrixOperand::B, 6)?,
        ]),
        false => None,
    };
    Ok(MatrixPlan::Product(Box::new(MmaPlan {
        plan,
        factors,
        n_matrices: usize::from(result.n_matrices),
        a: operand(&a, a_registers, |place| (place.row, place.column)),
        b: operand(&b, b_registers, |place| (place.column, place.row)),
        c: operand(&c, c_registers, |place| (place.row, place.column)),
        d: operand(&result, d_registers, |place| (place.row, place.column)),
    })))
}

/// Decodes the scale factors of A or B at an operand position, and the following selector operands.
pub(crate) fn factors(
    d: &mut Decoder<'_>,
    matrix: MatrixOperand,
    at: usize,
) -> DecodeResult<ScaleFactorPlan> {
    let is_paired = matrix == MatrixOperand::A;
    let register = d.source(at, 32)?;
    let (selectors, _) = d.sources(at + 1, 16)?;
    let [byte, lane] = selectors[..] else {
        return Err(DecodeError::missing("scale factor selectors"));
    };
    Ok(ScaleFactorPlan {
        register,
        byte,
        lane,
        n: d.modifiers.factors_per_line(),
        n_lanes: if is_paired { 2 } else { 4 },
        is_paired,
    })
}

/// Returns the locations of the elements of an operand, in the order in which the matrix product reads them. `line`
/// returns the line of an element and its position within the line.
fn operand(
    map: &FragmentMap,
    registers: Vec<RegisterOperand>,
    line: fn(ElementCoord) -> (u16, u16),
) -> FragmentPlan {
    // Read single-bit elements as words of 32 elements.
    let bits = match map.container_bits() {
        1 => 32,
        bits => bits,
    };
    let per_register = u32::from(map.elements_per_register) * map.container_bits() / bits;
    let step = u32::from(map.elements_per_register) / per_register.max(1);
    let mut placed = Vec::new();
    for lane in 0..32 {
        for register in 0..map.n_read_registers {
            for part in 0..per_register {
                let place = map.place(warpgrid_isa::fragment::RegisterLocation {
                    lane,
                    register,
                    element: (part * step) as u8,
                });
                let shift = (part * bits) as u8;
                let gather = FragmentElement {
                    register,
                    lane,
                    shift,
                };
                placed.push(((place.matrix, line(place)), gather));
            }
        }
    }
    placed.sort_by_cached_key(|((matrix, (line, position)), gather)| {
        let place = [*matrix, *line, *position].into_iter();
        let place = place.fold(0, |key, part| key << 16 | u64::from(part));
        place << 16 | u64::from(gather.lane) << 8 | u64::from(gather.register)
    });
    // If several lanes contain copies of an element, read the element from the lowest lane, and write it to all lanes.
    let held = placed.iter().map(|(_, gather)| *gather).collect();
    placed.dedup_by_key(|(place, _)| *place);
    let values: Vec<FragmentElement> = placed.into_iter().map(|(_, gather)| gather).collect();
    FragmentPlan {
        n_values: values.len() / usize::from(map.n_matrices).max(1),
        values,
        held,
        mask: u64::MAX >> (64 - bits),
        registers,
    }
}

/// Decodes `ldmatrix` and `stmatrix`.
fn rows(d: &mut Decoder<'_>, op: MatrixOp) -> DecodeResult<MatrixPlan> {
    let map = map(d, op, moved_matrix(op))?;
    let kind = access_kind(op)?;
    let (address, (registers, operands)) = match kind {
        AccessKind::Load => (1, d.destinations(0)?),
        AccessKind::Store | AccessKind::Atomic => (0, d.sources(1, 32)?),
    };
    let n_registers = registers.len();
    let at = AddressOperands::address(address);
    // Report the container type of an element in a register as the type of event pieces.
    let ty = match map.container_bits() {
        8 => ScalarType::B8,
        _ => ScalarType::B16,
    };
    let mut row = access_plan(d, at, ty, Sem::Weak, Vec::new(), Vec::new())?;
    let mut access = access_plan(d, at, ty, Sem::Weak, registers, operands)?;
    // If the instruction specifies no state space, the address of a shared variable implies shared memory.
    if let AddressBase::Variable(_) = d.address_operand(address)?.base
        && access.space == StateSpace::Generic
    {
        access.space = StateSpace::Shared;
        row.space = StateSpace::Shared;
    }
    row.width_bytes = LdmatrixPlan::ROW_BYTES;
    access.width_bytes = 4 * n_registers as u32;
    let n_lines = match map.layout {
        MatrixLayout::Row => map.rows,
        MatrixLayout::Col => map.columns,
    };
    let mut places: Vec<LdmatrixElement> = map
        .holders()
        .map(|holder| {
            let place = map.place(holder);
            let (line, column) = map.layout.major_minor(place);
            LdmatrixElement {
                asked: (place.matrix * n_lines + line) as u8,
                column: column as u8,
                gave: holder.lane,
                register: holder.register,
                element: holder.element,
            }
        })
        .collect();
    places.sort_by_cached_key(|place| u64::from(place.asked) << 8 | u64::from(place.column));
    Ok(MatrixPlan::Rows(LdmatrixPlan {
        address_lanes: u32::MAX >> (32 - u32::from(n_lines * map.n_matrices).clamp(1, 32)),
        element_bits: map.element_bits(),
        container_bits: map.container_bits(),
        access,
        row,
        kind,
        places,
    }))
}
