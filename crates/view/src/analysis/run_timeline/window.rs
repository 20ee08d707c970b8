//! Conversion of a recorded timeline to the view of a range. Spans that are shorter than one column of the display are merged, so that the
//! size of the view depends on the resolution of the display and not on the length of the run.

use crate::analysis::run_timeline::RunTimeline;
use crate::analysis::run_timeline::records::{
    LinkRecord, OPEN, PointRecord, SpanRecord, TrackId, TrackRecord,
};
use crate::model::timeline::{
    MarkKind, SpanState, TimelineLink, TimelineMark, TimelinePoint, TimelineSpan, TimelineTrack,
    TimelineView,
};
use crate::session::Session;
use std::collections::BTreeMap;
use warpgrid_program::counted;

/// Maximum number of tracks of a view.
const MAX_TRACKS: usize = 512;
/// Maximum number of links of a view with a resolution.
const MAX_LINKS: usize = 2_000;

/// Range of a timeline.
pub(crate) struct TimelineRange {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) columns: Option<u64>,
    pub(crate) block: Option<u64>,
}

impl TimelineRange {
    /// Returns the length in steps below which a span is merged with its neighbors.
    fn resolution(&self) -> u64 {
        match self.columns {
            Some(columns) => (self.to - self.from) / columns.max(1),
            None => 0,
        }
    }

    fn contains(&self, step: u64) -> bool {
        (self.from..=self.to).contains(&step)
    }
}

/// Returns the tracks in the order of display: blocks in ascending order, and in each block warps, asynchronous operations, barriers and
/// mbarriers.
pub(crate) fn track_order(tracks: &[TrackRecord]) -> Vec<TrackId> {
    let mut order: Vec<TrackId> = (0..tracks.len() as u32).map(TrackId).collect();
    order.sort_by_key(|id| {
        let key = tracks[id.0 as usize].key;
        (key.block(), key.kind(), key)
    });
    order
}

impl Session {
    /// Returns the view of a range of a recorded timeline.
    pub(crate) fn timeline_view(
        &self,
        recorded: &RunTimeline,
        range: &TimelineRange,
    ) -> TimelineView {
        let recorder = &recorded.recorder;
        let is_shown = |id: &&TrackId| {
            let of = recorder.tracks[id.0 as usize].key.block();
            range.block.is_none_or(|block| block == of)
        };
        let all: Vec<TrackId> = recorded.order.iter().filter(is_shown).copied().collect();
        let limit = if range.columns.is_some() {
            MAX_TRACKS
        } else {
            usize::MAX
        };
        let shown = &all[..all.len().min(limit)];
        let numbers: BTreeMap<TrackId, u32> = shown.iter().copied().zip(0..).collect();
        let point = |at: PointRecord| {
            let track = *numbers.get(&at.track)?;
            Some(TimelinePoint {
                track,
                row: at.row,
                step: at.step,
            })
        };
        let (links, n_omitted_links) = links(recorded, range, &point);
        let mut blocks: Vec<u64> = recorder
            .tracks
            .iter()
            .map(|track| track.key.block())
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        TimelineView {
            from: range.from,
            to: range.to,
            steps: recorder.steps,
            is_complete: recorded.is_complete,
            blocks,
            tracks: shown
                .iter()
                .map(|id| self.track_view(&recorder.tracks[id.0 as usize], range))
                .collect(),
            n_omitted_tracks: (all.len() - shown.len()) as u64,
            links,
            n_omitted_links,
            marks: self.marks(recorded, range, &point),
        }
    }

    fn track_view(&self, track: &TrackRecord, range: &TimelineRange) -> TimelineTrack {
        let mut rows: Vec<Vec<MergedSpan<'_>>> = vec![Vec::new(); track.n_rows() as usize];
        // A state that never ends may start after the last step.
        let overlaps = |span: &&SpanRecord| span.from <= range.to && span.to > range.from;
        for span in track.spans.iter().filter(overlaps) {
            if let Some(row) = rows.get_mut(span.row as usize) {
                MergedSpan::add(row, span, range.resolution());
            }
        }
        let spans = rows.iter().flatten();
        TimelineTrack {
            kind: track.key.kind(),
            block: track.key.block(),
            name: self.track_name(track.key),
            n_rows: track.n_rows(),
            spans: spans.map(|span| self.span_view(span)).collect(),
        }
    }

    fn span_view(&self, merged: &MergedSpan<'_>) -> TimelineSpan {
        let longest = merged.longest;
        let instruction = longest.facts.instruction();
        let text = match merged.n {
            1 => self.describe_span(longest),
            n => format!("{}, zoom in to show them", counted(n, "short span")),
        };
        TimelineSpan {
            from: merged.from,
            to: (merged.to != OPEN).then_some(merged.to),
            row: longest.row,
            state: merged.state(),
            text,
            line: instruction.map(|(function, index)| self.range_of(function, index).line),
            source: instruction
                .map(|(function, index)| self.source_of(function, index))
                .unwrap_or_default(),
            n_merged: merged.n,
        }
    }

    fn marks(
        &self,
        recorded: &RunTimeline,
        range: &TimelineRange,
        point: &dyn Fn(PointRecord) -> Option<TimelinePoint>,
    ) -> Vec<TimelineMark> {
        let problems = recorded.problems.iter().filter_map(|mark| {
            Some(TimelineMark {
                kind: mark.kind,
                at: point(mark.at)?,
                text: mark.text.clone(),
                line: mark.line,
            })
        });
        let mut marks: Vec<TimelineMark> = problems.collect();
        // Of the arrivals in one column of a track, the view contains the first.
        let mut last: BTreeMap<TrackId, u64> = BTreeMap::new();
        for mark in &recorded.recorder.marks {
            let step = mark.at.step;
            let is_near = |last: &u64| step < last.saturating_add(range.resolution());
            if !range.contains(step) || last.get(&mark.at.track).is_some_and(is_near) {
                continue;
            }
            let Some(at) = point(mark.at) else { continue };
            last.insert(mark.at.track, step);
            marks.push(TimelineMark {
                kind: MarkKind::Arrival,
                at,
                text: self.describe_mark(&mark.event),
                line: mark
                    .instruction
                    .map(|(function, index)| self.range_of(function, index).line),
            });
        }
        marks
    }
}

/// Returns the links of a range, and the number of omitted links. Links that are shorter than one column are omitted first.
fn links(
    recorded: &RunTimeline,
    range: &TimelineRange,
    point: &dyn Fn(PointRecord) -> Option<TimelinePoint>,
) -> (Vec<TimelineLink>, u64) {
    let view = |link: &LinkRecord| {
        Some(TimelineLink {
            kind: link.kind,
            from: point(link.from)?,
            to: point(link.to)?,
        })
    };
    let mut shown: Vec<TimelineLink> = recorded.races.iter().filter_map(view).collect();
    let mut n_omitted = 0;
    for link in &recorded.recorder.links {
        if link.from.step > range.to || link.to.step < range.from {
            continue;
        }
        let Some(found) = view(link) else { continue };
        let is_short = found.to.step.abs_diff(found.from.step) < range.resolution();
        if range.columns.is_some() && (is_short || shown.len() >= MAX_LINKS) {
            n_omitted += 1;
        } else {
            shown.push(found);
        }
    }
    (shown, n_omitted)
}

/// Consecutive spans of a row that are displayed as one span.
#[derive(Clone)]
struct MergedSpan<'a> {
    from: u64,
    to: u64,
    longest: &'a SpanRecord,
    n: u32,
    /// Number of steps in each state, in the order of [`SpanState::ALL`].
    steps: [u64; SpanState::ALL.len()],
}

impl<'a> MergedSpan<'a> {
    /// Adds a span to a row. Merges the span with the last span of the row if both are shorter than `resolution`.
    fn add(row: &mut Vec<MergedSpan<'a>>, span: &'a SpanRecord, resolution: u64) {
        let length = span.to.saturating_sub(span.from);
        let is_short = |last: &&mut MergedSpan<'_>| {
            length < resolution
                && last.to.saturating_sub(last.from) < resolution
                && span.from.saturating_sub(last.to) < resolution
        };
        let state = span.facts.state() as usize;
        match row.last_mut().filter(is_short) {
            Some(last) => {
                last.to = last.to.max(span.to);
                last.n += 1;
                last.steps[state] += length;
                if length > last.longest.to - last.longest.from {
                    last.longest = span;
                }
            }
            None => {
                let mut steps = [0; SpanState::ALL.len()];
                steps[state] = length;
                row.push(MergedSpan {
                    from: span.from,
                    to: span.to,
                    longest: span,
                    n: 1,
                    steps,
                });
            }
        }
    }

    /// Returns the state of the span, or of several merged spans the state with the largest number of steps.
    fn state(&self) -> SpanState {
        if self.n == 1 {
            return self.longest.facts.state();
        }
        let states = SpanState::ALL.iter().zip(self.steps);
        let longest = states.max_by_key(|(_, steps)| *steps);
        longest.map_or(SpanState::Running, |(state, _)| *state)
    }
}
