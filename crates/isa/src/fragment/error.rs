//! Fragment lookup errors: the unsupported property and the supported alternatives.

use super::operation::{FragmentOp, Shape};
use crate::modifier::MatrixLayout;
use crate::types::ScalarType;
use std::fmt;

/// Error of the fragment lookup: the property of the query that is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FragmentError {
    /// The operation does not support the shape.
    Shape {
        op: FragmentOp,
        shape: Shape,
        /// Shapes that the operation supports.
        shapes: Vec<Shape>,
    },
    /// The operation does not support the type in this shape.
    Type {
        op: FragmentOp,
        shape: Shape,
        ty: ScalarType,
        /// Types that the operation supports in this shape.
        types: Vec<ScalarType>,
    },
    /// The target does not support the operation.
    Target {
        op: FragmentOp,
        shape: Shape,
        ty: ScalarType,
        /// Name of the requested target.
        found: &'static str,
        /// First architecture that supports the operation.
        first_sm: u16,
    },
    /// The operation does not support the layout in this shape and type.
    Layout {
        op: FragmentOp,
        shape: Shape,
        ty: ScalarType,
        found: MatrixLayout,
        expected: MatrixLayout,
    },
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(|item| format!("`{item}`")).collect();
    items.join(", ")
}

impl fmt::Display for FragmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FragmentError::Shape { op, shape, shapes } => write!(
                f,
                "`{op}` does not support shape `{shape}`, expected one of {}",
                list(shapes)
            ),
            FragmentError::Type {
                op,
                shape,
                ty,
                types,
            } => write!(
                f,
                "`{op}` with shape `{shape}` does not support type `{ty}`, expected {}{}",
                if types.len() > 1 { "one of " } else { "" },
                list(types)
            ),
            FragmentError::Target {
                op,
                shape,
                ty,
                found,
                first_sm,
            } => write!(
                f,
                "`{op}` with shape `{shape}` and type `{ty}` requires `sm_{first_sm}` or higher, found `{found}`"
            ),
            FragmentError::Layout {
                op,
                shape,
                ty,
                found,
                expected,
            } => write!(
                f,
                "`{op}` with shape `{shape}` and type `{ty}` does not support layout `{}`, expected `{}`",
                found.name(),
                expected.name()
            ),
        }
    }
}

impl std::error::Error for FragmentError {}
