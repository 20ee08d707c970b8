//! Documents with PTX in them: the text of a Markdown or reStructuredText file goes in; its blocks of PTX and machine code come
//! out, what is said of a block is moved to where it is in the document, and a block is formatted where it is.

mod elements;
mod markdown;
mod places;
mod restructured;
mod words;

use std::ops::Range;
use std::path::Path;
use warpgrid_view::Front;
use warpgrid_view::model::{DiagnosticView, EditView, LabelView};

/// What a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    Markdown,
    ReStructuredText,
}

impl Markup {
    /// By the ending of a file; absent for files that hold nothing but a program.
    pub(crate) fn of_file(path: &Path) -> Option<Markup> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "md" | "mdx" | "markdown" => Some(Markup::Markdown),
            "rst" => Some(Markup::ReStructuredText),
            _ => None,
        }
    }

    /// The blocks of PTX in a document, in order.
    pub(crate) fn blocks(self, document: &str) -> Vec<Block> {
        let mut blocks = match self {
            Markup::Markdown => markdown::blocks(document),
            Markup::ReStructuredText => restructured::blocks(document),
        };
        // An element that does not end has all that follows it: what it holds is no block of its own.
        let mut end = 0;
        blocks.retain(|block| {
            let is_apart = block.range.start >= end;
            end = end.max(block.range.end);
            is_apart
        });
        blocks
    }

    /// The document with each block formatted and every other byte as it is; an error says which block cannot be.
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
            if let Some(Formatted { written, .. }) = &formatted {
                text += &document[at..block.range.start];
                text += written;
                at = block.range.end;
            }
            expected.push(formatted.map_or_else(|| block.source.clone(), |it| it.source));
        }
        text += &document[at..];
        // A document has more to say about where a block ends than the block knows.
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

/// A block of PTX or machine code in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) source: String,
    pub(crate) front: Front,
    /// The target that the block names beside its language.
    pub(crate) target: Option<String>,
    /// The PTX ISA version that it names so.
    pub(crate) ptx_version: Option<String>,
    /// For each line of the source, where it begins in the document.
    lines: Vec<Start>,
    /// Where the text is in the document, in bytes: from the first character after the first prefix to the end of the last line.
    range: Range<usize>,
    /// Whether the document has `&lt;` where the text has `<`.
    is_escaped: bool,
    /// Whether blanks that every line begins with are no part of the text.
    is_dedented: bool,
    /// Whether lines `:view: grid` at its beginning are words, too.
    has_options: bool,
    /// What is wrong with the words beside the language.
    words: Vec<DiagnosticView>,
}

/// Where a line of a block begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Start {
    /// Line of the document, from 1.
    line: u32,
    /// What the document has before the line: blanks, marks of quotations.
    prefix: String,
    /// For each `&lt;` and its like, the column of the character that it means, and by how much it is longer.
    entities: Vec<(u32, u32)>,
}

impl Block {
    /// Adds a line (without its end) that follows `prefix` in line `line` of the document and begins at byte `at` of it, or more of
    /// the last line.
    fn push(&mut self, line: u32, prefix: &str, text: &str, at: usize) {
        let end = at + text.len();
        if self.lines.last().is_some_and(|last| last.line == line) {
            self.source.pop();
            self.source.push_str(text);
            self.source.push('\n');
            // The end of a line may come by itself.
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
        self.lines.push(Start {
            line,
            prefix,
            entities: Vec::new(),
        });
    }

    /// Takes the lines of a directive or an element, each with its number and the byte at which it begins, without the blanks that
    /// all of them begin with.
    fn push_dedented(&mut self, lines: &[(u32, &str, usize)]) {
        self.is_dedented = true;
        let margin = margin(lines.iter().map(|(_, line, _)| *line));
        for (number, line, at) in lines {
            let (prefix, text) = line.split_at_checked(margin).unwrap_or((line, ""));
            self.push(*number, prefix, text, at + prefix.len());
        }
    }

    /// The text formatted, as it is in a document whose lines end with `end`; `None` where that changes nothing.
    fn formatted(&self, end: &str) -> Option<Formatted> {
        if warpgrid_view::understanding(&self.source).n_understood == 0 {
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
        Some(Formatted { source, written })
    }

    /// What line `index` of the text, which is not the first, has before it: what another line has where it would be empty or a new one.
    fn prefix(&self, index: usize) -> &str {
        let filled = |(_, line): &(&Start, &str)| !line.is_empty();
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

    /// What is wrong with the words beside the language, in places of the document.
    pub(crate) fn words(&self) -> &[DiagnosticView] {
        &self.words
    }

    /// A diagnostic of the block, as one of the document.
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
            // Lines that the edit adds begin as the one that it starts in.
            let added = format!("\n{}", self.start(*line).prefix);
            *text = text.replace('\n', &added);
            self.shift(line, column);
            self.shift(end_line, end_column);
        }
        diagnostic
    }

    /// Moves a place of the block to the document. The first column of the line after the last is the end of the block.
    fn shift(&self, line: &mut u32, column: &mut u32) {
        let start = self.start(*line);
        let before = start.entities.iter().filter(|(at, _)| at < column);
        let longer: u32 = before.map(|(_, longer)| longer).sum();
        *line = start.line;
        *column += start.prefix.encode_utf16().count() as u32 + longer;
    }

    fn start(&self, line: u32) -> Start {
        let index = line.saturating_sub(1) as usize;
        let after = |last: &Start| Start {
            line: last.line + 1,
            ..Start::default()
        };
        let found = self.lines.get(index).cloned();
        found
            .or_else(|| self.lines.last().map(after))
            .unwrap_or_default()
    }
}

/// A block as it is written anew.
struct Formatted {
    /// The text.
    source: String,
    /// What takes the place of the old one in the document.
    written: String,
}

/// The blanks that every line begins with which has something else, in bytes.
fn margin<'a>(lines: impl Iterator<Item = &'a str>) -> usize {
    let filled = lines.filter(|line| !line.trim().is_empty());
    filled.map(indent).min().unwrap_or(0)
}

/// Blanks at the start of a line, in bytes.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The lines of a text without their ends, each with its number and the byte at which it begins.
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

/// The blocks as tests compare them: what each states, then its lines with the place of each in the document.
#[cfg(test)]
fn list(blocks: &[Block]) -> String {
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
