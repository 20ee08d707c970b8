//! Inspection of layouts in shared memory and of memory accesses. The module takes a session, a source, a descriptor or a layout
//! expression, and returns layouts, bank conflicts with proposed fixes, and descriptor tiles, as plain data and as text.
//!
//! - `access_recorder` records the accesses of a run by instruction, and `layout_inference` finds the simplest CuTe layout that produces
//!   the recorded addresses.
//! - `bank_conflicts` lists the banks that each lane accesses in each phase of an access, and the lanes that conflict.
//! - `bank_conflict_fix` searches a padding or a swizzle (`layout_change`) that removes the conflicts, edits the source (`source_rewrite`),
//!   and runs the original and the edited kernel to compare their memory contents. `fixed_tile` finds the tiles whose layout a descriptor or
//!   a tensor map determines, which no edit of the addresses can change.
//! - `sector_advice` computes the number of sectors of global memory that another lane order or vector width would save.
//! - `text` formats all of these results for the command line.
//! - `picture` converts layout expressions (`layout_expression`), descriptor tiles (`descriptor_tile`, `intended_layout`,
//!   `descriptor_ptx`), pairs of matrix instructions (`fragment_compatibility`) and boxes of tensor copies (`tma_tile`) to layouts.
//!   `picture_url` parses the URL of a picture, and `element_map` contains the result type of every such request.

pub(crate) mod access_recorder;
pub(crate) mod bank_conflict_fix;
pub(crate) mod bank_conflicts;
pub(crate) mod descriptor_ptx;
pub(crate) mod descriptor_tile;
pub(crate) mod element_map;
pub(crate) mod fixed_tile;
pub(crate) mod fragment_compatibility;
pub(crate) mod intended_layout;
pub(crate) mod layout_change;
pub(crate) mod layout_expression;
pub(crate) mod layout_inference;
pub(crate) mod named_regions;
pub mod picture;
pub mod picture_url;
pub(crate) mod sector_advice;
pub(crate) mod source_rewrite;
pub(crate) mod text;
pub(crate) mod tma_tile;

pub use crate::layouts::inspector::bank_conflict_fix::{
    BankConflictFix, BufferConflicts, FixProposal, cure,
};
pub use crate::layouts::inspector::bank_conflicts::{
    AccessConflicts, BankCell, BankPhase, BankWord, Collision, ConflictReport, ProfilerCount,
};
pub use crate::layouts::inspector::element_map::ElementMap;
pub use crate::layouts::inspector::layout_inference::{InferredAccessLayout, LayoutDimension};
pub use crate::layouts::inspector::sector_advice::SectorAdvice;
pub use crate::layouts::inspector::text::{conflicts_text, layouts_text};
