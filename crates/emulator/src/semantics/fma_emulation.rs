//! Row-wise `f64` fused multiply-add for hosts without an FMA instruction, after "Emulation of FMA and correctly
//! rounded sums" (Boldo and Melquiond, IEEE Transactions on Computers 57, 2008). The results are identical to the
//! results of `mul_add`, which the math library of a host without an FMA instruction implements with integer
//! arithmetic.

use crate::semantics::registers::{LANES, Row64};

/// Range of factor magnitudes for which a product is exactly representable as the sum of two `f64`: 2^-450 to 2^450.
const FACTORS: std::ops::Range<f64> =
    f64::from_bits((1023 - 450) << 52)..f64::from_bits((1023 + 450) << 52);

/// Upper bound of the addend magnitudes for which the fused sum is finite: 2^950.
const LARGEST_ADDEND: f64 = f64::from_bits((1023 + 950) << 52);

/// Computes `a * b + c` for all lanes. Returns `false` if a lane requires the slow path: the exponents of its operands
/// are out of range, or its result is a zero, whose sign this algorithm does not determine.
#[inline(always)]
pub(crate) fn fma_rows64(row: &mut Row64, [a, b, c]: [&Row64; 3]) -> bool {
    let mut is_sure = true;
    for lane in 0..LANES {
        let [a, b, c] = [a[lane], b[lane], c[lane]].map(f64::from_bits);
        let result = fused([a, b, c]);
        // A NaN operand selects the slow path, because each of these comparisons is false for a NaN.
        is_sure &= is_usual(a) & is_usual(b) & (c.abs() < LARGEST_ADDEND) & (result != 0.0);
        row[lane] = result.to_bits();
    }
    is_sure
}

/// Checks whether a factor is zero or its magnitude is within [`FACTORS`].
#[inline(always)]
fn is_usual(factor: f64) -> bool {
    let size = factor.abs();
    (size == 0.0) | FACTORS.contains(&size)
}

/// Returns the rounded sum of two numbers and its rounding error (Knuth's TwoSum).
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Splits a number into a high and a low part with half of the significant bits each (Veltkamp splitting), so that
/// products of the parts are exact.
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let scaled = a * 134_217_729.0;
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// Returns the rounded product of two numbers and its rounding error (Dekker's product).
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let rest = (a_high * b_high - product) + a_high * b_low + a_low * b_high + a_low * b_low;
    (product, rest)
}

#[inline(always)]
fn fused([a, b, c]: [f64; 3]) -> f64 {
    let (product, rest) = two_product(a, b);
    let (low, lowest) = two_sum(c, rest);
    let (high, middle) = two_sum(product, low);
    // Round the sum of the two smallest terms to odd: if the sum is inexact, set its last bit.
    let (sum, error) = two_sum(lowest, middle);
    let bits = sum.to_bits();
    let down = u64::from((error > 0.0) != (sum > 0.0));
    let odd = if error == 0.0 {
        bits
    } else {
        bits.wrapping_sub(down) | 1
    };
    high + f64::from_bits(odd)
}

#[cfg(test)]
mod tests {
    use crate::semantics::fma_emulation::fma_rows64;
    use crate::semantics::registers::LANES;
    use crate::semantics::softfloat::fma64_exact;

    /// Returns numbers with many or few significant bits, and with similar exponents.
    fn number(state: &mut u64) -> f64 {
        let mut draw = || {
            *state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *state >> 11
        };
        let few = [
            u64::MAX,
            0xffff_f000_0000_0000,
            7 << 50,
            0xffff_ffff_0000_0001,
        ];
        let mantissa = draw() & few[draw() as usize % 4] & ((1 << 52) - 1);
        let exponent = 1023 - 60 + draw() % 120;
        f64::from_bits((draw() % 2) << 63 | exponent << 52 | mantissa)
    }

    #[test]
    fn emulated_fma_matches_exact_fma() {
        let mut state = 1;
        let mut n_rows = 0;
        for _ in 0..20_000 {
            let [a, b, mut c] = [[0; LANES]; 3].map(|row| row.map(|_: u64| number(&mut state)));
            for lane in 0..8 {
                // Choose an addend that cancels almost all bits of the product.
                c[lane] = -(a[lane] * b[lane]) * (1.0 + f64::EPSILON * (lane as f64 - 3.0));
            }
            let mut row = [0; LANES];
            let rows = [a, b, c].map(|row| row.map(f64::to_bits));
            if !fma_rows64(&mut row, rows.each_ref()) {
                continue;
            }
            n_rows += 1;
            for lane in 0..LANES {
                let expected = fma64_exact(a[lane], b[lane], c[lane]);
                let emulated = f64::from_bits(row[lane]);
                assert_eq!(
                    emulated.to_bits(),
                    expected.to_bits(),
                    "{} {} {}",
                    a[lane],
                    b[lane],
                    c[lane]
                );
            }
        }
        assert!(n_rows > 5_000, "{n_rows}");
    }

    #[test]
    fn fast_path_declines_nan_infinity_extreme_and_zero_cases() {
        let one = [1f64.to_bits(); LANES];
        let mut row = one;
        assert!(fma_rows64(&mut row, [&one; 3]));
        assert_eq!(row, [2f64.to_bits(); LANES]);
        for unusual in [f64::NAN, f64::INFINITY, 1e-300, 1e300, f64::from_bits(1)] {
            let mut a = one;
            a[5] = unusual.to_bits();
            assert!(!fma_rows64(&mut row, [&a, &one, &one]), "{unusual}");
        }
        let mut c = one;
        c[3] = f64::NEG_INFINITY.to_bits();
        assert!(!fma_rows64(&mut row, [&one, &one, &c]));
        // The fast path does not determine the sign of a zero result.
        c[3] = (-1f64).to_bits();
        assert!(!fma_rows64(&mut row, [&one, &one, &c]));
    }
}
