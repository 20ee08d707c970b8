//! Read-only name resolution for declarations: a lookup creates no registers and binds no names.

use crate::check::context::Context;
use crate::check::diagnostic_sink::DiagnosticSink;
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::name::Name;
use warpgrid_isa::StateSpace;
use warpgrid_program::{Span, VariableId};

/// Lookup of the names that are visible at a position of the source, for the checks of declarations.
pub(crate) trait NameLookup {
    /// Returns the binding of a name that is declared in exactly this spelling.
    fn declared(&self, name: Name) -> Binding;

    /// Returns the state space of a variable.
    fn space_of(&self, variable: VariableId) -> StateSpace;

    /// Returns the declared names that are candidates for the correction of a misspelled name.
    fn candidates(&self) -> Vec<Name>;
}

/// Returns the binding of a name. Also resolves special registers, and names whose number has leading zeros.
pub(crate) fn meaning(context: &Context<'_>, names: &dyn NameLookup, name: Name) -> Binding {
    match names.declared(name) {
        Binding::None => {}
        found => return found,
    }
    match context.special(name) {
        Some(special) => Binding::Special(special),
        None => context
            .without_zeros(name)
            .map_or(Binding::None, |name| names.declared(name)),
    }
}

/// Maximum number of names that the search for the nearest spelling compares with a misspelled name.
pub(crate) const MAX_CANDIDATES: usize = 4096;

/// Reports an undeclared name. The message suggests a similar name among the declared names `candidates`.
pub(crate) fn report_unknown(
    context: &Context<'_>,
    candidates: &[Name],
    reporter: &mut DiagnosticSink,
    span: Span,
) {
    if reporter.is_full() {
        reporter.drop_error();
        return;
    }
    let text = span.text(context.source);
    let names = candidates.iter().map(|name| context.name_text(*name));
    let names: Vec<String> = names.collect();
    // Do not report the use of a name with a dot, because its declaration has already been reported.
    if text.contains('.') && names.iter().any(|name| name == text) {
        return;
    }
    let nearest = warpgrid_isa::form::nearest(text, names.iter().map(String::as_str));
    reporter.report(diagnose::unknown_symbol(text, span, nearest));
}
