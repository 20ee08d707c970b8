//! Implements the worker of the page, which checks sources, handles editor requests and executes kernels.
//!
//! ```text
//! page ──► Request ──► SessionRunner: check, answer, or slices of a run over view::Session ──► Response ──► page
//! ```
//!
//! The page uses [`protocol`], [`traffic`], [`count`] and a few constants. The request handlers are not linked into the page.

pub mod analysis;
mod background;
pub mod compare;
pub mod count;
mod document_cache;
mod editor_requests;
#[cfg(feature = "paste")]
pub mod extended_worker;
#[cfg(feature = "paste")]
mod file;
#[cfg(feature = "paste")]
mod inspector;
#[cfg(feature = "paste")]
mod json;
mod layout_requests;
#[cfg(feature = "paste")]
mod learn;
mod litmus;
pub mod message_loop;
#[cfg(feature = "ptx")]
pub mod prerecorded;
pub mod protocol;
pub mod runner;
pub mod traffic;
