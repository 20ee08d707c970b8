//! Defines the register widths and the NaN encodings of the operand types in the reference results.

/// Returns the register width of an operand type in bits. The width of a predicate is 1.
pub(super) fn width_bits(ty: &str) -> u32 {
    match ty {
        "pred" => 1,
        "f16x2" | "bf16x2" | "u16x2" | "s16x2" => 32,
        "f32x2" => 64,
        "e2m1x2" => 8,
        _ if ty.ends_with("x2") => 16,
        _ => ty
            .trim_start_matches(|letter: char| !letter.is_ascii_digit())
            .parse()
            .unwrap_or(64),
    }
}

/// Checks whether two values are equal bit for bit. If `any_nan` is set, the source does not specify the sign and the payload of a NaN, so
/// that any two NaNs agree.
pub(super) fn agree(ty: &str, any_nan: bool, expected: u64, found: u64) -> bool {
    if expected == found {
        return true;
    }
    let Some(format) = any_nan.then(|| Format::of(ty)).flatten() else {
        return false;
    };
    (0..format.n_elements).all(|index| {
        let expected = format.element(expected, index);
        let found = format.element(found, index);
        expected == found || (format.is_nan(expected) && format.is_nan(found))
    })
}

/// Scalar or packed floating-point format.
#[derive(Clone, Copy, Debug)]
struct Format {
    n_elements: u32,
    width: u32,
    exponent: u32,
    mantissa: u32,
    /// Whether the format has no infinities and only the all-ones encoding is a NaN.
    only_all_ones: bool,
}

impl Format {
    /// Returns the format of a type, or `None` if the type has no NaN.
    fn of(ty: &str) -> Option<Format> {
        let (base, n_elements) = match ty.strip_suffix("x2") {
            Some(base) => (base, 2),
            None => (ty, 1),
        };
        let (width, exponent, mantissa, only_all_ones) = match base {
            "f16" => (16, 5, 10, false),
            "bf16" => (16, 8, 7, false),
            "f32" => (32, 8, 23, false),
            "f64" => (64, 11, 52, false),
            "e5m2" => (8, 5, 2, false),
            "e4m3" => (8, 4, 3, true),
            "ue8m0" => (8, 8, 0, true),
            _ => return None,
        };
        Some(Format {
            n_elements,
            width,
            exponent,
            mantissa,
            only_all_ones,
        })
    }

    fn element(self, bits: u64, index: u32) -> u64 {
        (bits >> (index * self.width)) & (u64::MAX >> (64 - self.width))
    }

    fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & ((1 << (self.exponent + self.mantissa)) - 1);
        let infinity = ((1_u64 << self.exponent) - 1) << self.mantissa;
        match self.only_all_ones {
            true => magnitude == infinity | ((1 << self.mantissa) - 1),
            false => magnitude > infinity,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{agree, width_bits};

    #[test]
    fn type_widths_match_register_widths() {
        let types = ["pred", "b8", "bf16", "f16x2", "f32x2", "e4m3x2", "e2m1x2"];
        assert_eq!(types.map(width_bits), [1, 8, 16, 32, 64, 16, 8]);
    }

    #[test]
    fn nan_payloads_may_differ_only_if_unspecified() {
        assert!(agree("f32", true, 0x7fff_ffff, 0xffc0_0000));
        assert!(!agree("f32", false, 0x7fff_ffff, 0xffc0_0000));
        assert!(!agree("f32", true, 0x7f80_0000, 0x7fff_ffff));
        assert!(agree("f16x2", true, 0x7fff_0001, 0x7e00_0001));
        assert!(!agree("f16x2", true, 0x7fff_0001, 0x7e00_0002));
        assert!(!agree("e2m1x2", true, 1, 2));
    }
}
