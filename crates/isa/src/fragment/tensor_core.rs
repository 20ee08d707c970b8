//! Tensor core generations, and the generation of each target.

use crate::target::Target;

/// Tensor core generation. The layout of fragments and the exact MMA results depend only on the generation of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TensorCoreGeneration {
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
    /// `sm_120` and later: 8-bit floats in hardware, as in Ada.
    BlackwellRtx,
}

impl TensorCoreGeneration {
    /// All generations, the oldest generation first.
    pub const ALL: [TensorCoreGeneration; 7] = [
        TensorCoreGeneration::Volta,
        TensorCoreGeneration::Turing,
        TensorCoreGeneration::Ampere,
        TensorCoreGeneration::Ada,
        TensorCoreGeneration::Hopper,
        TensorCoreGeneration::Blackwell,
        TensorCoreGeneration::BlackwellRtx,
    ];

    /// Returns the tensor core generation of `target`, or `None` for targets before `sm_70`.
    pub const fn of(target: &Target) -> Option<TensorCoreGeneration> {
        match target.sm {
            0..70 => None,
            70..75 => Some(TensorCoreGeneration::Volta),
            75..80 => Some(TensorCoreGeneration::Turing),
            80..89 => Some(TensorCoreGeneration::Ampere),
            89 => Some(TensorCoreGeneration::Ada),
            90..100 => Some(TensorCoreGeneration::Hopper),
            100..120 => Some(TensorCoreGeneration::Blackwell),
            _ => Some(TensorCoreGeneration::BlackwellRtx),
        }
    }

    /// Returns the first target of the generation, such as `sm_80`.
    pub const fn first_target(self) -> &'static str {
        match self {
            TensorCoreGeneration::Volta => "sm_70",
            TensorCoreGeneration::Turing => "sm_75",
            TensorCoreGeneration::Ampere => "sm_80",
            TensorCoreGeneration::Ada => "sm_89",
            TensorCoreGeneration::Hopper => "sm_90",
            TensorCoreGeneration::Blackwell => "sm_100",
            TensorCoreGeneration::BlackwellRtx => "sm_120",
        }
    }
}
