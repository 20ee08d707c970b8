//! Mapping from the instructions of a session to the lines of CUDA C++, Triton or another language from which a compiler generated them.

pub use crate::model::source_position::{SourcePosition, base_name};

use crate::session::Session;
use serde::Serialize;
use warpgrid_launch::scenario::{Scenario, SourceFile};
use warpgrid_program::{FunctionId, SourceFrame};

/// Consecutive lines of the checked source that a compiler generated for one source position, as part of a [`LineTableView`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MappedLines {
    /// First line of the checked source.
    pub line: u32,
    /// Last line of the checked source, inclusive.
    pub end_line: u32,
    /// Source position, followed by the call sites of the inlined functions that contain it. The list has at least one element.
    pub frames: Vec<SourcePosition>,
}

/// Line table of a session, which hosts use to display source files next to the checked source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LineTableView {
    /// Source files to which the table refers, in the order of their first use.
    pub files: Vec<MappedFile>,
    /// Mapped lines in ascending order. Lines without a source position are absent.
    pub lines: Vec<MappedLines>,
    /// Names of source files that the scenario contains although the line table refers to no file of this name.
    pub unused: Vec<String>,
}

/// Source file to which a [`LineTableView`] refers, with its text if the scenario contains it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MappedFile {
    /// Name of the file as the compiler recorded it.
    pub name: String,
    /// Text of the file, if the scenario contains the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub text: Option<String>,
    /// Largest line number to which the line table refers.
    pub last_line: u32,
}

impl Session {
    /// Returns the line table of the program, which is empty if the compiler recorded no line information.
    pub fn line_table(&self) -> LineTableView {
        let lines = self.mapped_lines();
        let mut files: Vec<MappedFile> = Vec::new();
        for position in lines.iter().flat_map(|mapped| &mapped.frames) {
            match files.iter_mut().find(|file| file.name == position.file) {
                Some(file) => file.last_line = file.last_line.max(position.line),
                None => files.push(MappedFile {
                    name: position.file.clone(),
                    text: source_text(self.scenario(), &position.file).map(str::to_owned),
                    last_line: position.line,
                }),
            }
        }
        let is_used = |source: &&SourceFile| {
            let mut files = files.iter();
            files.any(|file| is_same_file(&file.name, &source.name))
        };
        let sources = self.scenario().sources.iter();
        let unused = sources.filter(|source| !is_used(source));
        let unused = unused.map(|source| source.name.clone()).collect();
        LineTableView {
            files,
            lines,
            unused,
        }
    }

    /// Returns the source position of an instruction, followed by the call sites of the inlined functions that contain it. The list is
    /// empty if the compiler recorded no position.
    pub(crate) fn source_of(&self, function: FunctionId, index: u32) -> Vec<SourcePosition> {
        let found = self.program.functions.get(function.0 as usize);
        let row = found.and_then(|function| {
            let instruction = function.instructions.get(index as usize)?;
            self.program.line_table.row(function, instruction)
        });
        row.map(|row| self.positions_of_row(row))
            .unwrap_or_default()
    }

    /// Returns the source position of a line of the checked source, followed by the call sites of the inlined functions that contain it.
    /// The list is empty if the compiler recorded no position.
    pub fn source_positions(&self, line: u32) -> Vec<SourcePosition> {
        let table = &self.program.line_table;
        if table.rows.is_empty() {
            return Vec::new();
        }
        let instructions = self
            .program
            .functions
            .iter()
            .flat_map(|function| function.instructions.iter().map(move |i| (function, i)));
        let mut on_line = instructions
            .filter(|(_, instruction)| self.places.range(instruction.span).line == line);
        let row = on_line.find_map(|(function, instruction)| table.row(function, instruction));
        row.map(|row| self.positions_of_row(row))
            .unwrap_or_default()
    }

    fn mapped_lines(&self) -> Vec<MappedLines> {
        let table = &self.program.line_table;
        let mut rows: Vec<(u32, u32)> = Vec::new();
        if !table.rows.is_empty() {
            for function in &self.program.functions {
                let statements = function.instructions.iter();
                for instruction in statements.filter(|instruction| !instruction.is_implicit()) {
                    if let Some(row) = table.row(function, instruction) {
                        rows.push((self.places.range(instruction.span).line, row));
                    }
                }
            }
        }
        rows.sort_unstable();
        rows.dedup_by_key(|(line, _)| *line);
        let mut mapped: Vec<MappedLines> = Vec::new();
        let mut previous_row = None;
        for (line, row) in rows {
            match mapped.last_mut() {
                Some(last) if previous_row == Some(row) => last.end_line = line,
                _ => mapped.push(MappedLines {
                    line,
                    end_line: line,
                    frames: self.positions_of_row(row),
                }),
            }
            previous_row = Some(row);
        }
        mapped
    }

    fn positions_of_row(&self, row: u32) -> Vec<SourcePosition> {
        let table = &self.program.line_table;
        let position = |frame: SourceFrame<'_>| SourcePosition {
            file: table
                .files
                .get(frame.location.file as usize)
                .cloned()
                .unwrap_or_default(),
            line: frame.location.line,
            column: Some(frame.location.column).filter(|column| *column > 0),
            function: frame.function.map(|name| unmangled(name).to_owned()),
        };
        table.frames(row).map(position).collect()
    }
}

/// Returns the text of a source file, if the scenario contains a file with this name. If only one of the names has directories, the
/// comparison ignores them.
pub fn source_text<'s>(scenario: &'s Scenario, file: &str) -> Option<&'s str> {
    let sources = &scenario.sources;
    let exact = sources.iter().find(|source| source.name == file);
    let found = exact.or_else(|| {
        sources
            .iter()
            .find(|source| is_same_file(file, &source.name))
    });
    found.map(|source| source.text.as_str())
}

/// Checks whether two file names denote the same file, because they are equal, or one name ends with a separator and the other name.
fn is_same_file(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        let directory = long.strip_suffix(short);
        directory.is_some_and(|directory| directory.is_empty() || directory.ends_with(['/', '\\']))
    };
    !one.is_empty() && !other.is_empty() && (ends(one, other) || ends(other, one))
}

/// Returns the unqualified name of a function from its linker name in the Itanium C++ ABI: `flat` for `_Z4flatiii` and
/// `_ZN2ns4flatIfEEvi`. Returns other names unchanged.
fn unmangled(linker_name: &str) -> &str {
    let Some(encoded) = linker_name.strip_prefix("_Z") else {
        return linker_name;
    };
    let mut rest = encoded.strip_prefix('N').unwrap_or(encoded);
    rest = rest.trim_start_matches(['r', 'V', 'K', 'L']);
    let mut name = linker_name;
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (length, text) = rest.split_at(digits);
        let Ok(length) = length.parse::<usize>() else {
            return name;
        };
        let Some(component) = text.get(..length) else {
            return name;
        };
        name = component;
        rest = text.get(length..).unwrap_or("");
        if !encoded.starts_with('N') {
            return name;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_same_file, unmangled};

    #[test]
    fn unmangled_name_is_last_component() {
        assert_eq!(unmangled("_Z4flatiii"), "flat");
        assert_eq!(unmangled("_ZN2ns5outer4flatIfEEvi"), "flat");
        assert_eq!(unmangled("_ZL4flatiii"), "flat");
        assert_eq!(unmangled("transpose"), "transpose");
        assert_eq!(unmangled("_Z99x"), "_Z99x");
    }

    #[test]
    fn file_names_match_without_directories() {
        assert!(is_same_file("/src/k.cu", "k.cu"));
        assert!(is_same_file("k.cu", "src\\k.cu"));
        assert!(!is_same_file("/src/ok.cu", "k.cu"));
        assert!(!is_same_file("/src/k.cu", ""));
    }
}
