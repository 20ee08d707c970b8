//! The scalar types of PTX (PTX ISA, "Fundamental Types" and "Alternate Floating-Point Data Formats").

use std::fmt;

/// Kind of a type. The rules for relaxed type checking (PTX ISA, "Operand Type Checking") are defined in terms of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeKind {
    /// `.bN`: untyped bits.
    Bits,
    /// `.uN`
    Unsigned,
    /// `.sN`
    Signed,
    /// `.fN`, `.bf16`, `.tf32` and packed forms.
    Float,
    /// `.pred`
    Predicate,
}

/// Interpretation of the bits of an integer value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signedness {
    Signed,
    Unsigned,
}

macro_rules! scalar_types {
    ($($variant:ident $text:literal $bits:literal $kind:ident;)*) => {
        /// Scalar type of an instruction or declaration.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ScalarType { $(#[doc = concat!("`.", $text, "`")] $variant,)* }

        impl ScalarType {
            /// All types, in table order.
            pub const ALL: &'static [ScalarType] = &[$(ScalarType::$variant,)*];

            /// Returns the name without the dot.
            pub const fn name(self) -> &'static str {
                match self { $(ScalarType::$variant => $text,)* }
            }

            /// Returns the type with this name (without dot).
            pub fn from_name(name: &str) -> Option<ScalarType> {
                match name { $($text => Some(ScalarType::$variant),)* _ => None }
            }

            /// Returns the width in bits. Predicates have the width 1.
            pub const fn width_bits(self) -> u32 {
                match self { $(ScalarType::$variant => $bits,)* }
            }

            /// Returns the kind of the type.
            pub const fn kind(self) -> TypeKind {
                match self { $(ScalarType::$variant => TypeKind::$kind,)* }
            }
        }
    };
}

scalar_types! {
    B8 "b8" 8 Bits;
    B16 "b16" 16 Bits;
    B32 "b32" 32 Bits;
    B64 "b64" 64 Bits;
    B128 "b128" 128 Bits;
    U8 "u8" 8 Unsigned;
    U16 "u16" 16 Unsigned;
    U32 "u32" 32 Unsigned;
    U64 "u64" 64 Unsigned;
    S8 "s8" 8 Signed;
    S16 "s16" 16 Signed;
    S32 "s32" 32 Signed;
    S64 "s64" 64 Signed;
    F16 "f16" 16 Float;
    F16x2 "f16x2" 32 Float;
    Bf16 "bf16" 16 Float;
    Bf16x2 "bf16x2" 32 Float;
    Tf32 "tf32" 32 Float;
    F32 "f32" 32 Float;
    F32x2 "f32x2" 64 Float;
    F64 "f64" 64 Float;
    E4m3 "e4m3" 8 Float;
    E5m2 "e5m2" 8 Float;
    E2m1 "e2m1" 4 Float;
    E2m3 "e2m3" 6 Float;
    E3m2 "e3m2" 6 Float;
    Ue8m0 "ue8m0" 8 Float;
    Ue4m3 "ue4m3" 8 Float;
    E4m3x2 "e4m3x2" 16 Float;
    E5m2x2 "e5m2x2" 16 Float;
    E2m1x2 "e2m1x2" 8 Float;
    E2m3x2 "e2m3x2" 16 Float;
    E3m2x2 "e3m2x2" 16 Float;
    Ue8m0x2 "ue8m0x2" 16 Float;
    S2f6x2 "s2f6x2" 16 Float;
    E4m3x4 "e4m3x4" 32 Float;
    E5m2x4 "e5m2x4" 32 Float;
    E2m1x4 "e2m1x4" 16 Float;
    E2m3x4 "e2m3x4" 32 Float;
    E3m2x4 "e3m2x4" 32 Float;
    U8x4 "u8x4" 32 Unsigned;
    S8x4 "s8x4" 32 Signed;
    U16x2 "u16x2" 32 Unsigned;
    S16x2 "s16x2" 32 Signed;
    B1 "b1" 1 Bits;
    U2 "u2" 2 Unsigned;
    S2 "s2" 2 Signed;
    U4 "u4" 4 Unsigned;
    S4 "s4" 4 Signed;
    Pred "pred" 1 Predicate;
}

impl ScalarType {
    /// Returns a one-line description of the type.
    pub const fn help(self) -> &'static str {
        match self {
            ScalarType::B8 => "8 untyped bits",
            ScalarType::B16 => "16 untyped bits",
            ScalarType::B32 => "32 untyped bits",
            ScalarType::B64 => "64 untyped bits",
            ScalarType::B128 => "128 untyped bits",
            ScalarType::U8 => "8-bit unsigned integer",
            ScalarType::U16 => "16-bit unsigned integer",
            ScalarType::U32 => "32-bit unsigned integer",
            ScalarType::U64 => "64-bit unsigned integer",
            ScalarType::S8 => "8-bit signed integer",
            ScalarType::S16 => "16-bit signed integer",
            ScalarType::S32 => "32-bit signed integer",
            ScalarType::S64 => "64-bit signed integer",
            ScalarType::F16 => "half-precision float",
            ScalarType::F16x2 => "two half-precision floats in 32 bits",
            ScalarType::Bf16 => "bfloat16 value",
            ScalarType::Bf16x2 => "two bfloat16 values in 32 bits",
            ScalarType::Tf32 => "tf32 floating-point value in 32 bits",
            ScalarType::F32 => "single-precision float",
            ScalarType::F32x2 => "two single-precision floats in 64 bits",
            ScalarType::F64 => "double-precision float",
            ScalarType::E4m3 => "8-bit float with 4 exponent bits",
            ScalarType::E5m2 => "8-bit float with 5 exponent bits",
            ScalarType::E2m1 => "4-bit float with 2 exponent bits",
            ScalarType::E2m3 => "6-bit float with 2 exponent bits",
            ScalarType::E3m2 => "6-bit float with 3 exponent bits",
            ScalarType::Ue8m0 => "8-bit unsigned exponent",
            ScalarType::Ue4m3 => "unsigned 8-bit float with 4 exponent bits",
            ScalarType::E4m3x2 => "two 8-bit floats (e4m3) in 16 bits",
            ScalarType::E5m2x2 => "two 8-bit floats (e5m2) in 16 bits",
            ScalarType::E2m1x2 => "two 4-bit floats (e2m1) in 8 bits",
            ScalarType::E2m3x2 => "two 6-bit floats (e2m3) in 16 bits",
            ScalarType::E3m2x2 => "two 6-bit floats (e3m2) in 16 bits",
            ScalarType::Ue8m0x2 => "two 8-bit unsigned exponents in 16 bits",
            ScalarType::S2f6x2 => "two 8-bit fixed-point numbers (s2f6) in 16 bits",
            ScalarType::E4m3x4 => "four 8-bit floats (e4m3) in 32 bits",
            ScalarType::E5m2x4 => "four 8-bit floats (e5m2) in 32 bits",
            ScalarType::E2m1x4 => "four 4-bit floats (e2m1) in 16 bits",
            ScalarType::E2m3x4 => "four 6-bit floats (e2m3) in 32 bits",
            ScalarType::E3m2x4 => "four 6-bit floats (e3m2) in 32 bits",
            ScalarType::U8x4 => "four 8-bit unsigned integers in 32 bits",
            ScalarType::S8x4 => "four 8-bit signed integers in 32 bits",
            ScalarType::U16x2 => "two 16-bit unsigned integers in 32 bits",
            ScalarType::S16x2 => "two 16-bit signed integers in 32 bits",
            ScalarType::B1 => "single bits",
            ScalarType::U2 => "2-bit unsigned integer",
            ScalarType::S2 => "2-bit signed integer",
            ScalarType::U4 => "4-bit unsigned integer",
            ScalarType::S4 => "4-bit signed integer",
            ScalarType::Pred => "predicate",
        }
    }

    /// Returns the width in bytes, rounded up. The result is 1 for predicates and 4-bit types.
    pub const fn width_bytes(self) -> u32 {
        self.width_bits().div_ceil(8)
    }

    /// Returns whether the type is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self.kind(), TypeKind::Signed)
    }

    /// Returns whether integer instructions interpret values of the type as signed or unsigned.
    pub const fn signedness(self) -> Signedness {
        match self.kind() {
            TypeKind::Signed => Signedness::Signed,
            _ => Signedness::Unsigned,
        }
    }

    /// Returns whether the type is a scalar or packed floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), TypeKind::Float)
    }

    /// Returns whether the type is a signed, unsigned or untyped integer.
    pub const fn is_integer(self) -> bool {
        matches!(
            self.kind(),
            TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed
        )
    }

    /// Returns whether the type packs several integers into one register.
    pub const fn is_packed_integer(self) -> bool {
        matches!(
            self,
            ScalarType::U16x2 | ScalarType::S16x2 | ScalarType::U8x4 | ScalarType::S8x4
        )
    }

    /// Returns the integer type of twice the width, which is the result type of `mul.wide`.
    pub const fn widened(self) -> ScalarType {
        match self {
            ScalarType::U16 => ScalarType::U32,
            ScalarType::S16 => ScalarType::S32,
            ScalarType::U32 => ScalarType::U64,
            ScalarType::S32 => ScalarType::S64,
            ScalarType::B8 => ScalarType::B16,
            ScalarType::B16 => ScalarType::B32,
            ScalarType::B32 => ScalarType::B64,
            ScalarType::B64 => ScalarType::B128,
            other => other,
        }
    }

    /// Truncates an integer literal to the width of the type.
    pub const fn truncate(self, value: u64) -> u64 {
        match self.width_bits() {
            bits @ 0..64 => value & ((1 << bits) - 1),
            _ => value,
        }
    }

    /// Returns the untyped bits type of the same width, if one exists.
    pub const fn to_bits(self) -> ScalarType {
        match self.width_bits() {
            8 => ScalarType::B8,
            16 => ScalarType::B16,
            32 => ScalarType::B32,
            64 => ScalarType::B64,
            128 => ScalarType::B128,
            _ => self,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
