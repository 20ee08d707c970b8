//! Bindings of names to registers, variables, functions, labels and tables.

use crate::tree::name::Symbol;
use warpgrid_isa::{ScalarType, SpecialRegister};
use warpgrid_program::{FunctionId, RegisterId, Span, VariableId};

/// Object that a name denotes, or [`Binding::None`] for an undeclared name. The checker resolves every name in an operand to a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// The name is not declared.
    None,
    Register(RegisterId),
    /// Vector register, whose `n` components are consecutive registers.
    Vector {
        first: RegisterId,
        n: u8,
    },
    /// Index of a register group such as `%r<100>`. A register of the group is created at its first occurrence.
    Group(u32),
    /// Register at module scope (PTX versions before 3.0). Each body that uses the name has a separate register.
    Outer {
        ty: ScalarType,
        n: u8,
    },
    Special(SpecialRegister),
    Variable(VariableId),
    Function(FunctionId),
    /// Index into the labels of the function.
    Label(u32),
    /// Index of a `.callprototype`, `.calltargets` or `.branchtargets` directive.
    Table(u32),
}

impl Binding {
    /// Returns a description of the bound object for messages.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Binding::None => "nothing",
            Binding::Register(_) | Binding::Group(_) | Binding::Outer { .. } => "a register",
            Binding::Vector { .. } => "a vector register",
            Binding::Special(_) => "a special register",
            Binding::Variable(_) => "a variable",
            Binding::Function(_) => "a function",
            Binding::Label(_) | Binding::Table(_) => "a label",
        }
    }
}

/// Declaration of a register group such as `%r<100>`: its registers, their type and the declaring scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterGroup {
    pub(crate) stem: Symbol,
    pub(crate) count: u32,
    pub(crate) ty: ScalarType,
    /// Number of components of each register, which is 1 for scalars.
    pub(crate) n: u8,
    pub(crate) span: Span,
    /// Nesting depth of the scope that declares the group.
    pub(crate) depth: u32,
}
