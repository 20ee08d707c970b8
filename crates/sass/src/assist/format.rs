//! Formatter: prints each instruction on a separate line in the notation of the disassemblers. In disassembly listings, the formatter
//! preserves addresses, encodings, directives, labels and the columns of the listing.

use crate::syntax::{Instruction, StatementKind, Tree, parse, print_instruction};

/// Indentation of an instruction without an address.
const INDENTATION: &str = "    ";

/// Formatting mode for the line of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Line with an address or a control code. The formatter preserves the columns of the line.
    OfListing,
    /// Line that contains only the instruction.
    OfSource,
}

/// Formats a source without changes to its tokens and comments.
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
        // The formatter does not modify an instruction if a brace precedes it or unparsed text follows it on the same line.
        if !is_sound(&tree, instruction) || !ends_statement(rest) || before.ends_with('}') {
            continue;
        }
        // An address or control code remains on the line of its instruction.
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

/// Returns whether the instruction was parsed without errors. The formatter does not modify incomplete instructions.
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
        // The printer writes annotations after the operands, so an annotation before the last operand would be moved.
        matches!((annotations, operands), (Some(first), Some(last)) if first.span.start < last.span.start)
    };
    !broken && !commented && !annotated
}

/// Returns whether the statement ends with its instruction: at a semicolon, or at the end of the line, optionally after comments. Other
/// text after the instruction was not parsed, and an inserted semicolon would make it a separate statement.
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
    // The closing brace of a dual-issue pair also ends the line.
    let ends_pair = rest.strip_prefix('}').is_some_and(|after| {
        let after = after.trim_start_matches([' ', '\t']);
        ends_line(after) || after.starts_with("/*")
    });
    ends_line(rest) || ends_pair || !commented && rest.starts_with(';')
}

/// Writes the text between two instructions. In a source without addresses, each instruction starts a new line.
fn push_between(between: &str, line: Line, text: &mut String) {
    if line == Line::OfListing {
        text.push_str(between);
        return;
    }
    // A trailing carriage return would combine with the inserted line feed to a CRLF line end.
    let trimmed = between.trim_end_matches([' ', '\t', '\r']);
    text.push_str(trimmed);
    let begins_line = text.is_empty() || text.ends_with('\n');
    if !begins_line && !trimmed.ends_with('{') {
        text.push('\n');
    }
    text.push_str(INDENTATION);
}

/// Writes the semicolon of an instruction, removes the blanks before the semicolon, and returns the offset after the semicolon.
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

/// Preserves the column of the comment that follows an instruction in a listing line. If the instruction became shorter, the function
/// inserts blanks. If the instruction became longer, the function removes blanks after the instruction. Returns the offset at which to
/// continue.
fn keep_column(source: &str, at: usize, before: usize, after: usize, text: &mut String) -> usize {
    let rest = &source[at..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    if !rest[blanks..].starts_with("/*") {
        return at;
    }
    text.extend(std::iter::repeat_n(' ', before.saturating_sub(after)));
    at + after.saturating_sub(before).min(blanks.saturating_sub(1))
}
