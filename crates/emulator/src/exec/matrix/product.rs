//! Warp-level matrix instructions (PTX ISA, "Warp-Level Matrix Instructions"). The modules `lines` and `rows` implement
//! the loads and stores of matrices.

use crate::code::matrix_plan::MAX_REGISTERS;
use crate::code::matrix_plan::{
    FragmentElement, FragmentPlan, MatrixPlan, MmaPlan, ScaleFactorPlan,
};
use crate::contract::fault::{FaultKind, MatrixMisuse};
use crate::exec::matrix::lines::lines;
use crate::exec::matrix::rows::rows;
use crate::exec::matrix::wgmma::multiply_now;
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::exec::operand_rows::{read64, write64};
use crate::semantics::registers::{FULL, LANES, LaneRegisters, Row64};
use crate::semantics::tensor::block_scaling::ScaledOperandLine;
use crate::semantics::tensor::float_conversion::MmaOperandValues;

/// Maximum number of elements of A or B for one warp.
const MAX_FACTORS: usize = 16 * 64;
/// Maximum number of elements of C or D for one warp.
const MAX_SUMS: usize = 256;

/// Executes a matrix instruction for a whole warp.
#[inline(never)]
pub(crate) fn matrix(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &MatrixPlan,
) -> ExecResult {
    if l.mask != FULL {
        let missing = !l.mask;
        let mistake = MatrixMisuse::MissingLanes { missing };
        return Err(ExecutionFault::new(
            FaultKind::UndefinedMatrix(mistake),
            l.mask,
        ));
    }
    match plan {
        MatrixPlan::Lines(plan) => lines(reach, l, plan),
        MatrixPlan::Rows(plan) => rows(reach, l, plan),
        MatrixPlan::Product(plan) => product(l, plan),
        MatrixPlan::Sparse(plan) => multiply_now(l, plan),
    }
}

/// Executes `wmma.mma` or `mma`.
pub(crate) fn product(l: &mut LaneRegisters<'_>, plan: &MmaPlan) -> ExecResult {
    let mut rows = [[0; LANES]; MAX_REGISTERS];
    let (mut a, mut b) = ([0; MAX_FACTORS], [0; MAX_FACTORS]);
    let (mut c, mut d) = ([0; MAX_SUMS], [0; MAX_SUMS]);
    let a = gather(l, &plan.a, &mut rows, &mut a);
    let b = gather(l, &plan.b, &mut rows, &mut b);
    let c = gather(l, &plan.c, &mut rows, &mut c);
    let d = d.get_mut(..plan.d.values.len()).unwrap_or(&mut []);
    if let Some([of_a, of_b]) = &plan.factors {
        let factors = [lines_of_factors(l, of_a)?, lines_of_factors(l, of_b)?];
        scaled(plan, MmaOperandValues { a, b, c }, &factors, d);
        scatter(l, &plan.d, &mut rows, d);
        return Ok(());
    }
    let matrices = a
        .chunks(plan.a.n_values.max(1))
        .zip(b.chunks(plan.b.n_values.max(1)))
        .zip(c.chunks(plan.c.n_values.max(1)))
        .zip(d.chunks_mut(plan.d.n_values.max(1)));
    for (((a, b), c), d) in matrices.take(plan.n_matrices) {
        plan.plan.matrix(a, b, c, d);
    }
    scatter(l, &plan.d, &mut rows, d);
    Ok(())
}

/// Maximum number of rows of A or columns of B with scale factors.
const MAX_LINES: usize = 16;
/// Maximum number of scale factors of one row of A or one column of B.
pub(crate) const MAX_LINE_FACTORS: usize = 4;

/// Scale factors of each row of A or of each column of B.
pub(crate) type ScaleFactors = [[u8; MAX_LINE_FACTORS]; MAX_LINES];

/// Computes the elements of D of a block-scaled MMA, with the scale factors of their rows and columns.
fn scaled(
    plan: &MmaPlan,
    values: MmaOperandValues<'_>,
    factors: &[ScaleFactors; 2],
    d: &mut [u64],
) {
    let MmaOperandValues { a, b, c } = values;
    let shape = plan.plan.product().shape;
    let (columns, depth) = (usize::from(shape.n).max(1), usize::from(shape.k).max(1));
    let [of_a, of_b] = factors;
    let n = |of: usize| {
        plan.factors
            .map_or(0, |plans| usize::from(plans[of].n))
            .min(MAX_LINE_FACTORS)
    };
    for (at, (d, c)) in d.iter_mut().zip(c).enumerate() {
        let (row, column) = (at / columns, at % columns);
        let lines = (a.chunks(depth).nth(row), b.chunks(depth).nth(column));
        if let (Some(a), Some(b)) = lines {
            let a = ScaledOperandLine {
                values: a,
                factors: &of_a[row % MAX_LINES][..n(0)],
            };
            let b = ScaledOperandLine {
                values: b,
                factors: &of_b[column % MAX_LINES][..n(1)],
            };
            *d = plan.plan.scaled_element(a, b, *c);
        }
    }
}

/// Returns the scale factors of each row of A or column of B. The scale factors are distributed across the lanes (PTX
/// ISA, "Block Scaling"). All lanes must specify the same byte and lane selectors.
pub(crate) fn lines_of_factors(
    l: &LaneRegisters<'_>,
    plan: &ScaleFactorPlan,
) -> Result<ScaleFactors, Box<ExecutionFault>> {
    let (bytes, lanes) = (read64(l, plan.byte), read64(l, plan.lane));
    let (byte, lane) = (bytes[0] & 0xffff, lanes[0] & 0xffff);
    let n = u64::from(plan.n).max(1);
    let is_allowed = byte.is_multiple_of(n) && byte + n <= 4 && lane < u64::from(plan.n_lanes);
    let is_equal = |row: &Row64, value: u64| row.iter().all(|other| other & 0xffff == value);
    if !is_allowed || !is_equal(&bytes, byte) || !is_equal(&lanes, lane) {
        let mistake = MatrixMisuse::InvalidScaleSelectors {
            byte: byte as u16,
            lane: lane as u16,
        };
        return Err(ExecutionFault::new(
            FaultKind::UndefinedMatrix(mistake),
            l.mask,
        ));
    }
    let registers = l.r32(plan.register);
    let mut factors = ScaleFactors::default();
    for (line, factors) in factors.iter_mut().enumerate() {
        let within = if plan.is_paired {
            2 * lane as usize + line / 8
        } else {
            lane as usize
        };
        let word = registers[(4 * (line % 8) + within) % LANES];
        for (place, factor) in factors.iter_mut().take(n as usize).enumerate() {
            *factor = (word >> (8 * (byte as usize + place) as u32)) as u8;
        }
    }
    Ok(factors)
}

/// Returns the elements of an operand matrix in the order in which the matrix product reads them.
fn gather<'v>(
    l: &LaneRegisters<'_>,
    operand: &FragmentPlan,
    rows: &mut [Row64; MAX_REGISTERS],
    values: &'v mut [u64],
) -> &'v [u64] {
    for (row, register) in rows.iter_mut().zip(&operand.registers) {
        *row = read64(l, *register);
    }
    let values = values.get_mut(..operand.values.len()).unwrap_or(&mut []);
    for (value, from) in values.iter_mut().zip(&operand.values) {
        let (register, lane) = place(*from);
        *value = rows[register][lane] >> from.shift & operand.mask;
    }
    values
}

/// Writes the elements of D to the destination registers.
fn scatter(
    l: &mut LaneRegisters<'_>,
    operand: &FragmentPlan,
    rows: &mut [Row64; MAX_REGISTERS],
    values: &[u64],
) {
    *rows = [[0; LANES]; MAX_REGISTERS];
    for (value, to) in values.iter().zip(&operand.held) {
        let (register, lane) = place(*to);
        rows[register][lane] |= (value & operand.mask) << to.shift;
    }
    for (row, register) in rows.iter().zip(&operand.registers) {
        write64(l, *register, row);
    }
}

/// Returns the register index and the lane of an element. Both results are masked, so that the compiler omits bounds
/// checks.
#[inline(always)]
fn place(gather: FragmentElement) -> (usize, usize) {
    (
        usize::from(gather.register) % MAX_REGISTERS,
        usize::from(gather.lane) % LANES,
    )
}
