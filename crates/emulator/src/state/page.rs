//! Page size of emulated memory. A page is the unit of change tracking and of snapshots, which share or copy whole
//! pages.

/// Size of a page in bytes.
pub(crate) const PAGE_BYTES: usize = 4096;
