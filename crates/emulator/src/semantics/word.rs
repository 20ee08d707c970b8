//! Traits for primitive integer operations, from which the semantics of integer instructions are composed.
//!
//! The modules [`integer`](super::integer) and [`compare`](super::compare) define each integer instruction once, as a
//! function that is generic over these traits. The interpreter instantiates these functions with `u32`, `u64` and
//! `bool`, inside its loops over the lanes of a warp. The translator instantiates the functions with symbolic values,
//! from which it generates WebAssembly.

use warpgrid_isa::Signedness;

/// Truth value of a comparison, or value of a predicate register.
pub trait Truth: Copy {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
}

/// Integer of 32 or 64 bits. Arithmetic wraps, and the operation determines whether an integer is signed.
pub trait Word: Copy {
    /// 32-bit integer type of the same instantiation.
    type Narrow: Word<Narrow = Self::Narrow, Wide = Self::Wide, Truth = Self::Truth>;
    /// 64-bit integer type of the same instantiation.
    type Wide: Word<Narrow = Self::Narrow, Wide = Self::Wide, Truth = Self::Truth>;
    type Truth: Truth;

    const BITS: u32;

    /// Returns the low bits of a constant as a value of this type. `self` provides the instantiation.
    fn constant(self, value: u64) -> Self;

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    fn min_signed(self, other: Self) -> Self;
    fn min_unsigned(self, other: Self) -> Self;
    fn max_signed(self, other: Self) -> Self;
    fn max_unsigned(self, other: Self) -> Self;
    /// Returns the upper half of the product of two signed integers.
    fn mul_high_signed(self, other: Self) -> Self;
    /// Returns the upper half of the product of two unsigned integers.
    fn mul_high_unsigned(self, other: Self) -> Self;
    /// Returns the signed quotient. If the divisor is zero, all bits of the result are ones. The overflowing division
    /// MIN / -1 returns the dividend.
    fn div_signed(self, divisor: Self) -> Self;
    /// Returns the unsigned quotient. If the divisor is zero, all bits of the result are ones.
    fn div_unsigned(self, divisor: Self) -> Self;
    /// Returns the signed remainder, which has the sign of the dividend. If the divisor is zero, all bits of the result
    /// are ones.
    fn rem_signed(self, divisor: Self) -> Self;
    /// Returns the unsigned remainder. If the divisor is zero, all bits of the result are ones.
    fn rem_unsigned(self, divisor: Self) -> Self;
    /// Shifts left by the amount modulo the number of bits.
    fn shift_left(self, amount: Self::Narrow) -> Self;
    /// Shifts right by the amount modulo the number of bits; the vacated bits are copies of the sign bit.
    fn shift_right_signed(self, amount: Self::Narrow) -> Self;
    /// Shifts right by the amount modulo the number of bits; the vacated bits are zero.
    fn shift_right_unsigned(self, amount: Self::Narrow) -> Self;
    fn count_ones(self) -> Self::Narrow;
    fn leading_zeros(self) -> Self::Narrow;
    fn reverse_bits(self) -> Self;

    /// Returns the low 32 bits of the integer.
    fn to_narrow(self) -> Self::Narrow;
    fn to_wide_signed(self) -> Self::Wide;
    fn to_wide_unsigned(self) -> Self::Wide;

    fn equal(self, other: Self) -> Self::Truth;
    fn less_signed(self, other: Self) -> Self::Truth;
    fn less_unsigned(self, other: Self) -> Self::Truth;
    fn select(condition: Self::Truth, yes: Self, no: Self) -> Self;
    /// Adds 1 if the condition is true.
    fn add_truth(self, condition: Self::Truth) -> Self;

    /// Combines two integers bitwise. A bit of the result is the bit of `self` if the bit of `mask` is one, otherwise
    /// the bit of `other`.
    fn blend(self, other: Self, mask: Self) -> Self;
    /// Selects four of the eight bytes of `high:self` by the nibbles of a selector. If bit 3 of a nibble is set, the
    /// sign of the selected byte is replicated (PTX ISA, "prmt"). This operation is defined only for 32-bit integers.
    fn permute_bytes(self, high: Self, selector: Self) -> Self;
    /// Returns the sum of the products of corresponding bytes of both factors. `signs` determines whether the bytes of
    /// each factor are signed. This operation is defined only for 32-bit integers.
    fn dot_bytes(self, other: Self, signs: [Signedness; 2]) -> Self;
}

/// Operations that are composed of the primitive operations of [`Word`].
pub(crate) trait WordExt: Word {
    /// Returns a constant as a 32-bit integer of the same instantiation.
    #[inline(always)]
    fn narrow(self, value: u32) -> Self::Narrow {
        self.to_narrow().constant(value.into())
    }

    #[inline(always)]
    fn neg(self) -> Self {
        self.constant(0).sub(self)
    }

    /// Returns all ones for a negative integer, otherwise zero.
    #[inline(always)]
    fn sign_mask(self) -> Self {
        self.shift_right_signed(self.narrow(Self::BITS - 1))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        let sign = self.sign_mask();
        self.xor(sign).sub(sign)
    }

    #[inline(always)]
    fn is_zero(self) -> Self::Truth {
        self.equal(self.constant(0))
    }

    /// Shifts left. An amount of at least the width shifts all bits out.
    #[inline(always)]
    fn shift_left_clamped(self, amount: Self::Narrow) -> Self {
        let is_within = amount.less_unsigned(self.narrow(Self::BITS));
        Self::select(is_within, self.shift_left(amount), self.constant(0))
    }

    /// Shifts right with zeros. An amount of at least the width shifts all bits out.
    #[inline(always)]
    fn shift_right_clamped(self, amount: Self::Narrow) -> Self {
        let is_within = amount.less_unsigned(self.narrow(Self::BITS));
        Self::select(
            is_within,
            self.shift_right_unsigned(amount),
            self.constant(0),
        )
    }

    /// Shifts right with copies of the sign bit. If the amount is at least the width, every bit of the result is a copy
    /// of the sign bit.
    #[inline(always)]
    fn shift_right_signed_clamped(self, amount: Self::Narrow) -> Self {
        self.shift_right_signed(amount.min_unsigned(self.narrow(Self::BITS - 1)))
    }

    /// Sign-extends the low `bits` bits to the full width.
    #[inline(always)]
    fn extend_low_signed(self, bits: u32) -> Self {
        let shift = self.narrow(Self::BITS - bits);
        self.shift_left(shift).shift_right_signed(shift)
    }

    /// Clears all but the low `bits` bits.
    #[inline(always)]
    fn extend_low_unsigned(self, bits: u32) -> Self {
        self.and(self.constant(u64::MAX >> (64 - bits)))
    }
}

impl<W: Word> WordExt for W {}

/// Defines inlined methods of one or two operands for implementations of [`Word`].
macro_rules! methods {
    ($($name:ident $operands:tt -> $result:ty = $value:expr;)*) => {
        $(methods!(@method $name $operands $result, $value);)*
    };
    (@method $name:ident ($a:ident) $result:ty, $value:expr) => {
        #[inline(always)]
        fn $name(self) -> $result {
            let $a = self;
            $value
        }
    };
    (@method $name:ident ($a:ident, $b:ident: $type:ty) $result:ty, $value:expr) => {
        #[inline(always)]
        fn $name(self, $b: $type) -> $result {
            let $a = self;
            $value
        }
    };
}

impl Truth for bool {
    methods! {
        and(a, b: bool) -> bool = a & b;
        or(a, b: bool) -> bool = a | b;
        xor(a, b: bool) -> bool = a ^ b;
        not(a) -> bool = !a;
    }
}

macro_rules! word {
    ($word:ident, $signed:ident, $double:ident, $signed_double:ident) => {
        impl Word for $word {
            type Narrow = u32;
            type Wide = u64;
            type Truth = bool;

            const BITS: u32 = $word::BITS;

            #[inline(always)]
            fn constant(self, value: u64) -> $word {
                value as $word
            }

            methods! {
                add(a, b: $word) -> $word = a.wrapping_add(b);
                sub(a, b: $word) -> $word = a.wrapping_sub(b);
                mul(a, b: $word) -> $word = a.wrapping_mul(b);
                and(a, b: $word) -> $word = a & b;
                or(a, b: $word) -> $word = a | b;
                xor(a, b: $word) -> $word = a ^ b;
                not(a) -> $word = !a;
                min_signed(a, b: $word) -> $word = (a as $signed).min(b as $signed) as $word;
                min_unsigned(a, b: $word) -> $word = a.min(b);
                max_signed(a, b: $word) -> $word = (a as $signed).max(b as $signed) as $word;
                max_unsigned(a, b: $word) -> $word = a.max(b);
                mul_high_signed(a, b: $word) -> $word = {
                    let [a, b] = [a, b].map(|v| $signed_double::from(v as $signed));
                    (a * b >> $word::BITS) as $word
                };
                mul_high_unsigned(a, b: $word) -> $word = {
                    let [a, b] = [a, b].map($double::from);
                    (a * b >> $word::BITS) as $word
                };
                div_signed(a, b: $word) -> $word = match b {
                    0 => $word::MAX,
                    _ => (a as $signed).wrapping_div(b as $signed) as $word,
                };
                div_unsigned(a, b: $word) -> $word = a.checked_div(b).unwrap_or($word::MAX);
                rem_signed(a, b: $word) -> $word = match b {
                    0 => $word::MAX,
                    _ => (a as $signed).wrapping_rem(b as $signed) as $word,
                };
                rem_unsigned(a, b: $word) -> $word = a.checked_rem(b).unwrap_or($word::MAX);
                shift_left(a, n: u32) -> $word = a.wrapping_shl(n);
                shift_right_signed(a, n: u32) -> $word = (a as $signed).wrapping_shr(n) as $word;
                shift_right_unsigned(a, n: u32) -> $word = a.wrapping_shr(n);
                count_ones(a) -> u32 = $word::count_ones(a);
                leading_zeros(a) -> u32 = $word::leading_zeros(a);
                reverse_bits(a) -> $word = $word::reverse_bits(a);
                to_narrow(a) -> u32 = a as u32;
                to_wide_signed(a) -> u64 = a as $signed as i64 as u64;
                to_wide_unsigned(a) -> u64 = a as u64;
                equal(a, b: $word) -> bool = a == b;
                less_signed(a, b: $word) -> bool = (a as $signed) < (b as $signed);
                less_unsigned(a, b: $word) -> bool = a < b;
                add_truth(a, b: bool) -> $word = a.wrapping_add($word::from(b));
            }

            #[inline(always)]
            fn select(condition: bool, yes: $word, no: $word) -> $word {
                if condition { yes } else { no }
            }

            #[inline(always)]
            fn blend(self, other: $word, mask: $word) -> $word {
                self & mask | other & !mask
            }

            #[inline(always)]
            fn permute_bytes(self, high: $word, selector: $word) -> $word {
                let bytes = u64::from(high as u32) << 32 | u64::from(self as u32);
                (0..4).fold(0, |row, index| {
                    let nibble = selector >> (4 * index) & 15;
                    let byte = (bytes >> (8 * (nibble & 7))) as u8;
                    let byte = match nibble & 8 {
                        0 => byte,
                        _ => ((byte as i8) >> 7) as u8,
                    };
                    row | $word::from(byte) << (8 * index)
                })
            }

            #[inline(always)]
            fn dot_bytes(self, other: $word, [of_self, of_other]: [Signedness; 2]) -> $word {
                let byte = |word: $word, index: u32, sign: Signedness| {
                    let byte = (word >> (8 * index)) as u8;
                    match sign {
                        Signedness::Signed => byte as i8 as $word,
                        Signedness::Unsigned => $word::from(byte),
                    }
                };
                (0..4).fold(0, |sum: $word, index| {
                    let factors = [byte(self, index, of_self), byte(other, index, of_other)];
                    sum.wrapping_add(factors[0].wrapping_mul(factors[1]))
                })
            }
        }
    };
}

word!(u32, i32, u64, i64);
word!(u64, i64, u128, i128);
