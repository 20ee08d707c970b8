//! Line table: the source location of each instruction in the language from which a compiler generated the program.
//!
//! The table has one row per `.loc` directive (PTX ISA, "Debugging Directives: .loc") or per `//## File` comment of a listing
//! (`nvdisasm -g` and `-gi`). A row applies to the instructions of the function that contains it, up to the next row.

use crate::function::{Function, Instruction};

/// Source location: file, line and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// Index into [`LineTable::files`].
    pub file: u32,
    /// Line, counted from 1. Compilers write 0 for instructions that belong to no line.
    pub line: u32,
    /// Column, counted from 1. 0 if the compiler recorded no column.
    pub column: u32,
}

/// Row of a line table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineTableRow {
    /// Byte offset in the checked source after which the row applies.
    pub offset: u32,
    pub location: SourceLocation,
    /// Call that was inlined at this location; `None` if the location belongs to the function of the program itself.
    pub inlined: Option<InlinedCall>,
}

/// Inlined call whose body contains a source location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinedCall {
    /// Linker name of the callee, if the compiler recorded it.
    pub callee: Option<String>,
    /// Row of the call site: an earlier index into [`LineTable::rows`]. The call site may itself belong to an inlined call.
    pub call_site: u32,
}

/// Source location of an instruction, with the inlined call that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFrame<'t> {
    pub location: SourceLocation,
    /// Linker name of the inlined function that contains the location. `None` for the outermost frame, which belongs to the
    /// function of the program, and for callees without a recorded name.
    pub function: Option<&'t str>,
}

/// Line table of a module. Empty if the source contains no debug information.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTable {
    /// Names of the source files as the compiler recorded them, often absolute paths. A name is empty if a `.loc` directive refers
    /// to a file number without a `.file` directive.
    pub files: Vec<String>,
    /// Rows in the order of their offsets.
    pub rows: Vec<LineTableRow>,
}

impl LineTable {
    /// Returns the index of a file name, and adds the name if the table does not contain it.
    pub fn file_index(&mut self, name: &str) -> u32 {
        let known = self.files.iter().position(|file| file == name);
        known.unwrap_or_else(|| {
            self.files.push(name.to_owned());
            self.files.len() - 1
        }) as u32
    }

    /// Returns the row that applies to an instruction. `None` if no row precedes the instruction in its function, or if the
    /// compiler assigned the instruction to no line.
    pub fn row(&self, function: &Function, instruction: &Instruction) -> Option<u32> {
        let start = instruction.span.start;
        let after = self.rows.partition_point(|row| row.offset <= start);
        let index = after.checked_sub(1)?;
        let row = self.rows.get(index)?;
        let applies = row.offset >= function.span.start && row.location.line > 0;
        applies.then_some(index as u32)
    }

    /// Returns the frames of a row, innermost first. Consecutive frames are a callee and its caller.
    pub fn frames(&self, row: u32) -> impl Iterator<Item = SourceFrame<'_>> {
        let mut next = Some(row);
        std::iter::from_fn(move || {
            let index = next?;
            let row = self.rows.get(index as usize)?;
            let inlined = row.inlined.as_ref();
            let call_site = inlined.map(|inlined| inlined.call_site);
            // A call site precedes its callee, so a malformed table cannot form a cycle.
            next = call_site.filter(|call_site| *call_site < index);
            Some(SourceFrame {
                location: row.location,
                function: inlined.and_then(|inlined| inlined.callee.as_deref()),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{InlinedCall, LineTable, LineTableRow, SourceLocation};

    fn row(offset: u32, line: u32, inlined: Option<InlinedCall>) -> LineTableRow {
        let (file, column) = (0, 0);
        LineTableRow {
            offset,
            location: SourceLocation { file, line, column },
            inlined,
        }
    }

    #[test]
    fn frames_lead_from_callee_to_outermost_call_site() {
        let call = |callee: &str, call_site| {
            let callee = Some(callee.to_owned());
            Some(InlinedCall { callee, call_site })
        };
        let table = LineTable {
            files: vec!["k.cu".to_owned()],
            rows: vec![
                row(0, 10, None),
                row(5, 4, call("outer", 0)),
                row(9, 2, call("inner", 1)),
            ],
        };
        let frames: Vec<_> = table
            .frames(2)
            .map(|frame| (frame.location.line, frame.function))
            .collect();
        assert_eq!(frames, [(2, Some("inner")), (4, Some("outer")), (10, None)]);
    }

    #[test]
    fn frames_of_cyclic_call_sites_end() {
        let inlined = Some(InlinedCall {
            callee: None,
            call_site: 0,
        });
        let table = LineTable {
            files: Vec::new(),
            rows: vec![row(0, 1, inlined)],
        };
        assert_eq!(table.frames(0).count(), 1);
    }
}
