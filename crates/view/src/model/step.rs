//! Step of a warp in a form that hosts display.

use crate::model::text::SourceRange;
use crate::source::line_table::SourcePosition;
use serde::{Deserialize, Serialize};

/// Step of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    pub step: u64,
    /// Linear index of the block that executed the step.
    pub block: u64,
    /// Coordinates of the block in the grid.
    pub block_id: [u32; 3],
    pub warp: u32,
    pub range: SourceRange,
    /// Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions. Empty if
    /// the compiler recorded no position.
    pub source: Vec<SourcePosition>,
    /// Source text of the instruction.
    pub instruction: String,
    /// Opcode of the instruction with its modifiers.
    pub opcode: String,
    /// Names in the instruction that may be registers.
    pub names: Vec<String>,
    /// Mask of active lanes: bit `i` is lane `i`.
    pub active: u32,
    /// Equivalent of a store in the other language, PTX or SASS. Absent if the step is not a store.
    pub counterpart: Option<CounterpartView>,
    /// Scheduling control bits of the encoding: `stall 4 cycles, waits for 0`. The control bits do not affect the results of the emulator.
    pub schedule: Option<String>,
}

/// Equivalent of a store in the other language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CounterpartView {
    /// Equivalent instruction with its own register names: `STG.E.64 desc[UR4][R2.64], R4`.
    pub text: String,
    /// Language of the instruction, with the architecture if the instruction depends on it: `SASS for sm_90`.
    pub language: String,
    /// Limitations of the equivalence.
    pub about: String,
}
