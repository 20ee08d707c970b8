//! SASS text to a syntax tree and back. A disassembler's listing is read as it is printed, and so is a line that a person
//! wrote; what cannot be read is kept with an error, and the next line is read all the same.

mod cursor;
mod operand;
mod parser;
mod print;
mod tree;

pub use parser::parse;
pub use print::{print_instruction, print_operand};
pub use tree::{
    Annotation, AnnotationKind, Bracket, ControlText, Encoding, Guard, Instruction, Joint, Memory,
    Operand, Pairing, Register, RegisterFile, RegisterNumber, Signs, Statement, StatementKind,
    SyntaxError, SyntaxErrorKind, Term, TermValue, Tree, Value,
};
