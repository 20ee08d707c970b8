//! Labels of events in an execution graph. A label describes the operation, the location and the memory ordering of the event.

use crate::memory_model::litmus::test::LitmusTest;
use crate::memory_model::litmus::test_module::PreparedTest;
use warpgrid_emulator::MbarrierState;
use warpgrid_isa::Sem;
use warpgrid_order::explore::{EventKind, LitmusLocationKind, WitnessNode, rank_at};

/// Formats the operation of an event: `x = 1`, `read x: 0`, `x: 0 to 1`, `fence`.
pub(crate) fn label(node: &WitnessNode, prepared: &PreparedTest, test: &LitmusTest) -> String {
    let place = place(node, prepared, test);
    let value = |value: Option<u64>| value.map_or_else(String::new, |v| shown(node, prepared, v));
    match node.kind {
        EventKind::Init | EventKind::Write => format!("{place} = {}", value(node.written)),
        EventKind::Read => format!("read {place}: {}", value(node.read)),
        EventKind::Atomic => format!("{place}: {} to {}", value(node.read), value(node.written)),
        EventKind::Fence => match node.words.sem {
            Sem::Sc => "fence.sc".to_owned(),
            Sem::Acquire => "fence.acquire".to_owned(),
            Sem::Release => "fence.release".to_owned(),
            Sem::Weak | Sem::Volatile | Sem::Relaxed | Sem::AcqRel => "fence.acq_rel".to_owned(),
        },
        EventKind::ProxyFence => "fence.proxy.async".to_owned(),
        EventKind::Arrive if node.is_exchange => match node.written {
            Some(given) => format!("publish {given} to other lanes"),
            None => "synchronize with other lanes".to_owned(),
        },
        EventKind::Leave if node.is_exchange => "read from other lanes".to_owned(),
        EventKind::Arrive => "barrier arrive".to_owned(),
        EventKind::Leave => "barrier wait".to_owned(),
        EventKind::GroupWait => "wait for copies".to_owned(),
    }
}

/// Formats the location of an event: `x`, `x[1]`, `x[0..31]`, or `x+2` if no element starts at the accessed offset.
fn place(node: &WitnessNode, prepared: &PreparedTest, test: &LitmusTest) -> String {
    let Some((location, start)) = node.location else {
        return String::new();
    };
    let Some(found) = prepared.question.locations.get(location) else {
        return String::new();
    };
    let of_test = prepared
        .origins
        .get(location)
        .and_then(|at| test.locations.get(*at));
    let copies = prepared
        .origins
        .iter()
        .filter(|at| prepared.origins.get(location) == Some(*at));
    let name = match of_test.map(|location| location.space.ends_with("::cluster")) {
        Some(true) if copies.count() > 1 => {
            format!("{}@{}", found.name, rank_at(start))
        }
        _ => found.name.clone(),
    };
    let offset = start - found.start + found.offset;
    let size = u64::from(found.element_bytes.max(1));
    let last = (offset + node.n_bytes).saturating_sub(1) / size;
    match (found.init.len(), offset, offset % size) {
        _ if node.n_bytes > 8 => format!("{name}[{}..{last}]", offset / size),
        (1, 0, _) => name,
        (_, _, 0) => format!("{name}[{}]", offset / size),
        _ => format!("{name}+{offset}"),
    }
}

/// Formats the value of an event. For an mbarrier object, the formatted value consists of the pending counts.
fn shown(node: &WitnessNode, prepared: &PreparedTest, value: u64) -> String {
    let location = node
        .location
        .and_then(|(at, _)| prepared.question.locations.get(at));
    let is_object = location.is_some_and(|location| location.kind == LitmusLocationKind::Mbarrier);
    if node.n_bytes > 8 {
        return match value {
            0 => "zeros".to_owned(),
            // A digest represents a value of more than eight bytes. Show a short form of the digest, because only the equality of digests
            // is meaningful.
            _ => format!(
                "bytes #{:04x}",
                (value ^ value >> 16 ^ value >> 32 ^ value >> 48) & 0xffff
            ),
        };
    }
    match MbarrierState::read(value).filter(|_| is_object) {
        Some(state) if state.bytes == 0 => {
            format!(
                "phase {}, {} pending",
                u32::from(state.parity),
                state.pending
            )
        }
        Some(state) => format!(
            "phase {}, {} pending, {} bytes",
            u32::from(state.parity),
            state.pending,
            state.bytes
        ),
        None => value.to_string(),
    }
}

/// Formats the memory ordering of an event: `release at gpu`. The result is empty for weak accesses and for events without a memory
/// ordering.
pub(crate) fn describe(node: &WitnessNode) -> String {
    let has_words = match node.kind {
        EventKind::Read | EventKind::Write | EventKind::Atomic | EventKind::Fence => true,
        EventKind::Init
        | EventKind::ProxyFence
        | EventKind::Arrive
        | EventKind::Leave
        | EventKind::GroupWait => false,
    };
    match node.words.sem {
        Sem::Weak => String::new(),
        _ if !has_words => String::new(),
        sem => format!("{} at {}", sem.name(), node.words.scope.name()),
    }
}
