//! Whether the emulator runs an instruction.

/// Whether the emulator runs an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It runs.
    Runs,
    /// It is refused, with [`FaultKind::NotEmulated`](crate::contract::fault::FaultKind::NotEmulated), when it would be executed.
    NotYet {
        /// What is missing, as a noun: `asynchronous stores`.
        reason: &'static str,
    },
}

impl Support {
    /// Whether the instruction runs.
    pub const fn runs(self) -> bool {
        matches!(self, Support::Runs)
    }

    pub(crate) const fn not_yet(reason: &'static str) -> Support {
        Support::NotYet { reason }
    }
}
