//! Tensor core generations, and the generation of each target.

use crate::target::Target;

/// Tensor core generation. Fragments and the bits of MMA results depend on the generation only.
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
    /// `sm_120` and later: 8-bit floats in hardware, as in Ada.
    BlackwellRtx,
}

impl TensorCore {
    /// All generations, oldest first.
    pub const ALL: [TensorCore; 7] = [
        TensorCore::Volta,
        TensorCore::Turing,
        TensorCore::Ampere,
        TensorCore::Ada,
        TensorCore::Hopper,
        TensorCore::Blackwell,
        TensorCore::BlackwellRtx,
    ];

    /// Returns the tensor core generation of `target`; `None` before `sm_70`.
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

    /// Returns the first target of the generation, such as `sm_80`.
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
