//! Constants of a kernel from which the intended block size follows: the number of threads by which the kernel multiplies the block index,
//! and the arrival counts of barriers and mbarriers.

use crate::instruction_summary::{InstructionSummary, SourceValue, readers};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_isa::{ArithmeticOp, MbarrierOp, Operation, SpecialRegister, SyncOp};
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
}

impl BlockEvidence {
    /// Collects the evidence in a kernel and its module.
    pub(crate) fn of(function: &Function, program: &Program) -> BlockEvidence {
        let mut evidence = BlockEvidence::default();
        let mut axes: BTreeMap<RegisterId, u8> = BTreeMap::new();
        for reader in readers(program, function) {
            let operation = reader.operation();
            match reader.read() {
                InstructionSummary::Copy { to, from } => match axis(&from, &axes) {
                    Some(axis) => drop(axes.insert(to, axis)),
                    None => drop(axes.remove(&to)),
                },
                InstructionSummary::Compute {
                    sources, n_factors, ..
                } => {
                    let factor = match (&sources[..], operation) {
                        (
                            [index, SourceValue::Constant(bits), ..],
                            Some(Operation::Arithmetic(ArithmeticOp::Shl)),
                        ) => 1u64.checked_shl(*bits as u32).map(|factor| (index, factor)),
                        (
                            [index, SourceValue::Constant(factor), ..]
                            | [SourceValue::Constant(factor), index, ..],
                            _,
                        ) if n_factors == 2 => Some((index, *factor)),
                        _ => None,
                    };
                    // A product of double width is a byte offset, whose factor is the size of an element.
                    let is_wide = reader.opcode().contains(".wide");
                    if let Some((index, factor)) = factor.filter(|_| !is_wide)
                        && let Some(axis) = axis(index, &axes)
                    {
                        evidence.add_pitch(axis, factor);
                    }
                }
                _ => {}
            }
            let counted = match operation {
                Some(Operation::Sync(SyncOp::Bar | SyncOp::Barrier)) => {
                    reader.source_values().get(1).cloned()
                }
                Some(Operation::Mbarrier(MbarrierOp::Init)) => {
                    reader.source_values().last().cloned()
                }
                _ => None,
            };
            if let Some(SourceValue::Constant(count)) = counted
                && (32..=u64::from(MAX_BLOCK)).contains(&count)
            {
                evidence.counts.insert(count as u32);
            }
        }
        evidence
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
            let rows = self.counts.iter().rev().copied().chain(parts);
            shapes.extend(rows.map(|x| [x, 1, 1]));
        }
        let is_valid = |[x, y, _]: &[u32; 3]| x * y >= 16 && x * y <= MAX_BLOCK;
        shapes.retain(is_valid);
        shapes
    }
}

/// Returns the component of the block index that a value contains.
fn axis(value: &SourceValue, axes: &BTreeMap<RegisterId, u8>) -> Option<u8> {
    match value {
        SourceValue::Special(SpecialRegister::Ctaid(axis)) => Some(*axis),
        SourceValue::Register(register) => axes.get(register).copied(),
        _ => None,
    }
}
