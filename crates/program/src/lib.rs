//! The contract between the front ends and the emulator: what goes in is checked, what comes out is
//! a checked [`Program`]. Spans, diagnostics and fixes live here too, since every host shows them.

mod catalogue;
mod count;
pub mod counterpart;
pub mod diagnostic;
mod flow;
pub mod front_end;
pub mod function;
mod ids;
mod live;
pub mod machine;
pub mod operand;
mod origin;
pub mod registers;
pub mod span;
pub mod wrapped;

pub use count::counted;
pub use counterpart::CounterpartFacts;
pub use diagnostic::{Diagnostic, Edit, Fix, Label, Needs, Severity};
pub use flow::{BasicBlock, reachable, reachable_blocks};
pub use front_end::{
    CheckedText, CodeFacts, ColouredToken, Document, Explanation, FormFacts, FrontEnd, Given,
    HoverText, OperandFacts, Overrides, Part, PartOperand, Reference, SignatureText, SlotFacts,
    Suggestion, SuggestionKind, TermFacts, TokenClass, ValueFacts, WordFacts, WordMeaning,
};
pub use function::{
    Action, Function, FunctionKind, Guard, Instruction, LaunchBounds, Module, Parameter, Program,
    RegisterAccess, Relocation, RelocationTarget, StepPart, Variable,
};
pub use ids::{ActionId, FunctionId, RegisterId, VariableId};
pub use live::{LiveRegisters, Liveness};
pub use machine::{LaunchFact, MachineCode};
pub use operand::{
    Address, AddressBase, Callee, Operand, OperandList, OperandValue, RegisterRun, Source,
    SourceModifiers, SourcePart,
};
pub use origin::{Origin, PlaceMap};
pub use registers::{Register, Registers, UNNAMED};
pub use span::{LineIndex, Position, Span};
