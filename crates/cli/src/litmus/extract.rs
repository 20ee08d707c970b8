//! Extraction of a litmus test from lines of a kernel.

use super::LitmusArguments;
use crate::output::report_error;
use crate::{ExitKind, OutputFormat, run};
use std::io;
use warpgrid_view::Session;
use warpgrid_view::memory_model::litmus::{ExtractionRequest, ExtractionThread, LitmusTest};

/// Extracted test, or the exit status of the command if the extraction fails.
pub(super) type ExtractError = Result<LitmusTest, ExitKind>;

/// Runs the kernel of the file to the selected lines, and extracts a litmus test.
pub(super) fn cut(arguments: &LitmusArguments, lines: [u32; 2]) -> io::Result<ExtractError> {
    let is_json = arguments.format == OutputFormat::Json;
    let mut scenario = match run::load_shared(&arguments.file) {
        Ok(shared) => shared.into_scenario(),
        Err(reason) => {
            report_error(is_json, &reason)?;
            return Ok(Err(ExitKind::UsageError));
        }
    };
    scenario.seed = arguments.seed.or(scenario.seed);
    let source = scenario.source.clone();
    let name = arguments.file.display().to_string();
    let mut session = match Session::new_without_last_writers(scenario) {
        Ok(session) => session,
        Err(error) => {
            return Ok(Err(run::report_failure(
                arguments.format,
                &name,
                &source,
                &error,
            )?));
        }
    };
    let request = ExtractionRequest {
        lines,
        threads: arguments.threads.clone(),
        before: arguments.before_step,
    };
    match session.litmus_test(&request, arguments.max_steps) {
        Ok(test) => Ok(Ok(test)),
        Err(error) => {
            report_error(is_json, &format!("{name}: {error}"))?;
            Ok(Err(ExitKind::Failure))
        }
    }
}

/// Parses a line range such as `12-30`, or a single line such as `12`.
pub(super) fn read_lines(text: &str) -> Result<[u32; 2], String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if 0 < first && first <= last => Ok([first, last]),
        _ => Err(format!(
            "found the line range `{text}`, expected a range such as `12-30` (the first line is 1)"
        )),
    }
}

/// Parses a thread. For example, `1:0` denotes thread 0 of block 1. Coordinates have the notation `1x2:3x0x0`.
pub(super) fn read_thread(text: &str) -> Result<ExtractionThread, String> {
    let wrong =
        || format!("found the thread `{text}`, expected a block and a thread such as `1:0`");
    let (block, thread) = text.split_once(':').ok_or_else(wrong)?;
    let position = |text: &str| {
        let mut at = [0; 3];
        let mut places = at.iter_mut();
        for part in text.split('x') {
            *places.next()? = part.trim().parse().ok()?;
        }
        Some(at)
    };
    match (position(block), position(thread)) {
        (Some(block), Some(thread)) => Ok(ExtractionThread {
            block,
            thread,
            line: None,
        }),
        _ => Err(wrong()),
    }
}
