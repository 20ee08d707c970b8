//! The layout algebra: functions from coordinates to offsets, independent of GPUs.
//!
//! - Input and output: text such as `Swizzle<3,4,3> o ((8,2),64):((64,512),1)` or a table of offsets; layouts, operations on layouts,
//!   and their values. Parse errors contain the column.
//! - `tuple`, `layout`: CuTe shapes and strides, and the offset of a coordinate.
//! - `algebra`, `divide`, `product`: coalescing, composition, complement, inverses, logical division and product.
//! - `coordinate`: layouts whose strides are coordinates, such as `(128,64):(1@0,1@1)`.
//! - `swizzle`: `Swizzle<B,M,S>`, and its composition with a layout.
//! - `linear`: layouts that are linear over GF(2), as bases with named dimensions.
//! - `fit`: the simplest layout that produces a table of offsets.
//! - `parse`, `expression`: the text forms.
//! - Tests: `tests/agreement.rs` compares all operations with two independent implementations (`cargo test -p warpgrid-layout`).

mod algebra;
mod coordinate_layout;
mod divide;
mod error;
mod expression;
mod inference;
mod layout;
mod linear;
mod linear_notation;
mod parser;
mod product;
mod swizzle;
mod tuple;

pub use algebra::{coalesce, complement, composition, left_inverse, right_inverse};
pub use coordinate_layout::{CoordinateLayout, ScaledBasis};
pub use divide::{TileableLayout, Tiler, flat_divide, logical_divide, tiled_divide, zipped_divide};
pub use error::LayoutError;
pub use expression::{EvalResult, LayoutOperation, OPERATIONS, evaluate};
pub use inference::{
    AddressTable, InferenceResult, InferredLayout, LayoutInference, Mismatch, infer_layout,
};
pub use layout::{Layout, Mode};
pub use linear::{Dimension, LinearLayout};
pub use parser::parse;
pub use product::{
    blocked_product, flat_product, logical_product, raked_product, tiled_product, zipped_product,
};
pub use swizzle::{ComposedLayout, Swizzle};
pub use tuple::Tuple;

/// Maximum number of elements of a layout.
pub const MAX_SIZE: i64 = 1 << 40;
/// Maximum absolute value of an offset.
pub const MAX_OFFSET: i64 = 1 << 48;
/// Maximum number of elements that an operation enumerates.
pub const MAX_LISTED: i64 = 1 << 20;
