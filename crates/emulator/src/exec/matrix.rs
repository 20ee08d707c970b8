//! Matrix operations of a warp (PTX ISA, "Warp-Level Matrix Instructions"): products here, memory in `matrix_lines` and
//! `matrix_rows`. In: a plan and registers; out: registers, bytes and events.

use crate::decode::matrix_plan::{Gather, MatrixPlan, OperandPlan, ProductPlan};
use crate::exec::elements::{read64, write64};
use crate::exec::matrix_lines::lines;
use crate::exec::matrix_rows::rows;
use crate::exec::reach::{Executed, Halt, Reach};
use crate::run::fault::{FaultKind, MatrixMistake};
use crate::state::registers::{FULL, LANES, Lanes, Row64};

/// The most registers of an operand.
pub(crate) const MAX_REGISTERS: usize = 8;
/// The most values of A or B.
const MAX_FACTORS: usize = 16 * 64;
/// The most values of C or D.
const MAX_SUMS: usize = 256;

/// Executes a matrix operation of a whole warp.
#[inline(never)]
pub(crate) fn matrix(reach: &mut Reach<'_>, l: &mut Lanes<'_>, plan: &MatrixPlan) -> Executed {
    if l.mask != FULL {
        let missing = !l.mask;
        let mistake = MatrixMistake::MissingLanes { missing };
        return Err(Halt::new(FaultKind::UndefinedMatrix(mistake), l.mask));
    }
    match plan {
        MatrixPlan::Lines(plan) => lines(reach, l, plan),
        MatrixPlan::Rows(plan) => rows(reach, l, plan),
        MatrixPlan::Product(plan) => {
            product(l, plan);
            Ok(())
        }
    }
}

/// `wmma.mma` and `mma`
fn product(l: &mut Lanes<'_>, plan: &ProductPlan) {
    let mut rows = [[0; LANES]; MAX_REGISTERS];
    let (mut a, mut b) = ([0; MAX_FACTORS], [0; MAX_FACTORS]);
    let (mut c, mut d) = ([0; MAX_SUMS], [0; MAX_SUMS]);
    let a = gather(l, &plan.a, &mut rows, &mut a);
    let b = gather(l, &plan.b, &mut rows, &mut b);
    let c = gather(l, &plan.c, &mut rows, &mut c);
    let d = d.get_mut(..plan.d.values.len()).unwrap_or(&mut []);
    let matrices = a
        .chunks(plan.a.n_values.max(1))
        .zip(b.chunks(plan.b.n_values.max(1)))
        .zip(c.chunks(plan.c.n_values.max(1)))
        .zip(d.chunks_mut(plan.d.n_values.max(1)));
    for (((a, b), c), d) in matrices.take(plan.n_matrices) {
        plan.plan.matrix(a, b, c, d);
    }
    scatter(l, &plan.d, &mut rows, d);
}

/// The values of an operand, in the order of the product.
fn gather<'v>(
    l: &Lanes<'_>,
    operand: &OperandPlan,
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

/// Puts results into their registers.
fn scatter(
    l: &mut Lanes<'_>,
    operand: &OperandPlan,
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

/// Register and lane, within their bounds for the compiler.
#[inline(always)]
fn place(gather: Gather) -> (usize, usize) {
    (
        usize::from(gather.register) % MAX_REGISTERS,
        usize::from(gather.lane) % LANES,
    )
}
