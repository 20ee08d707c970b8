//! Parser and printer of SASS. Accepts disassembly listings as well as handwritten lines; unparsable text is kept with an error, and
//! parsing resumes at the next line.

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
