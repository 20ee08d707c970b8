//! Checks `.version`, `.target` and `.address_size`, which determine the settings of the module.

use crate::check::diagnostic_sink::DiagnosticSink;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::declarations;
use crate::diagnostics::rules::special_gate;
use crate::target_context::TargetContext;
use crate::tree::declaration::{Directive, DirectiveKind};
use crate::tree::operand::OperandKind;
use crate::tree::{SourceKind, Tree};
use warpgrid_isa::target::TARGETS;
use warpgrid_isa::{Feature, Gate, Target, Version};
use warpgrid_program::Overrides;
use warpgrid_program::Span;

/// Reads the settings of the module from the options or from the header. Reports invalid or missing directives, and uses default values in
/// their place.
pub(crate) fn read(
    source: &str,
    tree: &Tree,
    options: &Overrides,
    reporter: &mut DiagnosticSink,
) -> TargetContext {
    if tree.statements.is_empty() && tree.functions.is_empty() {
        reporter.report(diagnose::empty());
    }
    let version = version(source, tree, reporter);
    let found = targets(source, tree, reporter);
    let target = found.last.map(|(target, _)| target);
    let has_override = options.version.is_some() || options.target.is_some();
    // The assembler accepts a module that consists only of a header for any target.
    let is_header = |directive: &Directive| {
        use DirectiveKind as D;
        matches!(directive.kind, D::Version | D::Target | D::AddressSize)
    };
    let has_content = !(tree.functions.is_empty()
        && tree.declarations.is_empty()
        && tree.directives.iter().all(is_header));
    let early = version.and_then(|version| {
        let mut all = found.all.iter().copied();
        let late = all.find(|(target, _)| version < target.since)?;
        Some((version, late))
    });
    if let Some((version, (target, directive))) = early
        && !has_override
        && has_content
    {
        let place = tree.directive(DirectiveKind::Version).unwrap_or(directive);
        reporter.report(diagnose::target_needs_version(
            directive, place, version, target,
        ));
    }
    let target = options
        .target
        .or(target)
        .unwrap_or_else(Target::default_target);
    let module = TargetContext {
        version: options.version.or(version).unwrap_or(Version::NEWEST),
        target,
        architecture: options.architecture.unwrap_or(target),
        address_bits: address_bits(tree, version, target, reporter),
        has_samplers: target_words(tree)
            .any(|(_, word)| word.text(source) == "texmode_independent"),
        is_debug: target_words(tree).any(|(_, word)| word.text(source) == "debug"),
        has_several_results: has_several_results(tree),
        version_span: tree.directive(DirectiveKind::Version).map(|d| d.span),
        target_span: found.last.map(|(_, span)| span),
    };
    check_options(source, tree, &module, reporter);
    module
}

/// Returns whether any function of the module, with or without a body, has several results. This check ignores call prototypes.
fn has_several_results(tree: &Tree) -> bool {
    tree.functions.iter().any(|header| {
        let results = header.returns.of(&tree.declarations);
        let declarators = results.iter().map(|one| one.declarators.len());
        header.name.is_some() && declarators.sum::<usize>() > 1
    })
}

fn version(source: &str, tree: &Tree, reporter: &mut DiagnosticSink) -> Option<Version> {
    let Some(directive) = tree.directive(DirectiveKind::Version) else {
        if tree.kind == SourceKind::Module {
            reporter.report(diagnose::missing_version());
        }
        return None;
    };
    let mut numbers = tree
        .arguments_of(directive)
        .filter_map(|(o, _)| match o.kind {
            OperandKind::Integer { value, .. } => u8::try_from(value).ok(),
            _ => None,
        });
    let version = Version::new(numbers.next()?, numbers.next()?);
    if !version.is_known() {
        let text = directive.span.text(source);
        reporter.report(diagnose::unknown_version(directive.span, text));
        return None;
    }
    Some(version)
}

/// Returns the arguments of all `.target` directives, each with its directive.
fn target_words(tree: &Tree) -> impl Iterator<Item = (&Directive, Span)> {
    let directives = tree.directives.iter();
    let targets = directives.filter(|directive| directive.kind == DirectiveKind::Target);
    targets.flat_map(|directive| {
        let words = tree.arguments_of(directive);
        words.map(move |(operand, _)| (directive, operand.span))
    })
}

/// Target and target options that the `.target` directives of a module specify.
#[derive(Debug, Default)]
struct DeclaredTargets<'t> {
    all: Vec<(&'static Target, &'t Directive)>,
    /// Target that is in effect, with its span.
    last: Option<(&'static Target, Span)>,
}

/// Reads the `.target` directives. The first argument must be a target. The last target is in effect. All arguments that are not targets
/// are options (assembler 13.5).
fn targets<'t>(source: &str, tree: &'t Tree, reporter: &mut DiagnosticSink) -> DeclaredTargets<'t> {
    let mut found = DeclaredTargets::default();
    if tree.directive(DirectiveKind::Target).is_none() {
        if tree.kind == SourceKind::Module {
            reporter.report(diagnose::missing_target());
        }
        return found;
    }
    for (index, (directive, span)) in target_words(tree).enumerate() {
        let text = span.text(source);
        match named_target(text) {
            Some(target) => {
                found.all.push((target, directive));
                found.last = Some((target, span));
            }
            None if is_target_option(text) => {
                if index == 0 {
                    reporter.report(diagnose::option_without_target(span, text));
                }
                if text == "map_f64_to_f32"
                    && let Some((target, _)) = found.last
                    && target.has(Feature::DoublePrecision)
                {
                    reporter.report(diagnose::needless_option(span, text, target));
                }
            }
            None => {
                let nearest = nearest_target(text);
                reporter.report(diagnose::unknown_target(span, text, nearest));
            }
        }
    }
    found
}

/// Returns a target by its name. Also accepts the virtual-architecture names that compilers use: `compute_90` denotes `sm_90`.
fn named_target(text: &str) -> Option<&'static Target> {
    Target::from_name(text).or_else(|| {
        let number = text.strip_prefix("compute_")?;
        Target::from_name(&format!("sm_{number}"))
    })
}

fn is_target_option(text: &str) -> bool {
    matches!(
        text,
        "texmode_unified" | "texmode_independent" | "debug" | "map_f64_to_f32"
    )
}

/// Checks for each target option whether the version, the target and the other options satisfy its requirements.
fn check_options(source: &str, tree: &Tree, module: &TargetContext, reporter: &mut DiagnosticSink) {
    let mut mode = None;
    let mut is_debug = false;
    for (directive, span) in target_words(tree) {
        let text = span.text(source);
        let gate = match text {
            "texmode_independent" => Gate::ptx(1, 5),
            "debug" => Gate::ptx(3, 0),
            _ => Gate::ALWAYS,
        };
        if !module.meets(gate) {
            reporter.report(special_gate(text, span, gate, module));
        }
        if text.starts_with("texmode_") {
            let first = *mode.get_or_insert(text);
            if first != text {
                reporter.report(declarations::directives_clash(span, text, first));
            }
        }
        let has_section = tree.directive(DirectiveKind::Section).is_some();
        if text == "debug" && !has_section && !is_debug {
            is_debug = true;
            reporter.report(diagnose::no_debug_section(directive.span));
        }
    }
}

fn address_bits(
    tree: &Tree,
    version: Option<Version>,
    target: &Target,
    reporter: &mut DiagnosticSink,
) -> u32 {
    let Some(directive) = tree.directive(DirectiveKind::AddressSize) else {
        let stated = tree.directive(DirectiveKind::Version);
        if let Some(stated) = stated
            && version.is_some_and(|version| version < Version::new(2, 3))
        {
            reporter.report(diagnose::narrow_program(stated.span, target));
            return 32;
        }
        return 64;
    };
    if let Some(version) = version.filter(|version| *version < Version::new(2, 3)) {
        reporter.report(diagnose::early_address_size(directive.span, version));
    }
    match argument(tree, directive) {
        Some(32) => {
            reporter.report(diagnose::narrow_program(directive.span, target));
            32
        }
        Some(64) => 64,
        _ => {
            reporter.report(diagnose::address_size(directive.span));
            64
        }
    }
}

fn argument(tree: &Tree, directive: &Directive) -> Option<u64> {
    tree.arguments_of(directive)
        .find_map(|(o, _)| match o.kind {
            OperandKind::Integer { value, .. } => Some(value),
            _ => None,
        })
}

/// Returns the target that a misspelled name most likely denotes: the target with the highest number that does not exceed the number in the
/// name, or the target with the most similar spelling.
fn nearest_target(text: &str) -> Option<&'static str> {
    let digits: String = text.chars().filter(char::is_ascii_digit).take(4).collect();
    let number: Option<u16> = digits.parse().ok();
    match number.and_then(Target::nearest_below) {
        Some(target) if text.starts_with("sm_") => Some(target.name),
        _ => warpgrid_isa::form::nearest(text, TARGETS.iter().map(|t| t.name)),
    }
}
