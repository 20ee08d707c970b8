//! How float results are rounded, flushed and clamped. In: the modifiers of an instruction; out: what arithmetic and
//! conversions read.

use warpgrid_isa::{Flag, Modifiers, Rounding, ScalarType};

/// Rounding of float results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Round {
    #[default]
    Nearest,
    Zero,
    Down,
    Up,
    /// Ties away from zero.
    NearestAway,
    Approximate,
}

/// How a float operation treats its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct FloatMode {
    pub(crate) round: Round,
    pub(crate) ftz: bool,
    pub(crate) saturate: bool,
    pub(crate) nan: bool,
    pub(crate) xorsign_abs: bool,
    pub(crate) relu: bool,
}

impl FloatMode {
    /// Round to nearest, and nothing else.
    #[inline(always)]
    pub(crate) fn is_plain(self) -> bool {
        matches!(self.round, Round::Nearest) && !self.ftz && !self.saturate && !self.relu
    }
}

/// Rounding, flushing and clamping as the modifiers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct ArithmeticMode {
    pub(crate) rounding: Option<Rounding>,
    /// Subnormals are flushed to zero.
    pub(crate) ftz: bool,
    /// Integers are clamped to their range, floats to [0, 1].
    pub(crate) saturate: bool,
    /// `min` and `max`: a NaN input gives NaN.
    pub(crate) nan: bool,
    /// `min` and `max` of the magnitudes, with the product of the signs.
    pub(crate) xorsign_abs: bool,
    /// Negative results become zero.
    pub(crate) relu: bool,
    /// Results beyond the range become the largest finite number.
    pub(crate) satfinite: bool,
}

impl From<&Modifiers> for ArithmeticMode {
    fn from(modifiers: &Modifiers) -> ArithmeticMode {
        ArithmeticMode {
            rounding: modifiers.rounding(),
            ftz: modifiers.has(Flag::Ftz),
            saturate: modifiers.has(Flag::Sat),
            nan: modifiers.has(Flag::NaN),
            xorsign_abs: modifiers.has(Flag::Xorsign) || modifiers.has(Flag::Abs),
            relu: modifiers.has(Flag::Relu),
            satfinite: modifiers.has(Flag::Satfinite),
        }
    }
}

/// A conversion between two types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    pub(crate) to: ScalarType,
    pub(crate) from: ScalarType,
    pub(crate) mode: ArithmeticMode,
}

impl From<ArithmeticMode> for FloatMode {
    fn from(mode: ArithmeticMode) -> FloatMode {
        FloatMode {
            round: match mode.rounding {
                None | Some(Rounding::Rn | Rounding::Rni) => Round::Nearest,
                // What random bits add, the conversions that take them know.
                Some(Rounding::Rz | Rounding::Rzi | Rounding::Rs) => Round::Zero,
                Some(Rounding::Rm | Rounding::Rmi) => Round::Down,
                Some(Rounding::Rp | Rounding::Rpi) => Round::Up,
                Some(Rounding::Rna) => Round::NearestAway,
                Some(Rounding::Approx | Rounding::Full) => Round::Approximate,
            },
            ftz: mode.ftz,
            saturate: mode.saturate,
            nan: mode.nan,
            xorsign_abs: mode.xorsign_abs,
            relu: mode.relu,
        }
    }
}
