//! `.version`, `.target` and `.address_size`: what the text is checked against.

use crate::check::report::Reporter;
use crate::check::{Module, Options};
use crate::diagnostics::check as diagnose;
use crate::tree::{Directive, DirectiveKind, OperandKind, SourceKind, Tree};
use warpgrid_isa::target::TARGETS;
use warpgrid_isa::{Target, Version};

/// Reads the header, or takes what the options say. Faults are reported, and a usual value is taken instead.
pub(crate) fn read(
    source: &str,
    tree: &Tree,
    options: &Options,
    reporter: &mut Reporter,
) -> Module {
    if tree.statements.is_empty() && tree.functions.is_empty() {
        reporter.report(diagnose::empty());
    }
    let version = version(source, tree, reporter);
    let target = target(source, tree, reporter);
    check_options(source, tree, reporter);
    if let (Some(version), Some(target)) = (version, target)
        && options.version.is_none()
        && options.target.is_none()
        && version < target.since
        // A module of nothing is compiled for any target.
        && !(tree.functions.is_empty() && tree.declarations.is_empty())
        && let Some(directive) = tree.directive(DirectiveKind::Target)
    {
        let place = tree.directive(DirectiveKind::Version).unwrap_or(directive);
        reporter.report(diagnose::target_needs_version(
            directive, place, version, target,
        ));
    }
    Module {
        version: options.version.or(version).unwrap_or(Version::NEWEST),
        target: options.target.or(target).unwrap_or_else(Target::fallback),
        address_bits: address_bits(tree, version, reporter),
        has_samplers: has_option(source, tree, "texmode_independent"),
        version_span: tree.directive(DirectiveKind::Version).map(|d| d.span),
        target_span: tree
            .directive(DirectiveKind::Target)
            .and_then(|d| tree.arguments_of(d).next())
            .map(|(operand, _)| operand.span),
    }
}

fn version(source: &str, tree: &Tree, reporter: &mut Reporter) -> Option<Version> {
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

fn target(source: &str, tree: &Tree, reporter: &mut Reporter) -> Option<&'static Target> {
    let Some(directive) = tree.directive(DirectiveKind::Target) else {
        if tree.kind == SourceKind::Module {
            reporter.report(diagnose::missing_target());
        }
        return None;
    };
    let mut found = None;
    for (operand, _) in tree.arguments_of(directive) {
        let text = operand.span.text(source);
        match Target::from_name(text) {
            Some(target) => found = found.or(Some(target)),
            None if is_target_option(text) => {}
            None => {
                let nearest = nearest_target(text);
                reporter.report(diagnose::unknown_target(operand.span, text, nearest));
            }
        }
    }
    found
}

fn is_target_option(text: &str) -> bool {
    matches!(
        text,
        "texmode_unified" | "texmode_independent" | "debug" | "map_f64_to_f32"
    )
}

/// Checks what the options of the target ask of the module.
fn check_options(source: &str, tree: &Tree, reporter: &mut Reporter) {
    let Some(directive) = tree.directive(DirectiveKind::Target) else {
        return;
    };
    let has_section = tree.directive(DirectiveKind::Section).is_some();
    if !has_section && has_option(source, tree, "debug") {
        reporter.report(diagnose::no_debug_section(directive.span));
    }
}

fn has_option(source: &str, tree: &Tree, option: &str) -> bool {
    let directive = tree.directive(DirectiveKind::Target);
    let mut words = directive.into_iter().flat_map(|d| tree.arguments_of(d));
    words.any(|(operand, _)| operand.span.text(source) == option)
}

fn address_bits(tree: &Tree, version: Option<Version>, reporter: &mut Reporter) -> u32 {
    let Some(directive) = tree.directive(DirectiveKind::AddressSize) else {
        return 64;
    };
    if let Some(version) = version.filter(|version| *version < Version::new(2, 3)) {
        reporter.report(diagnose::early_address_size(directive.span, version));
    }
    match argument(tree, directive) {
        Some(32) => {
            // Assembler 13.5 compiles 64-bit programs only. What is older than PTX 3.1 is checked as the releases of its time
            // did, so that such programs can still be looked at.
            if version.is_none_or(|version| version > Version::new(3, 0)) {
                reporter.report(diagnose::narrow_program(directive.span));
            }
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

/// The target that a misspelled name most likely meant: the last one up to its number, or the nearest spelling.
fn nearest_target(text: &str) -> Option<&'static str> {
    let digits: String = text.chars().filter(char::is_ascii_digit).take(4).collect();
    let number: Option<u16> = digits.parse().ok();
    match number.and_then(Target::nearest_below) {
        Some(target) if text.starts_with("sm_") => Some(target.name),
        _ => warpgrid_isa::form::nearest(text, TARGETS.iter().map(|t| t.name)),
    }
}
