//! Loop iterations of racing accesses. The module counts the executions of racing instructions by each thread, and adds the iteration
//! numbers to the messages about data races.

use crate::memory_model::concurrency::RaceView;
use crate::memory_model::concurrency::lockstep::loops_around;
use crate::session::Session;
use warpgrid_emulator::{AccessEvent, Agent, EventMask, MemoryId, Observer};
use warpgrid_order::races::{MemoryInstance, Race, RaceCounterpart, RaceSide};

/// Maximum number of steps that the analysis replays. This limit bounds the cost of the analysis.
const MAX_STEPS: u64 = 1_000_000;

/// Racing access, with the number of times that its thread has executed the instruction of the access.
struct Counted {
    access: RaceSide,
    /// Number of times that the thread has executed the instruction so far.
    n: u64,
    /// Number of the last execution that accessed the bytes of the race. The first execution has the number 1.
    iteration: u64,
}

/// Observer that counts the executions of racing instructions until the second access of each race occurs.
struct Counter {
    races: Vec<(Race, [Counted; 2])>,
}

impl Observer for Counter {
    fn interest(&self) -> EventMask {
        EventMask::ACCESSES
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let Agent::Warp { block, warp } = event.agent else {
            return;
        };
        for (found, sides) in &mut self.races {
            if event.step > found.step {
                continue;
            }
            for side in sides {
                let RaceSide {
                    function,
                    instruction,
                    ..
                } = side.access;
                let is_warp = (side.access.block, side.access.thread / 32) == (block, warp);
                if !is_warp || (function, instruction) != (event.function, event.instruction) {
                    continue;
                }
                let lane = side.access.thread % 32;
                if event.mask >> lane & 1 == 0 {
                    continue;
                }
                side.n += 1;
                let end = found.address.saturating_add(u64::from(found.n_bytes));
                let touches = event.pieces.iter().any(|piece| {
                    u32::from(piece.address_lane) == lane
                        && is_memory(piece.memory, found.memory)
                        && piece.address < end
                        && found.address < piece.address.saturating_add(u64::from(piece.n_bytes))
                });
                if touches {
                    side.iteration = side.n;
                }
            }
        }
    }
}

fn is_memory(own: MemoryId, memory: MemoryInstance) -> bool {
    match (own, memory) {
        (MemoryId::Global, MemoryInstance::Global) => true,
        (MemoryId::Shared { block }, MemoryInstance::Shared(other)) => block == other,
        _ => false,
    }
}

impl Session {
    /// Adds the iterations of both accesses to the message of each race between instructions of one loop, if the two iterations differ. The
    /// iteration of an access is the number of times that its thread has executed the instruction.
    pub(crate) fn explain_by_iterations(&mut self, races: &mut [RaceView], found: &[Race]) {
        let are_in_loop = |[first, second]: [&RaceSide; 2]| {
            let function = self.program.functions.get(first.function.0 as usize);
            first.function == second.function
                && function.is_some_and(|function| {
                    let loops = loops_around(&self.program, function, first.instruction);
                    loops.iter().any(|own| own.contains(&second.instruction))
                })
        };
        let counted = |access: &RaceSide| Counted {
            access: *access,
            n: 0,
            iteration: 0,
        };
        let looped = found.iter().enumerate().filter_map(|(index, found)| {
            let RaceCounterpart::Access(second) = &found.second else {
                return None;
            };
            let sides = [&found.first, second];
            let is_plain = sides.iter().all(|side| !side.asynchronous);
            let is_looped = is_plain && are_in_loop(sides);
            is_looped.then(|| (index, (found.clone(), sides.map(counted))))
        });
        let (indices, races_in_loops): (Vec<usize>, Vec<_>) = looped.unzip();
        if indices.is_empty() {
            return;
        }
        let mut counter = Counter {
            races: races_in_loops,
        };
        let seen = self.steps_seen().min(MAX_STEPS);
        self.timeline.replay(0, seen, &mut counter);
        for (index, (_, [first, second])) in indices.iter().zip(&counter.races) {
            let Some(race) = races.get_mut(*index) else {
                continue;
            };
            let is_known = first.iteration > 0 && second.iteration > 0;
            if is_known && first.iteration != second.iteration {
                race.message += &format!(
                    "; line {} in iteration {}, line {} in iteration {}",
                    race.first.line.unwrap_or(0),
                    first.iteration,
                    race.second.line.unwrap_or(0),
                    second.iteration
                );
            }
        }
    }
}
