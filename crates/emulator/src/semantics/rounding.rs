//! Rounding modes and modifiers of floating-point arithmetic and conversions.

use warpgrid_isa::{Flag, Modifiers, Rounding, ScalarType};

/// Rounding mode of a floating-point result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RoundingMode {
    #[default]
    Nearest,
    Zero,
    Down,
    Up,
    /// To nearest, ties away from zero.
    NearestAway,
    /// `.approx`: result of the special function unit.
    Approximate,
    /// `.full`: result of the special function unit, with scaled operands that support the full range.
    Full,
}

impl RoundingMode {
    /// Checks whether a result is rounded to nearest, which includes approximate modes for operations that the special
    /// function unit does not compute.
    #[inline(always)]
    pub(crate) fn is_to_nearest(self) -> bool {
        matches!(
            self,
            RoundingMode::Nearest | RoundingMode::Approximate | RoundingMode::Full
        )
    }

    /// Checks whether the special function unit computes the results.
    #[inline(always)]
    pub(crate) fn is_approximate(self) -> bool {
        matches!(self, RoundingMode::Approximate | RoundingMode::Full)
    }

    /// Checks whether a magnitude is rounded up, away from zero. `rest` is the result of comparing the discarded bits
    /// with half an ulp.
    #[inline(always)]
    pub(crate) fn is_up(self, rest: DiscardedBits, is_negative: bool, is_odd: bool) -> bool {
        match self {
            RoundingMode::Nearest | RoundingMode::Approximate | RoundingMode::Full => {
                rest == DiscardedBits::Above || rest == DiscardedBits::Half && is_odd
            }
            RoundingMode::NearestAway => rest >= DiscardedBits::Half,
            RoundingMode::Zero => false,
            RoundingMode::Up => rest > DiscardedBits::Nothing && !is_negative,
            RoundingMode::Down => rest > DiscardedBits::Nothing && is_negative,
        }
    }

    /// Checks whether an overflow of a number with the given sign results in the largest finite number instead of
    /// infinity.
    #[inline(always)]
    pub(crate) fn is_cut(self, is_negative: bool) -> bool {
        !self.is_up(DiscardedBits::Above, is_negative, true)
    }
}

/// Discarded bits of a rounded number, compared with half an ulp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum DiscardedBits {
    Nothing,
    Below,
    Half,
    Above,
}

impl DiscardedBits {
    /// Compares `rest`, the value of the discarded bits, with `half`, the value of half an ulp.
    #[inline(always)]
    pub(crate) fn of<T: PartialOrd + Default>(rest: T, half: T) -> DiscardedBits {
        if rest > half {
            DiscardedBits::Above
        } else if rest == half {
            DiscardedBits::Half
        } else if rest > T::default() {
            DiscardedBits::Below
        } else {
            DiscardedBits::Nothing
        }
    }
}

impl From<Option<Rounding>> for RoundingMode {
    fn from(rounding: Option<Rounding>) -> RoundingMode {
        match rounding {
            None | Some(Rounding::Rn | Rounding::Rni) => RoundingMode::Nearest,
            // `.rs` conversions add the random bits before rounding, so that truncation completes the stochastic
            // rounding.
            Some(Rounding::Rz | Rounding::Rzi | Rounding::Rs) => RoundingMode::Zero,
            Some(Rounding::Rm | Rounding::Rmi) => RoundingMode::Down,
            Some(Rounding::Rp | Rounding::Rpi) => RoundingMode::Up,
            Some(Rounding::Rna) => RoundingMode::NearestAway,
            Some(Rounding::Approx) => RoundingMode::Approximate,
            Some(Rounding::Full) => RoundingMode::Full,
        }
    }
}

/// Modifiers of a floating-point operation: rounding mode, flushing and saturation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FloatMode {
    pub round: RoundingMode,
    pub ftz: bool,
    pub saturate: bool,
    pub nan: bool,
    pub xorsign_abs: bool,
    pub relu: bool,
}

impl FloatMode {
    /// Checks whether results are rounded to nearest and no other modifier is present.
    #[inline(always)]
    pub fn is_plain(self) -> bool {
        matches!(self.round, RoundingMode::Nearest) && !self.ftz && !self.saturate && !self.relu
    }
}

/// Modifiers of an arithmetic instruction or conversion that control rounding, flushing, clamping, NaN results and signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ArithmeticMode {
    pub rounding: Option<Rounding>,
    /// Whether subnormal numbers are flushed to zero.
    pub ftz: bool,
    /// Whether results are clamped: integers to the range of their type, and floats to [0, 1].
    pub saturate: bool,
    /// For `min` and `max`: whether a NaN input results in NaN.
    pub nan: bool,
    /// For `min` and `max`: whether the operation compares magnitudes, and the sign of the result is the product of the
    /// signs.
    pub xorsign_abs: bool,
    /// Whether negative results are replaced by zero.
    pub relu: bool,
    /// Whether an overflow results in the largest finite number.
    pub satfinite: bool,
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

/// Conversion between two types, as specified by a `cvt` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    pub to: ScalarType,
    pub from: ScalarType,
    pub mode: ArithmeticMode,
}

impl Conversion {
    /// Checks whether both types are integers of at most 64 bits.
    pub const fn is_between_integers(&self) -> bool {
        self.from.is_integer()
            && self.to.is_integer()
            && self.from.width_bits() <= 64
            && self.to.width_bits() <= 64
    }
}

impl From<ArithmeticMode> for FloatMode {
    fn from(mode: ArithmeticMode) -> FloatMode {
        FloatMode {
            round: mode.rounding.into(),
            ftz: mode.ftz,
            saturate: mode.saturate,
            nan: mode.nan,
            xorsign_abs: mode.xorsign_abs,
            relu: mode.relu,
        }
    }
}
