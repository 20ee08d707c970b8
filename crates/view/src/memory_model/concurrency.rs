//! Concurrency analysis of a run: data races, and the missing synchronization between their accesses. Input: a session. Output: plain data.

pub(crate) mod hang;
pub(crate) mod iterations;
pub(crate) mod lockstep;
pub(crate) mod race_messages;
pub(crate) mod races;
pub(crate) mod repair;
pub(crate) mod updates;

pub use crate::memory_model::concurrency::hang::{HangResource, HangView, HangWait, MissingCounts};
pub use crate::memory_model::concurrency::races::{RaceReport, UninitializedReadView};
pub use warpgrid_order::hang::HangKind;
pub use warpgrid_order::races::RaceCause;

use crate::model::text::{EditView, FixView};
use serde::{Deserialize, Serialize};

/// Data race between two positions of the source, with an example of the conflicting accesses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RaceView {
    pub first: RaceAccess,
    pub second: RaceAccess,
    /// Bytes that both accesses access.
    #[serde(rename = "where")]
    pub place: RaceLocation,
    #[serde(rename = "why")]
    pub cause: RaceCause,
    /// Certainty of the race.
    #[serde(rename = "sure")]
    pub confidence: RaceConfidence,
    /// Whether the second access left the bytes unchanged.
    pub same_value: bool,
    /// Step of the second access.
    pub step: u64,
    pub message: String,
    /// Weakest known fix. Empty if no fix is known.
    pub repair: Vec<RepairEdit>,
    /// Whether a run of the fixed kernel has verified the fix.
    pub repair_tried: bool,
}

impl RaceView {
    /// Checks whether the results of the program are undefined: the race is certain, and the accesses write different values.
    pub fn is_undefined(&self) -> bool {
        self.confidence == RaceConfidence::Certain && !self.same_value
    }
}

/// Access of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RaceAccess {
    /// Line of the source, starting at 1. Absent if the access is the start or exit of a block.
    pub line: Option<u32>,
    /// Description if the access has no line: `exit of block 1`.
    #[serde(rename = "what")]
    pub description: Option<String>,
    pub block: [u32; 3],
    /// Thread index in the block.
    pub thread: [u32; 3],
    pub kind: RaceKind,
    /// Proxy: `generic`, `async` or `tensormap`.
    pub proxy: String,
    pub asynchronous: bool,
    /// Memory order and scope of a strong access: `relaxed at gpu`.
    pub scope: Option<String>,
}

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RaceKind {
    Read,
    Write,
    Atomic,
    /// A block starts or ends.
    Life,
}

/// Byte range of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RaceLocation {
    /// State space: `global` or `shared`.
    pub space: String,
    /// Linear index of the block that owns the shared memory.
    pub block: Option<u64>,
    pub buffer: Option<String>,
    pub variable: Option<String>,
    /// Byte offset from the start of the buffer or variable, or from the start of the memory if the range has no name.
    pub offset: u64,
    pub bytes: u32,
}

/// Certainty of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RaceConfidence {
    /// By the axioms of the memory model.
    Certain,
    /// By the axioms, though much code that works leaves it out.
    #[serde(rename = "axiom")]
    ModelOnly,
    /// By the text of the manuals outside the memory model.
    #[serde(rename = "documented")]
    OutsideModel,
}

/// Edit of a statement of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RepairEdit {
    pub op: RepairOp,
    /// Line of the statement, starting at 1.
    pub line: u32,
    /// Inserted or replacing statements, without indentation. Empty if the statement is removed.
    pub text: String,
    /// Text replacement that performs the edit.
    pub edit: EditView,
}

/// Kind of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum RepairOp {
    InsertBefore,
    InsertAfter,
    Replace,
    Delete,
}

/// Returns a repair as a fix that an editor applies; `None` if there is no repair.
pub fn fix_of(repair: &[RepairEdit]) -> Option<FixView> {
    let edits = repair.iter().map(|edit| edit.edit.clone());
    (!repair.is_empty()).then(|| FixView {
        title: "Apply fix".to_owned(),
        is_header: false,
        edits: edits.collect(),
    })
}
