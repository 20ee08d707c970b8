//! Runs a translated kernel: block after block, and in a block phase after phase. In: a machine at its start; out: memory and counts at its
//! end, or why the interpreter must run it.

use crate::Refusal;
use crate::count::{Turn, count_parted};
use crate::module::{Kernel, lane_bytes, translate};
use crate::place::{GANG, Places, cell, get32, get64, holds, put32, put64, record};
use std::ops::Range;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use warpgrid_emulator::plain::Plain;
use wasmtime::{Config, Engine, Instance, Memory, Module, OptLevel, Store, TypedFunc};

/// Why code stops.
pub(crate) mod stop {
    pub(crate) const FAULT: u32 = 1;
    pub(crate) const CONFLICT: u32 = 2;
    /// A range must be noted from the start of the run.
    pub(crate) const AGAIN: u32 = 3;
    pub(crate) const STEPS: u32 = 4;
    /// What is too rare to be translated.
    pub(crate) const RARE: u32 = 5;
}

/// Names of gangs that a run may use up.
const MOST_NAMES: u32 = 0x0fff_0000;

/// Steps of a strip: one that waits for what another strip would do never ends.
const LONGEST_STRIP: u64 = 1 << 26;

/// The engine, the same for all kernels of a process.
static ENGINE: LazyLock<Result<Engine, String>> = LazyLock::new(|| {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::Speed)
        .wasm_relaxed_simd(true)
        // Products are added with one rounding, on every host.
        .relaxed_simd_deterministic(true);
    Engine::new(&config).map_err(|error| error.to_string())
});

/// A run that ended.
pub struct Ended {
    store: Store<()>,
    memory: Memory,
    /// Bytes of the module's memory that blocks may have changed, and where they lie in the arena.
    changed: Vec<(Range<usize>, usize)>,
    pub steps: u64,
    /// Steps that stored.
    pub stores: u64,
    /// What translation took, and the run.
    pub translating: Duration,
    pub running: Duration,
}

impl Ended {
    /// What blocks may have changed of the memory that they share: where it starts in the arena, and its bytes.
    pub fn changes(&self) -> Vec<(usize, &[u8])> {
        let bytes = self.memory.data(&self.store);
        let changed = self.changed.iter();
        changed
            .filter_map(|(range, start)| Some((*start, bytes.get(range.clone())?)))
            .collect()
    }
}

/// Translates the kernel of a machine at its start and runs it to its end, if that takes at most `max_steps` steps.
pub fn run(plain: Plain<'_>, max_steps: u64) -> Result<Ended, Refusal> {
    let started = Instant::now();
    let kernel = translate(plain)?;
    let engine = ENGINE.as_ref();
    let engine = engine.map_err(|why| Refusal::Engine(why.clone()))?;
    let module = Module::new(engine, &kernel.wasm).map_err(refused)?;
    let translating = started.elapsed();
    let started = Instant::now();
    let mut noted = Vec::new();
    let mut run = Run::new(&kernel, plain, engine, &module)?;
    loop {
        match run.blocks(plain, max_steps) {
            Ok(()) => break,
            Err(Stopped::Again) => {
                let before = noted.len();
                let bytes = run.memory.data(&run.store);
                noted = kernel.places.that_hold(holds::NOTED, bytes);
                // Each time a range more is noted.
                if noted.len() <= before {
                    return Err(Refusal::Conflict);
                }
                run.begin_again(plain, &noted);
            }
            Err(Stopped::Refused(why)) => return Err(why),
        }
    }
    let Run {
        store,
        memory,
        steps,
        stores,
        ..
    } = run;
    let what = holds::NOTED | holds::WRITTEN;
    let changed = kernel.places.that_hold(what, memory.data(&store));
    Ok(Ended {
        changed: kernel.places.changed(plain, &changed),
        store,
        memory,
        steps,
        stores,
        translating,
        running: started.elapsed(),
    })
}

fn refused(error: wasmtime::Error) -> Refusal {
    Refusal::Engine(format!("{error:#}"))
}

/// Why a try ended before its end.
enum Stopped {
    Again,
    Refused(Refusal),
}

/// A try.
struct Run<'k> {
    kernel: &'k Kernel,
    store: Store<()>,
    memory: Memory,
    phase: TypedFunc<i32, i32>,
    steps: u64,
    stores: u64,
    /// The first name of the next phase.
    next_name: u32,
    /// By warp of the block: how long its scheduler has gone on with one group of lanes while others were ready.
    turns: Vec<Turn>,
}

impl<'k> Run<'k> {
    fn new(
        kernel: &'k Kernel,
        plain: Plain<'_>,
        engine: &Engine,
        module: &Module,
    ) -> Result<Run<'k>, Refusal> {
        let mut store = Store::new(engine, ());
        let instance = Instance::new(&mut store, module, &[]).map_err(refused)?;
        let memory = instance.get_memory(&mut store, "memory");
        let memory = memory.ok_or_else(|| Refusal::Engine("no memory".to_owned()))?;
        let phase = instance
            .get_typed_func(&mut store, "phase")
            .map_err(refused)?;
        let bytes = memory.data_mut(&mut store);
        kernel.places.fill(plain, &kernel.sites, bytes);
        Ok(Run {
            kernel,
            store,
            memory,
            phase,
            steps: 0,
            stores: 0,
            next_name: 8,
            turns: Vec::new(),
        })
    }

    fn places(&self) -> &'k Places {
        &self.kernel.places
    }

    fn bytes(&mut self) -> &mut [u8] {
        self.memory.data_mut(&mut self.store)
    }

    /// As at the start, but that these ranges are noted from there on; no others can have changed.
    fn begin_again(&mut self, plain: Plain<'_>, noted: &[u32]) {
        let kernel = self.kernel;
        kernel
            .places
            .refill(plain, noted, &kernel.sites, self.bytes());
        (self.steps, self.stores) = (0, 0);
    }

    fn blocks(&mut self, plain: Plain<'_>, max_steps: u64) -> Result<(), Stopped> {
        let (_, shared_bytes) = plain.shared();
        for block in 0..plain.n_blocks() {
            self.begin_block(plain, block, shared_bytes as usize);
            let mut begins = self.kernel.flow.entries.len() as i32;
            loop {
                self.begin_phase(begins >= 0, max_steps);
                let stopped = self.phase.call(&mut self.store, begins);
                let stopped = stopped.map_err(|error| Stopped::Refused(refused(error)))?;
                self.check(stopped as u32)?;
                let has_ended = self.end_phase(plain)?;
                if self.steps > max_steps {
                    return Err(Stopped::Refused(Refusal::Steps));
                }
                if has_ended {
                    break;
                }
                begins = -1;
            }
        }
        Ok(())
    }

    /// What the block sees in special registers, and zeros in its shared memory.
    fn begin_block(&mut self, plain: Plain<'_>, block: u64, shared_bytes: usize) {
        let places = self.places();
        let n_gangs = places.n_gangs;
        let bytes = self.bytes();
        for (index, special) in (0..).zip(&places.by_block) {
            let value = plain.special(*special, block, 0, 0) as u32;
            for lane in 0..GANG {
                put32(bytes, cell::BY_BLOCK + 16 * index + 4 * lane, value);
            }
        }
        let start = places.shared as usize;
        if let Some(shared) = bytes.get_mut(start..start + shared_bytes) {
            shared.fill(0);
        }
        put32(bytes, cell::RECORDS, n_gangs);
        self.turns.clear();
    }

    fn begin_phase(&mut self, is_first: bool, max_steps: u64) {
        let name = self.next_name;
        self.next_name += 8 * (self.places().n_gangs + 2);
        let fuel = max_steps.saturating_sub(self.steps).min(LONGEST_STRIP);
        let bytes = self.bytes();
        put32(bytes, cell::PHASE, name);
        if is_first {
            put32(bytes, cell::BLOCK, name);
        }
        put64(bytes, cell::FUEL, fuel);
        for at in cell::COUNTS.step_by(4) {
            put32(bytes, at, 0);
        }
        put32(bytes, cell::FIRST_ENTRY, u32::MAX);
    }

    fn check(&self, stopped: u32) -> Result<(), Stopped> {
        let refusal = match stopped {
            0 if self.next_name < MOST_NAMES => return Ok(()),
            0 => Refusal::TooLarge,
            stop::AGAIN => return Err(Stopped::Again),
            stop::CONFLICT => Refusal::Conflict,
            stop::STEPS => Refusal::Steps,
            _ => Refusal::Fault,
        };
        Err(Stopped::Refused(refusal))
    }

    /// Counts what was done; whether the block has ended.
    fn end_phase(&mut self, plain: Plain<'_>) -> Result<bool, Stopped> {
        let kernel = self.kernel;
        let bytes = self.memory.data_mut(&mut self.store);
        let counted = match get32(bytes, cell::DIVERGENT) {
            0 => Some((get64(bytes, cell::STEPS), get64(bytes, cell::STORES))),
            // Other seeds let lanes go on in another order.
            _ if plain.seed() != 0 => None,
            _ => count_parted(kernel, bytes, &mut self.turns),
        };
        let Some((steps, stores)) = counted else {
            return Err(Stopped::Refused(Refusal::Uncounted));
        };
        if get32(bytes, cell::MIXED) != 0 || is_parted(kernel, bytes) {
            return Err(Stopped::Refused(Refusal::Parted));
        }
        let waits = get32(bytes, cell::WAITING) != 0;
        if waits && get32(bytes, cell::RECORDS) > kernel.places.n_gangs {
            join_parts(kernel, bytes);
        }
        self.steps += steps;
        self.stores += stores;
        Ok(!waits)
    }
}

/// Whether some lanes of a warp have ended in a phase, and others wait.
fn is_parted(kernel: &Kernel, bytes: &[u8]) -> bool {
    let places = &kernel.places;
    let n_records = get32(bytes, cell::RECORDS);
    let both = get32(bytes, cell::WAITING) != 0 && get32(bytes, cell::ENDED) != 0;
    if !both || n_records <= places.n_gangs {
        return false;
    }
    let in_warp = |index: u32| {
        let at = places.record(index);
        let warp = get32(bytes, at + record::GANG) / crate::place::GANGS;
        let waits = (get32(bytes, at + record::ENTRY) as i32) >= 0;
        (get64(bytes, at + record::STEPS) > 0).then_some((warp, waits))
    };
    let all: Vec<(u32, bool)> = (0..n_records).filter_map(in_warp).collect();
    let waiting = all.iter().filter(|(_, waits)| *waits);
    waiting
        .into_iter()
        .any(|(warp, _)| all.contains(&(*warp, false)))
}

/// Lanes that parted from their gang and wait at the same barrier are one gang again.
fn join_parts(kernel: &Kernel, bytes: &mut [u8]) {
    let places = &kernel.places;
    for index in places.n_gangs..get32(bytes, cell::RECORDS) {
        let part = places.record(index);
        let entry = get32(bytes, part + record::ENTRY);
        let Some(live) = kernel.live.get(entry as usize) else {
            continue;
        };
        let whole = places.record(get32(bytes, part + record::GANG));
        let mask = get32(bytes, part + record::MASK);
        for (register, offset) in live {
            for lane in (0..GANG).filter(|lane| mask >> lane & 1 != 0) {
                let lane_bytes = lane_bytes(*register, lane);
                let start = record::REGISTERS + offset + lane_bytes.start;
                let from = (part + start) as usize;
                let n_bytes = lane_bytes.len();
                bytes.copy_within(from..from + n_bytes, (whole + start) as usize);
            }
        }
        let joined = get32(bytes, whole + record::MASK) | mask;
        put32(bytes, whole + record::MASK, joined);
    }
    for index in 0..places.n_gangs {
        let at = places.record(index);
        put32(bytes, at + record::NAME, 0);
        put32(bytes, at + record::ANCESTORS, 0);
        put32(bytes, at + record::NEXT_NAME, 1);
    }
    put32(bytes, cell::RECORDS, places.n_gangs);
}
