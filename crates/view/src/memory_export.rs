//! Export of a memory as a file: a drawing of its cells, an animation of the run up to the present position, a table, or a NumPy array.

pub(crate) mod animation;
pub(crate) mod drawing;
pub(crate) mod table;

use crate::diagnostics::no_such_memory;
use crate::model::grid::GridRequest;
use crate::session::Session;
use serde::{Deserialize, Serialize};

/// Format of the file to which a host exports a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ExportFormat {
    /// SVG drawing of at most 4,096 requested cells. The color of each cell shows the lane that wrote the cell.
    Svg,
    /// SVG animation (by CSS) of the run from its start to the present position. The animation has at most 1,024 cells, shows at most 60
    /// evenly distributed stores, and covers at most the last ten million steps.
    Animation,
    /// CSV table of all elements, with one line per row. The table can have at most 16,777,216 elements. Special values are written as
    /// `inf`, `-inf` and `NaN`, which NumPy and spreadsheets can read.
    Csv,
    /// NumPy array file (format version 1.0) with all bytes and the extents of the memory.
    Npy,
}

impl ExportFormat {
    /// All formats with their names and file extensions. The file of an animation is also an SVG file.
    pub const ALL: [(ExportFormat, &'static str, &'static str); 4] = [
        (ExportFormat::Svg, "svg", "svg"),
        (ExportFormat::Animation, "animation", "animated.svg"),
        (ExportFormat::Csv, "csv", "csv"),
        (ExportFormat::Npy, "npy", "npy"),
    ];

    /// Returns the export format with this name.
    pub fn from_name(name: &str) -> Option<ExportFormat> {
        let found = ExportFormat::ALL.iter().find(|(_, own, _)| *own == name);
        found.map(|(form, ..)| *form)
    }

    /// Returns the error message for an unknown format name, with the names of all formats.
    pub fn expected(name: &str) -> String {
        let names: Vec<String> = ExportFormat::ALL
            .iter()
            .map(|(_, name, _)| format!("\"{name}\""))
            .collect();
        format!(
            "found the form \"{name}\", expected one of {}",
            names.join(", ")
        )
    }

    /// Checks whether a file in this format shows the last writer of each cell.
    pub const fn shows_writers(self) -> bool {
        match self {
            ExportFormat::Svg | ExportFormat::Animation => true,
            ExportFormat::Csv | ExportFormat::Npy => false,
        }
    }

    /// Returns the file extension of the format without the leading period.
    pub fn file_extension(self) -> &'static str {
        let found = ExportFormat::ALL.iter().find(|(form, ..)| *form == self);
        found.map_or("svg", |(_, _, ending)| ending)
    }

    /// Returns the export format for a file name. If several extensions match, the longest extension determines the format.
    pub fn of_name(name: &str) -> Option<ExportFormat> {
        let fits = |ending: &str| {
            let before = name.len().checked_sub(ending.len() + 1);
            before.is_some_and(|at| {
                name.is_char_boundary(at) && name[at..].eq_ignore_ascii_case(&format!(".{ending}"))
            })
        };
        let found = ExportFormat::ALL
            .into_iter()
            .filter(|(_, _, ending)| fits(ending));
        found
            .max_by_key(|(_, _, ending)| ending.len())
            .map(|(form, ..)| form)
    }
}

impl Session {
    /// Exports a memory at the present position. The error is the reason why the export is impossible, such as a nonexistent memory or too
    /// many elements for a table.
    pub fn memory_file(
        &mut self,
        request: &GridRequest,
        form: ExportFormat,
    ) -> Result<Vec<u8>, String> {
        let file = match form {
            ExportFormat::Svg => drawing::svg(self, request),
            ExportFormat::Animation => animation::svg(self, request),
            ExportFormat::Csv => return table::csv(self, request),
            ExportFormat::Npy => return table::npy(self, request),
        };
        let text = file.ok_or_else(|| no_such_memory(&request.memory.to_string()))?;
        Ok(text.into_bytes())
    }
}
