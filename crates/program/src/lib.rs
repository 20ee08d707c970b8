//! The contract between the front ends and the emulator: what goes in is judged, what comes out is
//! a checked [`Program`]. Spans, diagnostics and fixes live here too, since every host shows them.

pub mod diagnostic;
pub mod function;
pub mod operand;
pub mod span;

pub use diagnostic::{Diagnostic, Edit, Fix, Label, Needs, Severity};
pub use function::{
    Action, ActionId, Function, FunctionId, FunctionKind, Guard, Instruction, LaunchBounds, Module,
    Parameter, Program, Register, RegisterId, Relocation, RelocationTarget, StepPart, Variable,
    VariableId,
};
pub use operand::{
    Address, AddressBase, Callee, Operand, OperandList, OperandValue, RegisterRun, Source,
    SourceModifiers,
};
pub use span::{LineIndex, Position, Span};
