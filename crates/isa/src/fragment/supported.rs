//! Table of supported fragments: combinations of operation, shape, type and layout, with the first architecture that supports each
//! combination. The module also looks up the fragment map of a query.

use super::FragmentQuery;
use super::error::FragmentError;
use super::family::FragmentFamily;
use super::formula::FragmentFormula;
use super::group::{self, BlockOrder, RegisterBit};
use super::map::FragmentMap;
use super::operation::{FragmentOp, MatrixOperand, Shape};
use super::quad_pair;
use super::tensor_core::TensorCoreGeneration;
use crate::form::FactSource;
use crate::modifier::MatrixLayout;
use crate::target::{Target, TargetRequirement};
use crate::types::ScalarType;
use FragmentOp as Op;
use ScalarType::{
    B1, B8, B16, Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, F32, F64, S4, S8, S32, Tf32, U4, U8,
};

/// Table entry: a set of fragments with the same memory layouts and the same first architecture.
struct SupportedFragments {
    ops: &'static [FragmentOp],
    shapes: &'static [Shape],
    types: &'static [ScalarType],
    first_sm: u16,
    layouts: &'static [MatrixLayout],
}

const fn entry(
    ops: &'static [FragmentOp],
    shapes: &'static [Shape],
    types: &'static [ScalarType],
    first_sm: u16,
    layouts: &'static [MatrixLayout],
) -> SupportedFragments {
    SupportedFragments {
        ops,
        shapes,
        types,
        first_sm,
        layouts,
    }
}

const M16N16K16: Shape = Shape::new(16, 16, 16);
const M8N32K16: Shape = Shape::new(8, 32, 16);
const M32N8K16: Shape = Shape::new(32, 8, 16);
const M16N16K8: Shape = Shape::new(16, 16, 8);
const M8N8K4: Shape = Shape::new(8, 8, 4);
const M8N8K16: Shape = Shape::new(8, 8, 16);
const M8N8K32: Shape = Shape::new(8, 8, 32);
const M8N8K128: Shape = Shape::new(8, 8, 128);
const M16N8K4: Shape = Shape::new(16, 8, 4);
const M16N8K8: Shape = Shape::new(16, 8, 8);
const M16N8K16: Shape = Shape::new(16, 8, 16);
const M16N8K32: Shape = Shape::new(16, 8, 32);
const M16N8K64: Shape = Shape::new(16, 8, 64);
const M16N8K128: Shape = Shape::new(16, 8, 128);
const M16N8K256: Shape = Shape::new(16, 8, 256);
const M8N8: Shape = Shape::new(8, 8, 0);
const M8N16: Shape = Shape::new(8, 16, 0);
const M16N8: Shape = Shape::new(16, 8, 0);
const M16N16: Shape = Shape::new(16, 16, 0);

const DEPTH_16: &[Shape] = &[M16N16K16, M8N32K16, M32N8K16];
const WMMA_CD: &[FragmentOp] = &[Op::StoreD, Op::LoadC];
const WMMA_AB: &[FragmentOp] = &[Op::LoadA, Op::LoadB];
const MMA_CD: &[FragmentOp] = &[Op::MmaC, Op::MmaD];
const MMA_AB: &[FragmentOp] = &[Op::MmaA, Op::MmaB];
const LDMATRIX: &[FragmentOp] = &[Op::LdmatrixX1, Op::LdmatrixX2, Op::LdmatrixX4];
const STMATRIX: &[FragmentOp] = &[Op::StmatrixX1, Op::StmatrixX2, Op::StmatrixX4];
const BYTES: &[ScalarType] = &[U8, S8];
const NIBBLES: &[ScalarType] = &[U4, S4];
const FLOAT_BYTES: &[ScalarType] = &[E4m3, E5m2];
/// Sub-byte types with the memory formats `.b6x16_p32` and `.b4x16_p64`. In registers, each element occupies one byte.
const PACKED: &[ScalarType] = &[E3m2, E2m3, E2m1];
const BOTH: &[MatrixLayout] = &[MatrixLayout::Row, MatrixLayout::Col];
const ROW: &[MatrixLayout] = &[MatrixLayout::Row];
const COL: &[MatrixLayout] = &[MatrixLayout::Col];
/// Layouts of `mma`: `.row` for A and `.col` for B. [`layouts_of`] selects the layout that applies to the operand.
const ROW_COL: &[MatrixLayout] = BOTH;

#[rustfmt::skip]
static CATALOGUE: &[SupportedFragments] = &[
    // wmma: accumulators, then operand matrices.
    entry(WMMA_CD, DEPTH_16, &[F16, F32], 70, BOTH),
    entry(WMMA_CD, DEPTH_16, &[S32], 72, BOTH),
    entry(WMMA_CD, &[M8N8K32, M8N8K128], &[S32], 75, BOTH),
    entry(WMMA_CD, &[M16N16K8], &[F32], 80, BOTH),
    entry(WMMA_CD, &[M8N8K4], &[F64], 80, BOTH),
    entry(WMMA_AB, DEPTH_16, &[F16], 70, BOTH),
    entry(WMMA_AB, DEPTH_16, &[Bf16], 80, BOTH),
    entry(WMMA_AB, DEPTH_16, BYTES, 72, BOTH),
    entry(&[Op::LoadA], &[M8N8K32], NIBBLES, 75, ROW),
    entry(&[Op::LoadB], &[M8N8K32], NIBBLES, 75, COL),
    entry(&[Op::LoadA], &[M8N8K128], &[B1], 75, ROW),
    entry(&[Op::LoadB], &[M8N8K128], &[B1], 75, COL),
    entry(WMMA_AB, &[M16N16K8], &[Tf32], 80, BOTH),
    entry(WMMA_AB, &[M8N8K4], &[F64], 80, BOTH),
    // Dense forms of `mma`.
    entry(MMA_AB, &[M8N8K4], &[F16], 70, BOTH),
    entry(MMA_AB, &[M8N8K4], &[F64], 80, ROW_COL),
    entry(MMA_AB, &[M16N8K4], &[Tf32], 80, ROW_COL),
    entry(MMA_AB, &[M16N8K4, M16N8K8, M16N8K16], &[F64], 90, ROW_COL),
    entry(MMA_AB, &[M16N8K8], &[F16], 75, ROW_COL),
    entry(MMA_AB, &[M16N8K8], &[Bf16, Tf32], 80, ROW_COL),
    entry(MMA_AB, &[M16N8K16], &[F16, Bf16], 80, ROW_COL),
    entry(MMA_AB, &[M16N8K16, M16N8K32], FLOAT_BYTES, 89, ROW_COL),
    // One element per byte: `.kind::f8f6f4`.
    entry(MMA_AB, &[M16N8K32], PACKED, 120, ROW_COL),
    // Two elements per byte: `.kind::mxf4` and `.kind::mxf4nvf4`.
    entry(MMA_AB, &[M16N8K64], &[E2m1], 120, ROW_COL),
    entry(MMA_AB, &[M8N8K16], BYTES, 75, ROW_COL),
    entry(MMA_AB, &[M16N8K16, M16N8K32], BYTES, 80, ROW_COL),
    entry(MMA_AB, &[M8N8K32], NIBBLES, 75, ROW_COL),
    entry(MMA_AB, &[M16N8K32, M16N8K64], NIBBLES, 80, ROW_COL),
    entry(MMA_AB, &[M8N8K128], &[B1], 75, ROW_COL),
    entry(MMA_AB, &[M16N8K128, M16N8K256], &[B1], 80, ROW_COL),
    entry(MMA_CD, &[M8N8K4], &[F16, F32], 70, BOTH),
    entry(MMA_CD, &[M8N8K4], &[F64], 80, BOTH),
    entry(MMA_CD, &[M16N8K4], &[F32], 80, BOTH),
    entry(MMA_CD, &[M16N8K4, M16N8K8, M16N8K16], &[F64], 90, BOTH),
    entry(MMA_CD, &[M16N8K8], &[F16, F32], 75, BOTH),
    entry(MMA_CD, &[M16N8K16], &[F16, F32, S32], 80, BOTH),
    entry(MMA_CD, &[M16N8K32], &[F16, F32], 89, BOTH),
    entry(MMA_CD, &[M16N8K64], &[F32], 120, BOTH),
    entry(MMA_CD, &[M8N8K16, M8N8K32, M8N8K128], &[S32], 75, BOTH),
    entry(MMA_CD, &[M16N8K32, M16N8K64, M16N8K128, M16N8K256], &[S32], 80, BOTH),
    // Matrices whose rows have 16 bytes in memory. `.col` represents `.trans`, for matrices whose columns have 16 bytes in memory.
    entry(LDMATRIX, &[M8N8], &[B16], 75, BOTH),
    entry(STMATRIX, &[M8N8], &[B16], 90, BOTH),
    entry(&[Op::LdmatrixX1, Op::LdmatrixX2], &[M16N16], &[B8], 100, COL),
    entry(&[Op::LdmatrixX1, Op::LdmatrixX2], &[M16N16], PACKED, 100, COL),
    entry(LDMATRIX, &[M8N16], PACKED, 100, ROW),
    entry(STMATRIX, &[M16N8], &[B8], 100, COL),
    entry(&[Op::MovmatrixA], &[M8N8], &[B16], 75, ROW),
    entry(&[Op::MovmatrixD], &[M8N8], &[B16], 75, COL),
];

/// Returns the layouts that `op` supports for the fragments of `entry`.
fn layouts_of(
    entry: &SupportedFragments,
    op: FragmentOp,
    ty: ScalarType,
) -> &'static [MatrixLayout] {
    match (op, entry.shapes, ty) {
        (Op::MmaA | Op::MmaB, [M8N8K4], F16) => entry.layouts,
        (Op::MmaA, ..) => ROW,
        (Op::MmaB, ..) => COL,
        _ => entry.layouts,
    }
}

/// Returns the fragment map of `query`, or the unsupported property of the query as an error.
pub fn fragment(query: &FragmentQuery) -> Result<FragmentMap, FragmentError> {
    let FragmentQuery {
        op,
        shape,
        ty,
        target,
        ..
    } = *query;
    let entries = || CATALOGUE.iter().filter(|entry| entry.ops.contains(&op));
    let shaped = || entries().filter(|entry| entry.shapes.contains(&shape));
    let Some(entry) = shaped().find(|entry| entry.types.contains(&ty)) else {
        if shaped().next().is_none() {
            let mut shapes: Vec<Shape> = Vec::new();
            for other in entries().flat_map(|entry| entry.shapes) {
                if !shapes.contains(other) {
                    shapes.push(*other);
                }
            }
            return Err(FragmentError::Shape { op, shape, shapes });
        }
        let types = shaped().flat_map(|entry| entry.types).copied().collect();
        return Err(FragmentError::Type {
            op,
            shape,
            ty,
            types,
        });
    };
    let layouts = layouts_of(entry, op, ty);
    let layout = query.layout.unwrap_or(layouts[0]);
    if !layouts.contains(&layout) {
        return Err(FragmentError::Layout {
            op,
            shape,
            ty,
            found: layout,
            expected: layouts[0],
        });
    }
    match TensorCoreGeneration::of(&target) {
        Some(core) if TargetRequirement::From(entry.first_sm).met_by(&target) => {
            Ok(map(query, core, layout, layouts))
        }
        _ => Err(FragmentError::Target {
            op,
            shape,
            ty,
            found: target.name,
            first_sm: entry.first_sm,
        }),
    }
}

/// Returns all queries that have a map on `target`, in table order.
pub fn all_fragments(target: &Target) -> Vec<FragmentQuery> {
    let mut queries = Vec::new();
    let has = |entry: &&SupportedFragments| TargetRequirement::From(entry.first_sm).met_by(target);
    for entry in CATALOGUE.iter().filter(has) {
        for &op in entry.ops {
            for &shape in entry.shapes {
                for &ty in entry.types {
                    for &layout in layouts_of(entry, op, ty) {
                        queries.push(FragmentQuery {
                            op,
                            shape,
                            ty,
                            layout: Some(layout),
                            target: *target,
                        });
                    }
                }
            }
        }
    }
    queries
}

fn map(
    query: &FragmentQuery,
    core: TensorCoreGeneration,
    layout: MatrixLayout,
    layouts: &'static [MatrixLayout],
) -> FragmentMap {
    let FragmentQuery { op, shape, ty, .. } = *query;
    let (rows, columns) = shape.size(op.matrix());
    let family = family(query, core);
    let sizes = LaneSizes::of(query, family);
    let formula = match (op, family) {
        (_, FragmentFamily::QuadPair) => {
            quad_pair::formula(shape, op.matrix(), ty, layout, sizes.n_elements())
        }
        (_, FragmentFamily::Group) if shape.k == 0 => matrices(op, shape, &sizes),
        (_, FragmentFamily::Group) => in_groups(query, core, &sizes),
    };
    // In quad pairs, the fragments of A and B depend on whether they are loaded from rows or columns.
    let is_layout_seen = family == FragmentFamily::QuadPair
        && matches!(op.matrix(), MatrixOperand::A | MatrixOperand::B);
    FragmentMap {
        query: FragmentQuery {
            layout: Some(layout),
            ..*query
        },
        layout,
        layouts: if is_layout_seen {
            vec![layout]
        } else {
            layouts.to_vec()
        },
        family,
        rows,
        columns,
        n_matrices: 1 << formula.matrix.fields().iter().map(|f| f.width).sum::<u8>(),
        n_registers: sizes.n_registers,
        elements_per_register: sizes.elements_per_register,
        n_read_registers: sizes.n_read_registers,
        formula,
        origin: match (op.is_wmma(), core) {
            // Assembler 13.5 supports only `sm_75` and later, so the map for Volta is derived from assembler 12.9.
            (true, TensorCoreGeneration::Volta) => FactSource::Assembler("12.9"),
            (true, _) => FactSource::Assembler("13.5"),
            (false, _) => FactSource::Documented,
        },
    }
}

/// Returns the family of the fragment. The family is quad pairs for `wmma` on `f16` on `sm_70` and `sm_72`, and for `mma.m8n8k4` on every
/// target. For all other fragments, the family is groups of four lanes.
fn family(query: &FragmentQuery, core: TensorCoreGeneration) -> FragmentFamily {
    let is_half = matches!(query.ty, F16 | F32);
    let is_own = query.op.is_wmma() && core == TensorCoreGeneration::Volta;
    if is_half && (is_own || !query.op.is_wmma() && query.shape == M8N8K4) {
        FragmentFamily::QuadPair
    } else {
        FragmentFamily::Group
    }
}

/// Number of registers and number of elements of a fragment in each lane.
struct LaneSizes {
    n_registers: u8,
    elements_per_register: u8,
    n_read_registers: u8,
}

impl LaneSizes {
    fn of(query: &FragmentQuery, family: FragmentFamily) -> LaneSizes {
        let FragmentQuery { op, shape, ty, .. } = *query;
        // Registers have 32 bits, except for the 64-bit registers of `f64`. Sub-byte floats occupy one byte each, unless all elements have
        // 4 bits.
        let container_bits = match ty {
            E2m1 if shape == M16N8K64 => 4,
            E3m2 | E2m3 | E2m1 => 8,
            _ => ty.width_bits(),
        };
        let elements_per_register = (32 / container_bits).max(1) as u8;
        let (rows, columns) = shape.size(op.matrix());
        let held = rows * columns / 32;
        let registers = |n_elements: u16| (n_elements / u16::from(elements_per_register)) as u8;
        let is_factor = matches!(op.matrix(), MatrixOperand::A | MatrixOperand::B);
        let (n_registers, n_read_registers) = match (op, family) {
            (Op::LdmatrixX2 | Op::StmatrixX2, _) => (2 * registers(held), 2 * registers(held)),
            (Op::LdmatrixX4 | Op::StmatrixX4, _) => (4 * registers(held), 4 * registers(held)),
            // Eight lanes, which are a quarter of the warp, hold an 8x8 or 8x4 matrix.
            (_, FragmentFamily::QuadPair) if !op.is_wmma() => {
                (registers(4 * held), registers(4 * held))
            }
            (_, FragmentFamily::QuadPair) if is_factor => (8, 8),
            // The `f16` vector has eight registers in every shape (PTX ISA, "wmma.load").
            (_, FragmentFamily::Group) if op.is_wmma() && is_factor && ty == F16 => {
                (8, registers(held))
            }
            _ => (registers(held), registers(held)),
        };
        LaneSizes {
            n_registers,
            elements_per_register,
            n_read_registers,
        }
    }

    fn n_elements(&self) -> u16 {
        u16::from(self.n_registers) * u16::from(self.elements_per_register)
    }

    fn element_bits(&self) -> u8 {
        self.n_elements().ilog2() as u8
    }

    fn packed_bits(&self) -> u8 {
        self.elements_per_register.ilog2() as u8
    }
}

fn in_groups(
    query: &FragmentQuery,
    core: TensorCoreGeneration,
    sizes: &LaneSizes,
) -> FragmentFormula {
    let FragmentQuery { op, shape, ty, .. } = *query;
    let blocks_of_8 = |length: u16| (length / 8).ilog2() as u8;
    let depth_bits = || (shape.k / (4 * u16::from(sizes.elements_per_register))).ilog2() as u8;
    match op.matrix() {
        MatrixOperand::A => {
            let order = block_order(MatrixOperand::A, blocks_of_8(shape.m), depth_bits());
            group::factor(sizes.packed_bits(), &order, sizes.element_bits())
        }
        MatrixOperand::B => {
            let order = block_order(MatrixOperand::B, blocks_of_8(shape.n), depth_bits());
            group::factor(sizes.packed_bits(), &order, sizes.element_bits()).transposed()
        }
        MatrixOperand::C | MatrixOperand::D => {
            // `sm_72` and `sm_75` compute the integer MMA of this shape directly. All other targets compute its transpose.
            let is_straight = ty == S32 && core < TensorCoreGeneration::Ampere;
            let blocks = if shape == M8N32K16 && !is_straight {
                BlockOrder::Transposed
            } else {
                BlockOrder::Plain {
                    down: blocks_of_8(shape.m),
                }
            };
            group::accumulator(blocks, sizes.element_bits())
        }
    }
}

/// Returns the dimension that each bit of the register index enumerates, least significant bit first. A hardware instruction processes 16
/// rows of A at once, so the first row bit precedes the bits of k. The instruction processes 8 columns of B at once, so the bits of k
/// precede the column bits, except in m8n32k16, which the hardware computes as the transposed product.
fn block_order(matrix: MatrixOperand, outer_bits: u8, depth_bits: u8) -> Vec<RegisterBit> {
    let outer = |n: u8| std::iter::repeat_n(RegisterBit::Outer, usize::from(n));
    let first = if matrix == MatrixOperand::B && outer_bits == 1 {
        0
    } else {
        outer_bits.min(1)
    };
    outer(first)
        .chain(std::iter::repeat_n(
            RegisterBit::Depth,
            usize::from(depth_bits),
        ))
        .chain(outer(outer_bits - first))
        .collect()
}

/// Returns the formula of `ldmatrix`, `stmatrix` and `movmatrix` (PTX ISA, "Warp-level matrix load instruction: ldmatrix"). The fragment
/// does not depend on `.trans`, which only specifies whether rows or columns are contiguous in memory.
fn matrices(op: FragmentOp, shape: Shape, sizes: &LaneSizes) -> FragmentFormula {
    let element_bits = sizes.element_bits();
    match (op, shape) {
        // The coordinates of the result fragment are the coordinates of the elements in the source matrix.
        (Op::MovmatrixD, _) => {
            group::rows_of_matrices(sizes.packed_bits(), element_bits).transposed()
        }
        (_, M16N16) => group::two_rows_of_matrices(sizes.packed_bits(), element_bits),
        // This fragment is identical to the accumulator fragment of `mma`.
        (_, M16N8) => group::two_rows_of_matrices(sizes.packed_bits() - 1, element_bits),
        _ => group::rows_of_matrices(sizes.packed_bits(), element_bits),
    }
}
