//! Line table of a module: its `.file` and `.loc` directives (PTX ISA, "Debugging Directives").

use crate::check::context::Context;
use crate::check::declare::debug::{DirectiveLocation, integer, operands, place};
use crate::check::names::name_map::NameMap;
use crate::tree::declaration::{Directive, DirectiveKind};
use crate::tree::operand::{Operand, OperandKind};
use std::collections::HashMap;
use warpgrid_program::{InlinedCall, LineTable, LineTableRow, SourceLocation};

/// Maximum length of the name of an inlined function in bytes. Longer names are truncated.
const MAX_NAME_BYTES: usize = 4096;

/// Builds the line table. Malformed directives, which [`super::debug::check`] reports, add no row.
pub(crate) fn build(context: &Context<'_>) -> LineTable {
    let (file_numbers, files) = files(context);
    let mut builder = LineTableBuilder {
        context,
        table: LineTable {
            files,
            rows: Vec::new(),
        },
        file_numbers,
        labels: section_labels(context),
        latest_rows: HashMap::new(),
    };
    for loc in of_kind(context, DirectiveKind::Loc) {
        builder.add(loc);
    }
    builder.table
}

struct LineTableBuilder<'c, 'a> {
    context: &'c Context<'a>,
    table: LineTable,
    /// Number that the `.file` directive of each file of the table specifies.
    file_numbers: Vec<u64>,
    /// Source offset after each label in a section. The data of a string starts there.
    labels: NameMap<u32>,
    /// Index of the latest row of each location. `inlined_at` refers to this row.
    latest_rows: HashMap<DirectiveLocation, u32>,
}

impl LineTableBuilder<'_, '_> {
    fn add(&mut self, loc: &Directive) {
        let Some(recorded) = place(operands(self.context, loc)) else {
            return;
        };
        let [file, line, column] = recorded;
        let row = LineTableRow {
            offset: loc.span.end,
            location: SourceLocation {
                file: self.file_index(file),
                line: u32::try_from(line).unwrap_or(u32::MAX),
                column: u32::try_from(column).unwrap_or(u32::MAX),
            },
            inlined: self.inlined(loc),
        };
        let index = self.table.rows.len() as u32;
        self.latest_rows.insert(recorded, index);
        self.table.rows.push(row);
    }

    fn file_index(&mut self, number: u64) -> u32 {
        let known = self.file_numbers.iter().position(|known| *known == number);
        known.unwrap_or_else(|| {
            self.file_numbers.push(number);
            self.table.files.push(String::new());
            self.file_numbers.len() - 1
        }) as u32
    }

    /// Returns the inlined call that `function_name label, inlined_at file line column` specifies in a `.loc` directive.
    fn inlined(&self, loc: &Directive) -> Option<InlinedCall> {
        let mut arguments = operands(self.context, loc).skip(3);
        let callee = arguments.next().and_then(|label| self.callee_name(label));
        let call_site = *self.latest_rows.get(&place(arguments)?)?;
        Some(InlinedCall { callee, call_site })
    }

    /// Reads the string to which the label of a function name refers.
    fn callee_name(&self, label: &Operand) -> Option<String> {
        let (name, skipped) = match label.kind {
            OperandKind::Name(name) => (name, 0),
            OperandKind::Sum { name, offset } => (name, usize::try_from(offset).ok()?),
            _ => return None,
        };
        let start = *self.labels.get(name)? as usize;
        let data = self.context.source.get(start..)?;
        let bytes = data_bytes(data).skip(skipped).take(MAX_NAME_BYTES);
        let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
        String::from_utf8(bytes)
            .ok()
            .filter(|name| !name.is_empty())
    }
}

fn of_kind<'a>(context: &Context<'a>, kind: DirectiveKind) -> impl Iterator<Item = &'a Directive> {
    let directives = context.tree.directives.iter();
    directives.filter(move |directive| directive.kind == kind)
}

/// Returns the number and the name of each `.file` directive. A `.file` directive may be located after the `.loc` directives that refer to
/// it.
fn files(context: &Context<'_>) -> (Vec<u64>, Vec<String>) {
    let of_directive = |file: &Directive| {
        let mut arguments = operands(context, file);
        let number = integer(arguments.next()?)?;
        let name = arguments.next()?.span.text(context.source);
        Some((number, name.trim_matches('"').to_owned()))
    };
    of_kind(context, DirectiveKind::File)
        .filter_map(of_directive)
        .unzip()
}

/// Returns the source offset after each label of a section.
fn section_labels(context: &Context<'_>) -> NameMap<u32> {
    let mut labels = NameMap::default();
    for section in of_kind(context, DirectiveKind::Section) {
        for operand in operands(context, section) {
            if let OperandKind::Name(name) = operand.kind {
                labels.get_or_insert(name, operand.span.end);
            }
        }
    }
    labels
}

/// Returns the values of the `.b8` data that follow a label: `: .b8 95, 90, 0`.
fn data_bytes(data: &str) -> impl Iterator<Item = u8> + '_ {
    let words = data.split(|c: char| c.is_whitespace() || c == ',' || c == ':');
    let values = words.filter(|word| !word.is_empty() && *word != ".b8");
    values.map_while(|word| match word.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::data_bytes;

    #[test]
    fn data_bytes_end_before_next_label() {
        let data = ":\n.b8 102,111\n.b8 0x6f\n.b8 0\n$L__info_string1:\n.b8 98";
        let bytes: Vec<u8> = data_bytes(data).collect();
        assert_eq!(bytes, b"foo\0");
    }
}
