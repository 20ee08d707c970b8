//! Names of `//@` parameters that are probably misspelled. Parameters with unknown names are matched by position. This is correct for names
//! that a compiler has generated, but unexpected for names that a user has misspelled.

use crate::annotations::Annotations;
use crate::diagnostics::{self, SpannedName};
use crate::prepare::{find_entry, kernel_variables};
use warpgrid_isa::form::suggestion::{distance, nearest};
use warpgrid_program::{Diagnostic, Program, Span};

/// Minimum length of a name for which an edit distance of one indicates a misspelling.
const MIN_LETTERS: usize = 3;

/// Returns a warning for each specified parameter name that the kernel does not declare, if other specified names match or if the name is
/// similar to the name of a kernel parameter.
pub fn mistyped_names(annotations: &Annotations, program: &Program) -> Vec<Diagnostic> {
    let Ok(entry) = find_entry(annotations.scenario.entry.as_deref(), program) else {
        return Vec::new();
    };
    let function = &program.functions[entry.0 as usize];
    let own: Vec<&str> = kernel_variables(function)
        .map(|v| v.name.as_str())
        .collect();
    if own.is_empty() {
        return Vec::new();
    }
    let stated = annotations.names.iter().map(|(name, span)| {
        // The name of a structure member has an offset, such as `dims+8`.
        let text = name
            .split_once('+')
            .map_or(name.as_str(), |(whole, _)| whole);
        let span = Span::new(span.start, span.start + text.len() as u32);
        SpannedName { text, span }
    });
    let stated: Vec<SpannedName<'_>> = stated.collect();
    let has = |name: &str| own.contains(&name);
    let any_known = stated.iter().any(|name| has(name.text));
    let is_free = |own: &&str| stated.iter().all(|name| name.text != *own);
    let free: Vec<&str> = own.iter().copied().filter(is_free).collect();
    let is_slip = |text: &str, own: &str| text.len() >= MIN_LETTERS && distance(text, own) == 1;
    let unknown = stated.iter().filter(|name| !has(name.text));
    let found = unknown.filter_map(|name| {
        let candidate = match any_known {
            true => nearest(name.text, free.iter().copied()),
            false => free.iter().copied().find(|own| is_slip(name.text, own)),
        };
        (any_known || candidate.is_some())
            .then(|| diagnostics::no_parameter_of_that_name(name, candidate, &own))
    });
    found.collect()
}
