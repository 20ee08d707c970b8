//! Data types for a step of a warp in the form that hosts display.

use crate::model::source_position::SourcePosition;
use crate::model::text::SourceRange;
use serde::{Deserialize, Serialize};

/// Step that a warp executed or will execute, which hosts display with its instruction, its lanes and its source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    pub step: u64,
    /// Linear index of the block of the warp.
    pub block: u64,
    /// Coordinates of the block in the grid.
    pub block_id: [u32; 3],
    pub warp: u32,
    pub range: SourceRange,
    /// Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions. The list
    /// is empty if the compiler recorded no position.
    pub source: Vec<SourcePosition>,
    /// Text of the instruction in the source.
    pub instruction: String,
    /// Opcode of the instruction with its modifiers.
    pub opcode: String,
    /// Names in the instruction text that may be register names.
    pub names: Vec<String>,
    /// Mask of the active lanes of the step: bit `i` is lane `i`.
    pub active: u32,
    /// Equivalent of a store instruction in the other language, PTX or SASS. The field is absent if the step is not a store.
    pub counterpart: Option<CounterpartView>,
    /// Scheduling control bits of the encoded instruction: `stall 4 cycles, waits for 0`. The control bits do not affect the results of the
    /// emulator.
    pub schedule: Option<String>,
}

/// Equivalent of a store instruction in the other language, PTX or SASS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CounterpartView {
    /// Text of the equivalent instruction. Its registers have the names of the other language: `STG.E.64 desc[UR4][R2.64], R4`.
    pub text: String,
    /// Language of the equivalent instruction, with the architecture if the instruction depends on it: `SASS for sm_90`.
    pub language: String,
    /// Limitations of the equivalence between both instructions.
    pub about: String,
}
