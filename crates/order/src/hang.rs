//! Why a launch never ends. In: the machine as it is, and the story of the run; out: who waits for what, what is missing, and the
//! instruction that should have provided it.

pub(crate) mod arrivals;
pub(crate) mod barriers;
pub(crate) mod code;
pub(crate) mod commits;
pub(crate) mod divergent;
pub(crate) mod lines;
pub(crate) mod loops;
pub(crate) mod root;
pub(crate) mod rounds;
pub(crate) mod spins;
pub(crate) mod story;

pub use crate::hang::root::{Diagnosis, HangKind, Wait, WaitKind, diagnose};
pub use crate::hang::story::{MixedPhase, Story};
