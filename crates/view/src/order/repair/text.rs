//! The lines of a kernel's text, and edits of them.

use crate::order::{RepairEdit, RepairOp};

/// A text by lines.
pub(in crate::order) struct Text {
    lines: Vec<String>,
}

impl Text {
    pub(in crate::order) fn new(source: &str) -> Text {
        Text {
            lines: source.split('\n').map(str::to_owned).collect(),
        }
    }

    /// A line from 1, without what is around its statement.
    pub(in crate::order) fn line(&self, number: u32) -> &str {
        let index = (number as usize).checked_sub(1);
        let line = index.and_then(|index| self.lines.get(index));
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
        let all = 1..=self.lines.len() as u32;
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
        for (index, line) in self.lines.iter().enumerate() {
            let own: Vec<&RepairEdit> = edits
                .iter()
                .filter(|e| e.line as usize == index + 1)
                .collect();
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
