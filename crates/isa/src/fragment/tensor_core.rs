//! Generations of tensor cores: a target goes in, the hardware that its matrix instructions run on comes out.

use crate::target::Target;

/// A generation of tensor cores. Fragments, and the bits of a matrix product, differ between generations only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TensorCore {
    /// `sm_70` and `sm_72`: quad pairs.
    Volta,
    /// `sm_75`
    Turing,
    /// `sm_80` to `sm_88`
    Ampere,
    /// `sm_89`: 8-bit floats in hardware.
    Ada,
    /// `sm_90`
    Hopper,
    /// `sm_100` to `sm_110`
    Blackwell,
    /// `sm_120` and later: 8-bit floats in hardware again.
    BlackwellRtx,
}

impl TensorCore {
    /// Every generation, oldest first.
    pub const ALL: [TensorCore; 7] = [
        TensorCore::Volta,
        TensorCore::Turing,
        TensorCore::Ampere,
        TensorCore::Ada,
        TensorCore::Hopper,
        TensorCore::Blackwell,
        TensorCore::BlackwellRtx,
    ];

    /// The tensor cores of `target`; targets before `sm_70` have none.
    pub const fn of(target: &Target) -> Option<TensorCore> {
        match target.sm {
            0..70 => None,
            70..75 => Some(TensorCore::Volta),
            75..80 => Some(TensorCore::Turing),
            80..89 => Some(TensorCore::Ampere),
            89 => Some(TensorCore::Ada),
            90..100 => Some(TensorCore::Hopper),
            100..120 => Some(TensorCore::Blackwell),
            _ => Some(TensorCore::BlackwellRtx),
        }
    }

    /// The first target of the generation: `sm_80`.
    pub const fn first_target(self) -> &'static str {
        match self {
            TensorCore::Volta => "sm_70",
            TensorCore::Turing => "sm_75",
            TensorCore::Ampere => "sm_80",
            TensorCore::Ada => "sm_89",
            TensorCore::Hopper => "sm_90",
            TensorCore::Blackwell => "sm_100",
            TensorCore::BlackwellRtx => "sm_120",
        }
    }
}
