//! reStructuredText: the directives `ptx-playground`, and `code-block`, `sourcecode` and `code` with the language `ptx` or `sass`. The
//! options `:target:` and `:version:` specify the target and the version if the source omits them. Elements in `.. raw:: html` are also
//! supported.

use super::info_string::BlockAttribute;
use super::line_index::LineIndex;
use super::{CodeBlock, html_elements, indent, numbered};
use warpgrid_view::SourceLanguage;

/// Line of the document: its number, its text, and the byte offset of its start.
type NumberedLine<'a> = (u32, &'a str, usize);

/// Returns the PTX and SASS blocks of a reStructuredText document in order.
pub(super) fn blocks(document: &str) -> Vec<CodeBlock> {
    let places = LineIndex::new(document);
    let lines = numbered(document);
    let mut blocks = Vec::new();
    let mut rest = lines.as_slice();
    while let Some(((_, line, _), below)) = rest.split_first() {
        rest = below;
        let Some(body) = directive(line) else {
            continue;
        };
        let margin = indent(line);
        let inside = |line: &str| line.trim().is_empty() || indent(line) > margin;
        let n_inside = below.iter().take_while(|(_, line, _)| inside(line)).count();
        let (lines, after) = below.split_at(n_inside);
        match body {
            DirectiveBody::Program(front) => blocks.extend(block(front, lines, &places)),
            DirectiveBody::Html => {
                if let (Some((_, _, start)), Some((_, line, last))) = (lines.first(), lines.last())
                {
                    blocks.extend(html_elements::find(&places, *start..last + line.len()));
                }
            }
        }
        rest = after;
    }
    blocks
}

/// Content of a directive.
enum DirectiveBody {
    Program(SourceLanguage),
    Html,
}

/// Returns the content type of the directive in a line, or `None` for other directives and prose.
fn directive(line: &str) -> Option<DirectiveBody> {
    let (name, argument) = line.trim_start().strip_prefix(".. ")?.split_once("::")?;
    match (name.trim(), argument.trim()) {
        ("ptx-playground", _) | ("code-block" | "sourcecode" | "code", "ptx") => {
            Some(DirectiveBody::Program(SourceLanguage::Ptx))
        }
        ("code-block" | "sourcecode" | "code", "sass") => {
            Some(DirectiveBody::Program(SourceLanguage::Sass))
        }
        ("raw", "html") => Some(DirectiveBody::Html),
        // All other directives are ignored.
        _ => None,
    }
}

/// Parses the body of a directive: the options, an empty line, and the source.
fn block(
    front: SourceLanguage,
    body: &[NumberedLine<'_>],
    places: &LineIndex<'_>,
) -> Option<CodeBlock> {
    let mut block = CodeBlock {
        front,
        ..CodeBlock::default()
    };
    let option = |line: &&NumberedLine<'_>| line.1.trim_start().starts_with(':');
    let n_options = body.iter().take_while(option).count();
    let (options, text) = body.split_at(n_options);
    for (_, line, at) in options {
        let margin = indent(line);
        let (name, value) = line.trim().trim_start_matches(':').split_once(':')?;
        if name == "ignore" {
            return None;
        }
        let value = Some(value.trim()).filter(|value| !value.is_empty());
        let range = at + margin..at + line.trim_end().len();
        block.read_words(&[BlockAttribute { name, value, range }], places);
    }
    let filled = |line: &NumberedLine<'_>| !line.1.trim().is_empty();
    let first = text.iter().position(filled)?;
    let last = text.iter().rposition(filled)?;
    block.push_dedented(text.get(first..=last)?);
    // A block with the language name `sass` may be a style sheet in Sass instead of SASS code.
    let is_own = block.front == SourceLanguage::Ptx
        || SourceLanguage::of_source(&block.source) == SourceLanguage::Sass;
    is_own.then_some(block)
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
    fn only_ptx_directives_are_extracted() {
        check(
            "Title\n=====\n\n.. ptx-playground::\n   :target: sm_90\n   :view: grid\n\n   ret;\n\n     bar;\n\nProse.\n\n.. code-block:: c\n\n   int a;\n\n.. code-block:: ptx\n\n   exit;\n",
            expect![[r#"
                Ptx, target Some("sm_90"), version None
                8:"   " ret;
                9:"" 
                10:"   "   bar;
                Ptx, target None, version None
                20:"   " exit;
            "#]],
        );
    }

    #[test]
    fn nested_directive_is_extracted_and_ignored_one_is_skipped() {
        check(
            ".. note::\n\n   .. sourcecode:: ptx\n      :version: 8.8\n\n      ret;\n\n   After.\n\n.. ptx-playground::\n   :ignore:\n\n   nonsense\n",
            expect![[r#"
                Ptx, target None, version Some("8.8")
                6:"      " ret;
            "#]],
        );
    }
}
