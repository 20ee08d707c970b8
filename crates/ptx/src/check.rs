//! Checker: converts a syntax tree to diagnostics and, if no diagnostic is an error, to a [`Program`]. The checker is the only component
//! that constructs a [`Program`] from PTX.
//!
//! Each phase is a function of the results of earlier phases and does not modify these results: [`header`] determines the version and the
//! target; [`resolved_opcodes`] checks each distinct opcode once; [`declare`] collects the names of the module in one pass; [`body`] checks
//! each body in its own scopes and converts it to instructions; [`assemble`] combines the parts; [`performance`] predicts remarks of the
//! assembler. All phases report to one [`diagnostic_sink::DiagnosticSink`], and no phase stops at the first error.

pub(crate) mod assemble;
pub(crate) mod body;
pub(crate) mod context;
pub(crate) mod declare;
pub(crate) mod diagnostic_sink;
pub(crate) mod header;
pub(crate) mod names;
pub(crate) mod performance;
pub(crate) mod resolved_opcodes;
pub(crate) mod target_selection;

use crate::check::context::Context;
use crate::check::diagnostic_sink::DiagnosticSink;
use crate::check::resolved_opcodes::ResolvedOpcodes;
use crate::diagnostics::check as diagnose;
use crate::parser::Parse;
use crate::target_context::TargetContext;
use crate::tree::Tree;
use warpgrid_isa::{Target, Version};
use warpgrid_program::{Diagnostic, ExternalRegister, Overrides, Program, Severity};

/// Program and diagnostics that result from checking a PTX source.
#[derive(Clone, Debug)]
pub struct CheckedSource {
    /// Checked program, or `None` if a diagnostic of the parser or the checker is an error.
    pub program: Option<Program>,
    /// Parser diagnostics, followed by checker diagnostics in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// Version and target for which the source was checked.
    pub version: Version,
    pub target: &'static Target,
}

impl CheckedSource {
    /// Returns whether no diagnostic is an error.
    pub fn accept(&self) -> bool {
        self.program.is_some()
    }
}

/// Returns the version and the target for which a source is checked, without reporting errors in the header.
pub(crate) fn module_of(source: &str, tree: &Tree, options: &Overrides) -> TargetContext {
    header::read(source, tree, options, &mut DiagnosticSink::default())
}

/// Checks a parsed source. `source` is the text that was parsed.
pub fn check(source: &str, parse: &Parse, options: &Overrides) -> CheckedSource {
    check_among(source, parse, options, &[])
}

/// Checks a parsed source whose surrounding code declares the registers `given` with their types.
pub fn check_among(
    source: &str,
    parse: &Parse,
    options: &Overrides,
    given: &[ExternalRegister],
) -> CheckedSource {
    let text = ParsedSource {
        source,
        parse,
        given,
    };
    let usual = check_for(&text, options, Leniency::Strict);
    target_selection::select_target(&text, options, &usual).unwrap_or(usual)
}

/// Parsed source with its check options, which the checker may check for several versions and targets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParsedSource<'a> {
    source: &'a str,
    parse: &'a Parse,
    given: &'a [ExternalRegister],
}

/// Treatment of modifiers that the manual of another version omits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leniency {
    /// Modifiers are required according to the version of the source.
    Strict,
    /// The checker assumes missing modifiers and reports a warning. The checker uses this variant for a snippet if all other attempts have
    /// failed.
    Lenient,
}

/// Checks a parsed source for the version and the target of its header or of the options, or for the default version and target.
pub(crate) fn check_for(
    text: &ParsedSource<'_>,
    options: &Overrides,
    manual: Leniency,
) -> CheckedSource {
    let ParsedSource {
        source,
        parse,
        given,
    } = *text;
    let tree = &parse.tree;
    let mut reporter = DiagnosticSink::default();
    let module = header::read(source, tree, options, &mut reporter);
    if tree.statements.is_empty() && !parse.diagnostics.is_empty() {
        // Return only the parser diagnostics, which explain why the source has no statements.
        return CheckedSource {
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
    let (plans, actions) = ResolvedOpcodes::of(source, tree, &module, manual);
    let declared = declare::declaration_pass::declare(context, &mut reporter);
    let (bodies, made) = body::check(context, &declared, &plans, &mut reporter);
    let line_table = declare::line_table::build(&context);
    let unsealed = assemble::assemble(
        &module,
        declared,
        bodies,
        actions,
        made,
        line_table,
        &mut reporter,
    );
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
    CheckedSource {
        program: accept.then(|| Program::from_checked(unsealed)),
        diagnostics,
        version: module.version,
        target: module.target,
    }
}
