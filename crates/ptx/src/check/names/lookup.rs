//! Names where a declaration is, read only: declarations make no register and bind nothing when they look names up.

use crate::check::context::Context;
use crate::check::names::binding::Binding;
use crate::check::report::Reporter;
use crate::diagnostics::check as diagnose;
use crate::tree::name::Name;
use warpgrid_isa::StateSpace;
use warpgrid_program::{Span, VariableId};

/// What names mean at one place of the text.
pub(crate) trait Lookup {
    /// What is declared under the very name.
    fn declared(&self, name: Name) -> Binding;

    /// The state space of a variable.
    fn space_of(&self, variable: VariableId) -> StateSpace;

    /// Names to compare a misspelled one with.
    fn candidates(&self) -> Vec<Name>;
}

/// What a name means, special registers and numbers with leading zeros included.
pub(crate) fn meaning(context: &Context<'_>, names: &dyn Lookup, name: Name) -> Binding {
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

/// The most names compared with a misspelled one.
pub(crate) const MAX_CANDIDATES: usize = 4096;

/// Reports a name that nothing declares. `candidates` are the names that it may have meant.
pub(crate) fn report_unknown(
    context: &Context<'_>,
    candidates: &[Name],
    reporter: &mut Reporter,
    span: Span,
) {
    if reporter.is_full() {
        reporter.drop_error();
        return;
    }
    let text = span.text(context.source);
    let names = candidates.iter().map(|name| context.name_text(*name));
    let names: Vec<String> = names.collect();
    // The declaration of a name with a dot is reported, not its uses.
    if text.contains('.') && names.iter().any(|name| name == text) {
        return;
    }
    let nearest = warpgrid_isa::form::nearest(text, names.iter().map(String::as_str));
    reporter.report(diagnose::unknown_symbol(text, span, nearest));
}
