//! Exact summation of floating-point numbers with a single rounding of the final sum.

/// Exact sum of floating-point numbers as an expansion, which is a list of nonoverlapping components in ascending order (J. R. Shewchuk,
/// "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997).
#[derive(Clone, Debug, Default)]
pub(crate) struct ExactSum {
    parts: Vec<f64>,
}

impl ExactSum {
    pub(crate) fn add(&mut self, mut value: f64) {
        let mut n_kept = 0;
        for at in 0..self.parts.len() {
            let mut part = self.parts[at];
            if value.abs() < part.abs() {
                std::mem::swap(&mut value, &mut part);
            }
            let high = value + part;
            let low = part - (high - value);
            if low != 0.0 {
                self.parts[n_kept] = low;
                n_kept += 1;
            }
            value = high;
        }
        self.parts.truncate(n_kept);
        self.parts.push(value);
    }

    /// Returns the `f64` nearest to the sum, and the remainder of the sum. Only the sign of the remainder is significant.
    fn split(&self) -> (f64, f64) {
        let mut parts = self.parts.iter().rev();
        let mut high = parts.next().copied().unwrap_or(0.0);
        for part in parts {
            let sum = high + part;
            let low = part - (sum - high);
            high = sum;
            if low != 0.0 {
                return (high, low);
            }
        }
        (high, 0.0)
    }

    /// Returns the `f64` nearest to the sum, and whether this `f64` equals the sum.
    pub(crate) fn value(&self) -> (f64, bool) {
        let (value, rest) = self.split();
        (value, rest == 0.0)
    }

    /// Returns the sum rounded to odd (S. Boldo and G. Melquiond, "Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms Using
    /// Rounding to Odd", 2008): the last bit of the result is set if the result is inexact. Rounding the returned `f64` to a type with at
    /// most 51 significant bits gives the same result as rounding the exact sum.
    pub(crate) fn round_to_odd(&self) -> f64 {
        let (value, rest) = self.split();
        let bits = value.to_bits();
        if rest == 0.0 || bits & 1 == 1 {
            value
        } else if (rest > 0.0) == (value > 0.0) {
            f64::from_bits(bits + 1)
        } else {
            f64::from_bits(bits - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ExactSum;

    fn sum(values: &[f64]) -> ExactSum {
        let mut sum = ExactSum::default();
        for value in values {
            sum.add(*value);
        }
        sum
    }

    #[test]
    fn exact_sum_is_rounded_only_once() {
        assert_eq!(sum(&[1e100, 1.0, -1e100]).value(), (1.0, true));
        assert_eq!(sum(&[]).value(), (0.0, true));
        let tiny = 2f64.powi(-140);
        assert_eq!(sum(&[1.0, tiny]).value(), (1.0, false));
    }

    #[test]
    fn sticky_bit_breaks_rounding_tie() {
        let (tie, tiny) = (2f64.powi(-24), 2f64.powi(-140));
        let rounded = |values: &[f64]| (sum(values).round_to_odd() as f32).to_bits();
        assert_eq!(rounded(&[1.0, tie]), 0x3f80_0000);
        assert_eq!(rounded(&[1.0, tie, tiny]), 0x3f80_0001);
        assert_eq!(rounded(&[-1.0, -tie, -tiny]), 0xbf80_0001);
        assert_eq!(rounded(&[1.0, 3.0 * tie, -tiny]), 0x3f80_0001);
        assert_eq!(rounded(&[1.0, 3.0 * tie]), 0x3f80_0002);
    }
}
