//! Support status of instructions in the emulator, which front ends and hosts query.

/// Whether the emulator supports an instruction, and the missing feature if it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The instruction is emulated.
    Runs,
    /// The execution of the instruction faults with
    /// [`FaultKind::Unsupported`](crate::contract::fault::FaultKind::Unsupported).
    NotYet {
        /// Missing feature as a noun phrase, such as `asynchronous stores`.
        reason: &'static str,
    },
}

impl Support {
    /// Checks whether the instruction is emulated.
    pub const fn runs(self) -> bool {
        matches!(self, Support::Runs)
    }

    pub(crate) const fn not_yet(reason: &'static str) -> Support {
        Support::NotYet { reason }
    }
}
