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
