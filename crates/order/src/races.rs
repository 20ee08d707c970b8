//! Data races of a run, as the PTX memory model defines them. In: the accesses of a run and what orders them, as an observer hears it; out:
//! pairs of places in the code whose accesses conflict, are not morally strong, and are not ordered by causality.
//!
//! Every thread has a vector clock ([`clock`]), and so has what counts as a thread: its asynchronous copies, by how many have been
//! started, and each operation in flight that completes on its own. [`shadow`] keeps for each line of memory, or for each of its words, the
//! accesses that later ones may race with; [`lines`] looks at whole lines, whose [`shapes`] are found once.

mod accesses;
mod asynchronous;
mod check;
mod clock;
mod columns;
mod detector;
mod found;
mod hash;
mod lines;
mod maps;
mod mbarriers;
mod message;
mod products;
mod quick;
mod ranges;
mod releases;
mod shadow;
mod shapes;
mod site;
mod spare;
mod strong;
mod syncs;
mod threads;
mod turns;
mod words;

pub use detector::{Detector, Shape};
pub use found::{Access, End, Found, Lifetime, Unwritten, Why};
pub use shadow::Memory;
pub use site::{Kind, ProxyKind};
