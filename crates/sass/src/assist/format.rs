//! Formatter: prints instructions like the disassemblers do, one per line. Disassembly listings keep their columns: addresses, encodings,
//! directives and labels are preserved.

use crate::syntax::{Instruction, StatementKind, Tree, parse, print_instruction};

/// Indentation of an instruction without an address.
const INDENTATION: &str = "    ";

/// Formatting mode of the line of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Line with an address or control code, which keeps its columns.
    OfListing,
    /// Line that contains only the instruction.
    OfSource,
}

/// Formats a source. Tokens and comments are preserved.
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
        // Text before or after a brace on the same line is preserved.
        if !is_sound(&tree, instruction) || !ends_statement(rest) || before.ends_with('}') {
            continue;
        }
        // An address or control code before an instruction stays on its line.
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

/// Returns whether the instruction was parsed completely; other instructions are not reformatted.
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

/// Returns whether the statement ends with its instruction: at a semicolon, or at the end of the line, optionally after comments. Any
/// other text was not parsed, and a semicolon before it would turn it into a statement.
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
    // The closing brace of a pair ends its line as well.
    let ends_pair = rest.strip_prefix('}').is_some_and(|after| {
        let after = after.trim_start_matches([' ', '\t']);
        ends_line(after) || after.starts_with("/*")
    });
    ends_line(rest) || ends_pair || !commented && rest.starts_with(';')
}

/// Writes the text between two instructions. Without addresses, each instruction starts a new line.
fn push_between(between: &str, line: Line, text: &mut String) {
    if line == Line::OfListing {
        text.push_str(between);
        return;
    }
    // A lone carriage return would form a line end with the following line feed.
    let kept = between.trim_end_matches([' ', '\t', '\r']);
    text.push_str(kept);
    let begins_line = text.is_empty() || text.ends_with('\n');
    if !begins_line && !kept.ends_with('{') {
        text.push('\n');
    }
    text.push_str(INDENTATION);
}

/// Writes the semicolon, drops the text before it, and returns the offset after it.
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

/// Keeps the following text of a listing line in its column: pads an instruction that became shorter, and lets one that became longer use
/// the blanks after it. Returns the offset at which to continue.
fn keep_column(source: &str, at: usize, before: usize, after: usize, text: &mut String) -> usize {
    let rest = &source[at..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    if !rest[blanks..].starts_with("/*") {
        return at;
    }
    text.extend(std::iter::repeat_n(' ', before.saturating_sub(after)));
    at + after.saturating_sub(before).min(blanks.saturating_sub(1))
}
