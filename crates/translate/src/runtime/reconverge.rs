//! Reconvergence of diverged lanes with their subwarp. The generated code takes the context record of diverged lanes
//! that wait at the same synchronization point as their subwarp, and produces the merged context record of the subwarp.

use crate::instructions::{at, halves};
use crate::layout::record;
use crate::registers::{RegisterKey, parts};
use crate::runtime::{EMPTY, function};
use warpgrid_emulator::translation_view::RegisterBank;
use wasm_encoder::{Function, Instruction as I, ValType};

/// Registers that context records contain at a synchronization point, each with its offset in the records.
pub(crate) type SavedRegisters = Vec<(RegisterKey, u32)>;

const PART: u32 = 0;
const WHOLE: u32 = 1;
const LANES: u32 = 2;
const MASK: u32 = 3;

/// Returns the function `(context record of diverged lanes, context record of their subwarp) -> zero`, which merges the
/// first record into the second record.
pub(crate) fn join(waits: &[SavedRegisters]) -> Function {
    let mut code = Vec::new();
    let c = &mut code;
    c.extend([
        I::LocalGet(PART),
        I::I32Load(at(record::MASK)),
        I::LocalTee(LANES),
    ]);
    c.extend(spread_lanes());
    c.push(I::LocalSet(MASK));
    // Combine the lane masks of both records. The mask of the subwarp's record counts as empty if its lanes have
    // exited.
    c.extend([
        I::LocalGet(WHOLE),
        I::LocalGet(LANES),
        I::I32Const(0),
        I::LocalGet(WHOLE),
        I::I32Load(at(record::MASK)),
        I::LocalGet(WHOLE),
        I::I32Load(at(record::ENTRY)),
        I::I32Const(0),
        I::I32LtS,
        I::Select,
        I::I32Or,
        I::I32Store(at(record::MASK)),
    ]);
    for offset in [record::ENTRY, record::SUSPEND_CODE] {
        c.extend([
            I::LocalGet(WHOLE),
            I::LocalGet(PART),
            I::I32Load(at(offset)),
            I::I32Store(at(offset)),
        ]);
    }
    join_registers(c, waits);
    c.push(I::I32Const(0));
    function(&[(1, ValType::I32), (1, ValType::V128)], &code)
}

/// Copies the registers of the diverged lanes that a context record contains at its synchronization point.
fn join_registers(c: &mut Vec<I<'static>>, waits: &[SavedRegisters]) {
    c.push(I::Block(EMPTY));
    for _ in waits {
        c.push(I::Block(EMPTY));
    }
    let n = waits.len() as u32;
    let targets: Vec<u32> = (0..n).collect();
    c.extend([
        I::LocalGet(PART),
        I::I32Load(at(record::SUSPEND_CODE)),
        I::I32Const(1),
        I::I32Sub,
        I::BrTable(targets.into(), n),
    ]);
    for (index, wait) in (0..n).zip(waits) {
        c.push(I::End);
        for (register, offset) in wait {
            for part in 0..parts(*register) {
                let place = at(record::REGISTERS + offset + 16 * part);
                c.extend([
                    I::LocalGet(WHOLE),
                    I::LocalGet(PART),
                    I::V128Load(place),
                    I::LocalGet(WHOLE),
                    I::V128Load(place),
                    I::LocalGet(MASK),
                ]);
                if register.0 == RegisterBank::B64 {
                    c.push(halves(part));
                }
                c.extend([I::V128Bitselect, I::V128Store(place)]);
            }
        }
        c.push(I::Br(n - 1 - index));
    }
    c.push(I::End);
}

/// Vector that contains the mask bit of each lane of a subwarp.
const LANE_BITS: I<'static> = I::V128Const((1u128 | 2 << 32 | 4 << 64 | 8 << 96) as i128);

/// Emits code that expands the lane mask on the stack to a row with all ones in the lanes of the mask.
pub(crate) const fn spread_lanes() -> [I<'static>; 5] {
    [I::I32x4Splat, LANE_BITS, I::V128And, LANE_BITS, I::I32x4Eq]
}
