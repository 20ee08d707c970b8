//! What a name can mean.

use crate::tree::name::Symbol;
use warpgrid_isa::{ScalarType, SpecialRegister};
use warpgrid_program::{FunctionId, RegisterId, Span, VariableId};

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// Nothing.
    None,
    Register(RegisterId),
    /// A vector register: `n` registers from this one on.
    Vector {
        first: RegisterId,
        n: u8,
    },
    /// Index of a group such as `%r<100>`: the register is made when it is first named.
    Group(u32),
    /// A register of the module, before PTX 3.0: each body that names it has one of its own.
    Outer {
        ty: ScalarType,
        n: u8,
    },
    Special(SpecialRegister),
    Variable(VariableId),
    Function(FunctionId),
    /// Index into the labels of the function.
    Label(u32),
    /// A `.callprototype`, `.calltargets` or `.branchtargets`: index of the directive.
    Table(u32),
}

impl Binding {
    /// As a sentence calls it.
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

/// `%r<100>`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) stem: Symbol,
    pub(crate) count: u32,
    pub(crate) ty: ScalarType,
    /// Components of each register; 1 for a scalar.
    pub(crate) n: u8,
    pub(crate) span: Span,
    /// Of the scope that declares it.
    pub(crate) depth: u32,
}
