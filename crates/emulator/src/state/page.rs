//! Page size. The page is the unit of change tracking and of snapshots. A snapshot shares or copies whole pages.

/// Size of a page in bytes.
pub(crate) const PAGE_BYTES: usize = 4096;
