//! Consistency checks of debug information: `.file`, `.loc`, `.section` (PTX ISA, "Debugging Directives"; assembler 13.5).

use crate::check::context::Context;
use crate::check::diagnostic_sink::DiagnosticSink;
use crate::check::names::name_map::NameMap;
use crate::diagnostics::check as diagnose_names;
use crate::diagnostics::declarations as diagnose;
use crate::diagnostics::rules::special_gate;
use crate::tree::StatementKind;
use crate::tree::declaration::{Directive, DirectiveKind};
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_isa::Gate;
use warpgrid_program::Span;

/// Required version for inlining information in `.loc` (assembler 13.5).
const INLINED: Gate = Gate::ptx(7, 0);

/// Required version for the timestamp and the size of a file in `.file` (assembler 13.5).
const FILE_TIMES: Gate = Gate::ptx(3, 2);

/// Location that a `.loc` directive specifies: file number, line and column.
pub(super) type DirectiveLocation = [u64; 3];

/// Checks file numbers, labels of sections, and inlining information of `.loc`.
pub(crate) fn check(context: &Context<'_>, reporter: &mut DiagnosticSink) {
    let directives = &context.tree.directives;
    let of_kind = |kind| {
        let directives = directives.iter();
        directives.filter(move |directive: &&Directive| directive.kind == kind)
    };
    check_files(context, of_kind(DirectiveKind::File), reporter);
    let labels = labels(context, of_kind(DirectiveKind::Section), reporter);
    let is_inlined = |directive: &Directive| directive.arguments.len() > 3;
    if of_kind(DirectiveKind::Loc).any(is_inlined) {
        check_inlined(context, of_kind(DirectiveKind::Loc), &labels, reporter);
    }
}

fn check_files<'t>(
    context: &Context<'_>,
    files: impl Iterator<Item = &'t Directive>,
    reporter: &mut DiagnosticSink,
) {
    let mut numbers: Vec<(u64, Span)> = files
        .filter_map(|file| {
            let mut all = operands(context, file);
            let number = all.next()?;
            if all.count() > 1 && !context.module.meets(FILE_TIMES) {
                let subject = "a timestamp in `.file`";
                reporter.report(special_gate(subject, file.span, FILE_TIMES, context.module));
            }
            Some((integer(number)?, number.span))
        })
        .collect();
    numbers.sort_by_cached_key(|(number, _)| *number);
    for pair in numbers.windows(2) {
        if let [(first, place), (again, span)] = pair
            && first == again
        {
            let message = format!("the file number {first} is already used");
            let problem = diagnose::debug_data(*span, message).label(*place, "first used here");
            reporter.report(problem);
        }
    }
}

/// Returns the labels of all sections, each with its span.
fn labels<'t>(
    context: &Context<'_>,
    sections: impl Iterator<Item = &'t Directive>,
    reporter: &mut DiagnosticSink,
) -> NameMap<Span> {
    let mut labels = NameMap::default();
    for operand in sections.flat_map(|section| operands(context, section)) {
        let OperandKind::Name(name) = operand.kind else {
            continue;
        };
        let span = operand.span;
        match labels.get(name) {
            Some(first) => {
                let text = span.text(context.source);
                reporter.report(diagnose_names::duplicate(text, span, *first));
            }
            None => {
                labels.get_or_insert(name, span);
            }
        }
    }
    labels
}

/// Checks that the position at which a function is inlined is the position of an earlier `.loc` directive, and that a section contains the
/// name of each function that has code.
fn check_inlined<'t>(
    context: &Context<'_>,
    locs: impl Iterator<Item = &'t Directive>,
    labels: &NameMap<Span>,
    reporter: &mut DiagnosticSink,
) {
    let locs: Vec<&Directive> = locs.collect();
    let applied = applied_starts(context);
    let mut places: Vec<(DirectiveLocation, u32)> = locs
        .iter()
        .filter_map(|loc| Some((place(operands(context, loc))?, loc.span.start)))
        .collect();
    places.sort_by_cached_key(|(place, _)| hash(*place));
    let is_known = |at: DirectiveLocation, before: u32| {
        let first = places.partition_point(|(place, _)| hash(*place) < hash(at));
        let alike = places.iter().skip(first);
        let mut alike = alike.take_while(|(place, _)| hash(*place) == hash(at));
        alike.any(|(place, start)| *place == at && *start < before)
    };
    for loc in locs.into_iter().filter(|loc| loc.arguments.len() > 3) {
        if !context.module.meets(INLINED) {
            let subject = "`inlined_at` in `.loc`";
            reporter.report(special_gate(subject, loc.span, INLINED, context.module));
        }
        let mut rest = operands(context, loc).skip(3);
        let label = rest.next();
        if let Some(label) = label
            && !is_in_section(context, label, labels)
            && applied.binary_search(&loc.span.start).is_ok()
        {
            let text = label.span.text(context.source);
            let message = format!("no section contains the label `{text}`");
            reporter.report(diagnose::debug_data(label.span, message));
        }
        let numbers: Vec<&Operand> = rest.collect();
        if let (Some(first), Some(last), Some(at)) = (
            numbers.first(),
            numbers.last(),
            place(numbers.iter().copied()),
        ) && !is_known(at, loc.span.start)
        {
            let message = "no earlier `.loc` specifies this `inlined_at` location";
            let problem = diagnose::debug_data(first.span.to(last.span), message);
            reporter.report(problem);
        }
    }
}

/// Returns whether a section contains the name of the function to which `label` refers. If the label is the name of a section, only
/// `.debug_str` contains names (assembler 13.5).
fn is_in_section(context: &Context<'_>, label: &Operand, labels: &NameMap<Span>) -> bool {
    match label.kind {
        OperandKind::Name(name) | OperandKind::Sum { name, .. } => labels.get(name).is_some(),
        _ => label.span.text(context.source) == ".debug_str",
    }
}

/// Returns the start offsets of the `.loc` directives that apply to an instruction, in source order: the first directive of each body, and
/// each directive that an instruction follows before the next `.loc` and before the end of the body. Assembler 13.5 does not check the
/// names in other `.loc` directives.
fn applied_starts(context: &Context<'_>) -> Vec<u32> {
    let mut starts = Vec::new();
    let mut open = None;
    let mut is_first = true;
    for statement in &context.tree.statements {
        match statement.kind {
            StatementKind::Directive(index) => {
                let directive = context.tree.directives.get(index as usize);
                let is_loc = |directive: &&Directive| directive.kind == DirectiveKind::Loc;
                let Some(loc) = directive.filter(is_loc) else {
                    continue;
                };
                if std::mem::take(&mut is_first) {
                    starts.push(loc.span.start);
                } else {
                    open = Some(loc.span.start);
                }
            }
            StatementKind::Instruction(_) => starts.extend(open.take()),
            StatementKind::FunctionStart(_) => (open, is_first) = (None, true),
            StatementKind::FunctionEnd(_)
            | StatementKind::BlockOpen
            | StatementKind::BlockClose
            | StatementKind::Label(_)
            | StatementKind::Prototype(_)
            | StatementKind::Declaration(_)
            | StatementKind::Empty
            | StatementKind::Error => {}
        }
    }
    starts
}

pub(super) fn operands<'a>(
    context: &Context<'a>,
    directive: &Directive,
) -> impl Iterator<Item = &'a Operand> + use<'a> {
    let operands = directive.arguments.of(&context.tree.operands);
    operands.iter()
}

pub(super) const fn integer(operand: &Operand) -> Option<u64> {
    match operand.kind {
        OperandKind::Integer { value, .. } => Some(value),
        _ => None,
    }
}

pub(super) fn place<'o>(
    mut operands: impl Iterator<Item = &'o Operand>,
) -> Option<DirectiveLocation> {
    let mut number = || integer(operands.next()?);
    Some([number()?, number()?, number()?])
}

/// Returns a hash of a source location, which is the sort key. Several locations may have the same hash.
const fn hash([file, line, column]: DirectiveLocation) -> u64 {
    (line << 32 | column).wrapping_add(file.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
