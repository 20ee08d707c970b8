//! Messages about data races. A message names the accesses, their location, and the missing synchronization.

use crate::memory_model::concurrency::races::triple;
use crate::memory_model::concurrency::{
    RaceAccess, RaceAccessKind, RaceCause, RaceLocation, RaceView,
};
use warpgrid_isa::Operation;
use warpgrid_order::races::{BlockLifetime, RaceCounterpart};
use warpgrid_order::scope::Strength;

/// Name of the proxy through which copy instructions read tensor maps.
pub(crate) const TENSOR_MAP: &str = "tensormap";

/// Formats the scope of a strong access. Returns `None` for a weak access.
pub(crate) fn scope_words(strength: Strength) -> Option<String> {
    strength.scope().map(|scope| scope.name().to_owned())
}

/// Formats the byte range of a race for a message.
pub(crate) fn place_words(place: &RaceLocation) -> String {
    let name = place.buffer.as_ref().or(place.variable.as_ref());
    match name {
        Some(name) if place.offset == 0 => format!("`{name}`"),
        Some(name) => format!("`{name}+{}`", place.offset),
        None => format!("{} memory at {:#x}", place.space, place.offset),
    }
}

/// Kind of asynchronous operation that an instruction starts, on which the message about a race depends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AsyncInitiator {
    Copy,
    /// Asynchronous MMA, which reads its operand matrices through the async proxy.
    Product,
}

impl AsyncInitiator {
    /// Returns the kind of asynchronous operation that an instruction starts.
    pub(crate) fn by(operation: Option<Operation>) -> AsyncInitiator {
        match operation.is_some_and(Operation::is_asynchronous_product) {
            true => AsyncInitiator::Product,
            false => AsyncInitiator::Copy,
        }
    }
}

fn who(access: &RaceAccess, started: AsyncInitiator) -> String {
    let does = match (access.kind, access.asynchronous) {
        (RaceAccessKind::Read, false) => "reads",
        (RaceAccessKind::Write, false) => "writes",
        (RaceAccessKind::Atomic, false) => "atomically updates",
        (RaceAccessKind::Read, true) if started == AsyncInitiator::Product => {
            "issues a matrix multiplication that reads"
        }
        (RaceAccessKind::Read, true) => "issues a copy that reads",
        (RaceAccessKind::Write, true) => "issues an asynchronous operation that writes",
        (RaceAccessKind::Atomic, true) => "issues an asynchronous operation that updates",
        (RaceAccessKind::Life, _) => "exits",
    };
    format!(
        "thread {} of block {} {does}",
        triple(access.thread),
        triple(access.block)
    )
}

/// Formats the message about a race in one or two sentences.
pub(crate) fn message(
    race: &RaceView,
    second: &RaceCounterpart,
    started: [AsyncInitiator; 2],
) -> String {
    let place = place_words(&race.place);
    let line = |access: &RaceAccess| access.line.unwrap_or(0);
    let first = format!(
        "{} {place} at line {}",
        who(&race.first, started[0]),
        line(&race.first)
    );
    if let RaceCounterpart::Life(life) = second {
        let missing = match life {
            BlockLifetime::Start(_) => "no synchronization guarantees that the block has started",
            BlockLifetime::Exit(_) => {
                "no synchronization guarantees that the block is still running"
            }
        };
        let description = race.second.description.as_deref().unwrap_or("");
        return format!("{first} in the memory of another block: {missing} ({description})");
    }
    let second = format!(
        "{} it at line {}",
        who(&race.second, started[1]),
        line(&race.second)
    );
    let missing = match (race.cause, started.contains(&AsyncInitiator::Product)) {
        (RaceCause::NotCompleted, true) => {
            "one access is asynchronous, and no wait guarantees that the matrix multiplication has completed before the other access".to_owned()
        }
        _ => missing(race),
    };
    format!("{first}, {second}: {missing}")
}

/// Formats the message about a race between a `cp.async` and an access of another thread, if the copying thread executes a `cp.async` wait
/// between the two accesses. `wait` is the line of this wait.
pub(crate) fn own_copies_message(race: &RaceView, wait: u32) -> String {
    let (copies, other) = (triple(race.first.thread), triple(race.second.thread));
    format!(
        "{} {} at line {}, {} it at line {}: the wait at line {wait} covers only the copies of the executing thread, and no synchronization orders thread {copies} after this wait with thread {other}",
        who(&race.first, AsyncInitiator::Copy),
        place_words(&race.place),
        race.first.line.unwrap_or(0),
        who(&race.second, AsyncInitiator::Copy),
        race.second.line.unwrap_or(0),
    )
}

/// Describes the synchronization that is missing between the two accesses of a race.
fn missing(race: &RaceView) -> String {
    match race.cause {
        RaceCause::NoHappensBefore => match (&race.first.scope, &race.second.scope) {
            (Some(_), None) | (None, Some(_)) => {
                "one access is strong and the other access is weak, and neither access happens before the other".to_owned()
            }
            (Some(_), Some(_)) => "the accesses have different sizes, and neither access happens before the other".to_owned(),
            (None, None) => "neither access happens before the other".to_owned(),
        },
        RaceCause::InsufficientScope => {
            let narrow = |access: &RaceAccess| access.scope.clone().unwrap_or_default();
            format!(
                "both accesses are strong, but the scopes (`.{}` and `.{}`) do not include the threads of both accesses",
                narrow(&race.first),
                narrow(&race.second)
            )
        }
        RaceCause::MissingProxyFence if race.second.proxy == TENSOR_MAP => {
            "the copy reads its tensor map through the tensormap proxy, and no pair of a releasing and an acquiring `fence.proxy.tensormap::generic` orders the accesses"
                .to_owned()
        }
        RaceCause::MissingProxyFence if race.first.proxy == race.second.proxy && race.first.proxy == "generic" => {
            "`ld.global.nc` must not read memory that the kernel writes, even if the accesses are ordered"
                .to_owned()
        }
        RaceCause::MissingProxyFence => {
            "the accesses are ordered, but use different proxies, and no `fence.proxy.async` is executed between the accesses"
                .to_owned()
        }
        RaceCause::NotCompleted => "one access is asynchronous, and no wait guarantees that this access has completed before the other access".to_owned(),
        RaceCause::Lifetime => "the block that owns the memory may have exited".to_owned(),
        RaceCause::MissingInitFence => {
            "no `fence.mbarrier_init` is executed between `mbarrier.init` and the first copy that completes on the mbarrier".to_owned()
        }
    }
}
