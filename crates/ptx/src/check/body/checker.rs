//! Checker for one function body. The checker reads the results of earlier phases, and modifies only the scopes of the body, the function
//! builder, and the diagnostics and additions of the module.

use crate::check::body::function_builder::FunctionBuilder;
use crate::check::body::module_additions::ModuleAdditions;

use crate::check::context::Context;
use crate::check::declare::ModuleDeclarations;
use crate::check::declare::body_outline::{Label, Outline};
use crate::check::diagnostic_sink::DiagnosticSink;
use crate::check::names::binding::Binding;
use crate::check::names::lookup::{MAX_CANDIDATES, report_unknown};
use crate::check::names::name_map::NameMap;
use crate::check::names::scopes::Scopes;
use crate::check::resolved_opcodes::ResolvedOpcodes;
use crate::target_context::TargetContext;
use crate::tree::Tree;
use crate::tree::name::Name;
use warpgrid_isa::StateSpace;
use warpgrid_program::{Diagnostic, ExternalRegister, Function, Span, Variable, VariableId};
use warpgrid_program::{FunctionId, Instruction, Operand, Parameter, RegisterId, Registers};

/// Checker for one function body: the results of earlier phases, the scopes of the body, and the function under construction.
#[derive(Debug)]
pub(crate) struct BodyChecker<'a, 'r> {
    pub(crate) source: &'a str,
    pub(crate) tree: &'a Tree,
    pub(crate) module: &'a TargetContext,
    pub(crate) given: &'a [ExternalRegister],
    pub(crate) plans: &'a ResolvedOpcodes,
    pub(crate) declared: &'a ModuleDeclarations,
    pub(crate) outline: &'a Outline,
    /// Function to which the body belongs, with the parameters and variables that its header declares.
    pub(crate) function: &'a Function,
    pub(crate) names: Scopes<'a>,
    pub(crate) body: FunctionBuilder,
    pub(crate) snippet: Snippet,
    pub(crate) made: &'r mut ModuleAdditions,
    pub(crate) reporter: &'r mut DiagnosticSink,
    /// Checked body, or `None` before the end of the body.
    pub(crate) finished: Option<Body>,
}

impl<'a> BodyChecker<'a, '_> {
    pub(crate) fn context(&self) -> Context<'a> {
        Context {
            source: self.source,
            tree: self.tree,
            module: self.module,
            given: self.given,
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.reporter.report(diagnostic);
    }

    /// Returns the number of errors reported so far.
    pub(crate) fn n_errors(&self) -> usize {
        self.reporter.n_errors()
    }

    /// Reports a name that is not declared.
    pub(crate) fn unknown(&mut self, span: Span) {
        let context = self.context();
        let names: Vec<Name> = match self.reporter.is_full() {
            true => Vec::new(),
            false => self.names.in_scope().take(MAX_CANDIDATES).collect(),
        };
        report_unknown(&context, &names, self.reporter, span);
    }

    /// Returns the labels of the body.
    pub(crate) fn labels(&self) -> &'a [Label] {
        self.outline.labels.of(&self.declared.labels)
    }

    /// Returns a variable of the module, of the function header or of the body.
    pub(crate) fn variable(&self, id: VariableId) -> Option<&Variable> {
        find_variable(id, self.declared, self.made, self.function, &self.body)
    }

    /// Returns the state space of a variable.
    pub(crate) fn space_of(&self, id: VariableId) -> StateSpace {
        let variable = self.variable(id);
        variable.map_or(StateSpace::Generic, |variable| variable.space)
    }

    /// Returns the id of the next variable of the body.
    pub(crate) fn next_variable(&self) -> VariableId {
        let n = self.function.variables.len() + self.body.variables.len();
        VariableId::Function(n as u32)
    }
}

/// Returns the variable of the module or of the body with this id.
pub(crate) fn find_variable<'v>(
    id: VariableId,
    declared: &'v ModuleDeclarations,
    made: &'v ModuleAdditions,
    function: &'v Function,
    body: &'v FunctionBuilder,
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

/// Body of a function after the check.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) function: FunctionId,
    /// Parameters of a snippet's implicit kernel. The vector is empty for the body of a function.
    pub(crate) parameters: Vec<Parameter>,
    /// Whether the body is a snippet that one thread executes.
    pub(crate) is_of_one_thread: bool,
    /// Variables of the body, numbered after the variables of the function header.
    pub(crate) variables: Vec<Variable>,
    pub(crate) registers: Registers,
    /// Registers that are in scope at the end of a snippet.
    pub(crate) results: Vec<RegisterId>,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) operands: Vec<Operand>,
    /// Instruction index and name of each branch target, sorted by index.
    pub(crate) labels: Vec<(u32, String)>,
    /// Span of the closing brace of the body.
    pub(crate) end: Span,
}

/// State of the checker for the body of a snippet.
#[derive(Debug, Default)]
pub(crate) struct Snippet {
    /// Bindings of the names that the snippet uses both as addresses and as values, for each state space of the addresses.
    pub(crate) pointers: NameMap<Vec<(StateSpace, Binding)>>,
    /// Number of open scopes at the start of the source.
    pub(crate) depth: usize,
    /// Register that contains the lane index, or `None` if no inferred value requires the lane index.
    pub(crate) lane: Option<RegisterId>,
    /// Number of threads of the block that executes the snippet.
    pub(crate) n_threads: u32,
}
