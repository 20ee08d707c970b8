//! Reads of operand matrices that are in shared memory.

use crate::contract::fault::FaultKind;
use crate::exec::memory_context::ExecutionFault;
use crate::state::memory::AttemptedAccess;
use std::ops::Range;
use warpgrid_isa::tensor_layout::{ElementPacking, Major, SharedMatrixOperand};
use warpgrid_isa::{AccessKind, StateSpace};

/// Reads `depth` elements of each given row of A or column of B. Faults for `lanes` if an element is out of bounds of
/// shared memory.
pub(crate) fn read_lines(
    factor: &SharedMatrixOperand,
    shared: &[u8],
    lines: Range<usize>,
    depth: usize,
    lanes: u32,
) -> Result<Vec<u64>, Box<ExecutionFault>> {
    let mut values = Vec::with_capacity(lines.len() * depth);
    for line in lines {
        if let (Major::K, ElementPacking::Bytes(size)) = (factor.major, factor.storage)
            && add_row(&mut values, factor, shared, line, depth, size as usize)
        {
            continue;
        }
        for k in 0..depth {
            let (address, bit, n_bits) = factor.element(line as u64, k as u64);
            values.push(read_bits(shared, address, bit..bit + n_bits, lanes)?);
        }
    }
    Ok(values)
}

/// Number of bytes of a row that are contiguous in memory. The swizzle modes of descriptors permute units of at least
/// this size.
const CHUNK: usize = 16;

/// Appends the elements of a row that is contiguous along k. If an element is out of bounds of shared memory, returns
/// `false` and appends nothing.
fn add_row(
    values: &mut Vec<u64>,
    factor: &SharedMatrixOperand,
    shared: &[u8],
    line: usize,
    depth: usize,
    size: usize,
) -> bool {
    let n_bytes = depth * size;
    let before = values.len();
    for from in (0..n_bytes).step_by(CHUNK) {
        let start = factor.descriptor.place(Major::K, line as u64, from as u64) as usize;
        let end = start.saturating_add(CHUNK.min(n_bytes - from));
        let Some(bytes) = shared.get(start..end) else {
            values.truncate(before);
            return false;
        };
        match size {
            1 => values.extend(bytes.iter().map(|byte| u64::from(*byte))),
            2 => values.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|two| u64::from(u16::from_le_bytes(*two))),
            ),
            4 => values.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|four| u64::from(u32::from_le_bytes(*four))),
            ),
            _ => {
                values.truncate(before);
                return false;
            }
        }
    }
    true
}

/// Reads bits from the bytes at a shared memory address. Faults for `lanes` if the bytes are out of bounds.
pub(crate) fn read_bits(
    shared: &[u8],
    address: u64,
    bits: Range<u32>,
    lanes: u32,
) -> Result<u64, Box<ExecutionFault>> {
    let n_bytes = bits.end.div_ceil(8);
    let start = address as usize;
    let Some(bytes) = shared.get(start..start + n_bytes as usize) else {
        return Err(Box::new(ExecutionFault {
            kind: FaultKind::OutOfBounds,
            lanes,
            access: Some(AttemptedAccess {
                kind: AccessKind::Load,
                space: StateSpace::Shared,
                address,
                width_bytes: n_bytes,
            }),
        }));
    };
    let little = bytes.iter().rev();
    let value = little.fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    let n_bits = bits.end - bits.start;
    Ok(value >> bits.start & (u64::MAX >> (64 - n_bits)))
}
