//! `warpgrid check --batch`: JSON Lines in, JSON Lines out, in order, streaming.

use crate::Outcome;
use crate::check::Verdict;
use serde::Deserialize;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use warpgrid_view::catalogue::not_a_request;
use warpgrid_view::{CheckOptions, Front};

/// One request line.
#[derive(Debug, Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    source: Cow<'a, str>,
    #[serde(default)]
    front: Option<Front>,
    #[serde(default, borrow)]
    target: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    ptx_version: Option<Cow<'a, str>>,
}

/// Answers every line. A line that is no request is answered with the code `W0900` and its number as id.
pub(crate) fn batch(
    options: &CheckOptions,
    input: impl Read,
    output: impl Write,
) -> io::Result<Outcome> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut output = BufWriter::with_capacity(1 << 16, output);
    let mut outcome = Outcome::Well;
    let mut line = Vec::new();
    let mut number = 0u64;
    while {
        line.clear();
        input.read_until(b'\n', &mut line)?
    } > 0
    {
        number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Request<'_>>(&line) {
            Ok(request) => {
                let options = CheckOptions {
                    front: request.front.unwrap_or(options.front),
                    target: request
                        .target
                        .as_deref()
                        .map(str::to_owned)
                        .or_else(|| options.target.clone()),
                    ptx_version: request
                        .ptx_version
                        .as_deref()
                        .map(str::to_owned)
                        .or_else(|| options.ptx_version.clone()),
                };
                let report = warpgrid_view::check(&request.source, &options);
                serde_json::to_writer(&mut output, &Verdict::new(&request.id, &report))?;
                outcome = outcome.and(if report.accept {
                    Outcome::Well
                } else {
                    Outcome::Wrong
                });
            }
            Err(error) => {
                outcome = Outcome::Usage;
                let diagnostics = [not_a_request(number, &error.to_string())];
                let answer = Verdict {
                    id: &number.to_string(),
                    accept: false,
                    diagnostics: &diagnostics,
                };
                serde_json::to_writer(&mut output, &answer)?;
            }
        }
        output.write_all(b"\n")?;
        // A caller that writes line by line gets each answer at once; a piped file is not slowed by flushes.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    output.flush()?;
    Ok(outcome)
}
