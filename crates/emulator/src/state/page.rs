//! The unit of change tracking and of snapshots: what is shared or copied whole.

/// Bytes of a page.
pub(crate) const PAGE_BYTES: usize = 4096;
