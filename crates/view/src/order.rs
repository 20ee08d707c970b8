//! The order of a run: data races, and what is missing between their accesses. In: a session; out: plain data.

mod fix;
mod hang;
mod iterations;
mod lockstep;
mod races;
mod repair;
mod updates;
mod wording;

pub use fix::fix_of;
pub use hang::{HangKind, HangMissing, HangObject, HangView, HangWait};
pub use races::{RaceReport, UnwrittenView};

use serde::{Deserialize, Serialize};

/// A data race: two places in the text, with an example of what happened there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RaceView {
    pub first: RaceAccess,
    pub second: RaceAccess,
    /// The bytes that both touch.
    #[serde(rename = "where")]
    pub place: RacePlace,
    pub why: RaceWhy,
    /// How sure it is.
    pub sure: RaceSure,
    /// Whether the second access left the bytes as they were.
    pub same_value: bool,
    /// The step of the second access.
    pub step: u64,
    pub message: String,
    /// The weakest change that was found which ends the race; empty where none is known.
    pub repair: Vec<RepairEdit>,
    /// Whether a run of the changed text showed that it heals.
    pub repair_tried: bool,
}

impl RaceView {
    /// Whether the results of the program are undefined: the race is certain and its accesses write other values.
    pub fn is_undefined(&self) -> bool {
        self.sure == RaceSure::Certain && !self.same_value
    }
}

/// One side of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RaceAccess {
    /// From 1; none where it is the life of a block.
    pub line: Option<u32>,
    /// `exit of block 1`, where there is no line.
    pub what: Option<String>,
    pub block: [u32; 3],
    /// Within the block.
    pub thread: [u32; 3],
    pub kind: RaceKind,
    /// `generic`, `async` or `tensormap`.
    pub proxy: String,
    pub asynchronous: bool,
    /// `relaxed at gpu`, where the access is strong.
    pub scope: Option<String>,
}

/// What an access does.
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

/// Bytes with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RacePlace {
    /// `global` or `shared`.
    pub space: String,
    /// Linear index of the block whose shared memory it is.
    pub block: Option<u64>,
    pub buffer: Option<String>,
    pub variable: Option<String>,
    /// From the start of the buffer or variable; of the memory, where it has no name.
    pub offset: u64,
    pub bytes: u32,
}

/// What is missing between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RaceWhy {
    Order,
    Scope,
    Proxy,
    Completion,
    Lifetime,
    Init,
}

/// How sure a race is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RaceSure {
    /// By the axioms of the memory model.
    Certain,
    /// By the axioms, though much code that works leaves it out.
    Axiom,
    /// By the text of the manuals outside the memory model.
    Documented,
}

/// A change of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RepairEdit {
    pub op: RepairOp,
    /// From 1.
    pub line: u32,
    /// Without the line's indentation; empty where a line goes.
    pub text: String,
}

/// What a change does with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum RepairOp {
    InsertBefore,
    InsertAfter,
    Replace,
    Delete,
}
