//! Parser and printer of SASS. The parser accepts disassembly listings and handwritten instructions. If the parser cannot parse a line, it
//! reports an error, preserves the text in the tree, and continues with the next line.

mod cursor;
mod operand;
mod parser;
mod print;
mod tree;

pub use parser::parse;
pub use print::{print_instruction, print_operand};
pub use tree::{
    Annotation, AnnotationKind, Bracket, ControlText, DualIssue, Encoding, Guard, Instruction,
    MemoryOperand, Operand, OperandKind, OperandModifiers, Register, RegisterFile, RegisterNumber,
    Statement, StatementKind, SyntaxError, SyntaxErrorKind, Term, TermOperator, TermValue, Tree,
};
