//! Names of tracks, and descriptions of spans and marks.

use crate::analysis::run_timeline::records::{
    AsyncFacts, MarkEvent, OPEN, PhaseFacts, SpanFacts, SpanRecord, TrackKey,
};
use crate::diagnostics::ranges;
use crate::session::Session;
use warpgrid_emulator::{MbarrierState, WaitReason, WarpId};
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_program::counted;

impl Session {
    /// Returns the name of a track within its block.
    pub(crate) fn track_name(&self, key: TrackKey) -> String {
        match key {
            TrackKey::Warp(WarpId { warp, .. }) => format!("warp {warp}"),
            TrackKey::AsyncOperations { kind, .. } => kind.to_owned(),
            TrackKey::Barrier { id, .. } => format!("barrier {id}"),
            TrackKey::ClusterBarrier { .. } => "cluster barrier".to_owned(),
            TrackKey::Mbarrier { address, .. } => self.mbarrier_name(address),
        }
    }

    /// Returns the name of the mbarrier object at an address of shared memory.
    pub(crate) fn mbarrier_name(&self, address: u64) -> String {
        let name = self.timeline.machine().shared_name(address);
        name.unwrap_or_else(|| format!("mbarrier {address:#x}"))
    }

    /// Returns the description of a span.
    pub(crate) fn describe_span(&self, span: &SpanRecord) -> String {
        match &span.facts {
            SpanFacts::Running => "runs with all lanes".to_owned(),
            SpanFacts::Diverged => "runs with some of its lanes".to_owned(),
            SpanFacts::Waiting { reason, .. } => self.describe_wait(*reason),
            SpanFacts::InFlight(facts) => self.describe_operation(facts),
            SpanFacts::Phase(phase) => describe_phase(phase, span.to == OPEN),
        }
    }

    fn describe_wait(&self, reason: WaitReason) -> String {
        match reason {
            WaitReason::Barrier { id } => format!("waits at barrier {id}"),
            WaitReason::WarpLanes { missing } => {
                let lanes = ranges(&mut (0..32).filter(|lane| missing >> lane & 1 != 0));
                format!("waits for lanes {lanes} of the warp")
            }
            WaitReason::MbarrierPhase { address, parity } => format!(
                "waits for the phase with parity {} of {}",
                u32::from(parity),
                self.mbarrier_name(address)
            ),
            WaitReason::AsyncGroup { n: 0 } => "waits for all async-groups".to_owned(),
            WaitReason::AsyncGroup { n: 1 } => {
                "waits until at most 1 async-group is pending".to_owned()
            }
            WaitReason::AsyncGroup { n } => {
                format!("waits until at most {n} async-groups are pending")
            }
            WaitReason::ClusterBarrier => "waits at the barrier of the cluster".to_owned(),
            WaitReason::TensorColumns { n } => {
                format!("waits for {} of tensor memory", counted(n, "column"))
            }
            WaitReason::Memory => "waits for a change of memory".to_owned(),
        }
    }

    fn describe_operation(&self, facts: &AsyncFacts) -> String {
        let reader = self.reader(facts.at.0, facts.at.1);
        let opcode = reader.map_or("", InstructionView::opcode);
        let mut text = match (facts.group, facts.n_operations) {
            (Some(group), n) => {
                format!(
                    "group {group} of warp {}: {}",
                    facts.warp.warp,
                    counted(n, "operation")
                )
            }
            (None, _) => format!("{opcode} of warp {}", facts.warp.warp),
        };
        if facts.bytes > 0 {
            text += &format!(", {} bytes", facts.bytes);
        }
        text
    }

    /// Returns the description of an arrival.
    pub(crate) fn describe_mark(&self, event: &MarkEvent) -> String {
        match event {
            MarkEvent::BarrierArrival {
                arrivals,
                n_arrived,
            } => {
                format!(
                    "{} arrive, {n_arrived} have arrived",
                    counted(*arrivals, "thread")
                )
            }
            MarkEvent::Mbarrier { state } => pending_text(state),
        }
    }
}

fn describe_phase(phase: &PhaseFacts, never_ends: bool) -> String {
    let mut text = format!("phase {}", phase.number);
    if let Some(state) = phase.state {
        text += &format!(" (parity {})", u32::from(state.parity));
    }
    text += &format!(": {}", counted(phase.arrivals, "arrival"));
    if phase.bytes > 0 {
        text += &format!(", {} expected bytes", phase.bytes);
    }
    if let Some(state) = phase.state.filter(|_| never_ends) {
        text += &format!("; {}", pending_text(&state));
    }
    text
}

/// Returns the pending arrivals and bytes of an mbarrier.
pub(crate) fn pending_text(state: &MbarrierState) -> String {
    match state.bytes {
        0 => format!("{} pending", counted(state.pending, "arrival")),
        bytes => format!(
            "{} and {bytes} bytes pending",
            counted(state.pending, "arrival")
        ),
    }
}
