//! Decimal floating-point text in, the nearest double out.
//!
//! As `str::parse` does it, which looks powers of five up in a table; those 15 KB do not compress, and every
//! visitor of the page would load them.

use std::cmp::Ordering;

/// Digits that can matter: 767 decide every double, and one more says whether anything follows.
const MOST_DIGITS: usize = 800;

/// The largest power of ten that is a double, and the most digits that are surely one.
const EXACT_POWER: u64 = 22;
const EXACT_DIGITS: usize = 15;

/// The double that is nearest to `-2.5e-3`, `.5` or `1`; between two the even one. `None` for other text.
pub fn decimal(text: &str) -> Option<f64> {
    match text.strip_prefix('-') {
        Some(positive) => magnitude(positive).map(|value| -value),
        None => magnitude(text.strip_prefix('+').unwrap_or(text)),
    }
}

fn magnitude(text: &str) -> Option<f64> {
    let (number, power) = match text.split_once(['e', 'E']) {
        Some((number, power)) => (number, signed(power)?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let n_digits = whole.len() + fraction.len();
    let all = || whole.bytes().chain(fraction.bytes());
    if n_digits == 0 || !all().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let n_zeros = all().take_while(|byte| *byte == b'0').count();
    let mut digits: Vec<u8> = all().skip(n_zeros).take(MOST_DIGITS).collect();
    if all().skip(n_zeros + MOST_DIGITS).any(|byte| byte != b'0') {
        digits.push(b'1');
    }
    // The number is that of the digits times this power of ten.
    let point = whole.len() as i64 - n_zeros as i64;
    let power = power + point - digits.len() as i64;
    Some(match power + digits.len() as i64 {
        _ if digits.is_empty() => 0.0,
        ..-330 => 0.0,
        311.. => f64::INFINITY,
        _ if digits.len() <= EXACT_DIGITS && power.unsigned_abs() <= EXACT_POWER => {
            exact(&digits, power)
        }
        _ => divided(&digits, power),
    })
}

/// A whole number with a sign; beyond what any text needs it stays as it is.
fn signed(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value = digits.bytes().fold(0, |value: i64, byte| {
        (value * 10 + i64::from(byte - b'0')).min(1 << 40)
    });
    Some(if text.starts_with('-') { -value } else { value })
}

/// Both numbers are doubles, so that one operation rounds once.
fn exact(digits: &[u8], power: i64) -> f64 {
    let number = digits.iter().fold(0, |number: u64, digit| {
        number * 10 + u64::from(digit - b'0')
    });
    let scale = (0..power.unsigned_abs()).fold(1.0, |scale, _| scale * 10.0);
    match power {
        ..0 => number as f64 / scale,
        _ => number as f64 * scale,
    }
}

/// Long division, a bit at a time.
fn divided(digits: &[u8], power: i64) -> f64 {
    let mut dividend = Natural(vec![0]);
    let mut divisor = Natural(vec![1]);
    for digit in digits {
        dividend.multiply_add(10, u32::from(digit - b'0'));
    }
    let scaled = if power < 0 {
        &mut divisor
    } else {
        &mut dividend
    };
    for _ in 0..power.unsigned_abs() {
        scaled.multiply_add(10, 0);
    }
    // Brought to a quotient from 1 to 2, times a power of two.
    let mut exponent = dividend.n_bits() - divisor.n_bits();
    match exponent {
        ..0 => dividend.shift(exponent.unsigned_abs()),
        _ => divisor.shift(exponent.unsigned_abs()),
    }
    if dividend.compare(&divisor) == Ordering::Less {
        dividend.shift(1);
        exponent -= 1;
    }
    if exponent > 1023 {
        return f64::INFINITY;
    }
    // Small numbers have fewer bits behind the point.
    let n_bits = 52.min(exponent + 1074);
    let mut quotient = 0u64;
    for _ in 0..=n_bits {
        quotient <<= 1;
        if dividend.compare(&divisor) != Ordering::Less {
            dividend.subtract(&divisor);
            quotient |= 1;
        }
        dividend.shift(1);
    }
    let up = match dividend.compare(&divisor) {
        _ if n_bits < -1 => false,
        Ordering::Equal => quotient & 1 == 1,
        rest => rest == Ordering::Greater,
    };
    // The leading bit, or a carry, counts the exponent up by one.
    let biased = (exponent.max(-1022) + 1022) as u64;
    f64::from_bits((biased << 52) + quotient + u64::from(up))
}

/// A natural number of any size: 32 bits a limb, the lowest first, no zeros on top.
struct Natural(Vec<u32>);

impl Natural {
    fn n_bits(&self) -> i32 {
        let top = self.0.last().map_or(32, |limb| limb.leading_zeros());
        self.0.len() as i32 * 32 - top as i32
    }

    fn multiply_add(&mut self, factor: u32, addend: u32) {
        let mut carry = u64::from(addend);
        for limb in &mut self.0 {
            carry += u64::from(*limb) * u64::from(factor);
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn shift(&mut self, n_bits: u32) {
        self.multiply_add(1 << (n_bits % 32), 0);
        let zeros = vec![0; (n_bits / 32) as usize];
        self.0.splice(0..0, zeros);
    }

    /// `other` is not larger.
    fn subtract(&mut self, other: &Natural) {
        let mut borrow = 0i64;
        let below = other.0.iter().chain(std::iter::repeat(&0));
        for (limb, less) in self.0.iter_mut().zip(below) {
            borrow += i64::from(*limb) - i64::from(*less);
            *limb = borrow as u32;
            borrow >>= 32;
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn compare(&self, other: &Natural) -> Ordering {
        let by_limb = || self.0.iter().rev().cmp(other.0.iter().rev());
        self.0.len().cmp(&other.0.len()).then_with(by_limb)
    }
}

#[cfg(test)]
mod tests {
    use super::decimal;
    use proptest::prelude::*;

    /// The same double as the standard library reads, or none of both.
    fn check(text: &str) {
        let expected = text.parse::<f64>().ok().map(f64::to_bits);
        assert_eq!(decimal(text).map(f64::to_bits), expected, "{text}");
    }

    #[test]
    fn edges() {
        let edges = "0 -0 1 1. .5 +2.5 00012.500 1e22 1e23 9007199254740993 9007199254740992.5 1e-400 1e400 \
            0e999999999999999999999 1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308 5e-324 \
            2.4703282292062327e-324 2.4703282292062328e-324 2.2250738585072011e-308 2.2250738585072014e-308 \
            1e-99999999999999999999 . e5 1e 1e+ - --1 1.2.3 1x";
        edges.split_whitespace().for_each(check);
        check("");
    }

    #[test]
    fn ties_that_hundreds_of_digits_decide() {
        // Half of the smallest double, exactly, and a little beside it.
        let half = format!("{:.1080}", f64::from_bits(1) / 2.0);
        check(&half);
        check(&format!("{half}1"));
        let tie = format!("{}.5", 1u64 << 53 | 1);
        check(&tie);
        check(&format!("{tie}{}1", "0".repeat(2000)));
        check(&format!("{tie}{}", "0".repeat(2000)));
        check(&format!("0.{}1e2001", "0".repeat(2000)));
        check(&format!("1{}e-2000", "0".repeat(2000)));
    }

    proptest! {
        #[test]
        fn every_double_is_read_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            check(&format!("{value}"));
            check(&format!("{value:e}"));
            check(&format!("{value:.17e}"));
            check(&format!("{value:.25e}"));
        }

        #[test]
        fn text_is_read_alike(text in "[-+]?[0-9]{0,24}[.]?[0-9]{0,24}([eE][-+]?[0-9]{0,3})?") {
            check(&text);
        }
    }
}
