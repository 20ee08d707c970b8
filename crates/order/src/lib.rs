//! Analyses of concurrency under the PTX memory model: data races and hangs of a run, and the allowed outcomes of
//! litmus tests.
//!
//! - Race detection: [`races::RaceDetector`] observes the memory accesses and synchronization events of a run, and reports
//!   the races with the missing synchronization.
//! - Hang diagnosis: [`hang::ExecutionTrace`] records the history of a run; the diagnosis finds the root cause of a deadlock or
//!   livelock.
//! - Litmus tests: the functions of [`explore`] enumerate all outcomes that the memory model allows for a few threads.
//! - Tests: `cargo test -p warpgrid-order` runs kernels with races and hangs, their corrected versions, and litmus
//!   tests.

pub mod explore;
pub mod hang;
pub mod races;
pub mod scope;

pub use crate::races::access_site::SiteAccessKind;
pub use crate::races::detector::RaceDetector;
pub use crate::races::launch_shape::LaunchShape;
pub use crate::races::race_report::{
    BlockLifetime, Race, RaceCause, RaceCounterpart, RaceSide, UninitializedRead,
};
