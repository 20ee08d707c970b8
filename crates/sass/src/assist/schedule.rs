//! What the encodings beside an instruction say of its scheduling, from the few lines around it.

use crate::listing::schedule_at;
use crate::syntax::parse;
use warpgrid_isa::Target;
use warpgrid_program::Span;

/// Bytes before an instruction that may have the word of its group, and after it those that may have its own encoding.
const BEFORE: usize = 2_000;
const AFTER: usize = 400;

/// The scheduling of the statement at a place, in words.
pub(crate) fn schedule(source: &str, statement: Span, target: &Target) -> Option<String> {
    let start = statement.start as usize;
    let from = start.saturating_sub(BEFORE);
    let bytes = source.as_bytes();
    // Whole lines: the first one may be cut.
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
