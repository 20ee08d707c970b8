//! Strong accesses that the memory model may reorder although every explored schedule interleaves them in program order.
//!
//! Two strong accesses of a warp to different words are ordered if a fence separates them, if the first access acquires, or if the second
//! access releases, provided that the scope of the fence or of the access contains all threads of the launch (PTX ISA, "Memory Consistency
//! Model", "Causality Order"). A store and a subsequent load require `fence.sc` ("Fence-SC Order"). Two accesses are also ordered if the second
//! access reads a write that happens after the first access. Orderings are transitive.
//!
//! The reordering of an unordered pair has an effect only if the pair is part of a cycle of program order and conflicts (Shasha, Snir,
//! "Efficient and Correct Execution of Parallel Programs that Share Memory", 1988). The search for cycles ignores the kinds of the accesses and
//! the order of their values, so the search can report a pair whose reordering has no effect.

use crate::hang::execution_trace::InstructionRef;
use crate::races::fast_hash::FastHashMap;
use crate::schedules::event::{Event, EventEffect, Word, WordAccess};
use crate::scope::{acquires, releases};
use smallvec::SmallVec;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use warpgrid_emulator::{Agent, WarpId};
use warpgrid_isa::Sem;

/// Ordering of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FenceKind {
    AcqRel,
    Sc,
}

/// Semantics of a strong access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StrongAccess {
    pub(crate) sem: Sem,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    /// Whether the access is an atomic operation or a reduction.
    pub(crate) is_atomic: bool,
    /// Whether the scope contains all threads of the launch.
    pub(crate) covers_launch: bool,
}

impl StrongAccess {
    fn acquires(self) -> bool {
        self.reads && self.covers_launch && acquires(self.sem)
    }

    fn releases(self) -> bool {
        self.writes && self.covers_launch && releases(self.sem)
    }
}

/// Accesses of one warp to a word.
#[derive(Clone, Copy, Debug, Default)]
struct WordUse {
    loads: bool,
    relaxed_stores: bool,
    release_stores: bool,
    /// Stores of a warp that has not accessed the word by an atomic operation before.
    blind_stores: bool,
    atomics: bool,
}

/// Pair of accesses of one warp to different words that the memory model may reorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct UnorderedPair {
    pub(crate) warp: WarpId,
    pub(crate) instructions: [InstructionRef; 2],
    pub(crate) words: [Word; 2],
    /// Whether the second access is a load of a word that changes at most once. If this load ends a spin loop, then the loop ends with the
    /// same value in each order.
    pub(crate) reads_single_write: bool,
}

/// Maximum number of accesses of a warp with which the search compares a new access.
const MAX_RECENT: usize = 16;

/// Maximum number of pairs of words of two events.
const MAX_PAIRS: usize = 256;

/// Earlier strong access of a warp.
#[derive(Clone, Debug)]
struct RecentAccess {
    event: usize,
    at: InstructionRef,
    words: SmallVec<[Word; 2]>,
    access: StrongAccess,
    /// Whether the warp has executed a fence or a barrier since the access.
    is_fenced: bool,
    /// Recent events of the warp that are ordered before the access.
    earlier: Vec<usize>,
}

/// Search for unordered pairs of accesses in a trace.
#[derive(Debug, Default)]
pub(crate) struct ReorderingSearch {
    /// Accesses of each warp since its latest `fence.sc`, in program order.
    recent: FastHashMap<WarpId, VecDeque<RecentAccess>>,
    uses: HashMap<Word, Vec<(WarpId, WordUse)>>,
    pairs: HashSet<UnorderedPair>,
    /// Pairs of loads without `fence.sc` between them.
    loads: HashSet<UnorderedPair>,
    /// Words that each warp has loaded, in program order.
    loaded: FastHashMap<WarpId, Vec<Word>>,
    /// Words that a warp has loaded in this order.
    load_orders: HashSet<(WarpId, Word, Word)>,
}

impl ReorderingSearch {
    /// Creates a search in a trace.
    pub(crate) fn of(events: &[Event]) -> ReorderingSearch {
        let mut search = ReorderingSearch::default();
        for event in events.iter().filter(|event| !event.is_stutter) {
            let (Some(warp), Some(access)) = (event.warp(), event.access) else {
                continue;
            };
            for word in event.words() {
                let uses = search.uses.entry(word).or_default();
                let index = match uses.iter().position(|(own, _)| *own == warp) {
                    Some(index) => index,
                    None => {
                        uses.push((warp, WordUse::default()));
                        uses.len() - 1
                    }
                };
                let used = &mut uses[index].1;
                let is_store = access.writes && !access.is_atomic;
                used.blind_stores |= is_store && !used.atomics;
                match (access.is_atomic, access.writes) {
                    (true, _) => used.atomics = true,
                    (false, false) => used.loads = true,
                    (false, true) if access.releases() => used.release_stores = true,
                    (false, true) => used.relaxed_stores = true,
                }
            }
        }
        search
    }

    /// Processes the fences of a warp before an event.
    pub(crate) fn add_fence(&mut self, event: &Event) {
        let Some(warp) = event.warp() else {
            return;
        };
        let recent = self.recent.entry(warp).or_default();
        match event.fence {
            Some(FenceKind::Sc) => recent.clear(),
            Some(FenceKind::AcqRel) => recent.iter_mut().for_each(|first| first.is_fenced = true),
            None => {}
        }
    }

    /// Processes the next event of a warp. `is_observed` checks whether the latest write of a word happens after the event with the given
    /// index.
    pub(crate) fn add(
        &mut self,
        warp: WarpId,
        index: usize,
        event: &Event,
        is_observed: impl Fn(usize, Word) -> bool,
    ) {
        self.add_fence(event);
        let recent = self.recent.entry(warp).or_default();
        let Some(access) = event.access else {
            return;
        };
        let words: SmallVec<[Word; 2]> = event.words().collect();
        if !access.writes {
            let loaded = self.loaded.entry(warp).or_default();
            for word in &words {
                let earlier = loaded.iter().rev().take(MAX_RECENT);
                self.load_orders
                    .extend(earlier.map(|first| (warp, *first, *word)));
                if loaded.last() != Some(word) {
                    loaded.push(*word);
                }
            }
            for first in recent.iter().filter(|first| !first.access.writes) {
                for (one, second) in pairs_of_threads(&first.words, &words) {
                    self.loads.insert(UnorderedPair {
                        warp,
                        instructions: [first.at, event.at],
                        words: [one, second],
                        reads_single_write: false,
                    });
                }
            }
        }
        let oldest = recent.front().map_or(0, |first| first.event);
        let mut earlier: Vec<usize> = Vec::new();
        for first in recent.iter().rev() {
            // Accesses to the same word are ordered by coherence.
            let is_same = first.words.iter().all(|word| words.contains(word));
            let reads_later_write =
                access.reads && words.iter().all(|word| is_observed(first.event, *word));
            let is_ordered = || {
                let pairs = pairs_of_threads(&first.words, &words);
                let uses = &self.uses;
                pairs.iter().all(|(one, other)| {
                    let [one, other] = [one, other].map(|word| others_use(uses, *word, warp));
                    is_ordered(first, access, one, other)
                })
            };
            if is_same || reads_later_write || is_ordered() {
                let all = std::iter::once(&first.event).chain(&first.earlier);
                let is_new = |event: &&usize| **event >= oldest && !earlier.contains(event);
                let new: SmallVec<[usize; MAX_RECENT]> = all.filter(is_new).copied().collect();
                earlier.extend(new);
            }
        }
        for first in recent
            .iter()
            .filter(|first| !earlier.contains(&first.event))
        {
            for (one, second) in pairs_of_threads(&first.words, &words) {
                if one != second {
                    self.pairs.insert(UnorderedPair {
                        warp,
                        instructions: [first.at, event.at],
                        words: [one, second],
                        reads_single_write: !access.writes,
                    });
                }
            }
        }
        if recent.len() == MAX_RECENT {
            recent.pop_front();
        }
        recent.push_back(RecentAccess {
            event: index,
            at: event.at,
            words,
            access,
            is_fenced: false,
            earlier,
        });
    }

    /// Returns the pairs that are part of a cycle of program order and conflicts.
    pub(crate) fn pairs_in_cycles(mut self, events: &[Event]) -> Vec<UnorderedPair> {
        let opposite = self.opposite_loads();
        self.pairs.extend(opposite);
        if self.pairs.is_empty() {
            return Vec::new();
        }
        let conflicting = conflicting_words(events);
        let mut pairs = self.pairs;
        pairs.retain(|pair| pair.words.iter().all(|word| conflicting.contains(word)));
        if pairs.is_empty() {
            return Vec::new();
        }
        let successors = successors(events, &conflicting);
        let n_writes = n_writes(events);
        let is_in_cycle = |pair: &UnorderedPair| {
            let [first, second] = pair.words;
            let mut reached = HashSet::from([second]);
            let mut pending = vec![second];
            while let Some(word) = pending.pop() {
                let next = successors.get(&word).into_iter().flatten();
                let of_others = next.filter(|(warp, _)| *warp != pair.warp);
                for (_, word) in of_others {
                    if *word == first {
                        return true;
                    }
                    if reached.insert(*word) {
                        pending.push(*word);
                    }
                }
            }
            false
        };
        let pairs = pairs.into_iter().filter(is_in_cycle);
        pairs
            .map(|pair| UnorderedPair {
                reads_single_write: pair.reads_single_write
                    && n_writes.get(&pair.words[1]).is_none_or(|n| *n <= 1),
                ..pair
            })
            .collect()
    }
}

impl ReorderingSearch {
    /// Returns the pairs of loads for which another warp loads the same words in the opposite order, and different warps write the two words.
    /// Without `fence.sc` between the loads of both warps, the two warps can observe the writes in different orders.
    fn opposite_loads(&self) -> Vec<UnorderedPair> {
        let writers = |word: Word| {
            let uses = self.uses.get(&word).into_iter().flatten();
            let writes =
                |used: &WordUse| used.relaxed_stores || used.release_stores || used.atomics;
            uses.filter(move |(_, used)| writes(used))
                .map(|(warp, _)| *warp)
        };
        let are_independent = |[one, other]: [Word; 2]| {
            writers(one).any(|first| writers(other).any(|second| first != second))
        };
        let warps: BTreeSet<WarpId> = self.loaded.keys().copied().collect();
        let has_opposite = |pair: &UnorderedPair| {
            let mut others = warps.iter().filter(|warp| **warp != pair.warp);
            let [one, other] = pair.words;
            others.any(|warp| self.load_orders.contains(&(*warp, other, one)))
        };
        let pairs = self.loads.iter();
        pairs
            .filter(|pair| pair.words[0] != pair.words[1] && are_independent(pair.words))
            .filter(|pair| has_opposite(pair))
            .copied()
            .collect()
    }
}

/// Returns the pairs of words that the same thread accesses in two events. If both events have the same number of words, each thread accesses
/// one of them, in the order of the lanes.
fn pairs_of_threads(first: &[Word], second: &[Word]) -> Vec<(Word, Word)> {
    if first.len() == second.len() {
        return first.iter().copied().zip(second.iter().copied()).collect();
    }
    let all = first
        .iter()
        .flat_map(|one| second.iter().map(|other| (*one, *other)));
    all.take(MAX_PAIRS).collect()
}

/// Returns the accesses of all other warps to a word.
fn others_use(uses: &HashMap<Word, Vec<(WarpId, WordUse)>>, word: Word, warp: WarpId) -> WordUse {
    let uses = uses.get(&word).into_iter().flatten();
    let others = uses.filter(|(own, _)| *own != warp);
    others.fold(WordUse::default(), |all, (_, used)| WordUse {
        loads: all.loads || used.loads,
        relaxed_stores: all.relaxed_stores || used.relaxed_stores,
        release_stores: all.release_stores || used.release_stores,
        blind_stores: all.blind_stores || used.blind_stores,
        atomics: all.atomics || used.atomics,
    })
}

/// Checks whether the memory model orders two accesses of a warp without `fence.sc` between them. `one` and `other` are the accesses of
/// other warps to the words of the accesses.
///
/// An acquire operation orders its read before the second access, and a release operation orders the first access before its write. The write
/// of the first access and the read of the second access are ordered only as parts of atomic operations, if all other warps synchronize with
/// these operations: they do not load the first word, and do not overwrite the second word without reading it.
fn is_ordered(first: &RecentAccess, second: StrongAccess, one: WordUse, other: WordUse) -> bool {
    let before = first.access;
    let acquires = before.reads && (before.acquires() || first.is_fenced);
    let releases = second.writes && (second.releases() || first.is_fenced);
    let is_lock = |used: WordUse| used.release_stores && used.atomics && !used.relaxed_stores;
    let writes_synchronize = before.is_atomic
        && !one.loads
        && !one.relaxed_stores
        && (one.release_stores || !one.atomics || before.releases() || first.is_fenced);
    let is_synchronized_with = !other.blind_stores || is_lock(other);
    let releases_whole = releases && is_synchronized_with && (!second.reads || second.is_atomic);
    let from_read = !before.reads || acquires || releases_whole;
    let from_write = !before.writes || (acquires && writes_synchronize) || releases_whole;
    from_read && from_write
}

/// Returns the number of writes to each word.
fn n_writes(events: &[Event]) -> HashMap<Word, usize> {
    let mut n_writes = HashMap::new();
    for event in events.iter().filter(|event| !event.is_stutter) {
        for effect in &event.footprint {
            if let EventEffect::Access { word, access, .. } = effect
                && *access != WordAccess::Read
            {
                *n_writes.entry(*word).or_default() += 1;
            }
        }
    }
    n_writes
}

/// Returns the words with conflicting accesses of different agents.
fn conflicting_words(events: &[Event]) -> HashSet<Word> {
    let mut accesses: HashMap<Word, Vec<(Agent, WordAccess)>> = HashMap::new();
    for event in events.iter().filter(|event| !event.is_stutter) {
        for effect in &event.footprint {
            if let EventEffect::Access { word, access, .. } = effect {
                let known = accesses.entry(*word).or_default();
                if !known.contains(&(event.agent, *access)) {
                    known.push((event.agent, *access));
                }
            }
        }
    }
    let is_conflicting = |known: &[(Agent, WordAccess)]| {
        known.iter().any(|(agent, access)| {
            let mut others = known.iter().filter(|(other, _)| other != agent);
            others.any(|(_, other)| access.conflicts_with(*other))
        })
    };
    let words = accesses.into_iter();
    words
        .filter(|(_, known)| is_conflicting(known))
        .map(|(word, _)| word)
        .collect()
}

/// Returns, for each of the `words`, the words that a warp accesses at or after its first access to the word.
fn successors(events: &[Event], words: &HashSet<Word>) -> HashMap<Word, BTreeSet<(WarpId, Word)>> {
    let mut accessed: FastHashMap<WarpId, Vec<Word>> = FastHashMap::default();
    let mut successors: HashMap<Word, BTreeSet<(WarpId, Word)>> = HashMap::new();
    for event in events.iter().filter(|event| !event.is_stutter) {
        let Some(warp) = event.warp() else {
            continue;
        };
        let earlier = accessed.entry(warp).or_default();
        for word in event.words().filter(|word| words.contains(word)) {
            if !earlier.contains(&word) {
                earlier.push(word);
            }
            for first in &*earlier {
                successors.entry(*first).or_default().insert((warp, word));
            }
        }
    }
    successors
}

/// Returns the words of the accesses of an event.
pub(crate) fn words_of(footprint: &[EventEffect]) -> impl Iterator<Item = Word> {
    footprint.iter().filter_map(|effect| match effect {
        EventEffect::Access { word, .. } => Some(*word),
        _ => None,
    })
}
