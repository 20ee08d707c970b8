//! Why there is no fragment: what was asked, and what exists instead.

use super::operation::{FragmentOp, Shape};
use crate::modifier::MatrixLayout;
use crate::types::ScalarType;
use std::fmt;

/// Why a query has no fragment map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FragmentError {
    /// The operation has no such shape.
    Shape {
        op: FragmentOp,
        shape: Shape,
        /// The shapes that it has.
        shapes: Vec<Shape>,
    },
    /// The operation has no such type in this shape.
    Type {
        op: FragmentOp,
        shape: Shape,
        ty: ScalarType,
        /// The types that it has in this shape.
        types: Vec<ScalarType>,
    },
    /// The target is too old.
    Target {
        op: FragmentOp,
        shape: Shape,
        ty: ScalarType,
        /// The name of the target that was asked for.
        found: &'static str,
        /// The first architecture that has it.
        first_sm: u16,
    },
    /// The operation has only other layouts in this shape and type.
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
