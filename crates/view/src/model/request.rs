//! What a host asks for.

use super::GridRequest;
use crate::memory_id::MemoryId;
use serde::{Deserialize, Serialize};
use warpgrid_launch::value::ElementType;

/// What a host shows of the present position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct FrameRequest {
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<GridRequest>>", optional))]
    pub grids: Vec<GridRequest>,
    /// The warp to show; that of the last step when absent.
    #[serde(default)]
    pub warp: Option<(u64, u32)>,
}

/// Options of a run from JavaScript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct RunOptions {
    /// Steps after which the run pauses.
    #[serde(default)]
    pub max_steps: Option<f64>,
}

/// Which engine runs a session to its end: `auto` lets translated code run what is long and not watched; `interpreter` switches that off;
/// `translated` tries it however short the run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum EngineChoice {
    #[default]
    Auto,
    Interpreter,
    Translated,
}

/// Options of the run of a session from JavaScript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct SessionRunOptions {
    /// Steps after which the run pauses.
    #[serde(default)]
    pub max_steps: Option<f64>,
    /// Which engine runs.
    #[serde(default)]
    pub engine: Option<EngineChoice>,
}

/// What ran a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum EngineName {
    Interpreter,
    Translated,
}

/// Which engine ran a session last, and how fast.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EngineView {
    pub name: EngineName,
    /// The same as a sentence, with why a run was not translated where that was tried.
    pub words: String,
    /// Million lane-instructions a second.
    pub rate: f64,
}

/// What a run is to stop at, from JavaScript: one of `condition`, `lines` and `memory`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct UntilOptions {
    /// A lane meets it and did not before the step: `lane 3: %r5 == 7`.
    #[serde(default)]
    pub condition: Option<String>,
    /// The next step is at one of these lines.
    #[serde(default)]
    pub lines: Option<Vec<u32>>,
    /// Bytes of this memory change: `bytes` of them, those of an element when absent, `offset` bytes from its start.
    #[serde(default)]
    pub memory: Option<String>,
    #[serde(default)]
    pub offset: Option<u64>,
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Goes back to where it happened last.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub back: bool,
    /// Steps after which the run pauses.
    #[serde(default)]
    pub max_steps: Option<f64>,
}

/// Options of a grid from JavaScript: a [`GridRequest`] without its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct GridOptions {
    #[serde(default, rename = "type")]
    pub ty: Option<ElementType>,
    #[serde(default)]
    pub columns: Option<u32>,
    #[serde(default)]
    pub first_row: Option<u64>,
    #[serde(default)]
    pub n_rows: Option<u32>,
}

impl GridOptions {
    /// The request for a memory.
    pub fn request(self, memory: MemoryId) -> GridRequest {
        GridRequest {
            memory,
            ty: self.ty,
            columns: self.columns,
            first_row: self.first_row.unwrap_or(0),
            n_rows: self.n_rows,
        }
    }
}
