//! The worker of the page: checks sources, handles editor requests and runs kernels.
//!
//! ```text
//! page ──► Request ──► Runner: check, answer, or slices of a run over view::Session ──► Response ──► page
//! ```
//!
//! The page uses [`protocol`], [`traffic`], [`count`] and a few constants; the request handlers are not linked into it.

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
