//! What functions, registers, variables and actions are named by: their places in the lists of a module.

/// Index into [`Module::functions`](crate::Module::functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// Index into [`Function::registers`](crate::Function::registers). Only registers that some instruction names have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterId(pub u32);

/// A variable of the module or of the function at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VariableId {
    /// Index into [`Module::variables`](crate::Module::variables).
    Module(u32),
    /// Index into [`Function::variables`](crate::Function::variables).
    Function(u32),
}

/// Index into [`Module::actions`](crate::Module::actions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub u32);
