//! A repair as a change of the text that a button applies.

use super::{RepairEdit, RepairOp};
use crate::model::{EditView, FixView};

/// The repair as replacements in this text; none where there is no repair.
pub fn fix_of(repair: &[RepairEdit], source: &str) -> Option<FixView> {
    let lines: Vec<&str> = source.split('\n').collect();
    let edits: Vec<EditView> = repair.iter().map(|edit| edit_of(edit, &lines)).collect();
    (!edits.is_empty()).then(|| FixView {
        title: "Apply fix".to_owned(),
        is_header: false,
        edits,
    })
}

fn edit_of(edit: &RepairEdit, lines: &[&str]) -> EditView {
    let line = lines
        .get(edit.line.saturating_sub(1) as usize)
        .copied()
        .unwrap_or("");
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    let new = |text: &str| {
        let of_line = |line: &str| match line.ends_with(':') {
            true => line.trim().to_owned(),
            false => format!("{indent}{}", line.trim()),
        };
        let all: Vec<String> = text.lines().map(of_line).collect();
        all.join("\n")
    };
    let width = line.encode_utf16().count() as u32 + 1;
    let (start, end, text) = match edit.op {
        RepairOp::InsertBefore => ((edit.line, 1), (edit.line, 1), new(&edit.text) + "\n"),
        RepairOp::InsertAfter => {
            let end = (edit.line, width);
            (end, end, format!("\n{}", new(&edit.text)))
        }
        RepairOp::Replace => ((edit.line, 1), (edit.line, width), new(&edit.text)),
        RepairOp::Delete => ((edit.line, 1), (edit.line + 1, 1), String::new()),
    };
    EditView {
        line: start.0,
        column: start.1,
        end_line: end.0,
        end_column: end.1,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repair_keeps_the_indentation() {
        let edit = |op, line, text: Option<&str>| RepairEdit {
            op,
            line,
            text: text.unwrap_or("").to_owned(),
        };
        let repair = [
            edit(RepairOp::InsertBefore, 2, Some("bar.sync 0;")),
            edit(RepairOp::Delete, 1, None),
        ];
        let fix = fix_of(&repair, "a;\n    b;\n").unwrap();
        assert_eq!(fix.edits[0].text, "    bar.sync 0;\n");
        assert_eq!((fix.edits[1].line, fix.edits[1].end_line), (1, 2));
        assert_eq!(fix_of(&[], "a;"), None);
    }
}
