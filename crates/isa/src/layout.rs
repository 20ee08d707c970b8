//! Where the elements of tensor instructions lie: in registers of a warpgroup, in shared memory by descriptor, in tensor memory. Numbers of
//! an element or of a register go in, its place comes out. The emulator moves data by these rules, and pictures are drawn from them.
//!
//! - `swizzle`, `descriptor`: shared memory.
//! - `instruction_descriptor`: types, sizes and orders of `tcgen05.mma`.
//! - `warpgroup`: registers of `wgmma`.
//! - `sparse`: which bits of metadata speak of which columns.
//! - `tensor_memory`: lanes and columns.

mod descriptor;
mod instruction_descriptor;
mod sparse;
mod swizzle;
mod tensor_memory;
mod warpgroup;

pub use descriptor::{DescriptorKind, Major, MatrixDescriptor, SharedFactor, Storage};
pub use instruction_descriptor::InstructionDescriptor;
pub use sparse::Sparsity;
pub use swizzle::Swizzle;
pub use tensor_memory::{ProductLayout, copied_lanes, factor_place, metadata_place, moved_place};
pub use warpgroup::{factor_element, sum_element};
