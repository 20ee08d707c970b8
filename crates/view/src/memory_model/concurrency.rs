//! Concurrency analysis of a run, which finds its data races, its hang, and the missing synchronization. The module takes a session, and
//! returns the findings as plain data.

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

/// Data race between two source positions, which hosts display: an example of two conflicting accesses, the cause, the certainty, and the
/// edits of the weakest repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RaceView {
    pub first: RaceAccess,
    pub second: RaceAccess,
    /// Bytes that both accesses touch.
    #[serde(rename = "where")]
    pub place: RaceLocation,
    #[serde(rename = "why")]
    pub cause: RaceCause,
    /// Certainty with which the accesses race.
    #[serde(rename = "sure")]
    pub confidence: RaceConfidence,
    /// Whether the second access left the bytes unchanged.
    pub same_value: bool,
    /// Step of the run in which the second access was executed.
    pub step: u64,
    pub message: String,
    /// Edits of the weakest repair that the search has found. The list is empty if the search found no repair.
    pub repair: Vec<RepairEdit>,
    /// Whether a run of the repaired kernel has verified the repair.
    pub repair_tried: bool,
}

impl RaceView {
    /// Checks whether the race makes the results of the program undefined: the race is certain, and the second access changes the value.
    pub fn is_undefined(&self) -> bool {
        self.confidence == RaceConfidence::Certain && !self.same_value
    }
}

/// One of the two accesses of a data race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RaceAccess {
    /// Line of the access in the source, starting at 1. The line is absent if this side of the race is the start or exit of a block.
    pub line: Option<u32>,
    /// Description of this side of the race if it has no line: `exit of block 1`.
    #[serde(rename = "what")]
    pub description: Option<String>,
    pub block: [u32; 3],
    /// Index of the accessing thread in its block.
    pub thread: [u32; 3],
    pub kind: RaceAccessKind,
    /// Proxy through which the thread performs the access: `generic`, `async` or `tensormap`.
    pub proxy: String,
    pub asynchronous: bool,
    /// Memory order and scope of a strong access: `relaxed at gpu`.
    pub scope: Option<String>,
}

/// Kind of one side of a reported race: a read, write or atomic access, or the start or exit of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RaceAccessKind {
    Read,
    Write,
    Atomic,
    /// Start or exit of a block.
    Life,
}

/// Memory location of a data race: state space, buffer or variable, and byte range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RaceLocation {
    /// State space of the bytes: `global` or `shared`.
    pub space: String,
    /// Linear index of the block that owns the shared memory. The index is absent for global memory.
    pub block: Option<u64>,
    pub buffer: Option<String>,
    pub variable: Option<String>,
    /// Byte offset from the start of the buffer or variable. If the bytes belong to no named buffer or variable, the offset is relative to
    /// the start of the memory.
    pub offset: u64,
    pub bytes: u32,
}

/// Certainty of a [`RaceView`], which depends on the specification from which the race follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RaceConfidence {
    /// The axioms of the memory model define the accesses as a race.
    Certain,
    /// The axioms of the memory model define the accesses as a race, but existing code commonly omits the missing synchronization.
    #[serde(rename = "axiom")]
    ModelOnly,
    /// The manuals require the missing synchronization, but the requirement is not part of the memory model.
    #[serde(rename = "documented")]
    OutsideModel,
}

/// Edit of a statement in the source, as part of the repair of a data race. Hosts display it and can apply it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RepairEdit {
    pub op: RepairOp,
    /// Line of the statement that the edit changes, starting at 1.
    pub line: u32,
    /// Text of the inserted or replacing statements, without indentation. The text is empty if the edit deletes a statement.
    pub text: String,
    /// Text replacement that performs the edit in the source.
    pub edit: EditView,
}

/// Kind of a [`RepairEdit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum RepairOp {
    InsertBefore,
    InsertAfter,
    Replace,
    Delete,
}

/// Converts a repair to a fix that an editor can apply. Returns `None` if the repair is empty.
pub fn fix_of(repair: &[RepairEdit]) -> Option<FixView> {
    let edits = repair.iter().map(|edit| edit.edit.clone());
    (!repair.is_empty()).then(|| FixView {
        title: "Apply fix".to_owned(),
        is_header: false,
        edits: edits.collect(),
    })
}
