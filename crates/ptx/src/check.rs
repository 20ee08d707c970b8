//! Tree in, checked program and diagnostics out: the one constructor of a [`Program`] from PTX.
//!
//! Each distinct opcode is judged once ([`plan`]); then one pass over the statements resolves names ([`names`]),
//! compares operands ([`operand`]) and builds operations ([`lower`]). The first error never hides the second.

mod address;
mod body;
mod call;
mod control;
mod convert;
mod declarations;
mod declarations_values;
mod declare;
mod elements;
mod families;
mod function;
mod header;
mod initializer;
mod judge;
mod lower;
mod memory;
mod moves;
mod name_map;
mod names;
mod offer;
mod operand;
pub(crate) mod plan;
mod prologue;
mod report;
pub(crate) mod rules;
mod snippet;
mod statement;
pub(crate) mod store;
mod store_async;
mod store_async_sources;
mod wmma_store;

use crate::diagnostics::check as diagnose;
use crate::module::Module;
use crate::opcode::Opcode;
use crate::parser::Parse;
use crate::tree::Tree;
use body::Body;
use name_map::NameMap;
pub(crate) use names::Binding;
use names::Names;
pub(crate) use plan::Plan;
use report::Reporter;
use warpgrid_isa::{Target, Version};
use warpgrid_program::{Diagnostic, FunctionId, Module as Unsealed, Program, RegisterId, Severity};

/// What overrides the module's own directives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Instead of `.target`.
    pub target: Option<&'static Target>,
    /// Instead of `.version`.
    pub version: Option<Version>,
}

/// A judged source.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The program; `None` when some diagnostic, of the parser or the checker, is an error.
    pub program: Option<Program>,
    /// Those of the parser first, then in text order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Checked {
    /// Whether nothing is an error.
    pub fn accept(&self) -> bool {
        self.program.is_some()
    }
}

/// The version and target that a place of the text is judged by; what is wrong with the header is told elsewhere.
pub(crate) fn module_of(source: &str, tree: &Tree, options: &Options) -> Module {
    header::read(source, tree, options, &mut Reporter::default())
}

/// Judges a parsed source. `source` is the text that was parsed.
pub fn check(source: &str, parse: &Parse, options: &Options) -> Checked {
    let tree = &parse.tree;
    let mut reporter = Reporter::default();
    let module = header::read(source, tree, options, &mut reporter);
    let mut plans = Vec::with_capacity(tree.mnemonics.len());
    let mut actions = Vec::with_capacity(tree.mnemonics.len() + 1);
    for id in tree.mnemonics.ids() {
        let opcode = Opcode::read(source, tree, id);
        let plan = Plan::new(&opcode, &module);
        actions.push(plan.action(opcode.text));
        plans.push(plan);
    }
    let mut checker = Checker {
        source,
        tree,
        plans: &plans,
        module,
        names: Names::new(tree.symbols.len(), source.len()),
        program: Unsealed {
            actions,
            version: module.version,
            target: module.target,
            address_bits: module.address_bits,
            variables: Vec::new(),
            functions: Vec::new(),
        },
        body: Body::default(),
        reporter,
        is_sound: true,
        externs: Vec::new(),
        pointers: NameMap::default(),
        snippet_depth: 0,
        lane: None,
        indirect: Vec::new(),
    };
    checker.run();
    checker.complete_calls();
    checker.judge_const();
    finish(checker, parse)
}

fn finish(checker: Checker<'_>, parse: &Parse) -> Checked {
    let mut diagnostics = parse.diagnostics.clone();
    let mut found = checker.reporter.finish();
    diagnostics.append(&mut found.list);
    if found.n_dropped > 0 {
        diagnostics.push(diagnose::too_many(found.n_dropped));
    }
    let parsed = parse
        .diagnostics
        .iter()
        .all(|d| d.severity != Severity::Error);
    let accept = parsed && found.n_errors == 0;
    Checked {
        program: accept.then(|| Program::of_checked(checker.program)),
        diagnostics,
    }
}

/// The state of one pass over a tree.
#[derive(Debug)]
pub(crate) struct Checker<'a> {
    pub(crate) source: &'a str,
    pub(crate) tree: &'a Tree,
    pub(crate) plans: &'a [Plan],
    pub(crate) module: Module,
    pub(crate) names: Names,
    pub(crate) program: Unsealed,
    /// Of the function at hand.
    pub(crate) body: Body,
    reporter: Reporter,
    /// Whether the declaration at hand is as it should be, so that its values can be read.
    pub(crate) is_sound: bool,
    /// Module variables that are only declared so far, ascending: `.extern`.
    pub(crate) externs: Vec<u32>,
    /// What names stand for in addresses, in snippets that use them as values as well.
    pub(crate) pointers: NameMap<Binding>,
    /// How many scopes are open at the top of a snippet.
    pub(crate) snippet_depth: usize,
    /// The register with the lane's number, in snippets.
    pub(crate) lane: Option<RegisterId>,
    /// Indirect calls by prototype: caller, instruction, and number of returns and parameters.
    pub(crate) indirect: Vec<(FunctionId, u32, (usize, usize))>,
}

impl Checker<'_> {
    /// Number of errors reported so far.
    pub(crate) fn n_errors(&self) -> usize {
        self.reporter.n_errors()
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.reporter.report(diagnostic);
    }
}
