//! Computation of the kernels and functions of a source that a launch can execute.

use crate::memory_model::concurrency::repair::deletions;
use crate::session::Session;
use warpgrid_launch::Scenario;
use warpgrid_program::{Callee, Fix, FunctionId, OperandValue, RelocationTarget, Source, Span};

impl Session {
    /// Returns the spans of the kernels and functions that the launch cannot reach. Trial runs delete these spans, so that unreachable code
    /// does not increase the time of a trial. The result is empty if the checker rejects the source after the deletion of these spans.
    pub(crate) fn unreachable_definitions(&self) -> Vec<Span> {
        let source = &self.scenario().source;
        let program = &self.program;
        if self.is_part() || program.functions.iter().filter(|own| own.defined).count() < 2 {
            return Vec::new();
        }
        let reachable = self.reachable_functions();
        let definitions = self.language.front_end.definitions(source);
        let unreachable = definitions
            .into_iter()
            .filter(|(name, _)| !reachable.contains(name));
        let spans: Vec<Span> = unreachable.map(|(_, span)| span).collect();
        let scenario = Scenario {
            source: Fix::of(deletions(&spans)).apply(source),
            ..self.scenario().clone()
        };
        match spans.is_empty() || Session::new_without_last_writers(scenario).is_ok() {
            true => spans,
            false => Vec::new(),
        }
    }

    /// Returns the names of the kernel of the launch, of all functions that the kernel may call, and of all functions whose addresses are
    /// stored in variables.
    fn reachable_functions(&self) -> Vec<String> {
        let program = &self.program;
        let variables = program.functions.iter().flat_map(|own| &own.variables);
        let relocations = program.variables.iter().chain(variables);
        let relocations = relocations.flat_map(|variable| &variable.relocations);
        let held = relocations.filter_map(|relocation| match relocation.target {
            RelocationTarget::Function(id) => Some(id),
            RelocationTarget::Variable(_) => None,
        });
        let mut found: Vec<FunctionId> = self.timeline.machine().entry().into_iter().collect();
        found.extend(held);
        let mut next = 0;
        while let Some(id) = found.get(next).copied() {
            next += 1;
            let Some(function) = program.functions.get(id.0 as usize) else {
                continue;
            };
            for operand in &function.operands {
                let named: &[FunctionId] = match &operand.value {
                    OperandValue::Callee(Callee::Direct(id))
                    | OperandValue::Source(Source::FunctionAddress(id), _) => &[*id],
                    OperandValue::Callee(Callee::Indirect { candidates, .. }) => candidates,
                    _ => &[],
                };
                for id in named {
                    if !found.contains(id) {
                        found.push(*id);
                    }
                }
            }
        }
        let names = found
            .iter()
            .filter_map(|id| program.functions.get(id.0 as usize));
        names.map(|function| function.name.clone()).collect()
    }
}
