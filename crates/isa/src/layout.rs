//! Element layouts of tensor instructions in warpgroup registers, in shared memory (by matrix descriptor) and in tensor memory: maps an
//! element or register index to its location. Used by the emulator and by the layout diagrams.
//!
//! - `swizzle`, `descriptor`: shared memory.
//! - `instruction_descriptor`: types, sizes and layouts of `tcgen05.mma`.
//! - `warpgroup`: registers of `wgmma`.
//! - `sparse`: register layout of the sparsity metadata.
//! - `tensor_memory`: lanes and columns.
//! - `zero_columns`: columns of B that are treated as zero.

mod descriptor;
mod instruction_descriptor;
mod sparse;
mod swizzle;
mod tensor_memory;
mod warpgroup;
mod zero_columns;

pub use descriptor::{DescriptorKind, Major, MatrixDescriptor, SharedFactor, Storage};
pub use instruction_descriptor::InstructionDescriptor;
pub use sparse::Sparsity;
pub use swizzle::Swizzle;
pub use tensor_memory::{ProductLayout, copied_lanes, factor_place, metadata_place, moved_place};
pub use warpgroup::{factor_element, sum_element};
pub use zero_columns::ZeroColumns;
