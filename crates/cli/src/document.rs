//! PTX and SASS in documents. This module extracts the blocks of a Markdown or reStructuredText file, maps the diagnostics of a block to
//! positions in the document, and formats blocks in place.

mod html_elements;
mod info_string;
mod line_index;
mod markdown;
mod restructured_text;

use std::ops::Range;
use std::path::Path;
use warpgrid_view::SourceLanguage;
use warpgrid_view::model::{DiagnosticView, EditView, LabelView};

/// Markup language of a document with code blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    Markdown,
    ReStructuredText,
}

impl Markup {
    /// Returns the markup language that the file extension specifies, or `None` for files that contain only a program.
    pub(crate) fn of_file(path: &Path) -> Option<Markup> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "md" | "mdx" | "markdown" => Some(Markup::Markdown),
            "rst" => Some(Markup::ReStructuredText),
            _ => None,
        }
    }

    /// Returns the PTX and SASS blocks of a document in document order.
    pub(crate) fn blocks(self, document: &str) -> Vec<CodeBlock> {
        let mut blocks = match self {
            Markup::Markdown => markdown::blocks(document),
            Markup::ReStructuredText => restructured_text::blocks(document),
        };
        // An unterminated element extends to the end of the document, so blocks within the element are not separate blocks.
        let mut end = 0;
        blocks.retain(|block| {
            let is_apart = block.range.start >= end;
            end = end.max(block.range.end);
            is_apart
        });
        blocks
    }

    /// Returns the document with each block formatted and all other bytes unchanged. The error message identifies the block that cannot be
    /// formatted.
    pub(crate) fn formatted(self, document: &str) -> Result<String, String> {
        let blocks = self.blocks(document);
        let first_end = document.find('\n').unwrap_or(0);
        let end = match document[..first_end].ends_with('\r') {
            true => "\r\n",
            false => "\n",
        };
        let mut text = String::with_capacity(document.len());
        let mut at = 0;
        let mut expected = Vec::new();
        for block in &blocks {
            let formatted = block.formatted(end);
            if let Some(FormattedBlock { written, .. }) = &formatted {
                text += &document[at..block.range.start];
                text += written;
                at = block.range.end;
            }
            expected.push(formatted.map_or_else(|| block.source.clone(), |it| it.source));
        }
        text += &document[at..];
        // In the formatted document, a block could end at a different position, so the result is parsed again to verify that all blocks are
        // preserved.
        let found = self.blocks(&text);
        let is_same = |index: usize| {
            let found = found.get(index).map(|block| block.source.trim_end());
            found == expected.get(index).map(|source| source.trim_end())
        };
        match (0..found.len().max(blocks.len())).find(|index| !is_same(*index)) {
            None => Ok(text),
            Some(index) => Err(
                match blocks.get(index).and_then(|block| block.lines.first()) {
                    Some(start) => {
                        format!(
                            "cannot format the code block at line {} in place",
                            start.line
                        )
                    }
                    None => "cannot format the code blocks of the document in place".to_owned(),
                },
            ),
        }
    }
}

/// Block of PTX or SASS in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CodeBlock {
    pub(crate) source: String,
    pub(crate) front: SourceLanguage,
    /// Target that the options of the block specify.
    pub(crate) target: Option<String>,
    /// PTX ISA version that the options of the block specify.
    pub(crate) ptx_version: Option<String>,
    /// Start in the document of each line of the source.
    lines: Vec<LineStart>,
    /// Byte range of the source in the document, from the first character after the first prefix to the end of the last line.
    range: Range<usize>,
    /// Whether the document contains character references such as `&lt;` in place of `<`.
    is_escaped: bool,
    /// Whether the common indentation of all lines is not part of the source.
    is_dedented: bool,
    /// Whether lines such as `:view: grid` at the start of the block are options.
    has_options: bool,
    /// Diagnostics about the options of the block.
    words: Vec<DiagnosticView>,
}

/// Start of a line of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct LineStart {
    /// Line of the document, starting at 1.
    line: u32,
    /// Text of the document before the source line, such as indentation or block quote markers.
    prefix: String,
    /// Column of each character that the document contains as a character reference, and the number of additional characters of the
    /// reference.
    entities: Vec<(u32, u32)>,
}

impl CodeBlock {
    /// Adds a line (without its line ending) that follows `prefix` in line `line` of the document and starts at byte `at` of the document,
    /// or continues the last line of the block with it.
    fn push(&mut self, line: u32, prefix: &str, text: &str, at: usize) {
        let end = at + text.len();
        if self.lines.last().is_some_and(|last| last.line == line) {
            self.source.pop();
            self.source.push_str(text);
            self.source.push('\n');
            // The Markdown parser may report the line ending as a separate event.
            if !text.is_empty() {
                self.range.end = end;
            }
            return;
        }
        self.source.push_str(text);
        self.source.push('\n');
        let start = if self.lines.is_empty() {
            at
        } else {
            self.range.start
        };
        self.range = start..end;
        let prefix = prefix.to_owned();
        self.lines.push(LineStart {
            line,
            prefix,
            entities: Vec::new(),
        });
    }

    /// Adds the lines of a directive or an element without their common indentation. Each line has its number and the byte offset of its
    /// start.
    fn push_dedented(&mut self, lines: &[(u32, &str, usize)]) {
        self.is_dedented = true;
        let margin = margin(lines.iter().map(|(_, line, _)| *line));
        for (number, line, at) in lines {
            let (prefix, text) = line.split_at_checked(margin).unwrap_or((line, ""));
            self.push(*number, prefix, text, at + prefix.len());
        }
    }

    /// Returns the formatted source in the notation of the document with line endings `end`, or `None` if formatting changes nothing.
    fn formatted(&self, end: &str) -> Option<FormattedBlock> {
        if warpgrid_view::understanding(&self.source).n_parsed == 0 {
            return None;
        }
        let text = warpgrid_view::format(&self.source);
        let lines: Vec<&str> = text.trim_end_matches('\n').split('\n').collect();
        let margin = match self.is_dedented {
            true => margin(lines.iter().copied()),
            false => 0,
        };
        let lines = lines.iter().map(|line| line.get(margin..).unwrap_or(""));
        let source: String = lines.clone().map(|line| format!("{line}\n")).collect();
        if source.trim_end() == self.source.trim_end() {
            return None;
        }
        let mut written = String::new();
        for (index, line) in lines.enumerate() {
            if index > 0 {
                let prefix = self.prefix(index);
                let is_empty = line.is_empty();
                written += end;
                written += if is_empty { prefix.trim_end() } else { prefix };
            }
            match self.is_escaped {
                true => written += &line.replace('&', "&amp;").replace('<', "&lt;"),
                false => written += line,
            }
        }
        Some(FormattedBlock { source, written })
    }

    /// Returns the prefix of line `index` of the source, which must not be the first line. For an empty line or an added line, returns the
    /// prefix of another line.
    fn prefix(&self, index: usize) -> &str {
        let filled = |(_, line): &(&LineStart, &str)| !line.is_empty();
        let mut lines = self.lines.iter().zip(self.source.lines());
        let own = lines.clone().nth(index).filter(filled);
        let other = || lines.by_ref().skip(1).find(filled);
        if let Some((start, _)) = own.or_else(other) {
            return &start.prefix;
        }
        let first = self.lines.first().map_or("", |first| &first.prefix);
        let is_margin = |c: char| matches!(c, ' ' | '\t' | '>');
        let end = first.find(|c| !is_margin(c)).unwrap_or(first.len());
        &first[..end]
    }

    /// Returns the diagnostics about the options, with positions in the document.
    pub(crate) fn words(&self) -> &[DiagnosticView] {
        &self.words
    }

    /// Maps a diagnostic of the block to the document.
    pub(crate) fn place(&self, mut diagnostic: DiagnosticView) -> DiagnosticView {
        self.shift(&mut diagnostic.line, &mut diagnostic.column);
        self.shift(&mut diagnostic.end_line, &mut diagnostic.end_column);
        for label in &mut diagnostic.labels {
            let LabelView {
                line,
                column,
                end_line,
                end_column,
                text: _,
            } = label;
            self.shift(line, column);
            self.shift(end_line, end_column);
        }
        let fixes = diagnostic.fix.iter_mut().chain(&mut diagnostic.other_fixes);
        for edit in fixes.flat_map(|fix| &mut fix.edits) {
            let EditView {
                line,
                column,
                end_line,
                end_column,
                text,
            } = edit;
            // Lines that the edit adds receive the prefix of the line in which the edit starts.
            let added = format!("\n{}", self.start(*line).prefix);
            *text = text.replace('\n', &added);
            self.shift(line, column);
            self.shift(end_line, end_column);
        }
        diagnostic
    }

    /// Maps a position in the block to the document. The first column of the line after the last line of the block is mapped to the end of
    /// the block.
    fn shift(&self, line: &mut u32, column: &mut u32) {
        let start = self.start(*line);
        let before = start.entities.iter().filter(|(at, _)| at < column);
        let longer: u32 = before.map(|(_, longer)| longer).sum();
        *line = start.line;
        *column += start.prefix.encode_utf16().count() as u32 + longer;
    }

    fn start(&self, line: u32) -> LineStart {
        let index = line.saturating_sub(1) as usize;
        let after = |last: &LineStart| LineStart {
            line: last.line + 1,
            ..LineStart::default()
        };
        let found = self.lines.get(index).cloned();
        found
            .or_else(|| self.lines.last().map(after))
            .unwrap_or_default()
    }
}

/// Formatted block.
struct FormattedBlock {
    /// Formatted source of the block, without the prefixes of its lines.
    source: String,
    /// Text that replaces the block in the document.
    written: String,
}

/// Returns the common indentation of all nonblank lines in bytes.
fn margin<'a>(lines: impl Iterator<Item = &'a str>) -> usize {
    let filled = lines.filter(|line| !line.trim().is_empty());
    filled.map(indent).min().unwrap_or(0)
}

/// Returns the indentation of a line in bytes.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Returns the lines of a text without line endings. Each line has its number and the byte offset of its start.
fn numbered(text: &str) -> Vec<(u32, &str, usize)> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').zip(1..);
    let placed = lines.map(|(line, number)| {
        let start = at;
        at += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        (number, line.strip_suffix('\r').unwrap_or(line), start)
    });
    placed.collect()
}

/// Formats the blocks for tests: the options of each block, followed by its lines with their positions in the document.
#[cfg(test)]
fn list(blocks: &[CodeBlock]) -> String {
    let mut text = String::new();
    for block in blocks {
        let (front, target, version) = (block.front, &block.target, &block.ptx_version);
        text += &format!("{front:?}, target {target:?}, version {version:?}\n");
        for DiagnosticView {
            line,
            column,
            message,
            ..
        } in &block.words
        {
            text += &format!("  {line}:{column}: {message}\n");
        }
        for (start, line) in block.lines.iter().zip(block.source.lines()) {
            text += &format!("{}:{:?} {line}\n", start.line, start.prefix);
        }
    }
    text
}
