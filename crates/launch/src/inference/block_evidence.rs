//! Constants of a kernel from which the intended block size follows: the number of threads by which the kernel multiplies the block index,
//! the arrival counts of barriers and mbarriers, comparisons with the last thread, and the lengths of shared arrays.

use crate::instruction_summary::{InstructionSummary, InstructionView, SourceValue, readers};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_isa::{SpecialRegister, StateSpace};
use warpgrid_program::{Function, Program, RegisterId};

/// Maximum number of threads of a block.
pub(crate) const MAX_BLOCK: u32 = 1024;
/// Maximum number of elements that a thread processes if the block pitch is a multiple of the block size.
const MAX_ELEMENTS_PER_THREAD: u32 = 8;
/// Rows of threads of a block whose first extent is known, in the order of the trial runs.
const ROWS: [u32; 6] = [8, 4, 16, 32, 2, 1];

/// Evidence for the block size of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockEvidence {
    /// Constant factors of the x and y components of the block index, such as 256 in `blockIdx.x * 256 + threadIdx.x`. The smallest factor
    /// of each component is known to be the number of elements of a block along the axis.
    pitches: [Option<u32>; 2],
    /// Thread counts of barriers, and arrival counts of mbarriers, from one warp on.
    counts: BTreeSet<u32>,
    /// Numbers of threads whose last thread the kernel selects, such as 128 for `threadIdx.x == 127`.
    last_threads: BTreeSet<u32>,
    /// Numbers of elements of the shared arrays, in ascending order.
    shared_lengths: BTreeSet<u32>,
    /// Whether the kernel computes the index of a warp in its block, `threadIdx.x / 32`.
    has_warp_index: bool,
}

impl BlockEvidence {
    /// Collects the evidence in a kernel and its module.
    pub(crate) fn of(function: &Function, program: &Program) -> BlockEvidence {
        let mut evidence = BlockEvidence {
            shared_lengths: shared_lengths(function, program),
            ..BlockEvidence::default()
        };
        let mut origins = Origins::new();
        for reader in readers(program, function) {
            if let InstructionSummary::Copy { to, from } = reader.read() {
                match origin(&from, &origins) {
                    Some(special) => drop(origins.insert(to, special)),
                    None => drop(origins.remove(&to)),
                }
            }
            evidence.add_scaled_index(reader, &origins);
            evidence.add_count(reader, &origins);
        }
        evidence
    }

    /// Adds the factor of an instruction that multiplies the block index by a constant, and the division of the thread index by 32.
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
            [index, SourceValue::Constant(5), ..] if operation.is_right_shift() => {
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

    /// Adds the thread count of a barrier, the arrival count of an mbarrier, and the comparison of the thread index with the last thread.
    fn add_count(&mut self, reader: InstructionView<'_>, origins: &Origins) {
        let values = reader.source_values();
        let valid = |count: u64| {
            (32..=u64::from(MAX_BLOCK))
                .contains(&count)
                .then_some(count as u32)
        };
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
                    .extend(count.filter(|count| count % 32 == 0));
            }
            _ => {}
        }
    }

    fn add_pitch(&mut self, axis: u8, factor: u64) {
        let most = u64::from(MAX_BLOCK * MAX_ELEMENTS_PER_THREAD);
        if let Some(pitch) = self.pitches.get_mut(usize::from(axis))
            && (2..=most).contains(&factor)
        {
            *pitch = Some(pitch.map_or(factor as u32, |known| known.min(factor as u32)));
        }
    }

    /// Returns the most probable block of one axis with at most `most` threads, or `None` without evidence.
    pub(crate) fn row(&self, most: u32) -> Option<u32> {
        let [x, _] = self.pitches;
        // If each warp processes a row, the pitch is the number of warps.
        let x = x.map(|x| match self.has_warp_index && x <= 32 {
            true => x * 32,
            false => x,
        });
        x.filter(|x| (32..=most).contains(x))
    }

    /// Returns the most probable block of two axes with at most `most` threads, or `None` without evidence.
    pub(crate) fn tile(&self, most: u32) -> Option<[u32; 3]> {
        let [x, y] = self.pitches;
        let x = x.filter(|x| *x <= most)?;
        let rows = most / x;
        let y = y.filter(|y| *y <= rows).unwrap_or(rows.min(8));
        (x * y >= 16).then_some([x, y, 1])
    }

    /// Returns the block shapes that the evidence suggests, the most probable shape first. `n_axes` is the number of block axes that the
    /// kernel reads.
    pub(crate) fn shapes(&self, n_axes: usize) -> Vec<[u32; 3]> {
        let [x, _] = self.pitches;
        let mut shapes = Vec::new();
        if n_axes > 1 {
            let x = x.filter(|x| *x <= MAX_BLOCK);
            shapes.extend(x.into_iter().flat_map(|x| ROWS.map(|y| [x, y, 1])));
        } else {
            let divisors = (0..=MAX_ELEMENTS_PER_THREAD.ilog2()).map(|shift| 1 << shift);
            let parts = x
                .into_iter()
                .flat_map(|x| divisors.clone().map(move |n| x / n));
            let counts = self.counts.iter().chain(&self.last_threads).rev().copied();
            let lengths = self.shared_lengths.iter().rev();
            let halves = lengths.flat_map(|length| [*length, length / 2]);
            let rows = counts.chain(parts).chain(halves);
            shapes.extend(rows.map(|x| [x, 1, 1]));
        }
        let is_valid = |[x, y, _]: &[u32; 3]| x * y >= 16 && x * y <= MAX_BLOCK;
        shapes.retain(is_valid);
        let mut known = BTreeSet::new();
        shapes.retain(|shape| known.insert(*shape));
        shapes
    }
}

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

/// Returns the numbers of elements of 4, 8 and 16 bytes in the shared arrays of a kernel and its module that are multiples of the warp size.
fn shared_lengths(function: &Function, program: &Program) -> BTreeSet<u32> {
    let variables = function.variables.iter().chain(&program.variables);
    let shared = variables.filter(|variable| variable.space == StateSpace::Shared);
    let lengths = shared.flat_map(|variable| [4, 8, 16].map(|size| variable.size_bytes / size));
    lengths
        .filter(|length| length % 32 == 0 && (32..=u64::from(2 * MAX_BLOCK)).contains(length))
        .map(|length| length as u32)
        .collect()
}
