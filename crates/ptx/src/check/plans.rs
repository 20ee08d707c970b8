//! Checks each distinct opcode once, and creates the plan against which its instructions are checked.

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

use crate::check::Manual;
use crate::check::plans::plan::Plan;
use crate::diagnostics::rules::{never_together, raise};
use crate::module::Module;
use crate::opcode::Opcode;
use crate::tree::mnemonic::MnemonicId;
use crate::tree::{SourceKind, Tree};
use warpgrid_isa::target::TARGETS;
use warpgrid_isa::{Target, TargetGate};
use warpgrid_program::{Action, Diagnostic};

/// Plans of a module: one for each distinct opcode.
#[derive(Debug)]
pub(crate) struct Plans {
    list: Vec<Plan>,
}

impl Plans {
    /// Checks every distinct opcode. Also returns the actions of the instructions, indexed by mnemonic.
    pub(crate) fn of(
        source: &str,
        tree: &Tree,
        module: &Module,
        manual: Manual,
    ) -> (Plans, Vec<Action>) {
        let ids = tree.mnemonics.ids();
        let checked = ids.map(|id| {
            let opcode = Opcode::read(source, tree, id);
            let mut plan = Plan::new(&opcode, module);
            if tree.kind == SourceKind::Snippet {
                plan.assume_rounding();
            }
            if manual == Manual::Mended {
                plan.assume_aligned();
            }
            let action = plan.action(opcode.text);
            (plan, action)
        });
        let (list, actions): (Vec<Plan>, Vec<Action>) = checked.unzip();
        let mut plans = Plans { list };
        if plans
            .problems()
            .any(|problem| problem.needs.on != TargetGate::Any)
        {
            plans.reconcile(&actions, module);
        }
        (plans, actions)
    }

    fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().flat_map(|plan| &plan.problems)
    }

    /// Prevents fixes for different instructions from contradicting each other: each fix selects a target that supports all
    /// instructions of the module. If no target supports two of the instructions, the diagnostic states this instead.
    #[cold]
    fn reconcile(&mut self, actions: &[Action], module: &Module) {
        let mut gates: Vec<(TargetGate, &str)> = Vec::new();
        for (plan, action) in self.list.iter().zip(actions) {
            let bound = plan.bound.as_ref().filter(|_| plan.is_sound);
            let gate = bound.map_or(TargetGate::Any, |bound| bound.gate().target);
            if gate != TargetGate::Any && gates.iter().all(|(known, _)| *known != gate) {
                gates.push((gate, &action.opcode));
            }
        }
        let has_all = |target: &&Target| gates.iter().all(|(gate, _)| gate.met_by(target));
        let later = TARGETS
            .iter()
            .filter(|target| target.sm >= module.target.sm);
        let best = later.chain(TARGETS).find(has_all);
        for problem in self.list.iter_mut().flat_map(|plan| &mut plan.problems) {
            let on = problem.needs.on;
            if on == TargetGate::Any {
                continue;
            }
            let has_both = |gate: TargetGate| {
                let mut targets = TARGETS.iter();
                targets.any(|target| gate.met_by(target) && on.met_by(target))
            };
            if let Some((_, other)) = gates.iter().find(|(gate, _)| !has_both(*gate)) {
                never_together(problem, other);
                continue;
            }
            let present = problem.needs.target.and_then(Target::from_name);
            if let Some(best) = best.filter(|best| on.met_by(best))
                && present.is_some_and(|present| !has_all(&present))
            {
                problem.needs.target = Some(best.name);
                problem.fixes = raise(module, &problem.needs).into_iter().collect();
            }
        }
    }

    /// Returns the plan of an opcode.
    #[inline]
    pub(crate) fn get(&self, id: MnemonicId) -> Option<&Plan> {
        self.list.get(id.0 as usize)
    }

    /// Returns the number of plans. Actions with higher indices do not occur in the source.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}
