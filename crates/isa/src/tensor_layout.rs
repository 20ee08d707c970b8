//! Element layouts of tensor instructions in warpgroup registers, in shared memory (by matrix descriptor) and in tensor memory: maps an
//! element or register index to its location. The emulator and the layout diagrams use these functions.
//!
//! - `swizzle`, `descriptor`: swizzle modes and matrix descriptors of shared memory.
//! - `instruction_descriptor`: types, sizes and layouts of `tcgen05.mma`.
//! - `warpgroup`: fragments of `wgmma` in registers.
//! - `sparse_metadata`: register layout of the sparsity metadata.
//! - `tensor_memory`: lanes and columns of tensor memory.
//! - `zero_column_mask`: columns of B that are treated as zero.

mod descriptor;
mod instruction_descriptor;
mod sparse_metadata;
mod swizzle;
mod tensor_memory;
mod warpgroup;
mod zero_column_mask;

pub use descriptor::{
    DescriptorKind, ElementPacking, Major, MatrixDescriptor, SharedMatrixOperand,
};
pub use instruction_descriptor::InstructionDescriptor;
pub use sparse_metadata::SparseMetadataLayout;
pub use swizzle::SwizzleMode;
pub use tensor_memory::{
    AccumulatorLayout, copied_lanes, metadata_place, scale_factor_location, transfer_location,
};
pub use warpgroup::{accumulator_element, operand_element};
pub use zero_column_mask::ZeroColumnMask;
