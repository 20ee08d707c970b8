//! Analyses of ordering under the PTX memory model: data races and hangs of a run, and the outcomes of litmus tests.
//!
//! - Input and output: the events of a run, which a detector receives as an observer, and races with the missing synchronization; the
//!   history of a run that does not end, and the root cause of the hang; a few threads, and every outcome that the model allows.
//! - Main types: [`races::Detector`], [`hang::Story`], and the functions of [`explore`].
//! - Tests: `cargo test -p warpgrid-order` runs kernels with races and hangs, their correct counterparts, and litmus tests.

pub mod explore;
pub mod hang;
pub mod races;
pub mod scope;

pub use crate::races::detector::Detector;
pub use crate::races::found::{Access, End, Found, Lifetime, Unwritten, Why};
pub use crate::races::launch_shape::Shape;
pub use crate::races::site::Kind;
