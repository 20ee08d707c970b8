//! Registers of a translated kernel, and the sets of registers that the analyses compute.

use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::plain::Bank;

/// A register, by bank and number.
pub(crate) type Register = (Bank, u32);

/// The instructions that write each register.
pub(crate) type Definitions = BTreeMap<Register, BTreeSet<u32>>;

/// What a block of code reads before it writes it, and what it writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    pub(crate) read: BTreeSet<Register>,
    pub(crate) written: BTreeSet<Register>,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writes {
    /// A strip in which all is written, to learn what it touches.
    Draft,
    /// The strip of a gang.
    Strip,
    /// Operations of warps with what is between them.
    Warp,
}

/// The bank of a register that is the base of addresses.
pub(crate) fn base_bank(wide: bool) -> Bank {
    if wide { Bank::B64 } else { Bank::B32 }
}

/// Locals of a register.
pub(crate) fn parts(register: Register) -> u32 {
    if register.0 == Bank::B64 { 2 } else { 1 }
}
