//! Why a launch never ends. In: the machine as it is, and the story of the run; out: who waits for what, what is missing, and the
//! instruction that should have provided it.

mod arrivals;
mod barriers;
mod code;
mod commits;
mod divergent;
mod lines;
mod loops;
mod root;
mod rounds;
mod spins;
mod story;

pub use root::{Diagnosis, RootKind, Wait, WaitKind, diagnose};
pub use story::{MixedPhase, Story};
