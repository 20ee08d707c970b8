//! Collects the module-scope declarations of a syntax tree: names with their positions, functions with their parameters, variables with
//! their initial values, and the positions of the bodies. Later phases do not modify these declarations.
//!
//! This module also contains the checks of single declarations and directives, which the checker of bodies calls, too.

pub(crate) mod alias;
pub(crate) mod body_outline;
pub(crate) mod calling_convention;
pub(crate) mod debug;
pub(crate) mod declaration_pass;
pub(crate) mod declarations;
pub(crate) mod directive;
pub(crate) mod function;
pub(crate) mod initializer;
pub(crate) mod kernels;
pub(crate) mod line_table;
pub(crate) mod memory;
pub(crate) mod redeclaration;
pub(crate) mod values;
pub(crate) mod variables;

use crate::check::declare::body_outline::{Label, Outline};
use crate::check::names::binding::Binding;
use crate::check::names::lookup::NameLookup;
use crate::check::names::module_names::ModuleNames;
use crate::tree::name::Name;
use warpgrid_isa::StateSpace;
use warpgrid_program::{Function, FunctionId, Span, Variable, VariableId};

/// Module-scope declarations of a source, and the outlines of its bodies. Later phases of the checker read them.
#[derive(Debug, Default)]
pub(crate) struct ModuleDeclarations {
    pub(crate) names: ModuleNames,
    /// Functions with their parameters, but without the contents of their bodies.
    pub(crate) functions: Vec<Function>,
    pub(crate) variables: Vec<Variable>,
    /// Spans of the declarations of texture, sampler and surface handles. Arrays of handles are ordinary memory.
    pub(crate) handles: Vec<Span>,
    /// Outlines of the bodies in source order.
    pub(crate) bodies: Vec<Outline>,
    /// Labels of all bodies. Each outline refers to a range of this vector.
    pub(crate) labels: Vec<Label>,
}

impl ModuleDeclarations {
    pub(crate) fn function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(id.0 as usize)
    }
}

/// Resolves names in module-scope declarations to the declarations that the pass has collected so far.
impl NameLookup for ModuleDeclarations {
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
