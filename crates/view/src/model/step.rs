//! A step of a warp.

use super::SourceRange;
use serde::{Deserialize, Serialize};

/// A step of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    pub step: u64,
    /// Linear index of the block, and its coordinates.
    pub block: u64,
    pub block_id: [u32; 3],
    pub warp: u32,
    pub range: SourceRange,
    /// The instruction as written.
    pub instruction: String,
    /// Its opcode with the modifiers.
    pub opcode: String,
    /// The names in the instruction that may be registers.
    pub names: Vec<String>,
    /// Bit `i`: lane `i` takes part.
    pub active: u32,
    /// A store in the other language, PTX or machine code; absent for other steps.
    pub counterpart: Option<CounterpartView>,
    /// What the encoding says of scheduling: `stall 4 cycles, waits for 0`. It has no effect on results.
    pub schedule: Option<String>,
}

/// A store as the other language writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CounterpartView {
    /// `STG.E.64 desc[UR4][R2.64], R4`, with registers of its own.
    pub text: String,
    /// The language of the text, and the machine where it depends on it: `machine code for sm_90`.
    pub language: String,
    /// How far it can be trusted.
    pub about: String,
}
