//! Directives of functions and bodies. In: a header or a directive; out: diagnostics where version, target, numbers or
//! the directives beside it do not go with it.

use crate::check::context::Context;
use crate::check::report::Reporter;
use crate::diagnostics::declarations as diagnose;
use crate::diagnostics::rules::special_gate;
use crate::tree::{Directive, DirectiveKind, FunctionHeader, OperandKind};
use warpgrid_isa::Gate;
use warpgrid_isa::directives::{PRAGMAS, directive};

/// Checks the directives between the head and the body of a function.
pub(crate) fn check_of_function(
    context: &Context<'_>,
    header: &FunctionHeader,
    reporter: &mut Reporter,
) {
    let Context { source, tree, .. } = *context;
    let all = header.directives.of(&tree.directives);
    for (index, own) in all.iter().enumerate() {
        check(context, own, false, reporter);
        let text = own.word.text(source);
        if text == ".noreturn" && !header.returns.is_empty() {
            reporter.report(diagnose::returns_nothing(own.word));
        }
        let Some(row) = directive(text) else { continue };
        let has = |word: &str| all.iter().any(|other| other.word.text(source) == word);
        let before = all.iter().take(index).map(|other| other.word.text(source));
        let late = before.rev().find(|other| row.precedes.contains(other));
        let clash = row.excludes.iter().find(|word| has(word));
        let lack = row.needs.iter().find(|word| !has(word));
        let problems = [
            clash.map(|word| diagnose::directives_clash(own.word, text, word)),
            lack.map(|word| diagnose::directive_needs(own.word, text, word)),
            late.map(|word| diagnose::directive_late(own.word, text, word)),
        ];
        for problem in problems.into_iter().flatten() {
            reporter.report(problem);
        }
        let mut numbers = tree.arguments_of(own).map(|(operand, _)| operand);
        let zero =
            numbers.find(|number| matches!(number.kind, OperandKind::Integer { value: 0, .. }));
        if row.is_positive
            && let Some(zero) = zero
        {
            reporter.report(diagnose::directive_of_zero(zero.span, text));
        }
    }
}

/// Checks whether version and target have a directive; pragmas for single instructions are inside of bodies.
pub(crate) fn check(
    context: &Context<'_>,
    own: &Directive,
    in_body: bool,
    reporter: &mut Reporter,
) {
    let Context { source, module, .. } = *context;
    if own.kind == DirectiveKind::Pragma {
        check_pragma(context, own, in_body, reporter);
        return;
    }
    if own.kind == DirectiveKind::Section {
        check_section(context, own, reporter);
    }
    let text = own.word.text(source);
    let Some(row) = directive(text) else { return };
    if let Some(until) = row.until
        && module.version >= until
    {
        reporter.report(diagnose::directive_ended(own.word, text, until));
    }
    if !module.meets(row.gate) {
        let problem = special_gate(text, own.word, row.gate, module);
        reporter.report(problem);
    }
}

/// Labels in debug data came with PTX 7.0, differences of two labels with 7.5 (assembler 13.5).
fn check_section(context: &Context<'_>, own: &Directive, reporter: &mut Reporter) {
    let Context { tree, module, .. } = *context;
    for (operand, _) in tree.arguments_of(own) {
        let (what, gate) = match operand.kind {
            OperandKind::Name(_) => ("a label in debug data", LABELS),
            OperandKind::Minus(_) => ("a difference of labels", DIFFERENCES),
            _ => continue,
        };
        if !module.meets(gate) {
            reporter.report(special_gate(what, operand.span, gate, module));
            return;
        }
    }
}

const LABELS: Gate = Gate::ptx(7, 0);
const DIFFERENCES: Gate = Gate::ptx(7, 5);

/// The bytes that the next load uses, as the pragma `used_bytes_mask` says: bit i is byte i.
pub(crate) fn used_bytes(source: &str, own: &Directive) -> Option<u64> {
    if own.kind != DirectiveKind::Pragma {
        return None;
    }
    let (_, mask) = own.span.text(source).split_once("used_bytes_mask")?;
    let mask = mask.trim_start().split(['"', ' ', ',']).next()?;
    match mask.strip_prefix("0x").or(mask.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => mask.parse().ok(),
    }
}

fn check_pragma(context: &Context<'_>, own: &Directive, in_body: bool, reporter: &mut Reporter) {
    let Context { source, module, .. } = *context;
    let text = own.span.text(source);
    let Some((word, gate)) = PRAGMAS
        .iter()
        .copied()
        .find(|(word, _)| text.contains(word))
    else {
        return;
    };
    if !module.meets(gate) {
        let problem = special_gate(word, own.span, gate, module);
        reporter.report(problem);
    }
    if word == "used_bytes_mask" && !in_body {
        reporter.report(diagnose::pragma_place(own.span, word));
    }
}
