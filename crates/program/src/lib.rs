//! The interface between front ends and consumers.
//!
//! A front end (`ptx`, `sass`, `paste`) checks a source and fills a [`Module`]; `Program::from_checked` seals the module into an immutable
//! [`Program`]. The emulator, the analyses and all hosts read programs only.
//!
//! - Main types: [`Program`], [`Function`], [`Instruction`], [`OperandValue`], [`Diagnostic`], [`Fix`](diagnostic::Fix), [`Span`]; the
//!   traits [`FrontEnd`] and [`ReferenceDocs`].
//! - Invariants: a program is legal for its target; names are resolved to indices; [`Function::visit_registers`] is the only statement
//!   of the registers that an instruction of a program reads and writes.
//! - Tests: the crates of the front ends test the programs that they produce; `cargo test -p warpgrid-program` runs the unit tests.

pub mod container;
mod count;
pub mod counterpart;
pub mod diagnostic;
mod diagnostic_codes;
mod flow;
pub mod front_end;
pub mod function;
mod ids;
mod inline;
mod line_table;
mod liveness;
pub mod operand;
pub mod registers;
pub mod sass_info;
mod source_map;
pub mod span;
pub mod symbols;
pub mod syntax;

pub use count::counted;
pub use counterpart::CounterpartFacts;
pub use diagnostic::{Diagnostic, Edit, Fix, Label, Requirement, Severity};
pub use flow::{BasicBlock, reachable, reachable_blocks};
pub use front_end::{
    CheckResult, CompletionItem, CompletionItemKind, DiagnosticDoc, Document, EmbeddedSnippet,
    Explanation, ExternalRegister, ExternalValue, FormDoc, FrontEnd, Hover, ModifierDoc,
    OperandDoc, Overrides, ReferenceDocs, SemanticToken, SemanticTokenKind, SignatureHelp, SlotDoc,
    SnippetOperand, TermDoc, TokenDoc, TokenDocKind,
};
pub use function::{
    Function, FunctionKind, Guard, Instruction, LaunchBounds, Module, OpcodeInfo, Parameter,
    Program, RegisterAccess, Relocation, RelocationTarget, StepGrouping, Variable,
};
pub use ids::{FunctionId, OpcodeId, RegisterId, VariableId};
pub use inline::{InlineError, InlineErrorKind, Inlined};
pub use line_table::{InlinedCall, LineTable, LineTableRow, SourceFrame, SourceLocation};
pub use liveness::{LiveRegisters, Liveness};
pub use operand::{
    Address, AddressBase, Callee, Operand, OperandList, OperandValue, RegisterTuple, Source,
    SourceModifiers, SubregisterSelector,
};
pub use registers::{Register, Registers, UNNAMED};
pub use sass_info::{LaunchConstant, SassKernelInfo};
pub use source_map::{MappedSource, SourceMap};
pub use span::{LineIndex, Position, Span};
pub use symbols::SymbolIndex;
