//! Support of instructions by the emulator.

/// Support of an instruction by the emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The instruction is emulated.
    Runs,
    /// The execution of the instruction faults with
    /// [`FaultKind::NotEmulated`](crate::contract::fault::FaultKind::NotEmulated).
    NotYet {
        /// The missing feature as a noun phrase: `asynchronous stores`.
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
