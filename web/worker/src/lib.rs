//! The core of the page: it checks texts, answers the editor and runs kernels, in a worker.
//!
//! ```text
//! page ──► Request ──► Runner: check, answer, or slices of a run over view::Session ──► Response ──► page
//! ```
//! The page names only [`protocol`]; what this package does with a request is not linked into it.

mod answer;
mod background;
pub mod beside;
pub mod count;
#[cfg(feature = "paste")]
mod file;
#[cfg(feature = "ptx")]
pub mod first;
#[cfg(feature = "paste")]
mod inspect;
#[cfg(feature = "paste")]
mod json;
#[cfg(feature = "paste")]
pub mod later;
#[cfg(feature = "paste")]
mod learn;
mod lens;
pub mod listen;
mod litmus;
mod open_text;
pub mod order;
pub mod protocol;
pub mod runner;
pub mod traffic;
