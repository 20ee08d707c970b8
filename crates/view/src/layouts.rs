//! Layouts: fragments in registers, operands of tensor instructions, and the layout inspector. The inputs are queries, descriptors and
//! sessions. The output is layouts as plain data, as text and as SVG drawings.

pub mod fragment;
pub mod inspector;
pub mod tensor;
