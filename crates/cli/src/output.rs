//! Human-readable output: diagnostics with their source lines, which are colored only on a terminal.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use clap::ColorChoice;
use serde::Serialize;
use std::io::{self, BufWriter, IsTerminal, Read, StdoutLock, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use warpgrid_view::counted;
use warpgrid_view::model::{DiagnosticView, LabelView, Severity, SourceRange};

/// Returns the bytes of a file, or of standard input for `-`. The error message contains the path of the file.
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(|error| about(path, error))
}

/// Adds the path of a file to the message of an error.
pub(crate) fn about(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Reads a source file, or standard input for `-`. Replaces invalid UTF-8, because a comment in another encoding is not an error of the
/// program. UTF-16 is an error, because the whole text would be invalid.
pub(crate) fn read_source(path: &Path) -> io::Result<String> {
    text_of(path, read_bytes(path)?)
}

/// Converts the bytes of a file to text, with the same treatment of encodings as [`read_source`].
pub(crate) fn text_of(path: &Path, bytes: Vec<u8>) -> io::Result<String> {
    if let Some(what) = no_text(&bytes) {
        return Err(unreadable(
            path,
            &format!("{what}: convert the file to UTF-8"),
        ));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Reads a file that will be overwritten. The file must be valid UTF-8, so that no byte is lost.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_bytes(path)?;
    let refused = |what: &str| unreadable(path, &format!("{what}, so the file is unchanged"));
    if let Some(what) = no_text(&bytes) {
        return Err(refused(what));
    }
    String::from_utf8(bytes).map_err(|_| refused("the file is not UTF-8 text"))
}

/// Returns the reason why bytes are not text in a supported encoding, or `None` if they are. Text with a UTF-16 byte-order mark, and text
/// with NUL bytes (such as UTF-16 without a byte-order mark), is not supported.
fn no_text(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Some("the file is UTF-16 text");
    }
    bytes
        .contains(&0)
        .then_some("the file is not a text file, because it contains NUL bytes")
}

/// Removes the UTF-8 byte-order mark, which some editors insert.
pub(crate) fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

/// Checks whether two paths refer to the same existing file, directly or through a link.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let (Ok(a), Ok(b)) = (std::fs::metadata(a), std::fs::metadata(b)) {
            return (a.dev(), a.ino()) == (b.dev(), b.ino());
        }
    }
    let paths = [a, b].map(std::fs::canonicalize);
    matches!(paths, [Ok(a), Ok(b)] if a == b)
}

fn unreadable(path: &Path, reason: &str) -> io::Error {
    about(path, io::Error::new(io::ErrorKind::InvalidData, reason))
}

/// Standard output. If the reader has closed the pipe (`warpgrid … | head`), further output is discarded, so that the command completes and
/// its exit status is valid.
#[derive(Debug)]
pub(crate) struct Output<W: Write> {
    inner: Option<W>,
}

/// Returns buffered standard output.
pub(crate) fn stdout() -> Output<BufWriter<StdoutLock<'static>>> {
    Output {
        inner: Some(BufWriter::with_capacity(1 << 16, io::stdout().lock())),
    }
}

impl<W: Write> Output<W> {
    /// Checks whether the reader has closed the pipe.
    pub(crate) fn is_closed(&self) -> bool {
        self.inner.is_none()
    }

    fn unless_closed<T>(
        &mut self,
        dropped: T,
        write: impl FnOnce(&mut W) -> io::Result<T>,
    ) -> io::Result<T> {
        let Some(inner) = &mut self.inner else {
            return Ok(dropped);
        };
        match write(inner) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.inner = None;
                Ok(dropped)
            }
            done => done,
        }
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), Write::flush)
    }
}

/// Writes one line to standard error.
pub(crate) fn print_error(message: &str) {
    // A failure to write to standard error cannot be reported, so it is ignored.
    let _ = writeln!(io::stderr(), "warpgrid: {message}");
}

/// Formats the numbers of files by result: `3 files: 2 accepted, 1 rejected`.
pub(crate) fn file_totals(counts: &[(usize, &str)]) -> String {
    let n_files: usize = counts.iter().map(|(n, _)| n).sum();
    let counts = counts.iter().filter(|(n, _)| *n > 0);
    let counts: Vec<String> = counts.map(|(n, name)| format!("{n} {name}")).collect();
    format!("{}: {}", counted(n_files, "file"), counts.join(", "))
}

/// Reports that a command cannot produce its result: writes the message to standard error and, if the output is JSON, an object with the
/// message to standard output.
pub(crate) fn report_error(is_json: bool, message: &str) -> io::Result<()> {
    print_error(message);
    match is_json {
        true => print_json(&FailureReport {
            ok: false,
            error: message,
        }),
        false => Ok(()),
    }
}

/// Writes a report to standard output as one line of JSON.
pub(crate) fn print_json(report: &impl Serialize) -> io::Result<()> {
    let mut out = stdout();
    serde_json::to_writer(&mut out, report)?;
    writeln!(out)?;
    out.flush()
}

/// JSON report of a command that has no result.
#[derive(Serialize)]
struct FailureReport<'a> {
    ok: bool,
    error: &'a str,
}

/// Value of `--color`.
static COLOUR: OnceLock<ColorChoice> = OnceLock::new();

/// Sets the color choice of the whole command.
pub(crate) fn set_colour(choice: ColorChoice) {
    // This function is called only once, so the color choice has not been set.
    let _ = COLOUR.set(choice);
}

/// Returns the renderer of source snippets: `--color` determines whether the output is colored. By default, the output is colored only on a
/// terminal.
pub(crate) fn renderer() -> Renderer {
    let is_styled = match COLOUR.get() {
        Some(ColorChoice::Always) => true,
        Some(ColorChoice::Never) => false,
        Some(ColorChoice::Auto) | None => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
        }
    };
    match is_styled {
        true => Renderer::styled(),
        false => Renderer::plain(),
    }
}

/// JSON report that consists of the field `ok`, followed by the fields of the report.
#[derive(Serialize)]
pub(crate) struct JsonReport<'a, T> {
    pub(crate) ok: bool,
    #[serde(flatten)]
    pub(crate) report: &'a T,
}

/// Source with its name and line index.
pub(crate) struct NamedSource<'a> {
    path: &'a str,
    text: &'a str,
    lines: LineStarts,
}

impl<'a> NamedSource<'a> {
    pub(crate) fn new(path: &'a str, text: &'a str) -> NamedSource<'a> {
        NamedSource {
            path,
            text,
            lines: LineStarts::new(text),
        }
    }
}

/// Formats a diagnostic with its source lines.
pub(crate) fn render(
    source: &NamedSource<'_>,
    diagnostic: &DiagnosticView,
    renderer: &Renderer,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::NOTE.with_name("information"),
    };
    let (path, lines, source) = (source.path, &source.lines, source.text);
    // The renderer receives only the lines around the labels, so that its cost does not depend on the size of the source.
    let places = || {
        std::iter::once(diagnostic.range()).chain(diagnostic.labels.iter().map(LabelView::range))
    };
    let first = places().map(|range| range.line).min().unwrap_or(1);
    let last = places().map(|range| range.end_line).max().unwrap_or(1);
    let window = lines.start(first)..lines.end(last);
    let text = source.get(window.clone()).unwrap_or("");
    let inside = |range: &SourceRange| {
        let bytes = lines.bytes(source, range);
        bytes.start.saturating_sub(window.start).min(text.len())
            ..bytes.end.saturating_sub(window.start).min(text.len())
    };
    let snippet = Snippet::source(text)
        .line_start(first as usize)
        .path(path)
        .annotation(AnnotationKind::Primary.span(inside(&diagnostic.range())))
        .annotations(diagnostic.labels.iter().map(|label| {
            AnnotationKind::Context
                .span(inside(&label.range()))
                .label(label.text.as_str())
        }));
    let mut group = Group::with_title(
        level
            .primary_title(diagnostic.message.as_str())
            .id(diagnostic.code.as_str()),
    )
    .element(snippet);
    for text in diagnostic.help.iter().chain(&diagnostic.needs) {
        group = group.element(Level::HELP.message(text.as_str()));
    }
    for fix in diagnostic.fixes() {
        group = group.element(Level::HELP.with_name("fix").message(fix.title.as_str()));
    }
    renderer.render(&[group])
}

/// Byte offsets of the lines of a source.
struct LineStarts {
    starts: Vec<usize>,
    len: usize,
}

impl LineStarts {
    fn new(source: &str) -> LineStarts {
        let mut starts = vec![0];
        starts.extend(
            source
                .bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| at + 1),
        );
        LineStarts {
            starts,
            len: source.len(),
        }
    }

    fn start(&self, line: u32) -> usize {
        self.starts
            .get((line as usize).saturating_sub(1))
            .copied()
            .unwrap_or(self.len)
    }

    fn end(&self, line: u32) -> usize {
        self.starts.get(line as usize).copied().unwrap_or(self.len)
    }

    fn bytes(&self, source: &str, range: &SourceRange) -> Range<usize> {
        let start = self.offset(source, range.line, range.column);
        start
            ..self
                .offset(source, range.end_line, range.end_column)
                .max(start)
    }

    /// Converts a column, which counts UTF-16 units from 1, to a byte offset.
    fn offset(&self, source: &str, line: u32, column: u32) -> usize {
        let start = self.start(line);
        let text = source.get(start..self.end(line)).unwrap_or("");
        let mut units = 1;
        for (at, character) in text.char_indices() {
            if units >= column {
                return start + at;
            }
            units += character.len_utf16() as u32;
        }
        start + text.len()
    }
}

/// Progress line on standard error, which each update overwrites. The line is shown only if standard error is a terminal.
pub(crate) struct Progress {
    is_shown: bool,
    last: Instant,
    width: usize,
}

impl Progress {
    /// Update interval of the progress line.
    const EVERY: Duration = Duration::from_millis(200);

    pub(crate) fn new() -> Progress {
        Progress {
            is_shown: io::stderr().is_terminal(),
            last: Instant::now(),
            width: 0,
        }
    }

    pub(crate) fn say(&mut self, line: impl Fn() -> String) {
        if self.is_shown && self.last.elapsed() >= Progress::EVERY {
            self.last = Instant::now();
            self.write(&line());
        }
    }

    fn write(&mut self, line: &str) {
        // A failure to write the progress line does not affect the result, so the error is ignored.
        let _ = write!(io::stderr(), "\r{line:<width$}", width = self.width);
        self.width = line.len();
    }

    pub(crate) fn clear(&mut self) {
        if self.width > 0 {
            self.write("");
            let _ = write!(io::stderr(), "\r");
        }
    }
}
