//! Checks each distinct opcode once, and creates the [`ResolvedOpcode`] against which its instructions are checked.

pub(crate) mod convert;
pub(crate) mod families;
pub(crate) mod fix_validation;
pub(crate) mod load;
pub(crate) mod matrix;
pub(crate) mod modifier_diagnostics;
pub(crate) mod resolved_opcode;
pub(crate) mod rules;
pub(crate) mod store;
pub(crate) mod store_async;

use crate::check::Leniency;
use crate::check::resolved_opcodes::resolved_opcode::ResolvedOpcode;
use crate::diagnostics::rules::{note_no_common_target, raise};
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use crate::tree::mnemonic::MnemonicId;
use crate::tree::{SourceKind, Tree};
use warpgrid_isa::target::TARGETS;
use warpgrid_isa::{Target, TargetRequirement};
use warpgrid_program::{Diagnostic, OpcodeInfo};

/// Resolved opcodes of a module, one for each distinct opcode.
#[derive(Debug)]
pub(crate) struct ResolvedOpcodes {
    list: Vec<ResolvedOpcode>,
}

impl ResolvedOpcodes {
    /// Checks every distinct opcode. Also returns the opcode information of the instructions, indexed by mnemonic.
    pub(crate) fn of(
        source: &str,
        tree: &Tree,
        module: &TargetContext,
        manual: Leniency,
    ) -> (ResolvedOpcodes, Vec<OpcodeInfo>) {
        let ids = tree.mnemonics.ids();
        let checked = ids.map(|id| {
            let opcode = Opcode::read(source, tree, id);
            let mut plan = ResolvedOpcode::new(&opcode, module);
            if tree.kind == SourceKind::Snippet {
                plan.assume_rounding();
            }
            if manual == Leniency::Lenient {
                plan.assume_aligned();
            }
            let action = plan.action(opcode.text);
            (plan, action)
        });
        let (list, actions): (Vec<ResolvedOpcode>, Vec<OpcodeInfo>) = checked.unzip();
        let mut plans = ResolvedOpcodes { list };
        if plans
            .problems()
            .any(|problem| problem.needs.targets != TargetRequirement::Any)
        {
            plans.reconcile(&actions, module);
        }
        (plans, actions)
    }

    fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().flat_map(|plan| &plan.problems)
    }

    /// Makes the fixes for different instructions consistent: each fix selects a target that supports all instructions of the module. If no
    /// target supports two of the instructions, a note in the diagnostic replaces the fix.
    #[cold]
    fn reconcile(&mut self, actions: &[OpcodeInfo], module: &TargetContext) {
        let mut gates: Vec<(TargetRequirement, &str)> = Vec::new();
        for (plan, action) in self.list.iter().zip(actions) {
            let bound = plan.bound.as_ref().filter(|_| plan.modifiers_are_valid);
            let gate = bound.map_or(TargetRequirement::Any, |bound| bound.gate().target);
            if gate != TargetRequirement::Any && gates.iter().all(|(known, _)| *known != gate) {
                gates.push((gate, &action.opcode));
            }
        }
        let has_all = |target: &&Target| gates.iter().all(|(gate, _)| gate.met_by(target));
        let later = TARGETS
            .iter()
            .filter(|target| target.sm >= module.target.sm);
        let best = later.chain(TARGETS).find(has_all);
        for problem in self.list.iter_mut().flat_map(|plan| &mut plan.problems) {
            let on = problem.needs.targets;
            if on == TargetRequirement::Any {
                continue;
            }
            let has_both = |gate: TargetRequirement| {
                let mut targets = TARGETS.iter();
                targets.any(|target| gate.met_by(target) && on.met_by(target))
            };
            if let Some((_, other)) = gates.iter().find(|(gate, _)| !has_both(*gate)) {
                note_no_common_target(problem, other);
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

    /// Returns the resolved form of an opcode.
    #[inline]
    pub(crate) fn get(&self, id: MnemonicId) -> Option<&ResolvedOpcode> {
        self.list.get(id.0 as usize)
    }

    /// Returns the number of resolved opcodes. Opcodes with higher indices do not occur in the source.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}
