//! Markdown: fenced code blocks whose info string names PTX or SASS, such as `ptx`, `ptx,playground`, `{.ptx}` or, in MyST,
//! `{ptx-playground}`, optionally followed by options such as `target=sm_90` and `version=8.8`. Elements `<warpgrid-playground>` are also
//! supported.

use super::info_string::{self, BlockAttribute};
use super::line_index::LineIndex;
use super::{CodeBlock, html_elements};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use warpgrid_view::SourceLanguage;

/// Returns the PTX and SASS blocks of a Markdown document in document order.
pub(super) fn blocks(document: &str) -> Vec<CodeBlock> {
    let places = LineIndex::new(document);
    let mut blocks: Vec<CodeBlock> = Vec::new();
    let mut open: Option<CodeBlock> = None;
    // End of the last HTML element, because the Markdown parser can report one element as several events.
    let mut element_end = 0;
    for (event, range) in Parser::new_ext(document, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))
                if range.start >= element_end =>
            {
                open = opened(&info, range.start, &places);
            }
            Event::Text(_) => {
                if let Some(block) = &mut open {
                    add(block, &places, range.start, range.end);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take().and_then(finished)),
            Event::Html(_) | Event::InlineHtml(_) if range.start >= element_end => {
                let found = html_elements::find(&places, range);
                element_end = found.last().map_or(element_end, |block| block.range.end);
                blocks.extend(found);
            }
            // All other events are prose.
            _ => {}
        }
    }
    blocks
}

/// Returns the empty block that an info string starts, if the language of the info string is PTX or SASS. The fence starts at byte `at`.
fn opened(info: &str, at: usize, places: &LineIndex<'_>) -> Option<CodeBlock> {
    let line = places.document[at..].lines().next().unwrap_or("");
    // An info string with escape sequences differs from the text in the document. In this case, the positions of the options are those of
    // the fence.
    let found = line.find(info);
    let mut words = info_string::split(info, at + found.unwrap_or(0)).into_iter();
    let mut first = words.next()?;
    if first.name == "code-block" {
        first = words.next()?;
    }
    let front = match first.name.trim_start_matches('.') {
        "ptx" | "ptx-playground" => SourceLanguage::Ptx,
        "sass" | "sass-playground" => SourceLanguage::Sass,
        _ => return None,
    };
    let mut words: Vec<BlockAttribute<'_>> = words.collect();
    if words.iter().any(|word| word.name == "ignore") {
        return None;
    }
    if found.is_none() {
        words
            .iter_mut()
            .for_each(|word| word.range = at..at + line.len());
    }
    let mut block = CodeBlock {
        front,
        has_options: info.trim_start().starts_with("{") && !info.trim_start().starts_with("{."),
        ..CodeBlock::default()
    };
    block.read_words(&words, places);
    Some(block)
}

/// Returns a completed block, or `None` if the block is in another language with the same name, such as a style sheet in Sass.
fn finished(block: CodeBlock) -> Option<CodeBlock> {
    let is_own = block.front == SourceLanguage::Ptx
        || SourceLanguage::of_source(&block.source) == SourceLanguage::Sass;
    is_own.then_some(block)
}

/// Adds the lines of a byte range of the document to a block, without the prefix of each line.
fn add(block: &mut CodeBlock, places: &LineIndex<'_>, from: usize, to: usize) {
    let text = places.document.get(from..to).unwrap_or("");
    let mut at = from;
    for line in text.split_inclusive('\n') {
        let (number, begin) = places.line(at);
        let prefix = places.document.get(begin..at).unwrap_or("");
        let text = line.trim_end_matches(['\n', '\r']);
        match option(text).filter(|_| block.has_options && block.source.is_empty()) {
            Some(word) => {
                let range = at..at + text.len();
                block.read_words(&[BlockAttribute { range, ..word }], places);
            }
            None => block.push(number, prefix, text, at),
        }
        at += line.len();
    }
}

/// Parses a line such as `:view: grid` of a MyST directive.
fn option(line: &str) -> Option<BlockAttribute<'_>> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    Some(BlockAttribute {
        name,
        value: Some(value.trim()).filter(|value| !value.is_empty()),
        range: 0..0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::list;
    use expect_test::{Expect, expect};

    fn check(document: &str, expect: Expect) {
        expect.assert_eq(&list(&blocks(document)));
    }

    #[test]
    fn only_ptx_fences_are_extracted() {
        check(
            "# A\n```ptx\nret;\n\n  bar;\n```\n```c\nint a;\n```\n~~~ptx,playground target=sm_90\nret;\n~~~\n    indented;\n",
            expect![[r#"
                Ptx, target None, version None
                3:"" ret;
                4:"" 
                5:""   bar;
                Ptx, target Some("sm_90"), version None
                11:"" ret;
            "#]],
        );
    }

    #[test]
    fn list_and_quote_prefixes_are_stripped_and_recorded() {
        check(
            "- a\n\n  ```{.ptx version=8.8}\n  ret;\n    bar;\n  ```\n> ```{ptx-playground}\n> ret;\n> ```\n",
            expect![[r#"
                Ptx, target None, version Some("8.8")
                4:"  " ret;
                5:"  "   bar;
                Ptx, target None, version None
                8:"> " ret;
            "#]],
        );
    }

    #[test]
    fn ignore_attribute_skips_block() {
        check("```ptx,ignore\nnonsense\n```\n", expect![[""]]);
    }

    #[test]
    fn crlf_line_endings_are_supported() {
        check(
            "a\r\n```ptx\r\nret;\r\nbar;\r\n```\r\n",
            expect![[r#"
                Ptx, target None, version None
                3:"" ret;
                4:"" bar;
            "#]],
        );
    }
}
