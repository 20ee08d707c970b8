//! Declarations: variables, registers, parameters and functions. In: statements of the tree; out: what their names stand
//! for, and variables of the program.

pub(crate) mod declarations;

pub(crate) mod declarations_values;
mod directive;
pub(crate) mod function;
pub(crate) mod initializer;
pub(crate) mod variables;
