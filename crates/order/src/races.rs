//! Dynamic data-race detection as defined by the PTX memory model. Input: the memory accesses and synchronization
//! events of a run, received as an observer. Output: pairs of instructions whose accesses conflict, are not morally
//! strong, and are not ordered by causality.
//!
//! Each thread has a vector clock ([`clock`]). Asynchronous operations have separate clock components: operations
//! that complete in order share a counter per thread, every other operation in flight has one component. [`shadow`]
//! stores the accesses that later accesses may race with, per 128-byte line or per word; [`lines`] checks whole lines
//! with the cached [`shapes`] of the accesses.

pub(crate) mod accesses;
pub(crate) mod accessor;
pub(crate) mod asynchronous;
pub(crate) mod check;
pub(crate) mod clock;
pub(crate) mod detector;
pub(crate) mod found;
pub(crate) mod hash;
pub(crate) mod launch_shape;
pub(crate) mod lines;
pub(crate) mod location;
pub(crate) mod maps;
pub(crate) mod mbarrier_object;
pub(crate) mod mbarriers;
pub(crate) mod message;
pub(crate) mod products;
pub(crate) mod quick;
pub(crate) mod ranges;
pub(crate) mod release_sets;
pub(crate) mod releases;
pub(crate) mod shadow;
pub(crate) mod shapes;
pub(crate) mod site;
pub(crate) mod strong;
pub(crate) mod strong_write;
pub(crate) mod syncs;
pub(crate) mod threads;
pub(crate) mod turns;
pub(crate) mod words;

pub use crate::races::detector::RaceDetector;
pub use crate::races::found::{
    BlockLifetime, Race, RaceCause, RaceCounterpart, RaceSide, UninitializedRead,
};
pub use crate::races::launch_shape::LaunchShape;
pub use crate::races::location::MemorySpace;
pub use crate::races::site::{ProxyKind, SiteAccessKind};
