//! Marks of data races, of a hang and of a fault on a timeline.

use crate::analysis::run_timeline::descriptions::pending_text;
use crate::analysis::run_timeline::records::{
    LinkRecord, OPEN, PointRecord, SpanFacts, TrackId, TrackKey,
};
use crate::analysis::run_timeline::{ProblemMark, RunTimeline};
use crate::memory_model::concurrency::RaceView;
use crate::memory_model::concurrency::hang::{HangResource, HangView, HangWait, shared_name};
use crate::model::timeline::{LinkKind, MarkKind};
use crate::session::Session;
use warpgrid_emulator::WarpId;
use warpgrid_order::races::{Race, RaceCounterpart, RaceSide};

impl Session {
    /// Marks both accesses of each data race, and links them.
    pub(crate) fn mark_races(&self, recorded: &mut RunTimeline, races: &[(RaceView, Race)]) {
        let steps: Vec<Option<u64>> = recorded
            .recorder
            .watched
            .iter()
            .map(|watched| watched.step)
            .collect();
        for ((view, race), first_step) in races.iter().zip(steps) {
            let first = recorded.race_point(&race.first, first_step);
            let second = match &race.second {
                RaceCounterpart::Access(side) => recorded.race_point(side, Some(race.step)),
                RaceCounterpart::Life(_) => None,
            };
            for (at, access) in [(first, &view.first), (second, &view.second)] {
                if let Some(at) = at {
                    recorded.problems.push(ProblemMark {
                        kind: MarkKind::Race,
                        at,
                        text: view.message.clone(),
                        line: access.line,
                    });
                }
            }
            if let (Some(from), Some(to)) = (first, second) {
                recorded.races.push(LinkRecord {
                    kind: LinkKind::Race,
                    from,
                    to,
                });
            }
        }
    }

    /// Marks the missing arrivals and bytes of each phase that threads wait for and that never completes. The mark at the root of the hang
    /// contains the diagnosis.
    pub(crate) fn mark_hang(&self, recorded: &mut RunTimeline, hang: &HangView) {
        let step = recorded.recorder.steps;
        let mut is_root_marked = false;
        let mut marks = Vec::new();
        for (track, id) in recorded.recorder.tracks.iter().zip(0..) {
            let Some(span) = track.spans.last().filter(|span| span.to == OPEN) else {
                continue;
            };
            let SpanFacts::Phase(phase) = &span.facts else {
                continue;
            };
            let is_root = self.is_resource(track.key, hang);
            is_root_marked |= is_root;
            let text = match (is_root, phase.state) {
                (true, _) => hang.message.clone(),
                (false, Some(state)) => {
                    format!("the phase never completes: {}", pending_text(&state))
                }
                (false, None) => "the phase never completes: threads never arrive".to_owned(),
            };
            marks.push(ProblemMark {
                kind: MarkKind::Missing,
                at: PointRecord::new(TrackId(id), step),
                text,
                line: hang.line_at_fault.filter(|_| is_root),
            });
        }
        if !is_root_marked && let Some(track) = self.waiting_track(recorded, hang.line) {
            marks.push(ProblemMark {
                kind: MarkKind::Missing,
                at: PointRecord::new(track, step),
                text: hang.message.clone(),
                line: hang.line_at_fault.or(Some(hang.line)),
            });
        }
        recorded.problems.extend(marks);
    }

    /// Checks whether a track shows the barrier or mbarrier at the root of a hang.
    fn is_resource(&self, key: TrackKey, hang: &HangView) -> bool {
        let machine = self.timeline.machine();
        let is_root =
            |wait: &&HangWait| (wait.line, &wait.object) == (Some(hang.line), &hang.object);
        let root = hang.waits.iter().find(is_root);
        if root.is_none_or(|root| root.block != machine.block_position(key.block())) {
            return false;
        }
        match (key, &hang.object) {
            (TrackKey::Barrier { id, .. }, Some(HangResource::Number(number))) => {
                u64::from(id) == *number
            }
            (TrackKey::Mbarrier { block, address }, Some(HangResource::Name(name))) => {
                shared_name(machine, block, address) == *name
            }
            _ => false,
        }
    }

    /// Returns the first track of a warp that waits at a line at the end of the run.
    fn waiting_track(&self, recorded: &RunTimeline, line: u32) -> Option<TrackId> {
        let mut tracks = recorded.recorder.tracks.iter().zip(0..);
        let found = tracks.find(|(track, _)| {
            let last = track.spans.last().filter(|span| span.to == OPEN);
            let at = last.and_then(|span| span.facts.instruction());
            at.is_some_and(|(function, index)| self.range_of(function, index).line == line)
        });
        found.map(|(_, id)| TrackId(id))
    }

    /// Marks the instruction of a fault.
    pub(crate) fn mark_fault(&self, recorded: &mut RunTimeline) {
        let (Some(fault), Some(view)) = (self.timeline.machine().fault(), self.fault()) else {
            return;
        };
        let warp = WarpId {
            block: fault.block_index,
            warp: fault.warp,
        };
        let step = recorded.recorder.steps;
        if let Some(track) = recorded.warp_track(warp) {
            recorded.problems.push(ProblemMark {
                kind: MarkKind::Fault,
                at: PointRecord::new(track, step),
                text: view.message,
                line: Some(view.range.line),
            });
        }
    }
}

impl RunTimeline {
    fn warp_track(&self, warp: WarpId) -> Option<TrackId> {
        let tracks = &mut self.recorder.tracks.iter().zip(0..);
        let found = tracks.find(|(track, _)| track.key == TrackKey::Warp(warp));
        found.map(|(_, id)| TrackId(id))
    }

    fn race_point(&self, side: &RaceSide, step: Option<u64>) -> Option<PointRecord> {
        let warp = WarpId {
            block: side.block,
            warp: side.thread / 32,
        };
        Some(PointRecord::new(self.warp_track(warp)?, step?))
    }
}
