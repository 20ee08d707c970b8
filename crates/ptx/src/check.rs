//! Tree in, checked program and diagnostics out: the one constructor of a [`Program`] from PTX.
//!
//! Phases, each in a folder of its own, with arrows to earlier ones only: the [`header`] gives version and target; each
//! distinct opcode is checked once ([`plans`]); then one pass over the statements binds names ([`names`]) to what is
//! declared ([`declare`]) and puts instructions into the program ([`body`]). All report to one [`report::Reporter`]. The first error never
//! hides the second.

mod body;
mod declare;
mod header;
mod names;
pub(crate) mod plans;
mod report;

use crate::diagnostics::check as diagnose;
use crate::module::Module;
use crate::parser::Parse;
use crate::tree::Tree;
use body::function::Body;
use names::name_map::NameMap;
pub(crate) use names::scopes::Binding;
use names::scopes::Names;
use plans::Plans;
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

/// A checked source.
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

/// The version and target that a place of the text is checked against; what is wrong with the header is not reported.
pub(crate) fn module_of(source: &str, tree: &Tree, options: &Options) -> Module {
    header::read(source, tree, options, &mut Reporter::default())
}

/// Checks a parsed source. `source` is the text that was parsed.
pub fn check(source: &str, parse: &Parse, options: &Options) -> Checked {
    let tree = &parse.tree;
    let mut reporter = Reporter::default();
    let module = header::read(source, tree, options, &mut reporter);
    let (plans, actions) = Plans::of(source, tree, &module);
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
    checker.check_const();
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
    source: &'a str,
    tree: &'a Tree,
    plans: &'a Plans,
    module: Module,
    names: Names,
    program: Unsealed,
    /// Of the function at hand.
    body: Body,
    reporter: Reporter,
    /// Whether the declaration at hand is as it should be, so that its values can be read.
    is_sound: bool,
    /// Module variables that are only declared so far, ascending: `.extern`.
    externs: Vec<u32>,
    /// What names stand for in addresses, in snippets that use them as values as well.
    pointers: NameMap<Binding>,
    /// How many scopes are open at the top of a snippet.
    snippet_depth: usize,
    /// The register with the lane's number, in snippets.
    lane: Option<RegisterId>,
    /// Indirect calls by prototype: caller, instruction, and number of returns and parameters.
    indirect: Vec<(FunctionId, u32, (usize, usize))>,
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
