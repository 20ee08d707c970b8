//! What is found out once for each distinct opcode. In: its words; out: the plan that its instructions are compared with.

pub(crate) mod convert;
pub(crate) mod families;
pub(crate) mod load;
pub(crate) mod matrix;
pub(crate) mod offer;
pub(crate) mod plan;
pub(crate) mod problems;
pub(crate) mod rules;
pub(crate) mod store;
pub(crate) mod store_async;

use crate::module::Module;
use crate::opcode::Opcode;
use crate::tree::{MnemonicId, Tree};
use plan::Plan;
use warpgrid_program::Action;

/// The plans of a module: one for each distinct opcode.
#[derive(Debug)]
pub(crate) struct Plans {
    list: Vec<Plan>,
}

impl Plans {
    /// Checks every distinct opcode; also gives what the instructions of each do, under the number of its mnemonic.
    pub(crate) fn of(source: &str, tree: &Tree, module: &Module) -> (Plans, Vec<Action>) {
        let ids = tree.mnemonics.ids();
        let checked = ids.map(|id| {
            let opcode = Opcode::read(source, tree, id);
            let plan = Plan::new(&opcode, module);
            let action = plan.action(opcode.text);
            (plan, action)
        });
        let (list, actions) = checked.unzip();
        (Plans { list }, actions)
    }

    /// The plan of an opcode.
    #[inline]
    pub(crate) fn get(&self, id: MnemonicId) -> Option<&Plan> {
        self.list.get(id.0 as usize)
    }

    /// Number of plans; actions from here on are not of the text.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}
