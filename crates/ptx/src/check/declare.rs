//! What a module declares outside of bodies. In: the tree; out: one value that no later phase changes: every name with
//! its place, functions with their parameters, variables with their initial values, and where each body is.
//!
//! The checks of single declarations and directives are here too; bodies use them for their own.

pub(crate) mod alias;
pub(crate) mod convention;
pub(crate) mod debug;
pub(crate) mod declarations;
pub(crate) mod directive;
pub(crate) mod function;
pub(crate) mod initializer;
pub(crate) mod kernels;
pub(crate) mod memory;
pub(crate) mod outline;
pub(crate) mod pass;
pub(crate) mod redeclaration;
pub(crate) mod values;
pub(crate) mod variables;

use crate::check::declare::outline::{Label, Outline};
use crate::check::names::binding::Binding;
use crate::check::names::lookup::Lookup;
use crate::check::names::module_names::ModuleNames;
use crate::tree::name::Name;
use warpgrid_isa::StateSpace;
use warpgrid_program::{Function, FunctionId, Span, Variable, VariableId};

/// The declarations of a module.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) names: ModuleNames,
    /// With parameters and what belongs to them; nothing of their bodies.
    pub(crate) functions: Vec<Function>,
    pub(crate) variables: Vec<Variable>,
    /// Where textures, samplers and surfaces are declared; arrays of them are memory.
    pub(crate) handles: Vec<Span>,
    /// Where the bodies are, in text order.
    pub(crate) bodies: Vec<Outline>,
    /// Of all bodies; each has a range of them.
    pub(crate) labels: Vec<Label>,
}

impl Declared {
    pub(crate) fn function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(id.0 as usize)
    }
}

/// The module as far as it is declared.
impl Lookup for Declared {
    fn declared(&self, name: Name) -> Binding {
        let stamp = self.names.get(name, u32::MAX);
        stamp.map_or(Binding::None, |stamp| stamp.binding)
    }

    fn space_of(&self, variable: VariableId) -> StateSpace {
        let found = match variable {
            VariableId::Module(index) => self.variables.get(index as usize),
            VariableId::Function(_) => None,
        };
        found.map_or(StateSpace::Generic, |variable| variable.space)
    }

    fn candidates(&self) -> Vec<Name> {
        self.names.before(u32::MAX).collect()
    }
}
