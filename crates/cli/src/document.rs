//! Documents with PTX in them: the text of a Markdown or reStructuredText file goes in; its blocks of PTX come out, and what
//! is said of a block is moved to where it is in the document.

mod markdown;
mod restructured;

use std::path::Path;
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
        match self {
            Markup::Markdown => markdown::blocks(document),
            Markup::ReStructuredText => restructured::blocks(document),
        }
    }
}

/// A block of PTX in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) source: String,
    /// The target that the block names beside its language.
    pub(crate) target: Option<String>,
    /// The PTX ISA version that it names so.
    pub(crate) ptx_version: Option<String>,
    /// For each line of the source, where it begins in the document.
    lines: Vec<Start>,
}

/// Where a line of a block begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Start {
    /// Line of the document, from 1.
    line: u32,
    /// What the document has before the line: blanks, marks of quotations.
    prefix: String,
}

impl Block {
    /// Adds a line (without its end) that follows `prefix` in line `line` of the document, or more of the last line.
    fn push(&mut self, line: u32, prefix: &str, text: &str) {
        if self.lines.last().is_some_and(|last| last.line == line) {
            self.source.pop();
            self.source.push_str(text);
            self.source.push('\n');
            return;
        }
        self.source.push_str(text);
        self.source.push('\n');
        let prefix = prefix.to_owned();
        self.lines.push(Start { line, prefix });
    }

    /// Reads one fact that a block states beside its language.
    fn state(&mut self, key: &str, value: &str) {
        let value = Some(value.trim_matches(['"', '\'']).to_owned());
        match key {
            "target" => self.target = value,
            "version" => self.ptx_version = value,
            // Others are about how the block is shown.
            _ => {}
        }
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
        *line = start.line;
        *column += start.prefix.encode_utf16().count() as u32;
    }

    fn start(&self, line: u32) -> Start {
        let index = line.saturating_sub(1) as usize;
        let after = |last: &Start| Start {
            line: last.line + 1,
            prefix: String::new(),
        };
        let found = self.lines.get(index).cloned();
        found
            .or_else(|| self.lines.last().map(after))
            .unwrap_or_default()
    }
}

/// The lines of a text without their ends, each with its number.
fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index as u32 + 1, line))
}

/// The blocks as tests compare them: what each states, then its lines with the place of each in the document.
#[cfg(test)]
fn list(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        let (target, version) = (&block.target, &block.ptx_version);
        text += &format!("target {target:?}, version {version:?}\n");
        for (start, line) in block.lines.iter().zip(block.source.lines()) {
            text += &format!("{}:{:?} {line}\n", start.line, start.prefix);
        }
    }
    text
}
