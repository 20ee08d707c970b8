//! The order of a run. In: what a machine did, as an observer hears it; out: data races as the PTX memory model defines them. And of all
//! runs: a few threads go in, every outcome that the model allows comes out.

pub mod explore;
pub mod hang;
pub mod races;
pub mod scope;

pub use races::{Access, Detector, End, Found, Kind, Lifetime, Shape, Unwritten, Why};
