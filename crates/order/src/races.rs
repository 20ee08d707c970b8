//! Dynamic detection of data races as defined by the PTX memory model. The detector observes the memory accesses and
//! synchronization events of a run, and reports pairs of instructions whose accesses conflict, are not morally strong,
//! and are not ordered by causality order.
//!
//! Each thread has a vector clock (`vector_clock`). An epoch represents one component of a vector clock, as in FastTrack (C. Flanagan and
//! S. N. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", 2009). Asynchronous operations have separate clock components.
//! All asynchronous operations of a thread that complete in order share one clock component. Every other operation in flight has a separate
//! component. `shadow_memory` stores the accesses with which later accesses may race, per 128-byte line or per word. `line_shadow` checks
//! accesses to whole lines, using the cached shapes of the accesses (`footprints`).

pub(crate) mod access_checks;
pub(crate) mod access_site;
pub(crate) mod accessor;
pub(crate) mod async_operations;
pub(crate) mod detector;
pub(crate) mod fast_hash;
pub(crate) mod fast_path;
pub(crate) mod fence_order;
pub(crate) mod footprints;
pub(crate) mod lane_releases;
pub(crate) mod line_shadow;
pub(crate) mod location;
pub(crate) mod mbarrier_object;
pub(crate) mod mbarrier_sync;
pub(crate) mod mma_operands;
pub(crate) mod observed_launch_shape;
pub(crate) mod race_report;
pub(crate) mod range_fast_path;
pub(crate) mod release_set;
pub(crate) mod release_sets;
pub(crate) mod shadow_memory;
pub(crate) mod slow_path;
pub(crate) mod strong_accesses;
pub(crate) mod strong_write;
pub(crate) mod synchronization;
pub(crate) mod tensor_maps;
pub(crate) mod vector_clock;
pub(crate) mod warp_state;
pub(crate) mod word_fast_path;

pub use crate::races::access_site::{ProxyKind, SiteAccessKind};
pub use crate::races::detector::RaceDetector;
pub use crate::races::location::MemoryInstance;
pub use crate::races::observed_launch_shape::ObservedLaunchShape;
pub use crate::races::race_report::{
    BlockLifetime, Race, RaceCause, RaceCounterpart, RaceSide, UninitializedRead,
};
