//! Markdown: fenced blocks whose info string names PTX go in, as `ptx`, `ptx,playground`, `{.ptx}` or, in MyST,
//! `{ptx-playground}`; what follows may state `target=sm_90` and `version=8.8`.

use super::Block;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The blocks of PTX in a Markdown document, in order.
pub(super) fn blocks(document: &str) -> Vec<Block> {
    let starts = line_starts(document);
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (event, range) in Parser::new_ext(document, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => open = opened(&info),
            Event::Text(_) => {
                if let Some(block) = &mut open {
                    add(block, document, &starts, range.start, range.end);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
            // Prose.
            _ => {}
        }
    }
    blocks
}

/// The block that an info string opens, if it is one of PTX.
fn opened(info: &str) -> Option<Block> {
    let separates = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}');
    let mut words = info.split(separates).filter(|word| !word.is_empty());
    let mut first = words.next()?;
    if first == "code-block" {
        first = words.next()?;
    }
    if !matches!(first.trim_start_matches('.'), "ptx" | "ptx-playground") {
        return None;
    }
    let mut block = Block::default();
    for word in words {
        match word.split_once('=') {
            Some((key, value)) => block.state(key, value),
            None if word == "ignore" => return None,
            None => {}
        }
    }
    Some(block)
}

/// Adds the lines of a stretch of the document that the block has after whatever each begins with.
fn add(block: &mut Block, document: &str, starts: &[usize], from: usize, to: usize) {
    let text = document.get(from..to).unwrap_or("");
    let mut at = from;
    for line in text.split_inclusive('\n') {
        let number = starts.partition_point(|start| *start <= at);
        let begin = starts.get(number.saturating_sub(1)).copied().unwrap_or(0);
        let prefix = document.get(begin..at).unwrap_or("");
        block.push(number as u32, prefix, line.trim_end_matches(['\n', '\r']));
        at += line.len();
    }
}

/// Where each line begins, in bytes.
fn line_starts(document: &str) -> Vec<usize> {
    let after_ends = document.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(after_ends).collect()
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
    fn fences_of_ptx_are_found_and_others_are_not() {
        check(
            "# A\n```ptx\nret;\n\n  bar;\n```\n```c\nint a;\n```\n~~~ptx,playground target=sm_90\nret;\n~~~\n    indented;\n",
            expect![[r#"
                target None, version None
                3:"" ret;
                4:"" 
                5:""   bar;
                target Some("sm_90"), version None
                11:"" ret;
            "#]],
        );
    }

    #[test]
    fn lists_and_quotations_are_stripped_and_counted() {
        check(
            "- a\n\n  ```{.ptx version=8.8}\n  ret;\n    bar;\n  ```\n> ```{ptx-playground}\n> ret;\n> ```\n",
            expect![[r#"
                target None, version Some("8.8")
                4:"  " ret;
                5:"  "   bar;
                target None, version None
                8:"> " ret;
            "#]],
        );
    }

    #[test]
    fn a_block_may_be_left_out() {
        check("```ptx,ignore\nnonsense\n```\n", expect![[""]]);
    }

    #[test]
    fn carriage_returns_end_lines() {
        check(
            "a\r\n```ptx\r\nret;\r\nbar;\r\n```\r\n",
            expect![[r#"
                target None, version None
                3:"" ret;
                4:"" bar;
            "#]],
        );
    }
}
