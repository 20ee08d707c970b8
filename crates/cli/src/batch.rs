//! `warpgrid check --batch`: reads requests as JSON Lines from standard input, and writes one result per request in the same order.

use crate::ExitKind;
use crate::check::{CheckVerdict, Id};
use crate::output::Output;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read, Write};
use warpgrid_view::diagnostics::{ignored_field, not_a_request};
use warpgrid_view::{CheckOptions, SourceLanguage};

/// Request in one line of a batch.
#[derive(Debug, Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Id<'a>,
    #[serde(borrow)]
    source: Cow<'a, str>,
    #[serde(default)]
    front: Option<SourceLanguage>,
    #[serde(default, borrow)]
    target: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    ptx_version: Option<Cow<'a, str>>,
}

/// Struct with the same fields as [`Request`]. Deserialization of this struct rejects unknown fields, and its error message contains the
/// first unknown field.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    dead_code,
    reason = "serde uses the fields only to reject unknown fields"
)]
struct StrictRequest {
    id: IgnoredAny,
    source: IgnoredAny,
    front: Option<IgnoredAny>,
    target: Option<IgnoredAny>,
    ptx_version: Option<IgnoredAny>,
}

impl Request<'_> {
    /// Returns the options of the request. Options that the request does not specify have the values from the command line.
    fn options(&self, command: &CheckOptions) -> CheckOptions {
        let or = |own: &Option<Cow<'_, str>>, default: &Option<String>| {
            own.as_deref()
                .map(str::to_owned)
                .or_else(|| default.clone())
        };
        CheckOptions {
            language: self.front.unwrap_or(command.language),
            target: or(&self.target, &command.target),
            ptx_version: or(&self.ptx_version, &command.ptx_version),
        }
    }
}

/// Returns a message about the first unknown field of a request, if any. The message also lists the known fields.
fn unknown_field(line: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<StrictRequest>(line)
        .err()?
        .to_string();
    let (message, _place) = error.rsplit_once(" at line ")?;
    Some(message.to_owned())
}

/// Part of an invalid request line that can still be parsed.
#[derive(Debug, Deserialize)]
struct PartialRequest<'a> {
    #[serde(borrow)]
    id: Id<'a>,
}

/// Writes a result for every line of the input. The result of an invalid request has the code `W0900`, the line number, and the ID of the
/// request if the ID can be parsed. The result of a request with an unknown field contains an additional warning with the same code.
pub(crate) fn batch(
    options: &CheckOptions,
    input: impl Read,
    mut output: Output<impl Write>,
) -> io::Result<ExitKind> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut outcome = ExitKind::Success;
    let mut line = Vec::new();
    let mut number = 0u64;
    while {
        line.clear();
        input.read_until(b'\n', &mut line)?
    } > 0
        && !output.is_closed()
    {
        number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Request<'_>>(&line) {
            Ok(request) => {
                let options = request.options(options);
                let mut report = warpgrid_view::check(&request.source, &options);
                let unknown = unknown_field(&line);
                let ignored = unknown.map(|reason| ignored_field(number, &reason));
                report.diagnostics.extend(ignored);
                serde_json::to_writer(&mut output, &CheckVerdict::new(request.id, &report))?;
                outcome = outcome.and(if report.accept {
                    ExitKind::Success
                } else {
                    ExitKind::Failure
                });
            }
            Err(error) => {
                outcome = ExitKind::UsageError;
                let diagnostics = [not_a_request(number, &error.to_string())];
                let named = serde_json::from_slice::<PartialRequest<'_>>(&line);
                let id = named.map_or(Id::Unknown(()), |named| named.id);
                let answer = CheckVerdict::unreadable(id, &diagnostics);
                serde_json::to_writer(&mut output, &answer)?;
            }
        }
        output.write_all(b"\n")?;
        // Flush the output if no further input is buffered, so that a caller that writes line by line receives each result immediately. A
        // piped file fills the input buffer, so its results are not flushed line by line.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    output.flush()?;
    Ok(outcome)
}
