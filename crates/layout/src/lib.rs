//! The algebra of layouts: from a coordinate to a number. Text such as `Swizzle<3,4,3> o ((8,2),64):((64,512),1)`, or a table of addresses, goes
//! in; layouts, their operations and their values come out. Nothing here knows a GPU.
//!
//! - `tuple`, `layout`: shapes and strides as CuTe has them, and what they say of a coordinate.
//! - `algebra`, `divide`, `product`: coalesce, composition, complement, inverses; logical divide and product with their kin.
//! - `coordinate`: layouts whose strides are coordinates: `(128,64):(1@0,1@1)`.
//! - `swizzle`: `Swizzle<B,M,S>`, and a layout beneath it.
//! - `linear`: layouts that are linear over GF(2), as bases with named dimensions.
//! - `fit`: the simplest layout that explains a table.
//! - `parse`, `expression`: text in; errors name the place.

mod algebra;
mod coordinate;
mod divide;
mod error;
mod expression;
mod fit;
mod layout;
mod linear;
mod linear_text;
mod parse;
mod product;
mod swizzle;
mod tuple;

pub use algebra::{coalesce, complement, composition, left_inverse, right_inverse};
pub use coordinate::{Basis, Coordinates};
pub use divide::{Strided, Tiler, flat_divide, logical_divide, tiled_divide, zipped_divide};
pub use error::LayoutError;
pub use expression::{OPERATIONS, Operation, Value, evaluate};
pub use fit::{Break, Explanation, Fit, Found, Table, fit};
pub use layout::{Layout, Mode};
pub use linear::{Dimension, Linear};
pub use parse::parse;
pub use product::{
    blocked_product, flat_product, logical_product, raked_product, tiled_product, zipped_product,
};
pub use swizzle::{Composed, Swizzle};
pub use tuple::Tuple;

/// The most elements that a layout may have.
pub const MAX_SIZE: i64 = 1 << 40;
/// The farthest that an offset may be from 0.
pub const MAX_OFFSET: i64 = 1 << 48;
/// The most elements that are looked at one by one.
pub const MAX_LISTED: i64 = 1 << 20;
