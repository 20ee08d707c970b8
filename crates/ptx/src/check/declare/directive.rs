//! Checks directives of functions and bodies: version, target, arguments, and conflicts with other directives.

use crate::check::context::Context;
use crate::check::diagnostic_sink::DiagnosticSink;
use crate::diagnostics::declarations as diagnose;
use crate::diagnostics::rules::special_gate;
use crate::tree::declaration::{Directive, DirectiveKind, FunctionDirective, FunctionHeader};
use crate::tree::operand::OperandKind;
use warpgrid_isa::Gate;
use warpgrid_isa::directives::{NOUNROLL, PRAGMAS, PragmaValue, directive};

/// Position of a directive in the source, which determines whether the directive is permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectiveContext {
    Module,
    /// The directive is between the header and the body of a function.
    Head,
    Body(FunctionDirective),
}

/// Checks the directives between the header and the body of a function.
pub(crate) fn check_of_function(
    context: &Context<'_>,
    header: &FunctionHeader,
    reporter: &mut DiagnosticSink,
) {
    let Context { source, tree, .. } = *context;
    let all = header.directives.of(&tree.directives);
    for (index, own) in all.iter().enumerate() {
        check(context, own, DirectiveContext::Head, reporter);
        let text = own.word.text(source);
        if text == ".noreturn" && !header.returns.is_empty() {
            reporter.report(diagnose::returns_nothing(own.word));
        }
        let Some(row) = directive(text) else { continue };
        let has = |word: &str| all.iter().any(|other| other.word.text(source) == word);
        let before = all.iter().take(index).map(|other| other.word.text(source));
        let late = before.rev().find(|other| row.precedes.contains(other));
        let clash = row.excludes.iter().find(|word| has(word));
        let lack = row.requires.iter().find(|word| !has(word));
        let problems = [
            clash.map(|word| diagnose::directives_clash(own.word, text, word)),
            lack.map(|word| diagnose::directive_needs(own.word, text, word)),
            late.map(|word| diagnose::directive_late(own.word, text, word)),
        ];
        for problem in problems.into_iter().flatten() {
            reporter.report(problem);
        }
        let most = match header.name {
            Some(_) => row.max_value.0,
            None => row.max_value.1,
        };
        for (operand, _) in tree.arguments_of(own) {
            if let OperandKind::Integer { value, .. } = operand.kind
                && value > most
            {
                reporter.report(diagnose::directive_number(operand.span, text, value, most));
            }
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

/// Checks whether the version and the target support a directive, and whether a pragma is permitted at its position.
pub(crate) fn check(
    context: &Context<'_>,
    own: &Directive,
    place: DirectiveContext,
    reporter: &mut DiagnosticSink,
) {
    let Context { source, module, .. } = *context;
    if own.kind == DirectiveKind::Pragma {
        check_pragma(context, own, place, reporter);
        return;
    }
    if own.kind == DirectiveKind::Section {
        check_section(context, own, reporter);
    }
    let text = own.word.text(source);
    let Some(row) = directive(text) else { return };
    if let Some(until) = row.removed_in
        && module.version >= until
    {
        reporter.report(diagnose::directive_ended(own.word, text, until));
    }
    if !module.meets(row.gate) {
        let problem = special_gate(text, own.word, row.gate, module);
        reporter.report(problem);
    }
}

/// Checks the required versions of the contents of a section (assembler 13.5).
fn check_section(context: &Context<'_>, own: &Directive, reporter: &mut DiagnosticSink) {
    let Context { tree, module, .. } = *context;
    for (operand, _) in tree.arguments_of(own) {
        let (what, gate) = match operand.kind {
            OperandKind::Name(_) => ("a label in debug data", LABELS),
            OperandKind::Minus(_) => ("a difference of labels", DIFFERENCES),
            OperandKind::Integer { .. } => ("a negative number in debug data", DIFFERENCES),
            OperandKind::Sum { .. } => ("a sum in debug data", SUMS),
            _ => ("debug data", SECTIONS),
        };
        if !module.meets(gate) {
            reporter.report(special_gate(what, operand.span, gate, module));
            return;
        }
    }
}

const SECTIONS: Gate = Gate::ptx(2, 0);
const SUMS: Gate = Gate::ptx(3, 2);
const LABELS: Gate = Gate::ptx(7, 0);
const DIFFERENCES: Gate = Gate::ptx(7, 5);

/// Returns the bytes that the next load uses according to the pragma `used_bytes_mask`: bit i represents byte i.
pub(crate) fn used_bytes(context: &Context<'_>, own: &Directive) -> Option<u64> {
    if own.kind != DirectiveKind::Pragma {
        return None;
    }
    let mut texts = pragma_texts(context, own);
    let text = texts.find(|text| text.starts_with("used_bytes_mask"))?;
    let (is_negative, mask) = read_integer(pragma_value(text))?;
    Some(match is_negative {
        true => mask.wrapping_neg(),
        false => mask,
    })
}

/// Returns the strings of a pragma without their quotation marks.
fn pragma_texts<'a>(context: &Context<'a>, own: &Directive) -> impl Iterator<Item = &'a str> {
    let source = context.source;
    let arguments = own.arguments.of(&context.tree.operands).iter();
    arguments.map(move |argument| argument.span.text(source).trim_matches('"'))
}

/// Returns the value after the keyword of a pragma string.
fn pragma_value(text: &str) -> &str {
    let rest = text.split_once([' ', '\t']);
    rest.map_or("", |(_, value)| value.trim_start())
}

/// Checks each string of a pragma. In functions, the assembler ignores unknown pragmas.
fn check_pragma(
    context: &Context<'_>,
    own: &Directive,
    place: DirectiveContext,
    reporter: &mut DiagnosticSink,
) {
    let module = context.module;
    for text in pragma_texts(context, own) {
        let Some(row) = PRAGMAS.iter().find(|row| text.starts_with(row.word)) else {
            if place == DirectiveContext::Module && text != NOUNROLL {
                reporter.report(diagnose::pragma_in_module(own.span, text));
            }
            continue;
        };
        match place {
            DirectiveContext::Module | DirectiveContext::Head if row.in_body => {
                reporter.report(diagnose::pragma_place(own.span, row.word));
            }
            DirectiveContext::Module => reporter.report(diagnose::pragma_in_module(own.span, text)),
            DirectiveContext::Head => {}
            DirectiveContext::Body(FunctionDirective::Func) if row.in_kernels => {
                reporter.report(diagnose::pragma_in_function(own.span, row.word));
            }
            DirectiveContext::Body(_) if !module.meets(row.gate) => {
                reporter.report(special_gate(row.word, own.span, row.gate, module));
            }
            DirectiveContext::Body(sort) => {
                let value = pragma_value(text);
                if !is_value(row.value, value, sort) {
                    reporter.report(diagnose::pragma_value(own.span, row.word, value));
                }
            }
        }
    }
}

/// Returns whether `value` is valid as the value of a pragma.
fn is_value(expected: PragmaValue, value: &str, sort: FunctionDirective) -> bool {
    let number = read_integer(value);
    match (expected, sort) {
        (PragmaValue::Any, _) | (PragmaValue::IntegerInKernels, FunctionDirective::Func) => true,
        (PragmaValue::Integer, _) | (PragmaValue::IntegerInKernels, FunctionDirective::Entry) => {
            number.is_some()
        }
        (PragmaValue::Positive, _) => matches!(number, Some((false, 1..))),
    }
}

/// Parses an integer in C syntax, with a sign and in base 8, 10 or 16. Returns whether the integer is negative, and its magnitude, which
/// saturates at `u64::MAX`.
fn read_integer(text: &str) -> Option<(bool, u64)> {
    let is_negative = text.starts_with('-');
    let lower = text
        .strip_prefix(['+', '-'])
        .unwrap_or(text)
        .to_ascii_lowercase();
    let (digits, base) = match (lower.strip_prefix("0x"), lower.starts_with('0')) {
        (Some(digits), _) => (digits, 16),
        (None, true) => (lower.as_str(), 8),
        (None, false) => (lower.as_str(), 10),
    };
    if digits.is_empty() {
        return None;
    }
    let size = digits.chars().try_fold(0_u64, |size, digit| {
        let digit = digit.to_digit(base)?;
        Some(
            size.saturating_mul(base.into())
                .saturating_add(digit.into()),
        )
    })?;
    Some((is_negative, size))
}
