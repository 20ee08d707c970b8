//! Runs a translated kernel: block after block, and in a block phase after phase. In: a machine at its start; out: memory and counts at its
//! end, or why the interpreter must run it.

use crate::Refusal;
use crate::engine::{Engine, Instance};
use crate::merge;
use crate::module::{Kernel, translate};
use crate::place::{GANG, GANGS, HAS_PARTED, PARTS, Places, Window, cell, holds, record};
use crate::serve::Served;
use crate::turns::{self, Way};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;
use warpgrid_emulator::plain::{Plain, PlainEnd};

/// Why code stops.
pub(crate) mod stop {
    pub(crate) const FAULT: u32 = 1;
    pub(crate) const CONFLICT: u32 = 2;
    /// A range must be noted from the start of the run.
    pub(crate) const AGAIN: u32 = 3;
    pub(crate) const STEPS: u32 = 4;
    /// What is too rare to be translated.
    pub(crate) const RARE: u32 = 5;
    /// Lanes of a warp wait at different places, or some have ended before others wait.
    pub(crate) const PARTED: u32 = 6;
    /// How many steps the interpreter would count is not known.
    pub(crate) const UNCOUNTED: u32 = 7;
    /// No names are left.
    pub(crate) const TOO_LARGE: u32 = 8;
    /// The host must do what lanes of a warp wait for, or what the whole warp does.
    pub(crate) const CALL: u32 = 9;
    pub(crate) const CALL_FOR_WARP: u32 = 10;
    /// The host must count the steps of the warp at hand.
    pub(crate) const COUNT: u32 = 11;
}

/// What `phase` is given where it goes on after such a call.
pub(crate) const RESUMES: i32 = -2;

/// Names of gangs that a run may use up.
pub(crate) const MOST_NAMES: u32 = 0x0fff_0000;

/// Steps of a strip: one that waits for what another strip would do never ends.
const LONGEST_STRIP: u64 = 1 << 26;

/// How far a run may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps to the end, at most.
    pub max_steps: u64,
    /// Steps a second, at least: a run that is slower after a moment is given up. None where it may take its time.
    pub least_pace: Option<f64>,
}

/// How long a run may be slow, and after how many steps it is looked at again.
const MOMENT: Duration = Duration::from_millis(50);
const STEPS_BETWEEN_LOOKS: u64 = 1 << 15;

/// A run that ended.
#[derive(Debug)]
pub struct Ended<I> {
    instance: I,
    /// Bytes of the module's memory that blocks may have changed, and where they lie in the arena.
    changed: Vec<(Range<usize>, usize)>,
    pub steps: u64,
    /// Steps that stored.
    pub stores: u64,
    /// What translation took, and the run.
    pub translating: Duration,
    pub running: Duration,
}

impl<I: Instance> Ended<I> {
    /// Gives the end to a machine that takes it over.
    pub fn hand_over<R>(&self, take: impl FnOnce(&PlainEnd<'_>) -> R) -> R {
        let changed = self.changed.iter();
        let looked: Vec<(usize, Cow<'_, [u8]>)> = changed
            .map(|(range, start)| (*start, self.instance.look(range.clone())))
            .collect();
        let changes: Vec<(usize, &[u8])> = looked
            .iter()
            .map(|(start, bytes)| (*start, &**bytes))
            .collect();
        take(&PlainEnd {
            changes: &changes,
            steps: self.steps,
            stores: self.stores,
        })
    }
}

/// Translates the kernel of a machine at its start and runs it to its end by an engine, within limits.
pub fn run<E: Engine>(
    engine: &E,
    plain: Plain<'_>,
    limits: Limits,
) -> Result<Ended<E::Instance>, Refusal> {
    let compiled = Compiled::new(engine, plain)?;
    let parts = compiled.parts(engine, plain, 1)?;
    let launch = Launch::new::<E>(plain, limits, parts.len());
    compiled.run::<E>(launch, parts, |parts, work| {
        parts.iter_mut().for_each(work);
    })
}

/// As [`run`], with the blocks shared out among threads, each with a memory of its own. What comes out does not depend on their number.
#[cfg(not(target_arch = "wasm32"))]
pub fn run_on_threads<E>(
    engine: &E,
    plain: Plain<'_>,
    limits: Limits,
    n_threads: u32,
) -> Result<Ended<E::Instance>, Refusal>
where
    E: Engine,
    E::Instance: Send,
{
    let compiled = Compiled::new(engine, plain)?;
    let n_parts = compiled.most_parts(plain).min(u64::from(n_threads)).max(1);
    let parts = compiled.parts(engine, plain, n_parts)?;
    let launch = Launch::new::<E>(plain, limits, parts.len());
    compiled.run::<E>(launch, parts, |parts, work| {
        std::thread::scope(|scope| {
            let mut parts = parts.iter_mut();
            let own = parts.next();
            for part in parts {
                scope.spawn(|| work(part));
            }
            own.map(work);
        });
    })
}

/// Blocks of a part, at least: fewer are not worth a memory.
#[cfg(not(target_arch = "wasm32"))]
const FEWEST_BLOCKS: u64 = 4;

/// Bytes of the memories of all parts.
#[cfg(not(target_arch = "wasm32"))]
const MOST_BYTES: u64 = 4 << 30;

/// What is run, and how far.
#[derive(Clone, Copy)]
struct Launch<'m> {
    plain: Plain<'m>,
    limits: Limits,
    n_parts: usize,
    /// The clock, and when the run began.
    now: fn() -> Duration,
    started: Duration,
}

impl<'m> Launch<'m> {
    fn new<E: Engine>(plain: Plain<'m>, limits: Limits, n_parts: usize) -> Launch<'m> {
        Launch {
            plain,
            limits,
            n_parts,
            now: E::now,
            started: E::now(),
        }
    }

    /// Whether a part that has done this number of steps since its first block is slower than is allowed.
    fn is_slow(&self, steps: u64, first_block: Duration) -> bool {
        let Some(least) = self.limits.least_pace else {
            return false;
        };
        let took = (self.now)().saturating_sub(first_block);
        let all = steps as f64 * self.n_parts as f64;
        took > MOMENT && all < least * took.as_secs_f64()
    }
}

/// What is done for each part.
type Work<'w, 'k, I> = &'w (dyn Fn(&mut Part<'k, I>) + Sync);

/// A kernel that an engine has compiled.
struct Compiled<M> {
    kernel: Kernel,
    module: M,
    translating: Duration,
}

impl<M> Compiled<M> {
    fn new<E: Engine<Module = M>>(engine: &E, plain: Plain<'_>) -> Result<Compiled<M>, Refusal> {
        let started = E::now();
        let kernel = translate(plain, engine.products())?;
        let module = engine.compile(&kernel.wasm).map_err(Refusal::Engine)?;
        Ok(Compiled {
            kernel,
            module,
            translating: E::now().saturating_sub(started),
        })
    }

    /// Parts that the blocks can be shared out among.
    #[cfg(not(target_arch = "wasm32"))]
    fn most_parts(&self, plain: Plain<'_>) -> u64 {
        if self.kernel.is_whole {
            return 1;
        }
        let by_bytes = MOST_BYTES / self.kernel.places.bytes.max(1);
        by_bytes.min(plain.n_blocks() / FEWEST_BLOCKS)
    }

    /// The blocks in `n_parts` parts, each with an instance.
    fn parts<E: Engine<Module = M>>(
        &self,
        engine: &E,
        plain: Plain<'_>,
        n_parts: u64,
    ) -> Result<Vec<Part<'_, E::Instance>>, Refusal> {
        let n_blocks = plain.n_blocks();
        // Blocks before a part: products of two such counts have more than 64 bits.
        let before =
            |part: u64| (u128::from(n_blocks) * u128::from(part) / u128::from(n_parts)) as u64;
        let part = |part: u64| {
            let instance = engine.instantiate(&self.module).map_err(Refusal::Engine)?;
            Ok(Part {
                run: Run::new(&self.kernel, instance),
                blocks: before(part)..before(part + 1),
                outcome: Ok(()),
            })
        };
        (0..n_parts).map(part).collect()
    }

    /// Runs all parts, where `each` does its work for each of them, and makes one of what they wrote.
    fn run<'k, E: Engine<Module = M>>(
        &'k self,
        launch: Launch<'_>,
        mut parts: Vec<Part<'k, E::Instance>>,
        each: impl Fn(&mut [Part<'k, E::Instance>], Work<'_, 'k, E::Instance>),
    ) -> Result<Ended<E::Instance>, Refusal> {
        let (plain, places) = (launch.plain, &self.kernel.places);
        each(&mut parts, &|part| {
            part.run.fill(plain);
            part.try_blocks(launch);
        });
        let mut noted = Vec::new();
        loop {
            let more = unnoted(places, plain, &parts)?;
            if more.is_empty() {
                break;
            }
            let before = noted.len();
            noted.extend(more);
            noted.sort_unstable();
            noted.dedup();
            // Each time a range more is noted.
            if noted.len() <= before {
                return Err(Refusal::Conflict);
            }
            each(&mut parts, &|part| {
                part.run.begin_again(plain, &noted);
                part.try_blocks(launch);
            });
        }
        let steps = parts.iter().map(|part| part.run.steps).sum();
        if steps > launch.limits.max_steps {
            return Err(Refusal::Steps);
        }
        let stores = parts.iter().map(|part| part.run.stores).sum();
        let what = holds::NOTED | holds::WRITTEN;
        let changed = parts
            .iter()
            .flat_map(|part| places.that_hold(what, &part.run.instance));
        let changed: BTreeSet<u32> = changed.collect();
        let changed = places.changed(plain, &Vec::from_iter(changed));
        let mut instances = parts.into_iter().map(|part| part.run.instance);
        let mut instance = instances.next().ok_or(Refusal::Launch)?;
        for other in instances {
            merge::add(&mut instance, &other, plain, &changed);
        }
        Ok(Ended {
            changed,
            instance,
            steps,
            stores,
            translating: self.translating,
            running: E::now().saturating_sub(launch.started),
        })
    }
}

/// The ranges that must be noted from the start of the run: those that a part found, or where blocks of different parts may have met. A
/// refusal where a part was refused, or blocks met.
fn unnoted<I: Instance>(
    places: &Places,
    plain: Plain<'_>,
    parts: &[Part<'_, I>],
) -> Result<Vec<u32>, Refusal> {
    let mut found = Vec::new();
    let mut have_ended = true;
    for part in parts {
        match &part.outcome {
            Ok(()) => {}
            Err(Stopped::Again) => {
                have_ended = false;
                found.extend(places.that_hold(holds::NOTED, &part.run.instance));
            }
            Err(Stopped::Refused(why)) => return Err(why.clone()),
        }
    }
    if have_ended && parts.len() > 1 {
        let instances: Vec<&I> = parts.iter().map(|part| &part.run.instance).collect();
        return merge::check(places, plain, &instances);
    }
    Ok(found)
}

/// Why a try ended before its end.
enum Stopped {
    Again,
    Refused(Refusal),
}

/// Some blocks of a run, in an instance of their own.
struct Part<'k, I> {
    run: Run<'k, I>,
    blocks: Range<u64>,
    outcome: Result<(), Stopped>,
}

impl<I: Instance> Part<'_, I> {
    fn try_blocks(&mut self, launch: Launch<'_>) {
        self.outcome = self.run.blocks(launch, self.blocks.clone());
    }
}

/// A try.
struct Run<'k, I> {
    kernel: &'k Kernel,
    instance: I,
    steps: u64,
    stores: u64,
    /// The first name of the next phase, and that of the block's first phase.
    next_name: u32,
    block_name: u32,
}

impl<'k, I: Instance> Run<'k, I> {
    fn new(kernel: &'k Kernel, instance: I) -> Run<'k, I> {
        Run {
            kernel,
            instance,
            steps: 0,
            stores: 0,
            next_name: 8,
            block_name: 0,
        }
    }

    fn places(&self) -> &'k Places {
        &self.kernel.places
    }

    fn fill(&mut self, plain: Plain<'_>) {
        let kernel = self.kernel;
        let instance = &mut self.instance;
        kernel
            .places
            .fill(plain, &kernel.sites, &kernel.blocks, instance);
    }

    /// As at the start, but that these ranges are noted from there on; no others can have changed.
    fn begin_again(&mut self, plain: Plain<'_>, noted: &[u32]) {
        let kernel = self.kernel;
        let instance = &mut self.instance;
        kernel.places.refill(plain, noted, &kernel.sites, instance);
        (self.steps, self.stores) = (0, 0);
    }

    fn blocks(&mut self, launch: Launch<'_>, blocks: Range<u64>) -> Result<(), Stopped> {
        let (plain, max_steps) = (launch.plain, launch.limits.max_steps);
        // Each try has a pace for itself, without the time that memory takes to be copied.
        let first_block = (launch.now)();
        let mut next_look = STEPS_BETWEEN_LOOKS;
        for block in blocks {
            if self.steps >= next_look {
                next_look = self.steps + STEPS_BETWEEN_LOOKS;
                if launch.is_slow(self.steps, first_block) {
                    return Err(Stopped::Refused(Refusal::Slow));
                }
            }
            self.begin_block(plain, block);
            let mut begins = self.kernel.n_entries as i32;
            loop {
                self.begin_phase(begins >= 0, max_steps);
                self.run_phase(plain, begins)?;
                let has_ended = self.end_phase();
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

    /// Runs a phase, with what the host does meanwhile.
    fn run_phase(&mut self, plain: Plain<'_>, begins: i32) -> Result<(), Stopped> {
        let mut begins = begins;
        loop {
            let stopped = self.instance.phase(begins);
            let stopped = stopped.map_err(|why| Stopped::Refused(Refusal::Engine(why)))?;
            begins = RESUMES;
            if stopped == stop::COUNT {
                let counted = self.count_turns();
                counted.ok_or(Stopped::Refused(Refusal::Uncounted))?;
                continue;
            }
            if !matches!(stopped, stop::CALL | stop::CALL_FOR_WARP) {
                return self.check(stopped);
            }
            if !self.serve(plain, stopped == stop::CALL_FOR_WARP) {
                return Err(Stopped::Refused(Refusal::Rare));
            }
        }
    }

    /// Does for the lanes of the warp at hand what they wait for; false where that is not possible.
    fn serve(&mut self, plain: Plain<'_>, for_warp: bool) -> bool {
        let kernel = self.kernel;
        let places = &kernel.places;
        let cells = Window::of(&self.instance, cell::ALL);
        let (warp, n_records) = (cells.get32(cell::WARP), cells.get32(cell::RECORDS));
        let gangs =
            places.record(warp * GANGS) as usize..places.record((warp + 1) * GANGS) as usize;
        let parts = places.record(places.n_gangs) as usize..places.record(n_records) as usize;
        let mut served = Served::default();
        for range in [gangs.clone(), parts.clone()] {
            let records = Window::of(&self.instance, range);
            served.read(kernel, plain, &records, for_warp);
        }
        if !served.execute(plain) {
            return false;
        }
        for range in [gangs, parts] {
            let start = range.start;
            self.instance.edit(range, |bytes| {
                served.write(kernel, &mut Window { start, bytes }, for_warp);
            });
        }
        true
    }

    /// Counts the steps of the warp at hand, since its start.
    fn count_turns(&mut self) -> Option<()> {
        let places = self.places();
        let cells = Window::of(&self.instance, cell::ALL);
        let (warp, ran) = (cells.get32(cell::WARP), cells.get32(cell::RAN));
        let (steps, stores) = (cells.get64(cell::STEPS), cells.get32(cell::STORES));
        let record_of = |index: u32| match index < GANGS {
            true => places.record(warp * GANGS + index),
            false => places.record(places.n_gangs + index - GANGS),
        };
        let have_run = (0..GANGS + PARTS).filter(|index| ran >> index & 1 != 0);
        let ways: Vec<Way> = have_run
            .map(|index| {
                let start = record_of(index);
                let range = start as usize..(start + record::REGISTERS) as usize;
                let record = Window::of(&self.instance, range);
                let trace = record.get32(start + record::TRACE) as usize;
                let traced = record.get32(start + record::TRACED) as usize;
                let bytes = self.instance.look(trace..trace + traced);
                let words = bytes.chunks_exact(2);
                Way {
                    trace: words.map(|b| u16::from_le_bytes([b[0], b[1]])).collect(),
                    has_ended: record.get32(start + record::ENTRY).cast_signed() < 0,
                }
            })
            .collect();
        let counted = turns::count(&ways, &self.kernel.counts)?;
        let turn = (counted.turn | HAS_PARTED).to_le_bytes();
        self.instance
            .write((places.turns + 4 * warp) as usize, &turn);
        let steps = (steps + counted.steps).to_le_bytes();
        self.instance.write(cell::STEPS as usize, &steps);
        let stores = (stores + counted.stores).to_le_bytes();
        self.instance.write(cell::STORES as usize, &stores);
        self.instance.write(cell::COUNTED as usize, &[1]);
        Some(())
    }

    /// What the block sees in special registers, and zeros in its shared and local memory.
    fn begin_block(&mut self, plain: Plain<'_>, block: u64) {
        let places = self.places();
        let values: Vec<u8> = places
            .by_block
            .iter()
            .flat_map(|special| {
                let value = plain.special(*special, block, 0, 0) as u32;
                [value.to_le_bytes(); GANG as usize].into_iter().flatten()
            })
            .collect();
        if !values.is_empty() {
            self.instance.write(cell::BY_BLOCK as usize, &values);
        }
        let start = places.local as usize;
        if places.local_bytes > 0 {
            let bytes = places.local_bytes * places.n_gangs * GANG;
            self.instance.clear(start..start + bytes as usize);
        }
        let start = places.shared as usize;
        if places.shared_bytes > 0 {
            let end = start + places.shared_bytes as usize;
            self.instance.clear(start..end);
        }
    }

    fn begin_phase(&mut self, is_first: bool, max_steps: u64) {
        let name = self.next_name;
        let n_gangs = self.places().n_gangs;
        self.next_name += 8;
        let fuel = max_steps.saturating_sub(self.steps).min(LONGEST_STRIP);
        if is_first {
            self.block_name = name;
        }
        // All cells at once, since what an engine of another language is asked costs most: the others begin with each gang, or as zero.
        let mut cells = Window {
            start: cell::ALL.start,
            bytes: [0; cell::ALL.end - cell::ALL.start],
        };
        cells.put32(cell::RECORDS, n_gangs);
        cells.put32(cell::PHASE, name);
        cells.put32(cell::NEXT_NAME, self.next_name);
        cells.put32(cell::BLOCK, self.block_name);
        cells.put64(cell::FUEL, fuel);
        cells.put32(cell::FIRST_ENTRY, u32::MAX);
        self.instance.write(cells.start, &cells.bytes);
    }

    fn check(&self, stopped: u32) -> Result<(), Stopped> {
        let refusal = match stopped {
            0 if self.next_name < MOST_NAMES => return Ok(()),
            0 => Refusal::TooLarge,
            stop::AGAIN => return Err(Stopped::Again),
            stop::CONFLICT => Refusal::Conflict,
            stop::STEPS => Refusal::Steps,
            stop::RARE => Refusal::Rare,
            stop::PARTED => Refusal::Parted,
            stop::UNCOUNTED => Refusal::Uncounted,
            stop::TOO_LARGE => Refusal::TooLarge,
            _ => Refusal::Fault,
        };
        Err(Stopped::Refused(refusal))
    }

    /// Takes what was counted; whether the block has ended.
    fn end_phase(&mut self) -> bool {
        let cells = Window::of(&self.instance, cell::ALL);
        self.next_name = cells.get32(cell::NEXT_NAME);
        let counts = (cells.get64(cell::STEPS), cells.get64(cell::STORES));
        let has_ended = cells.get32(cell::WAITING) == 0;
        self.steps += counts.0;
        self.stores += counts.1;
        has_ended
    }
}
