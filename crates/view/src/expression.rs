//! Grammar of run-until conditions, watch expressions and lane selections of puzzle quantities. The parsers convert a text to a syntax
//! tree, or to an error message with its position in the text. The modules `session::stop_conditions::condition` and
//! `session::inspect::watch_expressions` evaluate the syntax trees.
//!
//! ```text
//! condition  := [place ":"] register comparison number, or a watch expression with a comparison
//! watch      := [place ":"] expression
//! place      := one or more of  block N  warp N  lane N  thread N
//! comparison := ==  !=  <  <=  >  >=
//! number     := 7  0x1f  1.5  inf  nan, in a condition also  -4  -inf  true  false
//! operand    := number  %r5  v.x  name[expression]  type(expression)  (expression)  -operand  ~operand  !operand
//! ```
//! An expression combines operands with the operators of C, with the precedence of C, except that comparisons have the lowest precedence.
//! `type(…)` reinterprets bits as another element type: `f32(%r5)`, `bin32(out[0])`.

pub(crate) mod lexer;
pub(crate) mod parser;
#[cfg(test)]
mod tests;
pub(crate) mod tree;

pub use crate::expression::tree::{
    BinaryOp, Expression, LaneFilter, Literal, RegisterCondition, RelationalOp, UnaryOp,
    WatchExpression,
};
