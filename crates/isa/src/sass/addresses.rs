//! Address forms of SASS stores, by architecture.

use super::{TURING_TO_ADA, UP_TO_89};
use crate::target::TargetRequirement::{self, Any, Between, From};

/// Syntax of the address operand of a SASS store, such as `[Ra.64 + Imm]`, with the architectures that support it.
#[derive(Clone, Copy, Debug)]
pub struct SassAddressForm {
    pub shape: AddressShape,
    /// Architectures that support the address form.
    pub on: TargetRequirement,
}

/// Shape of the address expression between the brackets. All shapes except absolute addresses may include an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressShape {
    /// `[0x20]`, an address without a register.
    Absolute,
    /// `[Ra + Imm]`. If the mnemonic contains `.E`, `Ra` is a register pair.
    Register,
    /// `[Ra.64 + Imm]`
    Pair,
    /// `[Ra + URb + Imm]`
    RegisterAndUniform,
    /// `[Ra.64 + URb + Imm]`
    PairAndUniform,
    /// `[Ra.U32 + URb + Imm]`
    LowHalfAndUniform,
    /// `[RZ.U32 + URb + Imm]`
    ZeroAndUniform,
    /// `[URa + Imm]`
    Uniform,
    /// `[Ra.X4 + Imm]`, `.X8`, `.X16`
    Scaled,
    /// `[Ra.X4 + URb + Imm]`
    ScaledAndUniform,
    /// `desc[URa][Rb.64 + Imm]`
    Descriptor,
}

impl AddressShape {
    /// Returns the address in the notation of syntax lines.
    pub const fn syntax(self) -> &'static str {
        match self {
            AddressShape::Absolute => "[ImmU24]",
            AddressShape::Register => "[Ra + Imm]",
            AddressShape::Pair => "[Ra.64 + Imm]",
            AddressShape::RegisterAndUniform => "[Ra + URb + Imm]",
            AddressShape::PairAndUniform => "[Ra.64 + URb + Imm]",
            AddressShape::LowHalfAndUniform => "[Ra.U32 + URb + Imm]",
            AddressShape::ZeroAndUniform => "[RZ.U32 + URb + Imm]",
            AddressShape::Uniform => "[URa + Imm]",
            AddressShape::Scaled => "[Ra.X4 + Imm]",
            AddressShape::ScaledAndUniform => "[Ra.X4 + URb + Imm]",
            AddressShape::Descriptor => "desc[URa][Rb.64 + Imm]",
        }
    }

    /// Returns a one-sentence description of the address shape.
    pub const fn help(self) -> &'static str {
        match self {
            AddressShape::Absolute => "Unsigned address within the memory window.",
            AddressShape::Register => {
                "Sum of Ra (with `.E`, the register pair that starts at Ra) and a signed offset in bytes."
            }
            AddressShape::Pair => {
                "Sum of the register pair that starts at Ra and an offset in bytes."
            }
            AddressShape::RegisterAndUniform => {
                "Sum of the register of the lane, the uniform register and an offset in bytes."
            }
            AddressShape::PairAndUniform => "Sum of a register pair and a uniform register pair.",
            AddressShape::LowHalfAndUniform => {
                "Sum of an unsigned 32-bit register and a uniform register pair."
            }
            AddressShape::ZeroAndUniform => "Address in a uniform register pair.",
            AddressShape::Uniform => {
                "Address in uniform registers, which is identical for all lanes."
            }
            AddressShape::Scaled => {
                "Sum of the register, scaled by 4, 8 or 16, and an offset in bytes."
            }
            AddressShape::ScaledAndUniform => {
                "Sum of the register, scaled by 4, 8 or 16, a uniform register and an offset in bytes."
            }
            AddressShape::Descriptor => {
                "Sum of the register pair that starts at Rb and an offset in bytes. The descriptor in the uniform register pair specifies the caching."
            }
        }
    }
}

const fn form(shape: AddressShape, on: TargetRequirement) -> SassAddressForm {
    SassAddressForm { shape, on }
}

/// Address forms of `ST`. On Kepler to Turing, and on Hopper and later, disassemblers print a register pair without `.64`. On Ampere and
/// Ada, the descriptor is implicit.
pub static GENERIC: &[SassAddressForm] = &[
    form(AddressShape::Absolute, Between(35, 75)),
    form(AddressShape::Register, Any),
    form(AddressShape::Pair, From(75)),
    form(AddressShape::PairAndUniform, From(75)),
    form(AddressShape::LowHalfAndUniform, From(75)),
    form(AddressShape::ZeroAndUniform, From(90)),
    form(AddressShape::Uniform, From(75)),
    form(AddressShape::Descriptor, From(80)),
];

/// Address forms that `STG` accepts.
pub static GLOBAL: &[SassAddressForm] = GENERIC;

/// Address forms that `STL` accepts.
pub static LOCAL: &[SassAddressForm] = &[
    form(AddressShape::Absolute, Any),
    form(AddressShape::Register, Any),
    form(AddressShape::RegisterAndUniform, From(75)),
    form(AddressShape::Uniform, From(75)),
];

/// Address forms that `STS` accepts.
pub static SHARED: &[SassAddressForm] = &[
    form(AddressShape::Absolute, UP_TO_89),
    form(AddressShape::Register, Any),
    form(AddressShape::RegisterAndUniform, From(75)),
    form(AddressShape::Uniform, From(75)),
    form(AddressShape::Scaled, TURING_TO_ADA),
    form(AddressShape::ScaledAndUniform, TURING_TO_ADA),
];

/// Range of the signed 24-bit offset of a register address, in bytes.
pub const OFFSETS: std::ops::RangeInclusive<i64> = -0x80_0000..=0x7f_ffff;

/// Maximum absolute address, which is an unsigned 24-bit number.
pub const LARGEST_ABSOLUTE: u64 = 0xff_ffff;
