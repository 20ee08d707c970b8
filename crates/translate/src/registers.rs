//! Registers of a translated kernel, and the sets of registers that the analyses compute.

use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::translation_view::RegisterBank;

/// A register: its bank, and its number within the bank.
pub(crate) type RegisterKey = (RegisterBank, u32);

/// Positions of the instructions that write each register.
pub(crate) type DefSites = BTreeMap<RegisterKey, BTreeSet<u32>>;

/// Registers that a basic block reads before it writes them, and registers that the block writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockUseDef {
    pub(crate) read: BTreeSet<RegisterKey>,
    pub(crate) written: BTreeSet<RegisterKey>,
}

/// Kind of code that an [`Emitter`](crate::emit::Emitter) generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmitMode {
    /// Draft of a region, which is discarded after it has determined the accessed registers.
    Draft,
    /// Code of a region, which executes one subwarp between two synchronization points.
    Region,
    /// Code of warp-level operations, and of the instructions between them.
    Warp,
}

/// Returns the number of WebAssembly locals of a register.
pub(crate) fn parts(register: RegisterKey) -> u32 {
    if register.0 == RegisterBank::B64 {
        2
    } else {
        1
    }
}
