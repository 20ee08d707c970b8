//! Steps and stores of a phase in which lanes of a warp went different ways. In: the traces of gangs and of their parts; out: what the
//! interpreter counts, which lets the lanes go on that are furthest back in the code.

use crate::engine::Instance;
use crate::module::Kernel;
use crate::place::{GANGS, IS_STORE, TRACE_BYTES, Window, record};
use std::borrow::Cow;
use warpgrid_emulator::plain::TURN_STEPS;

/// Steps after which the interpreter may let others of a warp go on, less a margin: what is counted here are whole blocks.
const LONGEST_TURN: u64 = TURN_STEPS as u64 * 3 / 4;

/// How long the scheduler of a warp has gone on with one group of lanes while others were ready.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    steps: u64,
}

/// What a part of a warp executed: blocks of the code, each with the guarded stores that it did there.
struct Way {
    trace: Vec<u16>,
    at: usize,
}

impl Way {
    fn read(instance: &impl Instance, records: &Records<'_>, at: u32) -> Option<Way> {
        let n_bytes = records.get32(at + record::TRACED);
        if n_bytes > TRACE_BYTES {
            return None;
        }
        let start = records.get32(at + record::TRACE) as usize;
        let bytes = instance.look(start..start + n_bytes as usize);
        let words = bytes.as_chunks::<2>().0.iter();
        Some(Way {
            trace: words.map(|word| u16::from_le_bytes(*word)).collect(),
            at: 0,
        })
    }

    /// The block that comes next.
    fn block(&self) -> Option<u16> {
        self.trace.get(self.at).copied()
    }

    /// Past the block, with the stores that it did.
    fn pass(&mut self, stores: &mut Vec<u16>) {
        self.at += 1;
        let is_store = |word: &u16| u32::from(*word) & IS_STORE != 0;
        while let Some(store) = self.block().filter(is_store) {
            if !stores.contains(&store) {
                stores.push(store);
            }
            self.at += 1;
        }
    }
}

/// The records of gangs and of their parts.
pub(crate) type Records<'i> = Window<Cow<'i, [u8]>>;

/// None if that cannot be said: a trace is too long, or the scheduler may have turned to lanes that are further ahead.
pub(crate) fn count_parted(
    kernel: &Kernel,
    instance: &impl Instance,
    n_records: u32,
    turns: &mut Vec<Turn>,
) -> Option<(u64, u64)> {
    let places = &kernel.places;
    let all = Window::of(instance, places.first_records(n_records));
    let n_warps = (places.n_gangs / GANGS) as usize;
    let mut warps: Vec<Vec<u32>> = vec![Vec::new(); n_warps];
    turns.resize(n_warps, Turn::default());
    for index in 0..n_records {
        let at = places.record(index);
        let warp = all.get32(at + record::GANG) / GANGS;
        // Counts begin with the phase, so what was over before has none.
        if all.get64(at + record::STEPS) > 0 {
            warps.get_mut(warp as usize)?.push(at);
        }
    }
    let (mut steps, mut stores) = (0, 0);
    for (records, turn) in warps.iter().zip(turns) {
        let (more_steps, more_stores) = count_warp(kernel, instance, &all, records, turn)?;
        steps += more_steps;
        stores += more_stores;
    }
    Some((steps, stores))
}

fn count_warp(
    kernel: &Kernel,
    instance: &impl Instance,
    all: &Records<'_>,
    records: &[u32],
    turn: &mut Turn,
) -> Option<(u64, u64)> {
    let Some(first) = records.first().copied() else {
        return Some((0, 0));
    };
    let same = |offset: u32| {
        let value = all.get32(first + offset);
        records.iter().all(|at| all.get32(at + offset) == value)
    };
    if [record::PATH, record::STEPS, record::STORES]
        .into_iter()
        .all(same)
    {
        let steps = all.get64(first + record::STEPS);
        return Some((steps, all.get32(first + record::STORES).into()));
    }
    let ways = records.iter().map(|at| Way::read(instance, all, *at));
    merge(kernel, ways.collect::<Option<Vec<Way>>>()?, turn)
}

/// Lets the ways go on block by block, those that are furthest back first and together.
fn merge(kernel: &Kernel, mut ways: Vec<Way>, turn: &mut Turn) -> Option<(u64, u64)> {
    let (mut steps, mut stores) = (0u64, 0u64);
    let mut before: Vec<usize> = Vec::new();
    let mut done = Vec::new();
    while let Some(block) = ways.iter().filter_map(Way::block).min() {
        let index = usize::from(block);
        let n_steps = u64::from(kernel.flow.blocks.get(index)?.steps);
        steps += n_steps;
        stores += u64::from(*kernel.stores.get(index)?);
        let mut group = Vec::new();
        let mut n_others = 0;
        done.clear();
        for (number, way) in ways.iter_mut().enumerate() {
            match way.block() {
                Some(next) if next == block => {
                    way.pass(&mut done);
                    group.push(number);
                }
                Some(_) => n_others += 1,
                None => {}
            }
        }
        stores += done.len() as u64;
        if !group.iter().any(|number| before.contains(number)) {
            turn.steps = 0;
        }
        if n_others > 0 {
            turn.steps += n_steps;
            if turn.steps > LONGEST_TURN {
                return None;
            }
        }
        before = group;
    }
    Some((steps, stores))
}
