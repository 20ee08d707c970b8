//! `<warpgrid-playground>` elements in documents. The source of an element is extracted in the same way as in the widget.

use super::info_string::BlockAttribute;
use super::line_index::LineIndex;
use super::{CodeBlock, LineStart};
use std::ops::Range;
use warpgrid_view::SourceLanguage;
use warpgrid_view::diagnostics::interrupted_text;

const NAME: &str = "warpgrid-playground";

/// Returns the blocks of the elements whose tags are in the byte range `within` of a document. The end of an element may be after this
/// range.
pub(super) fn find(places: &LineIndex<'_>, within: Range<usize>) -> Vec<CodeBlock> {
    let document = places.document;
    let open = format!("<{NAME}");
    let mut blocks = Vec::new();
    let mut at = within.start;
    while let Some(start) = document
        .get(at..within.end)
        .and_then(|text| text.find(&open))
    {
        let after_name = at + start + open.len();
        at = after_name;
        let Some((words, inner)) = read_tag(document, after_name) else {
            continue;
        };
        let close = format!("</{NAME}");
        let end = document[inner..].find(&close);
        let end = end.map_or(document.len(), |length| inner + length);
        blocks.extend(read_element(places, &words, inner..end));
        at = end;
    }
    blocks
}

/// Returns the attributes of a tag and the offset of the byte after the tag, or `None` if the tag has a longer element name or is
/// unterminated.
fn read_tag(document: &str, after_name: usize) -> Option<(Vec<BlockAttribute<'_>>, usize)> {
    let rest = &document[after_name..];
    if !rest.starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/') {
        return None;
    }
    let mut quote = None;
    let end = rest.char_indices().find(|(_, c)| match (quote, c) {
        (Some(mark), c) if mark == *c => {
            quote = None;
            false
        }
        (None, '"' | '\'') => {
            quote = Some(*c);
            false
        }
        (quote, c) => quote.is_none() && *c == '>',
    });
    let (length, _) = end?;
    let words = super::info_string::split(rest[..length].trim_end_matches('/'), after_name);
    Some((words, after_name + length + 1))
}

/// Returns the block of an element whose content is the byte range `inner`, or `None` if the element refers to a source outside of the
/// document.
fn read_element(
    places: &LineIndex<'_>,
    words: &[BlockAttribute<'_>],
    inner: Range<usize>,
) -> Option<CodeBlock> {
    if words
        .iter()
        .any(|word| matches!(word.name, "src" | "recording"))
    {
        return None;
    }
    let document = places.document;
    let content = &document[inner.clone()];
    let program = ["text/ptx", "text/sass"]
        .iter()
        .find_map(|kind| script(content, kind));
    let (text, is_escaped, is_kept) = match (program, inside(content, "pre")) {
        (Some(text), _) => (text, false, true),
        (None, Some(text)) => (
            inside(&content[text.clone()], "code").map_or(text.clone(), |code| {
                text.start + code.start..text.start + code.end
            }),
            true,
            true,
        ),
        (None, None) => (0..content.len(), true, false),
    };
    let text = inner.start + text.start..inner.start + text.end;
    let source = &document[text.clone()];
    if source.trim().is_empty() || source.trim_start().starts_with('<') {
        return None;
    }
    let mut block = CodeBlock {
        front: SourceLanguage::of_source(source),
        ..CodeBlock::default()
    };
    let (first_line, first_begin) = places.line(text.start);
    let lines = super::numbered(source)
        .into_iter()
        .map(|(number, line, at)| (number + first_line - 1, line, text.start + at));
    let lines: Vec<(u32, &str, usize)> = lines.collect();
    let filled = |line: &(u32, &str, usize)| !line.1.trim().is_empty();
    let first = lines.iter().position(filled)?;
    let last = lines.iter().rposition(filled)?;
    let lines = &lines[first..=last];
    block.push_dedented(lines);
    // If the source starts on the line of the tag, the tag is part of the prefix of this line.
    if let Some(start) = block
        .lines
        .first_mut()
        .filter(|start| start.line == first_line)
    {
        start.prefix = document[first_begin..block.range.start].to_owned();
    }
    if is_escaped && source.contains('&') {
        block.unescape();
    }
    let empty = lines.iter().find(|line| !filled(line));
    if let Some((_, _, at)) = empty.filter(|_| !is_kept) {
        block.words.push(interrupted_text(places.range(*at..*at)));
    }
    block.read_words(words, places);
    Some(block)
}

/// Returns the byte range of the content of the first child element `name`.
fn inside(content: &str, name: &str) -> Option<Range<usize>> {
    let tag = content.find(&format!("<{name}"))?;
    let start = tag + content[tag..].find('>')? + 1;
    let end = content[start..].find(&format!("</{name}"));
    Some(start..end.map_or(content.len(), |length| start + length))
}

/// Returns the byte range of the content of the first `<script>` element with the given type.
fn script(content: &str, kind: &str) -> Option<Range<usize>> {
    let mut at = 0;
    while let Some(text) = inside(&content[at..], "script") {
        let text = at + text.start..at + text.end;
        let tag = content[..text.start].rfind("<script").unwrap_or(0);
        if content[tag..text.start].contains(kind) {
            return Some(text);
        }
        at = text.end;
    }
    None
}

impl CodeBlock {
    /// Replaces character references by their characters, and records the number of additional bytes of each reference in the document.
    fn unescape(&mut self) {
        self.is_escaped = true;
        let lines = self.source.lines().zip(&mut self.lines);
        let texts = lines.map(|(line, start)| format!("{}\n", unescaped(line, start)));
        self.source = texts.collect();
    }
}

fn unescaped(line: &str, start: &mut LineStart) -> String {
    const NAMES: &[(&str, char)] = &[
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&amp;", '&'),
        ("&quot;", '"'),
        ("&#39;", '\''),
    ];
    let mut text = String::new();
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let name = NAMES.iter().find(|(name, _)| rest.starts_with(name));
        let (character, length) = name.map_or((next, next.len_utf8()), |(name, character)| {
            (*character, name.len())
        });
        text.push(character);
        rest = &rest[length..];
        if name.is_some() {
            let column = text.encode_utf16().count() as u32;
            start.entities.push((column, length as u32 - 1));
        }
    }
    text
}
