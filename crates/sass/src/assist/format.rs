//! The normal form of a text: instructions as disassemblers print them, one a line. A listing keeps its columns: addresses,
//! encodings, directives and labels are left where they are.

use crate::syntax::{Instruction, StatementKind, Tree, parse, print_instruction};

/// Indentation of an instruction without an address.
const INDENTATION: &str = "    ";

/// How the line of an instruction is formatted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// A line with an address or control information, which keeps its columns.
    OfListing,
    /// A line that contains only the instruction.
    OfSource,
}

/// Formats a text: the same tokens and comments.
pub(crate) fn format(source: &str) -> String {
    let tree = parse(source);
    let mut text = String::with_capacity(source.len());
    let mut at = 0;
    for statement in &tree.statements {
        let StatementKind::Instruction(index) = statement.kind else {
            continue;
        };
        let Some(instruction) = tree.instructions.get(index as usize) else {
            continue;
        };
        let rest = &source[instruction.span.end as usize..];
        let before = source[..instruction.span.start as usize].trim_end_matches([' ', '\t']);
        // What follows a brace on its line is left there, as what is before it is.
        if !is_sound(&tree, instruction) || !ends_statement(rest) || before.ends_with('}') {
            continue;
        }
        // An address or control information before an instruction stays on its line.
        let line = match statement.address.is_some() || instruction.control.is_some() {
            true => Line::OfListing,
            false => Line::OfSource,
        };
        let (start, end) = (
            instruction.span.start as usize,
            instruction.span.end as usize,
        );
        push_between(&source[at..start], line, &mut text);
        let printed = text.len();
        print_instruction(&tree, source, instruction, &mut text);
        let trimmed = text.trim_end().len();
        text.truncate(trimmed);
        let after = text.len() - printed;
        at = end_of(source, end, line, &mut text);
        at = keep_column(source, at, end - start, after, &mut text);
    }
    text.push_str(&source[at..]);
    text
}

/// Whether the instruction was read whole: nothing of it is rewritten otherwise.
fn is_sound(tree: &Tree, instruction: &Instruction) -> bool {
    let span = instruction.span;
    let inside = |comment: u32| span.start <= comment && comment < span.end;
    let broken = tree
        .errors
        .iter()
        .any(|error| span.start <= error.span.start && error.span.start <= span.end);
    let commented = tree.comments.iter().any(|comment| inside(comment.start));
    let annotated = {
        let annotations = tree.annotations(instruction).first();
        let operands = tree.operands(instruction).last();
        // Annotations are printed after the operands.
        matches!((annotations, operands), (Some(first), Some(last)) if first.span.start < last.span.start)
    };
    !broken && !commented && !annotated
}

/// Whether the statement ends where its instruction does: at a semicolon, or at the end of the line, after comments there.
/// What else follows is a part that was not read, and a semicolon before it would make a statement of it.
fn ends_statement(mut rest: &str) -> bool {
    let mut commented = false;
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let Some(comment) = rest.strip_prefix("/*") else {
            break;
        };
        let Some((_, after)) = comment.split_once("*/") else {
            return true;
        };
        commented = true;
        rest = after;
    }
    let ends_line =
        |rest: &str| rest.is_empty() || rest.starts_with(['\n', '\r']) || rest.starts_with("//");
    // The brace of a pair ends its line as well.
    let ends_pair = rest.strip_prefix('}').is_some_and(|after| {
        let after = after.trim_start_matches([' ', '\t']);
        ends_line(after) || after.starts_with("/*")
    });
    ends_line(rest) || ends_pair || !commented && rest.starts_with(';')
}

/// What is between two instructions. Without addresses each instruction begins a line of its own.
fn push_between(between: &str, line: Line, text: &mut String) {
    if line == Line::OfListing {
        text.push_str(between);
        return;
    }
    // A carriage return alone would make a line end with the line feed that comes.
    let kept = between.trim_end_matches([' ', '\t', '\r']);
    text.push_str(kept);
    let begins_line = text.is_empty() || text.ends_with('\n');
    if !begins_line && !kept.ends_with('{') {
        text.push('\n');
    }
    text.push_str(INDENTATION);
}

/// Writes the semicolon; what is before it in the source is left out. Gives the place after it.
fn end_of(source: &str, end: usize, line: Line, text: &mut String) -> usize {
    let rest = &source[end..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let has_semicolon = rest[blanks..].starts_with(';');
    if line == Line::OfSource {
        text.push(';');
        return end + if has_semicolon { blanks + 1 } else { 0 };
    }
    if has_semicolon {
        text.push_str(&rest[..=blanks]);
        return end + blanks + 1;
    }
    end
}

/// Keeps what follows on the line of a listing in its column: pads an instruction that became shorter, and gives one that
/// became longer the blanks after it. Gives the place to go on from.
fn keep_column(source: &str, at: usize, before: usize, after: usize, text: &mut String) -> usize {
    let rest = &source[at..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    if !rest[blanks..].starts_with("/*") {
        return at;
    }
    text.extend(std::iter::repeat_n(' ', before.saturating_sub(after)));
    at + after.saturating_sub(before).min(blanks.saturating_sub(1))
}
