//! The layout lens: what lies where, and why it conflicts. A session, a text or a descriptor goes in; layouts, bank conflicts with what cures
//! them, and tiles come out, as plain data and as text.
//!
//! - `recorder`: the accesses of a run, kept by instruction.
//! - `read_back`: the simplest layout that explains the addresses of an access.
//! - `conflicts`: lanes by banks, phase by phase, and which lanes collide.
//! - `change`, `cure`, `rewrite`: paddings and swizzles that free a buffer, and the text with them, proved by running both.
//! - `advice`: sectors of global memory, and what would save some.
//! - `text`: all of it for people.
//! - `picture`: layouts that are written (`typed`), tiles of descriptors (`tile`, `meant`, `build`), two
//!   instructions in a row (`chain`), boxes of tensor copies (`copy_tile`), and their addresses (`query`), drawn like layouts; `map` is
//!   the answer to any request of this kind.

mod advice;
mod build;
mod chain;
mod change;
mod conflicts;
mod copy_tile;
mod cure;
mod map;
mod meant;
pub mod picture;
mod places;
pub mod query;
mod read_back;
mod recorder;
mod rewrite;
mod text;
mod tile;
mod typed;

pub use advice::SectorAdvice;
pub use conflicts::{
    AccessConflicts, BankCell, BankPhase, BankWord, Collision, ConflictReport, ProfilerCount,
};
pub use cure::{BufferConflicts, Cured, Proposal, cure};
pub use map::Map;
pub use read_back::{AccessLayout, LayoutDimension};
pub use text::{conflicts_text, layouts_text};
