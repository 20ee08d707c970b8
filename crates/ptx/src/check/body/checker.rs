//! The state of the check of one body. What earlier phases found out is read only; the body's own scopes, its draft and
//! the reporter are what changes.

use crate::check::body::Body;
use crate::check::body::draft::Draft;
use crate::check::body::made::Made;
use crate::check::body::snippet::Snippet;
use crate::check::context::Context;
use crate::check::declare::Declared;
use crate::check::declare::outline::{Label, Outline};
use crate::check::names::lookup::{MAX_CANDIDATES, report_unknown};
use crate::check::names::scopes::Scopes;
use crate::check::plans::Plans;
use crate::check::report::Reporter;
use crate::module::Module;
use crate::tree::{Name, Tree};
use warpgrid_isa::StateSpace;
use warpgrid_program::{Diagnostic, Function, Given, Span, Variable, VariableId};

/// One body with what it is checked against.
#[derive(Debug)]
pub(crate) struct BodyChecker<'a, 'r> {
    pub(super) source: &'a str,
    pub(super) tree: &'a Tree,
    pub(super) module: &'a Module,
    pub(super) given: &'a [Given],
    pub(super) plans: &'a Plans,
    pub(super) declared: &'a Declared,
    pub(super) outline: &'a Outline,
    /// The function as its head declares it.
    pub(super) function: &'a Function,
    pub(super) names: Scopes<'a>,
    pub(super) body: Draft,
    pub(super) snippet: Snippet,
    pub(super) made: &'r mut Made,
    pub(super) reporter: &'r mut Reporter,
    /// The body, once its end was reached.
    pub(super) finished: Option<Body>,
}

impl<'a> BodyChecker<'a, '_> {
    pub(super) fn context(&self) -> Context<'a> {
        Context {
            source: self.source,
            tree: self.tree,
            module: self.module,
            given: self.given,
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.reporter.report(diagnostic);
    }

    /// Number of errors reported so far.
    pub(super) fn n_errors(&self) -> usize {
        self.reporter.n_errors()
    }

    /// Reports a name that nothing declares.
    pub(super) fn unknown(&mut self, span: Span) {
        let context = self.context();
        let names: Vec<Name> = match self.reporter.is_full() {
            true => Vec::new(),
            false => self.names.in_scope().take(MAX_CANDIDATES).collect(),
        };
        report_unknown(&context, &names, self.reporter, span);
    }

    /// The labels of the body.
    pub(super) fn labels(&self) -> &'a [Label] {
        self.outline.labels.of(&self.declared.labels)
    }

    /// A variable of the module, of the function's head or of the body.
    pub(super) fn variable(&self, id: VariableId) -> Option<&Variable> {
        find_variable(id, self.declared, self.made, self.function, &self.body)
    }

    /// The state space of a variable.
    pub(super) fn space_of(&self, id: VariableId) -> StateSpace {
        let variable = self.variable(id);
        variable.map_or(StateSpace::Generic, |variable| variable.space)
    }

    /// The number that the next variable of the body gets.
    pub(super) fn next_variable(&self) -> VariableId {
        let n = self.function.variables.len() + self.body.variables.len();
        VariableId::Function(n as u32)
    }
}

/// The variable with this number, of the module or of the body.
pub(super) fn find_variable<'v>(
    id: VariableId,
    declared: &'v Declared,
    made: &'v Made,
    function: &'v Function,
    body: &'v Draft,
) -> Option<&'v Variable> {
    match id {
        VariableId::Module(index) => {
            let own = declared.variables.get(index as usize);
            own.or_else(|| made.variable(index))
        }
        VariableId::Function(index) => {
            let head = &function.variables;
            match (index as usize).checked_sub(head.len()) {
                None => head.get(index as usize),
                Some(index) => body.variables.get(index),
            }
        }
    }
}
