//! Conversions between the bits and the values of floating-point elements of matrix products.

use crate::semantics::tensor::algorithm::factor;
use crate::semantics::tensor::unpacked_float::{F32, Format};
use warpgrid_isa::ScalarType;

/// Bits of the elements of A, B and C, from which a matrix product is computed.
#[derive(Clone, Copy, Debug)]
pub struct MmaOperandValues<'v> {
    /// Elements of A in row-major order.
    pub a: &'v [u64],
    /// Elements of B in column-major order.
    pub b: &'v [u64],
    /// Elements of C in row-major order.
    pub c: &'v [u64],
}

/// Returns the exact value of `bits` as an element of A, B or the accumulator. Returns `None` for types that are not
/// floating-point types of matrix products. A 4-bit number occupies the middle bits of a byte, as in the registers of
/// `.kind::f8f6f4`.
pub fn value_of(ty: ScalarType, bits: u64) -> Option<f64> {
    let format = format(ty)?;
    Some(format.plain().value(bits as u32 >> format.ignored_bits))
}

/// Returns the bits of the element that is nearest to `value`, ties to even. Overflow results in infinity, or in the
/// largest number for types without infinity.
pub fn nearest_bits(ty: ScalarType, value: f64) -> Option<u64> {
    let format = format(ty)?;
    Some(u64::from(format.plain().nearest(value)) << format.ignored_bits)
}

fn format(ty: ScalarType) -> Option<Format> {
    match ty {
        ScalarType::F32 => Some(F32),
        _ => factor(ty),
    }
}

#[cfg(test)]
mod tests {
    use crate::semantics::tensor::float_conversion::{format, nearest_bits, value_of};
    use warpgrid_isa::ScalarType::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, F32, F64, Tf32};

    #[test]
    fn narrow_floats_round_trip_through_f64() {
        for ty in [F16, Bf16, E4m3, E5m2, E3m2, E2m3, E2m1] {
            let format = format(ty).expect("a float");
            for element in
                (0..2 * u64::from(format.plain().sign())).map(|bits| bits << format.ignored_bits)
            {
                let value = value_of(ty, element).expect("a float");
                let back = nearest_bits(ty, value).expect("a float");
                assert!(
                    back == element || value.is_nan(),
                    "{ty} {element:#x} {value} {back:#x}"
                );
            }
        }
    }

    #[test]
    fn nearest_bits_rounds_to_nearest_even() {
        let tie = 1.0 + 2f64.powi(-11);
        assert_eq!(nearest_bits(F16, tie), Some(0x3c00));
        assert_eq!(nearest_bits(F16, tie + 2f64.powi(-11) * 2.0), Some(0x3c02));
        assert_eq!(nearest_bits(F16, 65_520.0), Some(0x7c00));
        assert_eq!(nearest_bits(F16, 65_519.0), Some(0x7bff));
        assert_eq!(nearest_bits(F16, 2f64.powi(-25)), Some(0));
        assert_eq!(nearest_bits(E4m3, 1000.0), Some(0x7e));
        assert_eq!(nearest_bits(E4m3, -448.0), Some(0xfe));
        assert_eq!(nearest_bits(Tf32, 1.0), Some(0x3f80_0000));
        for value in [1.5e-45f32, -0.1, 3.4e38, 1e-40] {
            assert_eq!(
                nearest_bits(F32, value.into()),
                Some(value.to_bits().into())
            );
        }
        assert_eq!(nearest_bits(F32, 1e300), Some(0x7f80_0000));
        assert_eq!(nearest_bits(F64, 1.0), None);
    }
}
