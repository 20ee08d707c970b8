//! reStructuredText: the directives `ptx-playground`, and `code-block`, `sourcecode` and `code` with the language `ptx`,
//! go in; `:target:` and `:version:` state what the text does not.

use super::{Block, numbered};

/// The blocks of PTX in a reStructuredText document, in order.
pub(super) fn blocks(document: &str) -> Vec<Block> {
    let lines: Vec<(u32, &str)> = numbered(document).collect();
    let mut blocks = Vec::new();
    let mut rest = lines.as_slice();
    while let Some(((_, line), below)) = rest.split_first() {
        rest = below;
        let Some(margin) = directive(line) else {
            continue;
        };
        let inside = |line: &str| line.trim().is_empty() || indent(line) > margin;
        let n_inside = below.iter().take_while(|(_, line)| inside(line)).count();
        let (body, after) = below.split_at(n_inside);
        blocks.extend(block(body));
        rest = after;
    }
    blocks
}

/// The margin of a directive that shows PTX.
fn directive(line: &str) -> Option<usize> {
    let (name, argument) = line.trim_start().strip_prefix(".. ")?.split_once("::")?;
    let shows = match name.trim() {
        "ptx-playground" => true,
        "code-block" | "sourcecode" | "code" => argument.trim() == "ptx",
        // Other directives.
        _ => false,
    };
    shows.then(|| indent(line))
}

/// Blanks at the start of a line, in characters.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A directive's options and text, which an empty line separates.
fn block(body: &[(u32, &str)]) -> Option<Block> {
    let mut block = Block::default();
    let option = |line: &&(u32, &str)| line.1.trim_start().starts_with(':');
    let n_options = body.iter().take_while(option).count();
    let (options, text) = body.split_at(n_options);
    for (_, line) in options {
        let (key, value) = line.trim().trim_start_matches(':').split_once(':')?;
        if key == "ignore" {
            return None;
        }
        block.state(key, value.trim());
    }
    let filled = |line: &(u32, &str)| !line.1.trim().is_empty();
    let first = text.iter().position(filled)?;
    let last = text.iter().rposition(filled)?;
    let text = text.get(first..=last)?;
    let margins = text.iter().filter(|line| filled(line));
    let margin = margins.map(|(_, line)| indent(line)).min().unwrap_or(0);
    for (number, line) in text {
        let (prefix, line) = line.split_at_checked(margin).unwrap_or((line, ""));
        block.push(*number, prefix, line);
    }
    Some(block)
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
    fn directives_of_ptx_are_found_and_others_are_not() {
        check(
            "Title\n=====\n\n.. ptx-playground::\n   :target: sm_90\n   :view: grid\n\n   ret;\n\n     bar;\n\nProse.\n\n.. code-block:: c\n\n   int a;\n\n.. code-block:: ptx\n\n   exit;\n",
            expect![[r#"
                target Some("sm_90"), version None
                8:"   " ret;
                9:"" 
                10:"   "   bar;
                target None, version None
                20:"   " exit;
            "#]],
        );
    }

    #[test]
    fn a_directive_may_be_inside_another_and_left_out() {
        check(
            ".. note::\n\n   .. sourcecode:: ptx\n      :version: 8.8\n\n      ret;\n\n   After.\n\n.. ptx-playground::\n   :ignore:\n\n   nonsense\n",
            expect![[r#"
                target None, version Some("8.8")
                6:"      " ret;
            "#]],
        );
    }
}
