//! What bodies add to the module: actions that no opcode of the text has, and variables that outlive their function.

use warpgrid_program::{Action, ActionId, Variable, VariableId};

/// Additions to a module, numbered after what it has of its own.
#[derive(Debug)]
pub(crate) struct Made {
    first_action: usize,
    first_variable: usize,
    pub(crate) actions: Vec<Action>,
    pub(crate) variables: Vec<Variable>,
}

impl Made {
    /// Nothing yet; the module has `n_actions` and `n_variables` of its own.
    pub(crate) const fn new(n_actions: usize, n_variables: usize) -> Made {
        Made {
            first_action: n_actions,
            first_variable: n_variables,
            actions: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// The number of an action, made when it is new.
    pub(crate) fn action(&mut self, action: Action) -> ActionId {
        let known = self.actions.iter().position(|known| *known == action);
        let index = known.unwrap_or_else(|| {
            self.actions.push(action);
            self.actions.len() - 1
        });
        ActionId((self.first_action + index) as u32)
    }

    /// The number that the next variable of the module gets.
    pub(crate) const fn next_variable(&self) -> VariableId {
        VariableId::Module((self.first_variable + self.variables.len()) as u32)
    }

    /// The variable with this number among those of the module.
    pub(crate) fn variable(&self, index: u32) -> Option<&Variable> {
        let index = (index as usize).checked_sub(self.first_variable)?;
        self.variables.get(index)
    }
}
