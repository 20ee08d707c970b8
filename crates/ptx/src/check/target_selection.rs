//! Selection of the version and the target for a snippet that specifies none: the defaults, or the nearest version and target for
//! which the snippet has no errors.

use crate::check::{CheckedSource, Leniency, ParsedSource, check_for};
use crate::diagnostics::check as diagnose;
use crate::parser::Parse;
use crate::tree::SourceKind;
use warpgrid_isa::form::is_known_word;
use warpgrid_isa::target::TARGETS;
use warpgrid_isa::{Target, TargetKind, TargetRequirement, Version};
use warpgrid_program::Overrides;
use warpgrid_program::{Diagnostic, Severity, Span};

/// Maximum number of statements of a snippet that the checker checks for several versions and targets. The checker checks longer snippets
/// only for the default version and target.
const MAX_STATEMENTS: usize = 200;

/// Returns the result of checking a snippet for a version and a target for which the snippet has no errors. Returns `None` if the caller
/// should use the result for the defaults.
#[cold]
pub(crate) fn select_target(
    text: &ParsedSource<'_>,
    options: &Overrides,
    usual: &CheckedSource,
) -> Option<CheckedSource> {
    let parse = text.parse;
    let tree = &parse.tree;
    let is_broken = |parse: &Parse| {
        parse
            .diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    };
    let is_stated = options.version.is_some() && options.target.is_some();
    let is_open = tree.kind == SourceKind::Snippet && !usual.accept() && !is_stated;
    if !is_open || is_broken(parse) || tree.statements.len() > MAX_STATEMENTS {
        return None;
    }
    // Editors check the source after each keystroke, so most rejected snippets contain an incomplete word. The search would check such a
    // snippet for every version and target.
    let mut diagnostics = usual.diagnostics.iter();
    if diagnostics.any(|found| is_rejected_for_every_target(text.source, found)) {
        return None;
    }
    // Skip the targets that an error excludes, because each candidate costs a complete check.
    let errors = usual.diagnostics.iter();
    let errors = errors.filter(|found| found.severity == Severity::Error);
    let required: Vec<TargetRequirement> = errors.map(|found| found.needs.targets).collect();
    let mut suitable = candidates(options)
        .filter(|(_, target)| required.iter().all(|targets| targets.met_by(target)));
    let legal = suitable.find_map(|(version, target)| {
        let chosen = Overrides {
            target: Some(target),
            version: Some(version),
            ..*options
        };
        let mut checked = check_for(text, &chosen, Leniency::Strict);
        checked.accept().then(|| {
            let note = diagnose::chosen(Span::at(0), version, target);
            checked.diagnostics.insert(0, note);
            checked
        })
    });
    legal.or_else(|| {
        let mended = check_for(text, options, Leniency::Lenient);
        mended.accept().then_some(mended)
    })
}

/// Checks whether a diagnostic reports an opcode or a modifier that no PTX instruction has, so that no version and no target accepts the
/// source.
fn is_rejected_for_every_target(source: &str, found: &Diagnostic) -> bool {
    let word = found.span.text(source).trim_start_matches('.');
    found.code == diagnose::UNKNOWN_INSTRUCTION
        || found.code == diagnose::UNKNOWN_MODIFIER && !is_known_word(word)
}

/// Returns versions and targets in the order in which the selection tries them: every target with the newest version, then older versions
/// with the newest target that each of them supports.
fn candidates(options: &Overrides) -> impl Iterator<Item = (Version, &'static Target)> {
    let usual = Target::default_target();
    let version = options.version.unwrap_or(Version::NEWEST);
    // Try the variants of the default architecture (such as `sm_90a`) before all other targets.
    let near = TARGETS.iter().filter(move |target| target.sm == usual.sm);
    let far = TARGETS
        .iter()
        .rev()
        .filter(move |target| target.sm != usual.sm);
    let targets = options.target.into_iter().chain(near.chain(far));
    let stated = options.target;
    let fits = move |target: &&Target| stated.is_none_or(|stated| stated.name == target.name);
    let newest = targets.filter(fits).map(move |target| (version, target));
    let stated_version = options.version;
    let mut older: Vec<Version> = Version::all()
        .filter(|v| stated_version.is_none() && *v < version)
        .collect();
    older.reverse();
    let older = older.into_iter().filter_map(move |version| {
        // Stop at the first unsupported target instead of filtering, because some versions support `sm_82` but not `sm_80`.
        let mut plain = TARGETS
            .iter()
            .filter(|target| target.kind == TargetKind::Plain);
        let of_its_time = plain.by_ref().take_while(|target| target.since <= version);
        let target = stated.or_else(|| of_its_time.last())?;
        Some((version, target))
    });
    newest.chain(older)
}

#[cfg(test)]
mod tests {
    use super::is_rejected_for_every_target;
    use crate::parser::parse;
    use warpgrid_program::Overrides;

    fn is_rejected(source: &str) -> bool {
        let options = Overrides {
            target: warpgrid_isa::Target::from_name("sm_70"),
            ..Overrides::default()
        };
        let checked = crate::check(source, &parse(source), &options);
        let mut found = checked.diagnostics.iter();
        found.any(|found| is_rejected_for_every_target(source, found))
    }

    #[test]
    fn only_unknown_words_are_rejected_for_every_target() {
        assert!(is_rejected("st.shred.u32 [p], 5;"));
        assert!(is_rejected("sst.global.u32 [p], 5;"));
        assert!(!is_rejected(
            "st.global.v8.f32 [p], {a, b, c, d, e, f, g, h};"
        ));
        assert!(!is_rejected("add.global.u32 %r1, %r2, %r3;"));
    }
}
