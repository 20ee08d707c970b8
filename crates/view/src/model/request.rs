//! Requests that hosts send to a session.

use crate::model::grid::GridRequest;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
use warpgrid_launch::value::ElementType;

/// Request of a host for a `SessionFrame` at the present position of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct FrameRequest {
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<GridRequest>>", optional))]
    pub grids: Vec<GridRequest>,
    /// Warp that the host displays, as the linear index of its block and its index in the block. The default is the warp of the last step.
    #[serde(default)]
    pub warp: Option<(u64, u32)>,
}

/// Options of functions that run a scenario with a step limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct RunOptions {
    /// Number of steps after which the run pauses.
    #[serde(default)]
    pub max_steps: Option<f64>,
}

/// Engine that runs a session to its end. `auto` compiles long runs without observers, `interpreter` disables compilation, and
/// `translated` compiles even short runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum EngineChoice {
    #[default]
    Auto,
    Interpreter,
    Translated,
}

/// Options of `Session.run`: the step limit and the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct SessionRunOptions {
    /// Number of steps after which the run pauses.
    #[serde(default)]
    pub max_steps: Option<f64>,
    /// Engine that executes the run.
    #[serde(default)]
    pub engine: Option<EngineChoice>,
}

/// Engine that executed a run of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    Interpreter,
    Translated,
}

/// Engine that executed the last run of a session, and the throughput of this run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EngineView {
    pub name: EngineKind,
    /// Description of the engine in a sentence. If a run was not compiled, the sentence contains the reason.
    pub words: String,
    /// Throughput of the run in million lane-instructions per second.
    pub rate: f64,
}

/// Options of `Session.runUntil`. Exactly one of the fields `condition`, `lines` and `memory` specifies the stop condition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct StopOptions {
    /// Condition that a lane meets after the step at which the run stops, but not before this step: `lane 3: %r5 == 7`.
    #[serde(default)]
    pub condition: Option<String>,
    /// Lines of the source. The run stops when the next step executes one of these lines.
    #[serde(default)]
    pub lines: Option<Vec<u32>>,
    /// Name of a memory. The run stops when a value in this memory changes. The value has `bytes` bytes (by default one element), and
    /// starts `offset` bytes after the start of the memory.
    #[serde(default)]
    pub memory: Option<String>,
    #[serde(default)]
    pub offset: Option<u64>,
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Whether to search backward for the previous match.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub back: bool,
    /// Number of steps after which the run pauses.
    #[serde(default)]
    pub max_steps: Option<f64>,
}

/// Options of `Session.grid`: the fields of [`GridRequest`] except `memory`.
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
    /// Returns the grid request that consists of the memory and these options.
    pub fn request(self, memory: MemoryKey) -> GridRequest {
        GridRequest {
            memory,
            ty: self.ty,
            columns: self.columns,
            first_row: self.first_row.unwrap_or(0),
            n_rows: self.n_rows,
        }
    }
}
