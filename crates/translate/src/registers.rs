//! Registers of a translated kernel, and the sets of registers that the analyses compute.

use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::translation_view::RegisterBank;

/// A register: its bank, and its number in the bank.
pub(crate) type RegisterKey = (RegisterBank, u32);

/// The instructions that write each register.
pub(crate) type DefSites = BTreeMap<RegisterKey, BTreeSet<u32>>;

/// The registers that a basic block reads before it writes them, and the registers that it writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockUseDef {
    pub(crate) read: BTreeSet<RegisterKey>,
    pub(crate) written: BTreeSet<RegisterKey>,
}

/// Kind of code that an emitter produces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmitMode {
    /// Draft of the code, which determines the accessed registers.
    Draft,
    /// Region: code between two synchronization points, for a subwarp.
    Region,
    /// Warp-level operations, and the code between them.
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
