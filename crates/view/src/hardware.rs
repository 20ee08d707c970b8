//! How a target moves memory: the sizes that the views count in.

use warpgrid_isa::Target;

/// Sectors of global memory and banks of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hardware {
    /// Global memory moves in sectors of this size.
    pub(crate) sector_bytes: u32,
    /// Shared memory is spread over this many banks,
    pub(crate) n_banks: u32,
    /// word by word of this size.
    pub(crate) bank_bytes: u32,
}

impl Hardware {
    /// The sizes of a target; they are the same for all targets that the tables know.
    pub(crate) const fn of(_target: &Target) -> Hardware {
        Hardware {
            sector_bytes: 32,
            n_banks: 32,
            bank_bytes: 4,
        }
    }
}
