//! The order of a run. In: what a machine did, as an observer hears it; out: data races as the PTX memory model defines them. And of all
//! runs: a few threads go in, every outcome that the model allows comes out.

pub mod explore;
pub mod hang;
pub mod races;
pub mod scope;

pub use crate::races::detector::Detector;
pub use crate::races::found::{Access, End, Found, Lifetime, Unwritten, Why};
pub use crate::races::launch_shape::Shape;
pub use crate::races::site::Kind;
