//! Scheduling information of an instruction, decoded from the encodings in the surrounding lines of the listing.

use crate::listing::schedule_at;
use crate::syntax::parse;
use warpgrid_isa::Target;
use warpgrid_program::Span;

/// Number of bytes that are parsed before an instruction, to find the control word of its group, and after the instruction, to find its
/// encoding.
const BEFORE: usize = 2_000;
const AFTER: usize = 400;

/// Describes the scheduling information of the instruction in a statement.
pub(crate) fn schedule(source: &str, statement: Span, target: &Target) -> Option<String> {
    let start = statement.start as usize;
    let from = start.saturating_sub(BEFORE);
    let bytes = source.as_bytes();
    // The first line of the excerpt may be truncated, so the excerpt starts at the next line.
    let from = match from {
        0 => 0,
        _ => from + bytes.get(from..start)?.iter().position(|b| *b == b'\n')? + 1,
    };
    let to = (statement.end as usize + AFTER).min(source.len());
    let rest = bytes.get(to..)?.iter().position(|byte| *byte == b'\n');
    let window = source.get(from..to + rest.unwrap_or(source.len() - to))?;
    let found = schedule_at(&parse(window), (start - from) as u32, target)?;
    Some(found.to_string())
}
