//! Compares the software floating-point operations with the arithmetic of the host and with integer arithmetic.

use crate::exec::arithmetic::float::{op_half, op32};
use crate::semantics::alu_ops::{Float32Op, FloatOp, HalfOp};
use crate::semantics::rounding::{FloatMode, RoundingMode};
use crate::semantics::softfloat::*;
use warpgrid_isa::FloatFormat as F;

/// Deterministic pseudorandom number generator.
struct RandomBits(u64);

impl RandomBits {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a random number. In half of the cases, its exponent is close to the exponent of 1.
    fn f64(&mut self) -> f64 {
        let bits = self.next();
        if self.next() & 1 == 0 {
            return f64::from_bits(bits);
        }
        let exponent = 1000 + self.next() % 46;
        f64::from_bits(bits & !(0x7ff << 52) | exponent << 52)
    }

    fn f32(&mut self) -> f32 {
        let bits = self.next() as u32;
        if self.next() & 1 == 0 {
            return f32::from_bits(bits);
        }
        let exponent = 100 + (self.next() % 54) as u32;
        f32::from_bits(bits & !(0xff << 23) | exponent << 23)
    }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn same32(a: u32, b: f32) -> bool {
    a == b.to_bits() || b.is_nan() && a == NAN_32
}

#[test]
fn exact_f64_fma_div_and_sqrt_match_host() {
    let mut bits = RandomBits(1);
    for _ in 0..200_000 {
        let (a, b, c) = (bits.f64(), bits.f64(), bits.f64());
        assert!(
            same(fma64_exact(a, b, c), a.mul_add(b, c)),
            "{a:e} {b:e} {c:e}"
        );
        assert!(same(div64_exact(a, b), a / b), "{a:e} / {b:e}");
        assert!(same(sqrt64_exact(a.abs()), a.abs().sqrt()), "{a:e}");
    }
}

#[test]
fn f32_operations_match_host() {
    use Float32Op as A;
    let plain = FloatMode::default();
    let mut bits = RandomBits(2);
    for _ in 0..200_000 {
        let (a, b, c) = (bits.f32(), bits.f32(), bits.f32());
        assert!(
            same32(
                op32(A::Plain(FloatOp::Fma), plain, a, b, c),
                a.mul_add(b, c)
            ),
            "{a:e} {b:e} {c:e}"
        );
        assert!(same32(op32(A::Plain(FloatOp::Add), plain, a, b, c), a + b));
        assert!(same32(op32(A::Plain(FloatOp::Mul), plain, a, b, c), a * b));
        assert!(same32(op32(A::Div, plain, a, b, c), a / b), "{a:e} / {b:e}");
        assert!(same32(op32(A::Sqrt, plain, a, b, c), a.sqrt()));
    }
}

/// The results of rounding down and rounding up enclose the result of rounding to nearest, and are equal or adjacent.
/// Rounding towards zero returns whichever of the two results has the smaller magnitude.
#[test]
fn directed_roundings_bracket_nearest_result() {
    use Float32Op as A;
    let mode = |round| FloatMode {
        round,
        ..FloatMode::default()
    };
    let mut bits = RandomBits(3);
    for _ in 0..100_000 {
        let (a, b, c) = (bits.f32(), bits.f32(), bits.f32());
        for f in [
            A::Plain(FloatOp::Fma),
            A::Plain(FloatOp::Add),
            A::Div,
            A::Plain(FloatOp::Mul),
        ] {
            let result = |round| f32::from_bits(op32(f, mode(round), a, b, c));
            let (near, down, up) = (
                result(RoundingMode::Nearest),
                result(RoundingMode::Down),
                result(RoundingMode::Up),
            );
            if near.is_nan() {
                continue;
            }
            assert!(down <= near && near <= up, "{f:?} {a:e} {b:e} {c:e}");
            assert!(
                down == up || down.next_up() == up,
                "{f:?} {a:e} {b:e} {c:e}"
            );
            let zero = result(RoundingMode::Zero);
            assert_eq!(zero, if down >= 0.0 { down } else { up });
        }
    }
}

/// Compares products and sums with fixed-point numbers, which are exact in 128 bits.
#[test]
fn directed_f32_fma_agrees_with_integer_arithmetic() {
    let mut bits = RandomBits(4);
    let mut small = || {
        let mantissa = (bits.next() >> 40) as i128 | 1 << 23;
        let exponent = (bits.next() % 16) as u32;
        let sign = if bits.next() & 1 == 0 { 1 } else { -1 };
        (
            sign * (mantissa << exponent),
            sign as f32 * mantissa as f32 * (1u32 << exponent) as f32,
        )
    };
    for _ in 0..100_000 {
        let ((x, a), (y, b), (z, c)) = (small(), small(), small());
        let exact = x * y + z;
        for round in [RoundingMode::Down, RoundingMode::Up, RoundingMode::Zero] {
            let mode = FloatMode {
                round,
                ..FloatMode::default()
            };
            let value = f32::from_bits(op32(Float32Op::Plain(FloatOp::Fma), mode, a, b, c)) as i128;
            let toward = match round {
                RoundingMode::Down => value <= exact,
                RoundingMode::Up => value >= exact,
                _ => value.abs() <= exact.abs(),
            };
            let error = (value - exact).unsigned_abs();
            let ulp = (exact.unsigned_abs() >> 23).max(1);
            assert!(toward && error < ulp.next_power_of_two() * 2, "{a} {b} {c}");
        }
    }
}

#[test]
fn narrow_floats_round_trip_through_f64() {
    for format in [F::F16, F::BF16, F::E4M3, F::E5M2] {
        for bits in 0..2 * format.sign() {
            let value = format.value(bits);
            let packed = pack(format, value, RoundingMode::Nearest);
            assert!(
                packed == bits || value.is_nan() && packed == format.nan(),
                "{bits:x}"
            );
        }
    }
}

#[test]
fn pack_rounds_midpoints_according_to_rounding_mode() {
    for format in [F::F16, F::BF16, F::E4M3, F::E5M2] {
        for bits in 0..format.largest() {
            let middle = (format.value(bits) + format.value(bits + 1)) / 2.0;
            let even = bits + (bits & 1);
            assert_eq!(pack(format, middle, RoundingMode::Nearest), even);
            assert_eq!(
                pack(format, -middle, RoundingMode::Nearest),
                format.sign() | even
            );
            assert_eq!(pack(format, middle, RoundingMode::Zero), bits);
            assert_eq!(pack(format, middle, RoundingMode::Up), bits + 1);
            assert_eq!(
                pack(format, -middle, RoundingMode::Up),
                format.sign() | bits
            );
            assert_eq!(pack(format, middle, RoundingMode::NearestAway), bits + 1);
        }
    }
}

#[test]
fn f16_fma_rounds_once() {
    // 1 + 2^-11 is a tie, which the third operand resolves.
    let one = pack(F::F16, 1.0, RoundingMode::Nearest);
    let tiny = pack(F::F16, 2f64.powi(-24), RoundingMode::Nearest);
    let factor = pack(F::F16, 2f64.powi(-11), RoundingMode::Nearest);
    let fma = |a, b, c| {
        op_half(
            HalfOp::Plain(FloatOp::Fma),
            FloatMode::default(),
            F::F16,
            [a, b, c],
        )
    };
    assert_eq!(fma(factor, one, one), one);
    assert_eq!(fma(factor, one, one + 1), one + 2);
    assert_eq!(fma(tiny, one, one), one);
}

#[test]
fn integral_rounding_matches_host() {
    let mut bits = RandomBits(5);
    for _ in 0..100_000 {
        let a = bits.f64();
        assert!(
            same(to_integral(a, RoundingMode::Nearest), a.round_ties_even()),
            "{a:e}"
        );
        assert!(same(to_integral(a, RoundingMode::Down), a.floor()), "{a:e}");
        assert!(same(to_integral(a, RoundingMode::Up), a.ceil()), "{a:e}");
        assert!(same(to_integral(a, RoundingMode::Zero), a.trunc()), "{a:e}");
    }
}

/// Row operations use host arithmetic, and per-lane operations use exact arithmetic. Both must return the same bits.
#[test]
fn vectorized_float_rows_match_per_lane_results() {
    use Float32Op as A;
    let mut bits = RandomBits(6);
    let mut rows: [[u32; 32]; 3] = [[0; 32]; 3];
    let special = [
        0,
        1 << 31,
        1,
        0x7f80_0000,
        0xff80_0000,
        NAN_32,
        0x0080_0000,
        0x3f80_0000,
    ];
    for round in 0..3000 {
        for row in &mut rows {
            for value in row.iter_mut() {
                let pick = bits.next() as usize % 16;
                *value = special
                    .get(pick)
                    .copied()
                    .unwrap_or_else(|| bits.f32().to_bits());
            }
        }
        let mode = FloatMode {
            ftz: round & 1 != 0,
            saturate: round & 2 != 0,
            ..FloatMode::default()
        };
        for f in [
            A::Plain(FloatOp::Add),
            A::Plain(FloatOp::Sub),
            A::Plain(FloatOp::Mul),
            A::Plain(FloatOp::Fma),
            A::Div,
            A::Rcp,
            A::Sqrt,
            A::Rsqrt,
            A::Ex2,
            A::Lg2,
            A::Sin,
            A::Tanh,
            A::Plain(FloatOp::Min),
            A::Plain(FloatOp::Max),
        ] {
            if mode.saturate && matches!(f, A::Plain(FloatOp::Min) | A::Plain(FloatOp::Max)) {
                continue;
            }
            let [a, b, c] = &rows;
            let mut found = [0; 32];
            crate::exec::arithmetic::float::float_row::<false>(&mut found, f, mode, a, b, c);
            for lane in 0..32 {
                let [a, b, c] = [0, 1, 2].map(|i: usize| f32::from_bits(rows[i][lane]));
                let expected = op32(f, mode, a, b, c);
                assert_eq!(found[lane], expected, "{f:?} {mode:?} {a:e} {b:e} {c:e}");
            }
        }
    }
}
