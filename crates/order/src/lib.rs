//! Analyses of concurrency under the PTX memory model: data races and hangs of a run, and the allowed outcomes of
//! litmus tests.
//!
//! The module takes the events of a run of the emulator, or the threads of a litmus test as checked programs, and returns data races with
//! the missing synchronization, the root cause of a hang, or all outcomes that the memory model allows.
//!
//! Main types:
//!
//! - Race detection: [`races::RaceDetector`] observes the memory accesses and synchronization events of a run. The
//!   detector reports each data race as a [`Race`], with the missing synchronization.
//! - Hang diagnosis: [`hang::ExecutionTrace`] records the history of a run. [`hang::diagnose`] finds the root cause of
//!   a deadlock or livelock in this history.
//! - Litmus tests: [`explore::Explorer`] enumerates all outcomes that the memory model allows for a few threads.
//! - Scopes: the functions of [`scope`] determine whether the scope of an operation includes another thread.
//!
//! Tests: `cargo test -p warpgrid-order` runs kernels with races and hangs, their corrected versions, and litmus tests.
//!
//! ```
//! use warpgrid_isa::Scope;
//! use warpgrid_order::scope::{ThreadLocation, includes};
//!
//! let first = ThreadLocation { block: 0, cluster: 0 };
//! let second = ThreadLocation { block: 1, cluster: 0 };
//! assert!(!includes(Scope::Cta, first, second));
//! assert!(includes(Scope::Cluster, first, second));
//! ```

pub mod explore;
pub mod hang;
pub mod races;
pub mod schedules;
pub mod scope;

pub use crate::races::access_site::SiteAccessKind;
pub use crate::races::detector::RaceDetector;
pub use crate::races::observed_launch_shape::ObservedLaunchShape;
pub use crate::races::race_report::{
    BlockLifetime, Race, RaceCause, RaceCounterpart, RaceSide, UninitializedRead,
};
