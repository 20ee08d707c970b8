//! Names of `//@` parameters that are most likely mistyped: they fall back to the order of the kernel's parameters, which is
//! right for a compiler's names and a surprise for a person's.

use crate::annotations::Annotations;
use crate::catalogue::{self, Name};
use crate::prepare::{find_entry, variables};
use warpgrid_isa::form::spelling::{distance, nearest};
use warpgrid_program::{Diagnostic, Program, Span};

/// Below this many letters one edit is no sign of a slip.
const MIN_LETTERS: usize = 3;

/// A warning for each stated name that the kernel does not have, where others are its own or this one is nearly.
pub fn mistyped_names(annotations: &Annotations, program: &Program) -> Vec<Diagnostic> {
    let Ok(entry) = find_entry(annotations.scenario.entry.as_deref(), program) else {
        return Vec::new();
    };
    let function = &program.functions[entry.0 as usize];
    let own: Vec<&str> = variables(function).map(|v| v.name.as_str()).collect();
    if own.is_empty() {
        return Vec::new();
    }
    let stated = annotations.names.iter().map(|(name, span)| {
        // A member is stated as `dims+8`.
        let text = name
            .split_once('+')
            .map_or(name.as_str(), |(whole, _)| whole);
        let span = Span::new(span.start, span.start + text.len() as u32);
        Name { text, span }
    });
    let stated: Vec<Name<'_>> = stated.collect();
    let has = |name: &str| own.contains(&name);
    let any_known = stated.iter().any(|name| has(name.text));
    let is_free = |own: &&str| stated.iter().all(|name| name.text != *own);
    let free: Vec<&str> = own.iter().copied().filter(is_free).collect();
    let is_slip = |text: &str, own: &str| text.len() >= MIN_LETTERS && distance(text, own) == 1;
    let unknown = stated.iter().filter(|name| !has(name.text));
    let found = unknown.filter_map(|name| {
        let meant = match any_known {
            true => nearest(name.text, free.iter().copied()),
            false => free.iter().copied().find(|own| is_slip(name.text, own)),
        };
        (any_known || meant.is_some())
            .then(|| catalogue::no_parameter_of_that_name(name, meant, &own))
    });
    found.collect()
}
