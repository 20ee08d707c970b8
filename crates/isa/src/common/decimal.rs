//! Correctly rounded parser for decimal numbers: converts text such as `-1.5e-3` to the nearest f64, ties to even.
//!
//! The parser of the standard library contains a 10 KB table, which compresses poorly and would increase the size of the WebAssembly
//! module. This parser divides arbitrary-precision integers instead and produces identical bits.

use std::cmp::Ordering;

/// Maximum number of significant digits for the division. Later digits affect the result only if one of them is not zero, because the
/// midpoint between two adjacent f64 values has at most 767 digits.
const MAX_DIGITS: usize = 800;

/// The powers of ten from 10^0 to 10^22, which f64 represents exactly.
const POWERS: [f64; 23] = {
    let mut powers = [1.0; 23];
    let mut at = 1;
    while at < 23 {
        powers[at] = powers[at - 1] * 10.0;
        at += 1;
    }
    powers
};

/// Parses the grammar of [`f64::from_str`](std::str::FromStr): digits with optional point, exponent and sign, or `inf`, `infinity` or
/// `nan`. Returns `None` for text that does not match the grammar.
pub fn read_decimal(text: &str) -> Option<f64> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = if ["inf", "infinity"]
        .iter()
        .any(|word| unsigned.eq_ignore_ascii_case(word))
    {
        f64::INFINITY
    } else if unsigned.eq_ignore_ascii_case("nan") {
        f64::NAN
    } else {
        Decimal::read(unsigned)?.nearest()
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Decimal number: the integer with these digits, multiplied by a power of ten.
struct Decimal {
    /// Decimal digits, most significant first, without leading zeros.
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn read(text: &str) -> Option<Decimal> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = || whole.bytes().chain(fraction.bytes());
        if all().next().is_none() || !all().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let mut digits: Vec<u8> = all().map(|c| c - b'0').skip_while(|d| *d == 0).collect();
        let mut exponent = exponent.saturating_sub(fraction.len() as i64);
        if digits.len() > MAX_DIGITS {
            let rest = digits.split_off(MAX_DIGITS);
            exponent = exponent.saturating_add(rest.len() as i64);
            if rest.iter().any(|d| *d != 0) {
                digits.push(1);
                exponent = exponent.saturating_sub(1);
            }
        }
        Some(Decimal { digits, exponent })
    }

    fn nearest(&self) -> f64 {
        let Decimal { digits, exponent } = self;
        // The value of the decimal number is less than 10^point and at least 10^(point - 1).
        let point = exponent.saturating_add(digits.len() as i64);
        if digits.is_empty() || point < -323 {
            return 0.0;
        }
        if point > 310 {
            return f64::INFINITY;
        }
        let power = exponent.unsigned_abs() as usize;
        if digits.len() <= 15
            && let Some(power) = POWERS.get(power)
        {
            // f64 represents both the integer and the power of ten exactly, so the multiplication or division rounds only once.
            let whole = digits.iter().fold(0u64, |all, d| all * 10 + u64::from(*d)) as f64;
            return match *exponent < 0 {
                true => whole / power,
                false => whole * power,
            };
        }
        let mut numerator = BigUint::default();
        for digit in digits {
            numerator.times_ten_plus(*digit);
        }
        let mut denominator = BigUint(vec![1]);
        let scaled = if *exponent < 0 {
            &mut denominator
        } else {
            &mut numerator
        };
        for _ in 0..power {
            scaled.times_ten_plus(0);
        }
        quotient(numerator, denominator)
    }
}

fn read_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let value = digits.bytes().fold(0i64, |all, c| {
        all.saturating_mul(10).saturating_add(i64::from(c - b'0'))
    });
    Some(if negative { -value } else { value })
}

/// Returns the f64 nearest to the quotient of two nonzero integers.
fn quotient(mut numerator: BigUint, mut denominator: BigUint) -> f64 {
    /// Number of quotient bits. Either the highest bit of the quotient or the bit below the highest bit is set.
    const BITS: i64 = 66;
    let shift = BITS - 1 + denominator.bits() - numerator.bits();
    if shift >= 0 {
        numerator.shift_left(shift as usize);
    } else {
        denominator.shift_left(shift.unsigned_abs() as usize);
    }
    denominator.shift_left(BITS as usize - 1);
    let mut quotient = 0u128;
    for _ in 0..BITS {
        quotient <<= 1;
        if numerator.order(&denominator) != Ordering::Less {
            numerator.subtract(&denominator);
            quotient |= 1;
        }
        denominator.halve();
    }
    let n_bits = i64::from(128 - quotient.leading_zeros());
    // The quotient is in [2^power, 2^(power + 1)).
    let power = n_bits - 1 - shift;
    if power > 1023 {
        return f64::INFINITY;
    }
    // Subnormal numbers have fewer significant bits.
    let n_kept = 53 - (-1022 - power).max(0);
    if n_kept < 0 {
        return 0.0;
    }
    let dropped = n_bits - n_kept;
    let (mantissa, rest) = (quotient >> dropped, quotient & ((1 << dropped) - 1));
    let half = 1u128 << (dropped - 1);
    let up = match rest.cmp(&half) {
        Ordering::Less => false,
        Ordering::Equal => !numerator.0.is_empty() || mantissa & 1 == 1,
        Ordering::Greater => true,
    };
    // If the mantissa rounds up to the next power of two, the carry out of the mantissa increments the exponent field, as required.
    let exponent = (power + 1022).max(0) as u64;
    f64::from_bits((exponent << 52) + mantissa as u64 + u64::from(up))
}

/// Arbitrary-precision unsigned integer: 32-bit words, least significant first, without leading zero words.
#[derive(Default)]
struct BigUint(Vec<u32>);

impl BigUint {
    fn bits(&self) -> i64 {
        let last = self.0.last().map_or(0, |word| 32 - word.leading_zeros());
        32 * self.0.len().saturating_sub(1) as i64 + i64::from(last)
    }

    fn times_ten_plus(&mut self, digit: u8) {
        let mut carry = u64::from(digit);
        for word in &mut self.0 {
            carry += u64::from(*word) * 10;
            *word = carry as u32;
            carry >>= 32;
        }
        if carry != 0 {
            self.0.push(carry as u32);
        }
    }

    fn shift_left(&mut self, n: usize) {
        let mut carry = 0;
        for word in &mut self.0 {
            let wide = u64::from(*word) << (n % 32);
            *word = wide as u32 | carry;
            carry = (wide >> 32) as u32;
        }
        if carry != 0 {
            self.0.push(carry);
        }
        self.0.splice(0..0, std::iter::repeat_n(0, n / 32));
    }

    fn halve(&mut self) {
        let mut carry = 0;
        for word in self.0.iter_mut().rev() {
            let low = *word << 31;
            *word = *word >> 1 | carry;
            carry = low;
        }
        self.trim();
    }

    fn order(&self, other: &BigUint) -> Ordering {
        let words = |whole: &BigUint| whole.0.len();
        let length = words(self).cmp(&words(other));
        length.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// Subtracts `other` from `self`. `other` must not be greater than `self`.
    fn subtract(&mut self, other: &BigUint) {
        let mut borrow = 0;
        let others = other.0.iter().chain(std::iter::repeat(&0));
        for (word, other) in self.0.iter_mut().zip(others) {
            let difference = i64::from(*word) - i64::from(*other) - borrow;
            *word = difference as u32;
            borrow = i64::from(difference < 0);
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read_decimal;

    /// Asserts that the parsed number is bit-identical to the result of the standard library.
    #[track_caller]
    fn check(text: &str) {
        let bits = |value: Option<f64>| value.map(f64::to_bits);
        let expected = text.parse::<f64>().ok();
        assert_eq!(bits(read_decimal(text)), bits(expected), "{text}");
    }

    #[test]
    fn short_decimals_match_std_parse() {
        for text in [
            "0",
            "-0",
            "1",
            "1.",
            ".5",
            "-1.5e-3",
            "+2E+2",
            "1e22",
            "1e23",
            "0.1",
            "0.3",
            "123456789012345",
            "1e-22",
            "inf",
            "-Infinity",
            "NaN",
            "0e999999999999999999999",
            "00012.500",
        ] {
            check(text);
        }
    }

    #[test]
    fn malformed_decimals_are_rejected() {
        for text in [
            "", ".", "-", "e5", "1e", "1e+", "1.5.2", "1 ", " 1", "0x10", "1_0", "--1", "+-1",
            "infi",
        ] {
            check(text);
            assert_eq!(read_decimal(text), None, "{text}");
        }
    }

    #[test]
    fn decimals_near_midpoints_match_std_parse() {
        for text in [
            "9007199254740993",
            "9007199254740992.9999999999999999999999999",
            "9007199254740993.0000000000000000000000001",
            "2.2250738585072011e-308",
            "2.2250738585072012e-308",
            "2.2250738585072014e-308",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "7.4109846876186981e-324",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "179769313486231580793728971405301e276",
            "1e309",
            "1e310",
            "1e400",
            "1e-323",
            "1e-324",
            "1e-400",
            "6.631236846766476e-316",
            "3.2378839133029012895883524125015321748630094492178e-319",
            "8.988465674311582e307",
            "0.500000000000000166533453693773481063544750213623046875",
        ] {
            check(text);
        }
    }

    #[test]
    fn long_decimals_match_std_parse() {
        let zeros = "0".repeat(1000);
        check(&format!("0.{zeros}1e1000"));
        check(&format!("1{zeros}e-1000"));
        check(&format!("9007199254740993.{zeros}"));
        check(&format!("9007199254740993.{zeros}1"));
        check(&"123456789".repeat(200));
        check(&format!("0.{}", "987654321".repeat(200)));
    }

    #[test]
    fn formatted_random_f64_values_match_std_parse() {
        let mut state = 1u64;
        for _ in 0..4000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let value = f64::from_bits(state ^ state >> 31);
            if value.is_nan() {
                continue;
            }
            check(&format!("{value:e}"));
            check(&format!("{value:.20e}"));
            // Decimal expansions near the midpoint of adjacent f64 values need more digits than the values themselves.
            check(&format!("{value:.60e}"));
            check(&format!("{value}"));
        }
    }
}
