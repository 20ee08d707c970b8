//! Identifiers of functions, registers, variables and actions: indices into the lists of a module or function.

/// Index into [`Module::functions`](crate::Module::functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// Index into [`Function::registers`](crate::Function::registers). Only registers that an instruction accesses have an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterId(pub u32);

/// Variable of the module or of the current function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VariableId {
    /// Index into [`Module::variables`](crate::Module::variables).
    Module(u32),
    /// Index into [`Function::variables`](crate::Function::variables).
    Function(u32),
}

/// Index into [`Module::opcodes`](crate::Module::opcodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpcodeId(pub u32);
