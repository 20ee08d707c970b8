//! Tree in, checked program and diagnostics out: the one constructor of a [`Program`] from PTX.
//!
//! Phases, each a function from values to a value, with arrows to earlier ones only: the [`header`] gives version and
//! target; each distinct opcode is checked once ([`plans`]); one pass stamps the names of the module ([`declare`]);
//! each body is checked with scopes of its own and becomes instructions ([`body`]); the parts are put together
//! ([`assemble`]); remarks of the assembler are predicted ([`performance`]). No phase changes what an earlier one made. All report to one
//! [`report::Reporter`], and the first error never hides the second.

pub(crate) mod assemble;
pub(crate) mod body;
pub(crate) mod choice;
pub(crate) mod context;
pub(crate) mod declare;
pub(crate) mod header;
pub(crate) mod names;
pub(crate) mod performance;
pub(crate) mod plans;
pub(crate) mod report;

use crate::check::context::Context;
use crate::check::plans::Plans;
use crate::check::report::Reporter;
use crate::diagnostics::check as diagnose;
use crate::module::Module;
use crate::parser::Parse;
use crate::tree::Tree;
use warpgrid_isa::{Target, Version};
use warpgrid_program::{Diagnostic, Given, Overrides, Program, Severity};

/// A checked source.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The program; `None` when some diagnostic, of the parser or the checker, is an error.
    pub program: Option<Program>,
    /// Those of the parser first, then in text order.
    pub diagnostics: Vec<Diagnostic>,
    /// What the text was checked for.
    pub version: Version,
    pub target: &'static Target,
}

impl Checked {
    /// Whether nothing is an error.
    pub fn accept(&self) -> bool {
        self.program.is_some()
    }
}

/// The version and target that a place of the text is checked against; what is wrong with the header is not reported.
pub(crate) fn module_of(source: &str, tree: &Tree, options: &Overrides) -> Module {
    header::read(source, tree, options, &mut Reporter::default())
}

/// Checks a parsed source. `source` is the text that was parsed.
pub fn check(source: &str, parse: &Parse, options: &Overrides) -> Checked {
    check_among(source, parse, options, &[])
}

/// Checks a parsed source among registers that the text around it gives: they are declared with their types.
pub fn check_among(source: &str, parse: &Parse, options: &Overrides, given: &[Given]) -> Checked {
    let text = ParsedText {
        source,
        parse,
        given,
    };
    let usual = check_for(&text, options, Manual::AsStated);
    choice::choose(&text, options, &usual).unwrap_or(usual)
}

/// A text that is checked, maybe for several versions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParsedText<'a> {
    source: &'a str,
    parse: &'a Parse,
    given: &'a [Given],
}

/// How words are taken that a manual of another time leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manual {
    /// As the version of the text has them.
    AsStated,
    /// As if they were there, with a warning: the last resort for a snippet.
    Mended,
}

/// Checks a parsed source for the version and target that it states, that the options name, or that are usual.
pub(crate) fn check_for(text: &ParsedText<'_>, options: &Overrides, manual: Manual) -> Checked {
    let ParsedText {
        source,
        parse,
        given,
    } = *text;
    let tree = &parse.tree;
    let mut reporter = Reporter::default();
    let module = header::read(source, tree, options, &mut reporter);
    if tree.statements.is_empty() && !parse.diagnostics.is_empty() {
        // Nothing was read, and the parser says why.
        return Checked {
            program: None,
            diagnostics: parse.diagnostics.clone(),
            version: module.version,
            target: module.target,
        };
    }
    let context = Context {
        source,
        tree,
        module: &module,
        given,
    };
    let (plans, actions) = Plans::of(source, tree, &module, manual);
    let declared = declare::pass::declare(context, &mut reporter);
    let (bodies, made) = body::check(context, &declared, &plans, &mut reporter);
    let unsealed = assemble::assemble(&module, declared, bodies, actions, made, &mut reporter);
    if reporter.n_errors() == 0 {
        let predicted = performance::check(&unsealed, tree.kind);
        predicted.into_iter().for_each(|one| reporter.report(one));
    }
    let mut found = reporter.finish();
    let mut diagnostics = parse.diagnostics.clone();
    diagnostics.append(&mut found.list);
    if found.n_dropped > 0 {
        diagnostics.push(diagnose::too_many(found.n_dropped));
    }
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    let accept = found.n_errors == 0 && !parse.diagnostics.iter().any(is_error);
    Checked {
        program: accept.then(|| Program::of_checked(unsealed)),
        diagnostics,
        version: module.version,
        target: module.target,
    }
}
