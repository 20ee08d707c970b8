//! Simplifications of statements and annotations, each a list of edits that apply together.

use super::parts;
use crate::parser::parse;
use crate::tree::{Operand, OperandKind, StatementKind};
use warpgrid_program::{Edit, Span};

fn edit(span: Span, text: impl Into<String>) -> Edit {
    Edit {
        span,
        text: text.into(),
    }
}

/// Returns the removal of each pair of block braces. The statements of the block remain.
pub(super) fn block_braces(source: &str) -> Vec<Vec<Edit>> {
    let ends = |block: Span| {
        let open = Span::new(block.start, block.start + 1);
        let close = Span::new(block.end.saturating_sub(1), block.end);
        vec![edit(open, ""), edit(close, "")]
    };
    parts::blocks(source).into_iter().map(ends).collect()
}

/// Returns the removal of each parameter and each performance directive of a function header.
pub(super) fn function_headers(source: &str) -> Vec<Vec<Edit>> {
    let tree = parse(source).tree;
    let mut found = Vec::new();
    for function in &tree.functions {
        let parameters = function.parameters.of(&tree.declarations);
        for (index, parameter) in parameters.iter().enumerate() {
            // The comma before or after the parameter is also removed.
            let span = match (
                index
                    .checked_sub(1)
                    .and_then(|before| parameters.get(before)),
                parameters.get(index + 1),
            ) {
                (_, Some(next)) => Span::new(parameter.span.start, next.span.start),
                (Some(previous), None) => Span::new(previous.span.end, parameter.span.end),
                (None, None) => with_blanks(parameter.span, source),
            };
            found.push(vec![edit(span, "")]);
        }
        let directives = function.directives.of(&tree.directives);
        found.extend(
            directives
                .iter()
                .map(|directive| vec![edit(directive.span, "")]),
        );
    }
    found
}

/// Extends a span by the adjacent blanks and line breaks.
fn with_blanks(span: Span, source: &str) -> Span {
    let before = source.get(..span.start as usize).unwrap_or("");
    let after = source.get(span.end as usize..).unwrap_or("");
    let n_after = after.len() - after.trim_start().len();
    Span::new(before.trim_end().len() as u32, span.end + n_after as u32)
}

/// Returns the removal of each guard predicate.
pub(super) fn guards(source: &str) -> Vec<Vec<Edit>> {
    let tree = parse(source).tree;
    let guards = tree.guards.iter();
    guards.map(|guard| vec![edit(guard.span, "")]).collect()
}

/// Returns simpler operands: smaller constants, addresses without an offset, and constants in place of registers.
pub(super) fn operands(source: &str) -> Vec<Vec<Edit>> {
    let tree = parse(source).tree;
    let mut found = Vec::new();
    for statement in &tree.statements {
        if let StatementKind::Instruction(instruction) = &statement.kind {
            for operand in instruction.operands.of(&tree.operands) {
                let texts = simpler_texts(operand, source);
                found.extend(texts.into_iter().map(|text| vec![edit(operand.span, text)]));
            }
        }
    }
    found
}

/// Constants that replace a register, for integer, `f32` and `f64` operands.
const CONSTANTS: [&str; 3] = ["1", "0f3F800000", "0d3FF0000000000000"];

/// Returns the simpler texts of an operand. The checker rejects a constant in place of a destination, a label or a function.
fn simpler_texts(operand: &Operand, source: &str) -> Vec<String> {
    let text = operand.span.text(source);
    match operand.kind {
        OperandKind::Name(_) | OperandKind::Component { .. } | OperandKind::Minus(_) => {
            CONSTANTS.map(str::to_owned).to_vec()
        }
        OperandKind::Integer { value, .. } => smaller_numbers(value),
        OperandKind::Address { offset, .. } if offset != 0 => {
            let name = text.split('+').next().unwrap_or(text);
            vec![format!("{}]", name.trim_end())]
        }
        _ => Vec::new(),
    }
}

/// Returns smaller numbers than `value`, in the order in which they are tried.
fn smaller_numbers(value: u64) -> Vec<String> {
    let mut numbers = vec![0, 1, value / 2];
    numbers.retain(|number| *number < value);
    numbers.dedup();
    numbers
        .into_iter()
        .map(|number| number.to_string())
        .collect()
}

/// Returns the replacement of each decimal number in an annotation by a smaller number.
pub(super) fn annotation_numbers(source: &str) -> Vec<Vec<Edit>> {
    let mut found = Vec::new();
    for annotation in parts::annotations(source) {
        for number in numbers(source, annotation) {
            let Ok(value) = number.text(source).parse::<u64>() else {
                continue;
            };
            let texts = smaller_numbers(value).into_iter();
            found.extend(texts.map(|text| vec![edit(number, text)]));
        }
    }
    found
}

/// Returns the spans of the decimal numbers in a part of the source. Digits of names, hexadecimal and floating-point numbers are not
/// numbers. The extents in `32x8` are two numbers.
fn numbers(source: &str, within: Span) -> Vec<Span> {
    let text = source.as_bytes();
    let byte = |at: usize| text.get(at).copied().unwrap_or(b' ');
    let is_word =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'%');
    let mut found = Vec::new();
    let mut at = within.start as usize;
    while at < within.end as usize {
        if !is_word(byte(at)) {
            at += 1;
            continue;
        }
        let start = at;
        while at < within.end as usize && is_word(byte(at)) {
            at += 1;
        }
        let word = source.get(start..at).unwrap_or("");
        let mut offset = start;
        let is_extent =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !word.starts_with("0x") && word.split('x').all(is_extent) {
            for part in word.split('x') {
                found.push(Span::new(offset as u32, (offset + part.len()) as u32));
                offset += part.len() + 1;
            }
        }
    }
    found
}
