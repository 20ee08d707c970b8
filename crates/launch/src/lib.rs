//! From a scenario and a checked program to a launch: what the `//@` comments state is read, what nothing states is
//! guessed and rehearsed, values become bytes. What memory must be after a run is compared here too.

pub mod annotations;
pub mod catalogue;
pub mod expect;
pub mod fault;
mod guess;
mod names;
pub mod pattern;
pub mod prepare;
pub mod reading;
pub mod registers;
mod rehearsal;
pub mod scenario;
pub mod value;

pub use annotations::Annotations;
pub use catalogue::Problem;
pub use names::mistyped_names;
pub use prepare::{DEFAULT_BLOCK, Prepared, prepare};
pub use scenario::{Front, Parameter, Scenario};
