//! Opcodes and variables that function bodies add to the module: opcodes that the source does not contain, and variables whose lifetime
//! exceeds the lifetime of their function.

use warpgrid_program::{OpcodeId, OpcodeInfo, Variable, VariableId};

/// Opcodes and variables that the checked bodies add to a module. Their ids follow the ids of the opcodes and variables in the source.
#[derive(Debug)]
pub(crate) struct ModuleAdditions {
    first_action: usize,
    first_variable: usize,
    pub(crate) actions: Vec<OpcodeInfo>,
    pub(crate) variables: Vec<Variable>,
}

impl ModuleAdditions {
    /// Creates an empty set of additions to a module with `n_actions` opcodes and `n_variables` variables.
    pub(crate) const fn new(n_actions: usize, n_variables: usize) -> ModuleAdditions {
        ModuleAdditions {
            first_action: n_actions,
            first_variable: n_variables,
            actions: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// Returns the id of an opcode, and adds the opcode if it is new.
    pub(crate) fn action(&mut self, action: OpcodeInfo) -> OpcodeId {
        let known = self.actions.iter().position(|known| *known == action);
        let index = known.unwrap_or_else(|| {
            self.actions.push(action);
            self.actions.len() - 1
        });
        OpcodeId((self.first_action + index) as u32)
    }

    /// Returns the id that the next added variable receives.
    pub(crate) const fn next_variable(&self) -> VariableId {
        VariableId::Module((self.first_variable + self.variables.len()) as u32)
    }

    /// Returns the added variable with this index among all variables of the module.
    pub(crate) fn variable(&self, index: u32) -> Option<&Variable> {
        let index = (index as usize).checked_sub(self.first_variable)?;
        self.variables.get(index)
    }
}
