//! Coefficient tables of the special function unit for the JIT compiler. The functions map an `f32` operation to the
//! special function that implements the operation, and return the coefficients of this special function.

use crate::exec::arithmetic::float::function_of;
use crate::semantics::alu_ops::Float32Op;
use crate::semantics::rounding::RoundingMode;
use crate::semantics::special_function::CoefficientTable;
use crate::semantics::special_function_tables as tables;

pub(crate) use crate::semantics::special_function::SpecialFunction;

/// Polynomial coefficients of an interval: c0 + c1 x + c2 x^2, in units of 2^-17 ulp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoefficientRow {
    pub c0: i64,
    pub c1: i32,
    pub c2: i32,
}

/// Returns the special function that implements an operation.
pub fn unit_function(f: Float32Op, round: RoundingMode) -> Option<SpecialFunction> {
    function_of(f, round)
}

/// Returns the coefficients of a special function for all intervals, ordered by the leading fraction bits of the
/// argument. The hyperbolic tangent has 16 rows for each power of two from 2^-8 to 4.
pub fn unit_rows(function: SpecialFunction) -> Vec<CoefficientRow> {
    match table_of(function) {
        Some(table) => {
            let row = |row: &[i32; 3]| row_of(*row, table.step as i64, table.start as i64);
            table.rows.iter().map(row).collect()
        }
        None => {
            let rows = |(first, bits): (u32, u32)| {
                (0..16u32).filter_map(move |index| {
                    let row = first + (index >> (4 - bits));
                    Some(row_of(*tables::TANGENT_ROWS.get(row as usize)?, 1 << 17, 0))
                })
            };
            let octaves = tables::TANGENT_OCTAVES;
            octaves.into_iter().flat_map(rows).collect()
        }
    }
}

/// Returns the number of fraction bits that select the interval of the hyperbolic tangent, for each power of two from
/// 2^-8 to 4.
pub fn tangent_bits() -> [u32; 11] {
    tables::TANGENT_OCTAVES.map(|(_, bits)| bits)
}

/// Returns the number of fraction bits that select the interval of a special function. Returns `None` if this number
/// depends on the exponent.
pub fn index_bits(function: SpecialFunction) -> Option<u32> {
    table_of(function).map(|table| table.index_bits)
}

fn row_of([c0, c1, c2]: [i32; 3], step: i64, start: i64) -> CoefficientRow {
    CoefficientRow {
        c0: i64::from(c0) * step + start,
        c1,
        c2,
    }
}

fn table_of(function: SpecialFunction) -> Option<&'static CoefficientTable> {
    use SpecialFunction as F;
    Some(match function {
        F::Reciprocal => &tables::RECIPROCAL,
        F::ReciprocalRoot => &tables::RECIPROCAL_ROOT,
        F::Root => &tables::ROOT,
        F::Logarithm => &tables::LOGARITHM,
        F::Power => &tables::POWER,
        F::Sine | F::Cosine => &tables::SINE,
        F::Tangent => return None,
    })
}
