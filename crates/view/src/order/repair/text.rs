//! The lines of a kernel's text, and edits of them.

use crate::order::{RepairEdit, RepairOp};
use warpgrid_program::Span;

/// A text by lines.
pub(in crate::order) struct Text {
    lines: Vec<String>,
    /// The number of each line in the source, from 1, in order; lines between them were cut.
    numbers: Vec<u32>,
}

impl Text {
    /// The lines of a source without the bytes of some spans, which are in order and apart. A line that a span covers is cut.
    pub(in crate::order) fn without(source: &str, spans: &[Span]) -> Text {
        let mut text = Text {
            lines: Vec::new(),
            numbers: Vec::new(),
        };
        let mut spans = spans.iter().peekable();
        let mut start = 0;
        for (line, number) in source.split('\n').zip(1..) {
            let end = start + line.len();
            while spans.next_if(|span| span.end as usize <= start).is_some() {}
            let is_inner = spans
                .peek()
                .is_some_and(|span| (span.start as usize) < start);
            let mut kept = String::new();
            let mut at = start;
            for span in spans.clone() {
                let span = span.start as usize..span.end as usize;
                if span.start > end {
                    break;
                }
                kept += source.get(at..span.start.max(at)).unwrap_or("");
                at = span.end.max(at).min(end);
            }
            kept += source.get(at..end).unwrap_or("");
            if !kept.is_empty() || line.is_empty() && !is_inner {
                text.lines.push(kept);
                text.numbers.push(number);
            }
            start = end + 1;
        }
        text
    }

    fn index(&self, number: u32) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// A line from 1, without what is around its statement.
    pub(in crate::order) fn line(&self, number: u32) -> &str {
        let line = self.index(number).and_then(|index| self.lines.get(index));
        let line = line.map_or("", String::as_str);
        line.split("//").next().unwrap_or("").trim()
    }

    /// The statement of a line without its guard.
    pub(in crate::order) fn statement(&self, number: u32) -> &str {
        let line = self.line(number);
        match line.strip_prefix('@') {
            Some(guarded) => guarded
                .split_once(char::is_whitespace)
                .map_or("", |(_, s)| s.trim()),
            None => line,
        }
    }

    /// The lines that hold such a statement.
    pub(in crate::order) fn lines_of(&self, is_it: impl Fn(&str) -> bool) -> Vec<u32> {
        let all = self.numbers.iter().copied();
        all.filter(|number| is_it(self.statement(*number)))
            .collect()
    }

    /// Lines that an instruction is on, strictly between two others.
    pub(in crate::order) fn between(&self, low: u32, high: u32) -> impl Iterator<Item = u32> {
        low + 1..high
    }

    /// The text after some edits.
    pub(in crate::order) fn changed(&self, edits: &[RepairEdit]) -> String {
        let mut out = Vec::new();
        for (number, line) in self.numbers.iter().zip(&self.lines) {
            let own: Vec<&RepairEdit> = edits.iter().filter(|e| e.line == *number).collect();
            let text = |edit: &&RepairEdit| edit.text.clone();
            let of = |op: RepairOp| own.iter().copied().filter(move |e| e.op == op);
            out.extend(of(RepairOp::InsertBefore).map(|e| text(&e)));
            if of(RepairOp::Delete).next().is_none() {
                match of(RepairOp::Replace).next_back() {
                    Some(edit) => out.push(text(&edit)),
                    None => out.push(line.clone()),
                }
            }
            out.extend(of(RepairOp::InsertAfter).map(|e| text(&e)));
        }
        out.join("\n")
    }
}

fn edit(op: RepairOp, line: u32, text: &str) -> RepairEdit {
    RepairEdit {
        op,
        line,
        text: text.to_owned(),
    }
}

pub(super) fn before(line: u32, text: &str) -> RepairEdit {
    edit(RepairOp::InsertBefore, line, text)
}

pub(super) fn after(line: u32, text: &str) -> RepairEdit {
    edit(RepairOp::InsertAfter, line, text)
}

pub(super) fn replace(line: u32, text: &str) -> RepairEdit {
    edit(RepairOp::Replace, line, text)
}

pub(super) fn delete(line: u32) -> RepairEdit {
    RepairEdit {
        op: RepairOp::Delete,
        line,
        text: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_lines_keep_the_numbers_of_the_others() {
        let source = "a;\n.entry k {\n\n}\nb; .entry l {} c;\n\nd;";
        let span = |text: &str| {
            let start = source.find(text).unwrap_or_default();
            Span::new(start as u32, (start + text.len()) as u32)
        };
        let spans = [span(".entry k {\n\n}"), span(".entry l {}")];
        let text = Text::without(source, &spans);
        assert_eq!(text.changed(&[]), "a;\nb;  c;\n\nd;");
        assert_eq!(text.line(7), "d;");
        assert_eq!(text.changed(&[before(7, "x;")]), "a;\nb;  c;\n\nx;\nd;");
        assert_eq!(text.lines_of(|line| line.ends_with(';')), [1, 5, 7]);
    }
}
