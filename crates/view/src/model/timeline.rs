//! Timeline of a run: the states of warps, the phases of barriers, and asynchronous operations, over the steps of the run.

use crate::model::source_position::SourcePosition;
use serde::{Deserialize, Serialize};

/// Range of a timeline that a host displays. The default request covers the whole run with all details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct TimelineOptions {
    /// First step of the range. Default: 0.
    #[serde(default)]
    pub from: Option<f64>,
    /// Step after the last step of the range. Default: the end of the recorded steps.
    #[serde(default)]
    pub to: Option<f64>,
    /// Horizontal resolution of the display. Consecutive spans that are shorter than one column are merged. Default: no span is merged.
    #[serde(default)]
    pub columns: Option<f64>,
    /// Linear index of the only block to show. Default: all blocks.
    #[serde(default)]
    pub block: Option<f64>,
}

/// Timeline of a run. Positions are counted in steps: a step executes one instruction of one warp, or completes one asynchronous operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TimelineView {
    /// First step of the range.
    pub from: u64,
    /// Step after the last step of the range.
    pub to: u64,
    /// Number of recorded steps, from the start of the run.
    pub steps: u64,
    /// Whether the recorded steps end with the end of the run. Otherwise, the run continues after the recorded steps.
    pub is_complete: bool,
    /// Linear indices of the blocks that have tracks.
    pub blocks: Vec<u64>,
    /// Tracks in the order of display: for each block, its warps, its asynchronous operations, its barriers and its mbarriers.
    pub tracks: Vec<TimelineTrack>,
    /// Number of tracks that the view omits because of its size limit.
    pub n_omitted_tracks: u64,
    pub links: Vec<TimelineLink>,
    /// Number of links in the range that the view omits because of its size limit.
    pub n_omitted_links: u64,
    pub marks: Vec<TimelineMark>,
}

/// Row or rows of a timeline: a warp, a kind of asynchronous operation, a barrier or an mbarrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TimelineTrack {
    pub kind: TrackKind,
    /// Linear index of the block, or of the first block of the cluster for a cluster barrier.
    pub block: u64,
    /// Name within the block: `warp 0`, `tensor copies`, `barrier 0`, `full[1]`.
    pub name: String,
    /// Number of rows. Operations that are in flight at the same time are in different rows.
    pub n_rows: u32,
    /// Spans in the range, ordered by row and start.
    pub spans: Vec<TimelineSpan>,
}

/// Kind of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum TrackKind {
    Warp,
    AsyncOperations,
    Barrier,
    ClusterBarrier,
    Mbarrier,
}

impl TrackKind {
    /// Returns the serialized name: `async-operations`.
    pub const fn name(self) -> &'static str {
        match self {
            TrackKind::Warp => "warp",
            TrackKind::AsyncOperations => "async-operations",
            TrackKind::Barrier => "barrier",
            TrackKind::ClusterBarrier => "cluster-barrier",
            TrackKind::Mbarrier => "mbarrier",
        }
    }
}

/// State of a track over consecutive steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TimelineSpan {
    /// First step of the span.
    pub from: u64,
    /// Step after the last step. Absent if the state never ends, as in a hang.
    pub to: Option<u64>,
    /// Row within the track, counted from 0.
    pub row: u32,
    pub state: SpanState,
    /// Description of the span: `waits for phase parity 0 of full[1]`.
    pub text: String,
    /// Line of the waiting or issuing instruction in the checked source. Absent for phases and for running warps.
    pub line: Option<u32>,
    /// Position of this instruction in the language from which a compiler generated the source, followed by the call sites of inlined functions.
    pub source: Vec<SourcePosition>,
    /// Number of spans that this span combines because they are shorter than one column.
    pub n_merged: u32,
}

/// State of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum SpanState {
    /// All lanes of the warp that have not exited execute together.
    Running,
    /// The warp executes with only some of its lanes.
    Diverged,
    /// All lanes of the warp wait.
    Waiting,
    /// The asynchronous operation has been issued and has not completed.
    InFlight,
    /// Phase of a barrier or mbarrier, from its first arrival or from its start to its completion.
    Phase,
}

impl SpanState {
    /// All states.
    pub(crate) const ALL: [SpanState; 5] = [
        SpanState::Running,
        SpanState::Diverged,
        SpanState::Waiting,
        SpanState::InFlight,
        SpanState::Phase,
    ];

    /// Returns the serialized name: `in-flight`.
    pub const fn name(self) -> &'static str {
        match self {
            SpanState::Running => "running",
            SpanState::Diverged => "diverged",
            SpanState::Waiting => "waiting",
            SpanState::InFlight => "in-flight",
            SpanState::Phase => "phase",
        }
    }
}

/// Point on a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelinePoint {
    /// Index of the track in [`TimelineView::tracks`].
    pub track: u32,
    pub row: u32,
    pub step: u64,
}

/// Causal relation between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineLink {
    pub kind: LinkKind,
    pub from: TimelinePoint,
    pub to: TimelinePoint,
}

/// Kind of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// From the instruction to the asynchronous operation that it issued.
    Issue,
    /// From the completion of an asynchronous operation to the mbarrier that counts its bytes.
    Completion,
    /// From the last arrival of a phase, or from the last completion of an async-group, to a warp that waited for it.
    Release,
    /// From the first to the second access of a data race: no synchronization orders the accesses.
    Race,
}

impl LinkKind {
    /// Returns the serialized name: `issue`.
    pub const fn name(self) -> &'static str {
        match self {
            LinkKind::Issue => "issue",
            LinkKind::Completion => "completion",
            LinkKind::Release => "release",
            LinkKind::Race => "race",
        }
    }
}

/// Event at a point of a track.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineMark {
    pub kind: MarkKind,
    pub at: TimelinePoint,
    /// Description of the event: `32 arrivals, 96 pending`.
    pub text: String,
    /// Line of the instruction in the checked source, if an instruction caused the event.
    pub line: Option<u32>,
}

/// Kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum MarkKind {
    /// Arrival at a barrier or mbarrier, or change of the tx-count of an mbarrier.
    Arrival,
    /// Arrivals or bytes that never occur, so that waiting threads never continue.
    Missing,
    /// Access of a data race.
    Race,
    /// Fault that stopped the run.
    Fault,
}

impl MarkKind {
    /// Returns the serialized name: `missing`.
    pub const fn name(self) -> &'static str {
        match self {
            MarkKind::Arrival => "arrival",
            MarkKind::Missing => "missing",
            MarkKind::Race => "race",
            MarkKind::Fault => "fault",
        }
    }
}
