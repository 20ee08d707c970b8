//! Layouts: fragments in registers, operands of tensor instructions, and the layout inspector. Input: a query, a descriptor, or a session.
//! Output: layouts as plain data, as text and as SVG drawings.

pub mod fragment;
pub mod inspector;
pub mod tensor;
