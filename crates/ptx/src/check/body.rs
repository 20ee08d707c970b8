//! Checks the bodies of functions: converts each body to instructions and operands of the program, based on the declarations of the module,
//! the resolved opcodes and the outline of the body. The check of each body uses a separate stack of scopes.
//! [`ModuleAdditions`](module_additions::ModuleAdditions) contains the opcodes and variables that bodies add to the module.

pub(crate) mod address;
pub(crate) mod asynchronous;
pub(crate) mod body_scope;
pub(crate) mod call;
pub(crate) mod checker;
pub(crate) mod control;
pub(crate) mod declaration;
pub(crate) mod element;
pub(crate) mod function_builder;
pub(crate) mod inference;
pub(crate) mod iota_data;
pub(crate) mod list_type;
pub(crate) mod lower;
pub(crate) mod matrix;
pub(crate) mod matrix_fragment;
pub(crate) mod module_additions;
pub(crate) mod moves;
pub(crate) mod operand;
pub(crate) mod operand_constraints;
pub(crate) mod snippet;
pub(crate) mod snippet_prologue;
pub(crate) mod statement;
pub(crate) mod store;
pub(crate) mod store_async;
pub(crate) mod store_async_sources;
pub(crate) mod store_bulk;
pub(crate) mod unit_initial_value;
pub(crate) mod unit_setup;
pub(crate) mod units;
pub(crate) mod values;
pub(crate) mod video;

use crate::check::body::checker::Body;
use crate::check::body::checker::BodyChecker;
use crate::check::body::checker::Snippet;
use crate::check::body::function_builder::FunctionBuilder;
use crate::check::body::module_additions::ModuleAdditions;
use crate::check::context::Context;
use crate::check::declare::ModuleDeclarations;
use crate::check::diagnostic_sink::DiagnosticSink;
use crate::check::names::scopes::Scopes;
use crate::check::resolved_opcodes::ResolvedOpcodes;

/// Checks all function bodies of the module.
pub(crate) fn check(
    context: Context<'_>,
    declared: &ModuleDeclarations,
    plans: &ResolvedOpcodes,
    reporter: &mut DiagnosticSink,
) -> (Vec<Body>, ModuleAdditions) {
    let mut bodies = Vec::with_capacity(declared.bodies.len());
    let mut made = ModuleAdditions::new(plans.len(), declared.variables.len());
    let mut scopes = Scopes::new(&declared.names, context.tree, context.source.len());
    let mut draft = FunctionBuilder::default();
    for outline in &declared.bodies {
        let Some(function) = declared.function(outline.function) else {
            continue;
        };
        let mut checker = BodyChecker {
            source: context.source,
            tree: context.tree,
            module: context.module,
            given: context.given,
            plans,
            declared,
            outline,
            function,
            names: scopes.renew(outline.at),
            body: draft.reset_for(function, outline),
            snippet: Snippet::default(),
            finished: None,
            made: &mut made,
            reporter,
        };
        checker.run();
        bodies.extend(checker.finished.take());
        (scopes, draft) = (checker.names, checker.body);
    }
    (bodies, made)
}
