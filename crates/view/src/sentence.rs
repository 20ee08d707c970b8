//! One sentence about what the last step did, in plain words, the numbers strong.

use crate::hardware::Hardware;
use crate::memory_id::MemoryId;
use crate::model::{FaultView, Phrase, RunStatus, StepView, StoreView};

/// Builds a sentence from stretches.
#[derive(Debug, Default)]
struct Sentence(Vec<Phrase>);

impl Sentence {
    fn plain(mut self, text: impl Into<String>) -> Sentence {
        self.0.push(Phrase {
            text: text.into(),
            strong: false,
        });
        self
    }

    fn strong(mut self, text: impl Into<String>) -> Sentence {
        self.0.push(Phrase {
            text: text.into(),
            strong: true,
        });
        self
    }
}

/// What the page says above its grids.
pub(crate) fn sentence(
    status: RunStatus,
    last: Option<&StepView>,
    store: Option<&StoreView>,
    fault: Option<&FaultView>,
    hardware: Hardware,
) -> Vec<Phrase> {
    let mut sentence = match (fault, store, last) {
        (Some(fault), _, _) => {
            return Sentence::default()
                .strong("The launch stopped")
                .plain(format!(": {}.", fault.message))
                .0;
        }
        (None, Some(store), _) => stored(store, hardware),
        (None, None, Some(step)) => stepped(step),
        (None, None, None) => Sentence::default().plain("Nothing has run yet: step, or play."),
    };
    if status == RunStatus::Finished {
        sentence = sentence.plain(" Every thread has ended.");
    }
    sentence.0
}

fn stepped(step: &StepView) -> Sentence {
    let n = step.active.count_ones();
    let sentence = Sentence::default().strong(step.opcode.as_str());
    match n {
        0 => sentence.plain(format!(
            " in warp {} was skipped: its guard is false for every lane.",
            step.warp
        )),
        32 => sentence.plain(format!(" ran in all 32 lanes of warp {}.", step.warp)),
        n => sentence
            .plain(" ran in ")
            .strong(plural(n, "lane"))
            .plain(format!(" of warp {}.", step.warp)),
    }
}

fn stored(store: &StoreView, hardware: Hardware) -> Sentence {
    let n_lanes = store.lanes.len() as u32;
    let n_bytes: usize = store.lanes.iter().map(|lane| lane.bytes.len()).sum();
    let target = store
        .memory
        .as_ref()
        .map_or_else(|| format!("{} memory", store.space.name()), memory_name);
    let mut sentence = Sentence::default()
        .strong(store.opcode.as_str())
        .plain(" wrote ");
    sentence = match n_lanes {
        32 => sentence
            .strong(plural(n_bytes as u32, "byte"))
            .plain(" of all 32 lanes"),
        n => sentence
            .strong(plural(n_bytes as u32, "byte"))
            .plain(" of ")
            .strong(plural(n, "lane")),
    };
    sentence = sentence.plain(format!(" to {target}"));
    if store.n_sectors > 0 {
        let whole = store.n_sectors as usize * hardware.sector_bytes as usize == n_bytes;
        sentence = sentence
            .plain(" in ")
            .strong(plural(store.n_sectors, "sector"));
        sentence = sentence.plain(if whole { ", each used whole" } else { "" });
    }
    sentence = match store.n_wavefronts {
        0 => sentence,
        1 => sentence
            .plain(" in ")
            .strong("one pass")
            .plain(" without bank conflict"),
        n => sentence.plain(" in ").strong(plural(n, "pass")),
    };
    sentence = sentence.plain(".");
    if let Some(n) = overwritten(store) {
        return sentence
            .plain(" ")
            .strong(plural(n, "lane"))
            .plain(" lost the race to another lane at the same bytes.");
    }
    match stride(store) {
        Some(stride) if stride.unsigned_abs() as usize == store.lanes[0].bytes.len() => {
            sentence.plain(" The lanes write side by side.")
        }
        Some(0) | None => sentence,
        Some(stride) => sentence.plain(format!(
            " Neighbouring lanes lie {} apart.",
            plural(stride.unsigned_abs() as u32, "byte")
        )),
    }
}

/// The constant distance between neighbouring lanes, if there is one.
fn stride(store: &StoreView) -> Option<i64> {
    let offsets: Option<Vec<i64>> = store
        .lanes
        .iter()
        .map(|lane| lane.offset.map(|offset| offset as i64))
        .collect();
    let offsets = offsets.filter(|offsets| offsets.len() > 1)?;
    let stride = offsets[1] - offsets[0];
    let constant = offsets.windows(2).all(|pair| pair[1] - pair[0] == stride);
    let neighbours = store
        .lanes
        .windows(2)
        .all(|pair| pair[1].lane == pair[0].lane + 1);
    (constant && neighbours).then_some(stride)
}

/// Lanes whose bytes another lane of the same store wrote too.
fn overwritten(store: &StoreView) -> Option<u32> {
    let offsets: Vec<u64> = store.lanes.iter().filter_map(|lane| lane.offset).collect();
    let again = (0..offsets.len())
        .filter(|index| offsets[..*index].contains(&offsets[*index]))
        .count();
    (again > 0).then_some(again as u32)
}

fn memory_name(id: &MemoryId) -> String {
    match id {
        MemoryId::Shared(block) => format!("the shared memory of block {block}"),
        MemoryId::Buffer(name) | MemoryId::Variable(name) => format!("`{name}`"),
    }
}

fn plural(n: u32, word: &str) -> String {
    match (n, word) {
        (1, _) => format!("1 {word}"),
        (_, "pass") => format!("{n} passes"),
        _ => format!("{n} {word}s"),
    }
}
