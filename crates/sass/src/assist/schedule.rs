//! Scheduling information decoded from the encodings in the surrounding lines.

use crate::listing::schedule_at;
use crate::syntax::parse;
use warpgrid_isa::Target;
use warpgrid_program::Span;

/// Number of bytes before an instruction that may contain the control word of its group, and after it that may contain its encoding.
const BEFORE: usize = 2_000;
const AFTER: usize = 400;

/// Describes the scheduling of a statement.
pub(crate) fn schedule(source: &str, statement: Span, target: &Target) -> Option<String> {
    let start = statement.start as usize;
    let from = start.saturating_sub(BEFORE);
    let bytes = source.as_bytes();
    // Start at a complete line, since the first one may be truncated.
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
