//! Data races of a run, as the PTX memory model defines them. In: the accesses of a run and what orders them, as an observer hears it; out:
//! pairs of places in the code whose accesses conflict, are not morally strong, and are not ordered by causality.
//!
//! Every thread has a vector clock ([`clock`]), and so has what counts as a thread: its asynchronous copies, by how many have been
//! started, and each operation in flight that completes on its own. [`shadow`] keeps for each line of memory, or for each of its words, the
//! accesses that later ones may race with; [`lines`] looks at whole lines, whose [`shapes`] are found once.

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

pub use crate::races::detector::Detector;
pub use crate::races::found::{Access, End, Found, Lifetime, Unwritten, Why};
pub use crate::races::launch_shape::Shape;
pub use crate::races::location::Memory;
pub use crate::races::site::{Kind, ProxyKind};
