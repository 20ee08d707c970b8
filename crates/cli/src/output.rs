//! Writing for people: diagnostics with their source lines, colours only on a terminal.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use clap::ColorChoice;
use serde::Serialize;
use std::io::{self, BufWriter, IsTerminal, Read, StdoutLock, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use warpgrid_view::model::{DiagnosticView, LabelView, Severity, SourceRange};

/// The bytes of a file, or of standard input for `-`. An error names the file.
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(|error| about(path, error))
}

/// The error with the path that it is about.
pub(crate) fn about(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Reads a file, or standard input for `-`. Bytes that are no UTF-8 are replaced, since a comment in another encoding is
/// no mistake of the program; UTF-16, in which every byte would be one, is an error.
pub(crate) fn read_source(path: &Path) -> io::Result<String> {
    text_of(path, read_bytes(path)?)
}

/// The text that bytes of a file are, as [`read_source`] reads it.
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

/// Reads a file that is going to be written again: only text whose every byte is known can be.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_bytes(path)?;
    let refused = |what: &str| unreadable(path, &format!("{what}, so the file is unchanged"));
    if let Some(what) = no_text(&bytes) {
        return Err(refused(what));
    }
    String::from_utf8(bytes).map_err(|_| refused("the file is not UTF-8 text"))
}

/// Why bytes are no text that a language here is written in: they begin with the byte order mark of UTF-16, or have a NUL byte, as
/// UTF-16 without a mark does.
fn no_text(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Some("the file is UTF-16 text");
    }
    bytes
        .contains(&0)
        .then_some("the file is not a text file, because it contains NUL bytes")
}

/// A text without the byte order mark that some editors begin UTF-8 with.
pub(crate) fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

/// Whether two paths lead to one file that exists, also through a link.
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

fn unreadable(path: &Path, why: &str) -> io::Error {
    about(path, io::Error::new(io::ErrorKind::InvalidData, why))
}

/// Standard output. When its reader has gone (`warpgrid … | head`), the rest is dropped: a verdict is still reached, and the
/// exit status says it.
#[derive(Debug)]
pub(crate) struct Output<W: Write> {
    inner: Option<W>,
}

/// Standard output, written in blocks.
pub(crate) fn stdout() -> Output<BufWriter<StdoutLock<'static>>> {
    Output {
        inner: Some(BufWriter::with_capacity(1 << 16, io::stdout().lock())),
    }
}

impl<W: Write> Output<W> {
    /// Whether the reader has gone.
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

/// One line on standard error.
pub(crate) fn complain(message: &str) {
    // Nothing is left to do when standard error itself is closed.
    let _ = writeln!(io::stderr(), "warpgrid: {message}");
}

/// What `--color` says.
static COLOUR: OnceLock<ColorChoice> = OnceLock::new();

/// Decides for the whole command whether output has colours.
pub(crate) fn set_colour(choice: ColorChoice) {
    // It is called once.
    let _ = COLOUR.set(choice);
}

/// How snippets are drawn: as `--color` says, or in colour on a terminal and plain elsewhere.
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

/// A report for machines, with `ok` before its own fields: whether all is well.
#[derive(Serialize)]
pub(crate) struct Answer<'a, T> {
    pub(crate) ok: bool,
    #[serde(flatten)]
    pub(crate) report: &'a T,
}

/// A source with its name, ready to be shown in parts.
pub(crate) struct Source<'a> {
    path: &'a str,
    text: &'a str,
    lines: Lines,
}

impl<'a> Source<'a> {
    pub(crate) fn new(path: &'a str, text: &'a str) -> Source<'a> {
        Source {
            path,
            text,
            lines: Lines::new(text),
        }
    }
}

/// A diagnostic with its source lines, ready to print.
pub(crate) fn render(
    source: &Source<'_>,
    diagnostic: &DiagnosticView,
    renderer: &Renderer,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::NOTE.with_name("information"),
    };
    let (path, lines, source) = (source.path, &source.lines, source.text);
    // Only the lines around the places are handed over, so that a huge source costs nothing.
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
struct Lines {
    starts: Vec<usize>,
    len: usize,
}

impl Lines {
    fn new(source: &str) -> Lines {
        let mut starts = vec![0];
        starts.extend(
            source
                .bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| at + 1),
        );
        Lines {
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

    /// Columns count UTF-16 units from 1.
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
