//! Evidence for the intended block size in the constants of a kernel: the factor of the block index in a global index, the arrival counts of
//! barriers and mbarriers, comparisons with the last thread, and the lengths of shared arrays.

use crate::instruction_summary::{InstructionSummary, InstructionView, SourceValue, readers};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_isa::{SpecialRegister, StateSpace};
use warpgrid_program::{Function, Program, RegisterId};

/// Number of threads of a warp.
const WARP: u32 = 32;
/// Maximum number of elements per thread for which the block pitch is evidence. The block pitch is the number of elements that a block
/// processes along an axis.
const MAX_ELEMENTS_PER_THREAD: u32 = 8;
/// Minimum number of threads of an inferred block of two axes.
const MIN_TILE: u32 = 16;
/// Extents along the y axis of candidate blocks whose extent along the x axis is the block pitch, in the order of the trial runs.
const Y_EXTENTS: [u32; 6] = [8, 4, 16, 32, 2, 1];

/// Evidence for the block size of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockEvidence {
    /// Maximum number of threads of a block on the target.
    max_threads: u32,
    /// Block pitch along the x and y axes, which is the smallest constant factor of the component of the block index: 256 in
    /// `blockIdx.x * 256 + threadIdx.x`.
    pitches: [Option<u32>; 2],
    /// Thread counts of barriers and arrival counts of mbarriers that are at least the warp size.
    counts: BTreeSet<u32>,
    /// Block sizes that follow from a comparison of the thread index with the last thread: 128 for `threadIdx.x == 127`.
    last_threads: BTreeSet<u32>,
    /// Numbers of elements of the shared arrays.
    shared_lengths: BTreeSet<u32>,
    /// Whether the kernel computes the index of a warp in its block, `threadIdx.x / 32`.
    has_warp_index: bool,
}

impl BlockEvidence {
    /// Collects the evidence in a kernel and its module.
    pub(crate) fn of(function: &Function, program: &Program) -> BlockEvidence {
        let mut evidence = BlockEvidence {
            max_threads: program.target.limits.block_threads,
            shared_lengths: shared_lengths(function, program),
            ..BlockEvidence::default()
        };
        let mut origins = Origins::new();
        let mut constants = Constants::new();
        for reader in readers(program, function) {
            if let InstructionSummary::Copy { to, from } = reader.read() {
                match origin(&from, &origins) {
                    Some(special) => drop(origins.insert(to, special)),
                    None => drop(origins.remove(&to)),
                }
                match from {
                    SourceValue::Constant(bits) => drop(constants.insert(to, bits)),
                    _ => drop(constants.remove(&to)),
                }
            }
            evidence.add_scaled_index(reader, &origins);
            evidence.add_count(reader, &origins, &constants);
        }
        evidence
    }

    /// Records the factor of an instruction that multiplies the block index by a constant, and a division of the thread index by the warp
    /// size.
    fn add_scaled_index(&mut self, reader: InstructionView<'_>, origins: &Origins) {
        let InstructionSummary::Compute {
            sources, n_factors, ..
        } = reader.read()
        else {
            return;
        };
        let Some(operation) = reader.operation() else {
            return;
        };
        let scaled = match &sources[..] {
            [index, SourceValue::Constant(bits), ..] if operation.is_left_shift() => {
                1u64.checked_shl(*bits as u32).map(|factor| (index, factor))
            }
            [index, SourceValue::Constant(bits), ..]
                if operation.is_right_shift() && *bits == u64::from(WARP.ilog2()) =>
            {
                self.has_warp_index |= origin(index, origins) == Some(SpecialRegister::Tid(0));
                None
            }
            [index, SourceValue::Constant(factor), ..]
            | [SourceValue::Constant(factor), index, ..]
                if n_factors == 2 =>
            {
                Some((index, *factor))
            }
            _ => None,
        };
        // A product of double width is a byte offset, whose factor is the size of an element.
        let is_wide = reader.has_wide_result();
        if let Some((index, factor)) = scaled.filter(|_| !is_wide)
            && let Some(SpecialRegister::Ctaid(axis)) = origin(index, origins)
        {
            self.add_pitch(axis, factor);
        }
    }

    /// Records the thread count of a barrier, the arrival count of an mbarrier, and a comparison of the thread index with the last thread.
    fn add_count(&mut self, reader: InstructionView<'_>, origins: &Origins, constants: &Constants) {
        let mut values = reader.source_values();
        // The operands of inline assembly are registers, also if their values are constants.
        if let Some(last) = values.last_mut()
            && let Some(bits) = last
                .register()
                .and_then(|register| constants.get(&register))
        {
            *last = SourceValue::Constant(*bits);
        }
        let range = u64::from(WARP)..=u64::from(self.max_threads);
        let valid = |count: u64| range.contains(&count).then_some(count as u32);
        let Some(operation) = reader.operation() else {
            return;
        };
        match &values[..] {
            [_, SourceValue::Constant(count), ..] if operation.is_block_barrier() => {
                self.counts.extend(valid(*count));
            }
            [.., SourceValue::Constant(count)] if operation.is_mbarrier_init() => {
                self.counts.extend(valid(*count));
            }
            [.., index, SourceValue::Constant(last)]
                if operation.is_comparison()
                    && origin(index, origins) == Some(SpecialRegister::Tid(0)) =>
            {
                let count = last.checked_add(1).and_then(valid);
                self.last_threads
                    .extend(count.filter(|count| count % WARP == 0));
            }
            _ => {}
        }
    }

    fn add_pitch(&mut self, axis: u8, factor: u64) {
        let most = u64::from(self.max_threads * MAX_ELEMENTS_PER_THREAD);
        if let Some(pitch) = self.pitches.get_mut(usize::from(axis))
            && (2..=most).contains(&factor)
        {
            *pitch = Some(pitch.map_or(factor as u32, |known| known.min(factor as u32)));
        }
    }

    /// Returns the most probable number of threads of a block of one axis, which is at most `most`. Returns `None` without evidence.
    pub(crate) fn threads_of_one_axis(&self, most: u32) -> Option<u32> {
        let [x, _] = self.pitches;
        // If each warp processes one row, the block pitch is the number of warps.
        let n_threads = match x? {
            x if self.has_warp_index && x <= self.max_threads / WARP => x * WARP,
            x => x,
        };
        (WARP..=most).contains(&n_threads).then_some(n_threads)
    }

    /// Returns the most probable block of two axes with at most `most` threads. Returns `None` without evidence.
    pub(crate) fn block_of_two_axes(&self, most: u32) -> Option<[u32; 3]> {
        let [x, y] = self.pitches;
        let x = x.filter(|x| *x <= most)?;
        let max_y = most / x;
        let y = y.filter(|y| *y <= max_y).unwrap_or(max_y.min(Y_EXTENTS[0]));
        (x * y >= MIN_TILE).then_some([x, y, 1])
    }

    /// Returns candidate blocks for trial runs, the most probable block first. `n_axes` is the number of block axes that the kernel reads.
    pub(crate) fn candidates(&self, n_axes: usize) -> Vec<[u32; 3]> {
        let [x, _] = self.pitches;
        let mut candidates: Vec<[u32; 3]> = if n_axes > 1 {
            let x = x.filter(|x| *x <= self.max_threads);
            let tiles = x.into_iter().flat_map(|x| Y_EXTENTS.map(|y| [x, y, 1]));
            tiles.collect()
        } else {
            let counts = self.counts.iter().chain(&self.last_threads).rev().copied();
            // In a pipeline, only the consumers arrive at an mbarrier, and a separate warp is the producer.
            let with_producer = self.counts.iter().rev().map(|count| count + WARP);
            // A thread can process 1, 2, 4 or 8 elements of the block pitch.
            let shifts = 0..=MAX_ELEMENTS_PER_THREAD.ilog2();
            let pitches = shifts.filter_map(|shift| Some(x? >> shift));
            // A shared array can contain two buffers of a pipeline.
            let lengths = self.shared_lengths.iter().rev();
            let lengths = lengths.flat_map(|length| [*length, length / 2]);
            let sizes = counts.chain(pitches).chain(lengths).chain(with_producer);
            sizes.map(|x| [x, 1, 1]).collect()
        };
        let mut known = BTreeSet::new();
        candidates.retain(|candidate| {
            let n_threads = candidate.iter().product();
            (MIN_TILE..=self.max_threads).contains(&n_threads) && known.insert(*candidate)
        });
        candidates
    }
}

/// Constant that each register contains.
type Constants = BTreeMap<RegisterId, u64>;

/// Special register whose value each register contains.
type Origins = BTreeMap<RegisterId, SpecialRegister>;

/// Returns the special register whose value an operand contains.
fn origin(value: &SourceValue, origins: &Origins) -> Option<SpecialRegister> {
    match value {
        SourceValue::Special(special) => Some(*special),
        SourceValue::Register(register) => origins.get(register).copied(),
        _ => None,
    }
}

/// Returns the numbers of elements of 4, 8 and 16 bytes in the shared arrays of a kernel and its module, as far as they are multiples of the
/// warp size.
fn shared_lengths(function: &Function, program: &Program) -> BTreeSet<u32> {
    // An array with two buffers has up to twice as many elements as a block has threads.
    let most = u64::from(2 * program.target.limits.block_threads);
    let variables = function.variables.iter().chain(&program.variables);
    let shared = variables.filter(|variable| variable.space == StateSpace::Shared);
    let lengths = shared.flat_map(|variable| [4, 8, 16].map(|size| variable.size_bytes / size));
    let valid =
        lengths.filter(|length| (1..=most).contains(length) && length % u64::from(WARP) == 0);
    valid.map(|length| length as u32).collect()
}
