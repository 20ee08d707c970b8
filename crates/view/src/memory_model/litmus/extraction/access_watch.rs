//! Observation of selected threads in selected lines. The input is the steps and accesses of a run. The output contains, for each thread,
//! the position of the run at which the thread reaches the lines, and the accesses of the thread within the lines. It also contains the two
//! threads whose accesses have the most relevant conflict.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use warpgrid_emulator::{
    AccessEvent, Agent, CompletionMechanism, ElementAccess, EventMask, InFlightOperation,
    MbarrierOperation, MemoryId, Observer, StepEvent, SyncEvent, SyncKind, WarpId,
};
use warpgrid_isa::StateSpace;
use warpgrid_program::FunctionId;

/// Maximum number of memory words that the search for two conflicting threads records.
const MAX_WORDS: usize = 1 << 16;
/// Maximum number of accesses that the observer records per thread.
const MAX_TOUCHES: usize = 4096;

/// Thread, identified by the linear index of its block and its linear index within the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ThreadKey {
    pub(crate) block: u64,
    pub(crate) thread: u32,
}

impl ThreadKey {
    fn warp(self) -> WarpId {
        WarpId {
            block: self.block,
            warp: self.thread / 32,
        }
    }

    fn bit(self) -> u32 {
        1 << (self.thread % 32)
    }
}

/// Instructions of the lines that a litmus test is extracted from, and the functions that these instructions call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineSelection {
    pub(crate) function: FunctionId,
    pub(crate) instructions: Range<u32>,
    /// Functions that the selected lines call, directly or through other functions.
    pub(crate) called: BTreeSet<FunctionId>,
}

impl LineSelection {
    pub(crate) fn has(&self, function: FunctionId, instruction: u32) -> bool {
        let is_own = function == self.function && self.instructions.contains(&instruction);
        is_own || self.is_called(function)
    }

    /// Checks whether the selected lines call `function`. A thread that executes a called function still counts as being in the selected
    /// lines.
    pub(crate) fn is_called(&self, function: FunctionId) -> bool {
        self.called.contains(&function)
    }
}

/// Byte range that one execution of an instruction accessed, with the thread and the direction of the access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteAccess {
    /// Thread that accessed the bytes, or `None` for a pending asynchronous operation.
    pub(crate) thread: Option<ThreadKey>,
    pub(crate) step: u64,
    pub(crate) memory: MemoryId,
    pub(crate) address: u64,
    pub(crate) n_bytes: u32,
    pub(crate) writes: bool,
    /// Whether the accessed bytes are an mbarrier object.
    pub(crate) is_object: bool,
}

/// Kind of a conflict between two accesses, ordered by decreasing relevance. The kinds distinguish conflicts on data from conflicts on an
/// mbarrier object, and conflicts between two warps from conflicts within one warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ConflictRank {
    DataApart,
    Data,
    ObjectApart,
    Object,
}

/// Observer that searches for two threads that access the same bytes, where at least one of the two accesses is a write.
pub(crate) struct ConflictFinder {
    pub(crate) lines: LineSelection,
    seen: HashMap<(MemoryId, u64), Vec<(ThreadKey, bool)>>,
    /// Two threads with the most relevant conflict found so far, and the kind of this conflict.
    best: Option<(ConflictRank, [ThreadKey; 2])>,
    /// Threads that have executed the selected lines.
    visitors: Vec<ThreadKey>,
    /// Warps whose last step was in the selected lines or in called functions.
    active_visits: BTreeSet<WarpId>,
}

impl ConflictFinder {
    pub(crate) fn new(lines: LineSelection) -> ConflictFinder {
        ConflictFinder {
            lines,
            seen: HashMap::new(),
            best: None,
            visitors: Vec::new(),
            active_visits: BTreeSet::new(),
        }
    }

    /// Checks whether an instruction belongs to the selected lines, or to a called function while the warp executes the selected lines.
    fn has(&self, warp: WarpId, function: FunctionId, instruction: u32) -> bool {
        self.lines.has(function, instruction)
            && (!self.lines.is_called(function) || self.active_visits.contains(&warp))
    }

    /// Returns the two threads with the most relevant conflict, or all threads that executed the selected lines if no accesses conflict.
    pub(crate) fn threads(self) -> Vec<ThreadKey> {
        match self.best {
            Some((_, mut two)) => {
                two.sort_unstable();
                two.to_vec()
            }
            None => self.visitors,
        }
    }

    fn touch(&mut self, thread: ThreadKey, touch: ByteAccess) {
        let is_settled = |(grade, _): &(ConflictRank, _)| *grade == ConflictRank::DataApart;
        if self.best.as_ref().is_some_and(is_settled) {
            return;
        }
        let words = touch.address / 4..(touch.address + u64::from(touch.n_bytes)).div_ceil(4);
        for word in words {
            if self.seen.len() > MAX_WORDS {
                return;
            }
            let earlier = self.seen.entry((touch.memory, word)).or_default();
            for (other, wrote) in earlier.iter() {
                if *other == thread || !(*wrote || touch.writes) {
                    continue;
                }
                let grade = match (touch.is_object, other.warp() == thread.warp()) {
                    (false, false) => ConflictRank::DataApart,
                    (false, true) => ConflictRank::Data,
                    (true, false) => ConflictRank::ObjectApart,
                    (true, true) => ConflictRank::Object,
                };
                if self.best.is_none_or(|(known, _)| grade < known) {
                    self.best = Some((grade, [*other, thread]));
                }
            }
            if earlier.len() < 4 && !earlier.contains(&(thread, touch.writes)) {
                earlier.push((thread, touch.writes));
            }
        }
    }
}

impl Observer for ConflictFinder {
    fn interest(&self) -> EventMask {
        EventMask {
            steps: true,
            ..EventMask::ORDER
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let here = event
            .warp()
            .filter(|warp| self.has(*warp, event.function, event.instruction));
        if let Some(WarpId { block, warp }) = here {
            for piece in event.pieces {
                let thread = warp * 32 + u32::from(piece.address_lane);
                self.touch(ThreadKey { block, thread }, of_piece(event, piece));
            }
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        if self.has(event.warp_id(), event.function, event.instruction) {
            for (lane, touch) in of_objects(event) {
                let (block, thread) = (event.block, event.warp * 32 + u32::from(lane));
                self.touch(ThreadKey { block, thread }, touch);
            }
        }
    }

    fn step(&mut self, event: &StepEvent) {
        let Agent::Warp { block, warp } = event.agent else {
            return;
        };
        if self.lines.is_called(event.function) {
            return;
        }
        let of = WarpId { block, warp };
        if !self.lines.has(event.function, event.instruction) {
            self.active_visits.remove(&of);
            return;
        }
        self.active_visits.insert(of);
        if event.executed == 0 {
            return;
        }
        let thread = ThreadKey {
            block,
            thread: warp * 32 + event.executed.trailing_zeros(),
        };
        let is_new = self
            .visitors
            .iter()
            .all(|other| other.warp() != thread.warp());
        if is_new && self.visitors.len() < 2 {
            self.visitors.push(thread);
        }
    }
}

/// Position of the run, and instruction, at which a thread reached the selected lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineEntry {
    /// Number of steps that the run had executed.
    pub(crate) position: u64,
    pub(crate) instruction: u32,
}

/// Recorded executions of the selected lines by one thread.
#[derive(Debug, Default)]
pub(crate) struct LineVisit {
    /// Instructions of which the thread must execute at least one within the selected lines, or `None` if every execution of the lines is
    /// suitable.
    wanted: Option<Range<u32>>,
    is_inside: bool,
    latest: Option<LineEntry>,
    /// State at the time when the selected execution of the lines started.
    pub(crate) entry: Option<LineEntry>,
    left: Option<u64>,
    touches: Vec<ByteAccess>,
    /// Step in which the thread executed each instruction in the selected execution of the lines.
    executed: BTreeMap<u32, u64>,
    /// Step in which the thread executed each instruction in the latest execution of the lines.
    recent: BTreeMap<u32, u64>,
}

impl LineVisit {
    /// Returns the accesses of the thread in the selected execution of the lines, from the entry into the lines until the thread left the
    /// lines.
    pub(crate) fn touched(&self) -> impl Iterator<Item = &ByteAccess> {
        let from = self.entry.map_or(u64::MAX, |entry| entry.position);
        let to = self.left.unwrap_or(u64::MAX);
        let within = move |touch: &&ByteAccess| (from..to).contains(&touch.step);
        self.touches.iter().filter(within)
    }

    /// Returns the position of the run after the thread executed an instruction of the lines.
    pub(crate) fn after(&self, instruction: u32) -> Option<u64> {
        self.executed.get(&instruction).map(|step| step + 1)
    }
}

/// Observer that records the visits of the selected threads to the selected lines.
pub(crate) struct ThreadWatch {
    lines: LineSelection,
    /// Last step of the observation. The observer ignores later steps.
    before: Option<u64>,
    pub(crate) stays: BTreeMap<ThreadKey, LineVisit>,
}

impl ThreadWatch {
    /// Returns an observer of the given threads. For each thread, the optional range specifies instructions of which the thread must
    /// execute at least one.
    pub(crate) fn new(
        lines: LineSelection,
        threads: &[(ThreadKey, Option<Range<u32>>)],
        before: Option<u64>,
    ) -> ThreadWatch {
        let stay = |(thread, wanted): &(ThreadKey, Option<Range<u32>>)| {
            let stay = LineVisit {
                wanted: wanted.clone(),
                ..LineVisit::default()
            };
            (*thread, stay)
        };
        ThreadWatch {
            lines,
            before,
            stays: threads.iter().map(stay).collect(),
        }
    }

    /// Returns the position of the run at which the first of the observed threads reached the lines.
    pub(crate) fn start(&self) -> Option<u64> {
        self.entries().min()
    }

    /// Returns the position of the run at which the last of the observed threads reached the lines.
    pub(crate) fn last(&self) -> Option<u64> {
        self.entries().max()
    }

    fn entries(&self) -> impl Iterator<Item = u64> {
        let entries = self.stays.values().filter_map(|stay| stay.entry);
        entries.map(|entry| entry.position)
    }

    fn is_over(&self, step: u64) -> bool {
        self.before.is_some_and(|before| step > before)
    }

    /// Records the bytes that an asynchronous operation reads and writes, and the mbarrier object on which the operation completes.
    fn start_operation(&mut self, event: &SyncEvent<'_>, pending: &InFlightOperation) {
        let operation = &pending.operation;
        let pieces = operation.all_pieces();
        let lanes = pieces
            .iter()
            .fold(0, |lanes, piece| lanes | 1 << (piece.lane & 31));
        let lanes = if lanes == 0 { event.lanes } else { lanes };
        let of = event.warp_id();
        let mine = |stay: &ThreadKey| stay.warp() == of && stay.bit() & lanes != 0;
        let Some(thread) = self.stays.keys().copied().find(mine) else {
            return;
        };
        let plain = ByteAccess {
            thread: None,
            step: event.step,
            memory: MemoryId::Global,
            address: 0,
            n_bytes: 0,
            writes: true,
            is_object: false,
        };
        let mut touches = Vec::new();
        for piece in pieces
            .iter()
            .filter(|piece| thread.bit() == 1 << (piece.lane & 31))
        {
            touches.push(ByteAccess {
                memory: memory_of(piece.space, piece.block),
                address: piece.address,
                n_bytes: piece.bytes.len() as u32,
                ..plain
            });
            touches.extend(piece.source.map(|source| ByteAccess {
                memory: memory_of(source.space, source.block),
                address: source.address,
                n_bytes: source.form.n_read(piece.bytes.len()) as u32,
                writes: false,
                ..plain
            }));
        }
        touches.extend(object_of(pending).map(|(block, address)| ByteAccess {
            memory: MemoryId::Shared { block },
            address,
            n_bytes: 8,
            is_object: true,
            ..plain
        }));
        if let Some(stay) = self.stays.get_mut(&thread) {
            stay.touches.extend(touches);
            stay.touches.truncate(MAX_TOUCHES);
        }
    }

    fn note(&mut self, thread: ThreadKey, touch: ByteAccess) {
        if let Some(stay) = self.stays.get_mut(&thread)
            && stay.touches.len() < MAX_TOUCHES
        {
            stay.touches.push(ByteAccess {
                thread: Some(thread),
                ..touch
            });
        }
    }
}

impl Observer for ThreadWatch {
    fn interest(&self) -> EventMask {
        EventMask {
            steps: true,
            ..EventMask::ORDER
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        if !self.lines.has(event.function, event.instruction) {
            return;
        }
        for piece in event.pieces {
            let touch = of_piece(event, piece);
            // Skip the accesses of asynchronous operations, because the observer recorded them when the operation started.
            if let Some(WarpId { block, warp }) = event.warp() {
                let thread = warp * 32 + u32::from(piece.address_lane);
                self.note(ThreadKey { block, thread }, touch);
            }
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        if self.lines.has(event.function, event.instruction) {
            for (lane, touch) in of_objects(event) {
                let (block, thread) = (event.block, event.warp * 32 + u32::from(lane));
                self.note(ThreadKey { block, thread }, touch);
            }
            if let SyncKind::Started(pending) = event.what {
                self.start_operation(event, pending);
            }
        }
    }

    fn step(&mut self, event: &StepEvent) {
        let Agent::Warp { block, warp } = event.agent else {
            return;
        };
        if self.is_over(event.position) || self.lines.is_called(event.function) {
            return;
        }
        let is_here = self.lines.has(event.function, event.instruction);
        let selection = match self.before {
            Some(_) => StaySelection::Last,
            None => StaySelection::First,
        };
        for (thread, stay) in &mut self.stays {
            if thread.warp() == (WarpId { block, warp }) && event.lanes & thread.bit() != 0 {
                match is_here {
                    true => stay.execute(event, selection),
                    false => stay.leave(event.position),
                }
            }
        }
    }
}

/// Rule that selects one execution of the selected lines if a thread executes them several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StaySelection {
    First,
    Last,
}

impl LineVisit {
    /// Records that the thread executed a step outside of the lines.
    fn leave(&mut self, position: u64) {
        if self.is_inside && self.entry == self.latest && self.left.is_none() {
            self.left = Some(position);
        }
        self.is_inside = false;
    }

    /// Records that the thread executed a step within the lines.
    fn execute(&mut self, event: &StepEvent, selection: StaySelection) {
        let (instruction, position) = (event.instruction, event.position);
        if !self.is_inside {
            self.is_inside = true;
            self.recent.clear();
            self.latest = Some(LineEntry {
                position,
                instruction,
            });
        }
        self.recent.entry(instruction).or_insert(position);
        let wanted = self.wanted.as_ref();
        let is_wanted = wanted.is_none_or(|wanted| wanted.contains(&instruction));
        if self.entry == self.latest {
            self.executed.entry(instruction).or_insert(position);
        } else if is_wanted && (self.entry.is_none() || selection == StaySelection::Last) {
            self.entry = self.latest;
            self.left = None;
            self.executed = self.recent.clone();
        }
    }
}

fn of_piece(event: &AccessEvent<'_>, piece: &ElementAccess) -> ByteAccess {
    ByteAccess {
        thread: None,
        step: event.step,
        memory: piece.memory,
        address: piece.address,
        n_bytes: piece.n_bytes,
        writes: event.action.writes(),
        is_object: false,
    }
}

/// Returns the mbarrier objects that the lanes of an event accessed.
fn of_objects<'e>(event: &'e SyncEvent<'_>) -> impl Iterator<Item = (u8, ByteAccess)> + 'e {
    let (act, touched) = match event.what {
        SyncKind::Mbarrier { act, touched } => (Some(act), touched),
        _ => (None, &[][..]),
    };
    touched.iter().map(move |touch| {
        let found = ByteAccess {
            thread: None,
            step: event.step,
            memory: MemoryId::Shared { block: touch.block },
            address: touch.address,
            n_bytes: 8,
            writes: act != Some(MbarrierOperation::Test),
            is_object: true,
        };
        (touch.lane, found)
    })
}

fn memory_of(space: StateSpace, block: u64) -> MemoryId {
    match space {
        StateSpace::Shared | StateSpace::SharedCluster => MemoryId::Shared { block },
        _ => MemoryId::Global,
    }
}

/// Returns the mbarrier object on which an asynchronous operation completes, as its block and its shared-memory offset.
pub(crate) fn object_of(pending: &InFlightOperation) -> Option<(u64, u64)> {
    match pending.operation.completion {
        CompletionMechanism::Mbarrier { block, address, .. }
        | CompletionMechanism::Arrival { block, address, .. } => Some((block, address)),
        CompletionMechanism::None | CompletionMechanism::AsyncGroup { .. } => None,
    }
}
