//! The contract between the front ends and the emulator: what goes in is judged, what comes out is
//! a checked [`Program`]. Spans, diagnostics and fixes live here too, since every host shows them.

pub mod destinations;
pub mod diagnostic;
pub mod front_end;
pub mod function;
pub mod operation;
pub mod span;

pub use diagnostic::{Diagnostic, Edit, Fix, Label, Needs, Severity};
pub use front_end::{
    CheckedText, CodeFacts, ColouredToken, Explanation, FormFacts, FrontEnd, HoverText, Overrides,
    SignatureText, SlotFacts, Suggestion, SuggestionKind, TokenClass, ValueFacts, WordFacts,
    WordMeaning,
};
pub use function::{
    Function, FunctionId, FunctionKind, Guard, Instruction, LaunchBounds, Parameter, Program,
    Register, RegisterId, Relocation, RelocationTarget, Variable, VariableId,
};
pub use operation::{
    Address, AddressBase, Arithmetic, ArithmeticMode, AtomicOp, BarrierKind, BarrierReduce,
    CallArgument, CallTarget, Carry, CarryUse, Conversion, FloatTest, MatrixShape, MemoryAccess,
    Operation, PermuteMode, PredicateOp, ReduceOp, Source,
};
pub use span::{LineIndex, Position, Span};
