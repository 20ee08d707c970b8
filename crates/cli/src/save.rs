//! Export of memories to files, as in `--save out=out.npy`.

use std::io;
use std::path::PathBuf;
use warpgrid_view::memory_export::ExportFormat;
use warpgrid_view::model::GridRequest;
use warpgrid_view::{MemoryKey, Session};

/// Name of a memory, with its output file.
#[derive(Clone, Debug)]
pub(crate) struct SaveTarget {
    memory: MemoryKey,
    pub(crate) file: PathBuf,
    form: ExportFormat,
}

/// Parses `MEMORY=FILE`. The file extension determines the format.
pub(crate) fn read_save(text: &str) -> Result<SaveTarget, String> {
    let parts = text.split_once('=');
    let (memory, file) = parts.ok_or_else(|| {
        format!("found the argument `{text}`, expected a buffer and a file, as in `out=out.npy`")
    })?;
    let form = ExportFormat::of_name(file).ok_or_else(|| {
        let endings: Vec<String> = ExportFormat::ALL
            .iter()
            .map(|(_, _, ending)| format!(".{ending}"))
            .collect();
        format!(
            "found the file name `{file}`, expected the extension {}",
            endings.join(", ")
        )
    })?;
    Ok(SaveTarget {
        memory: MemoryKey::from(memory),
        file: PathBuf::from(file),
        form,
    })
}

/// Writes each memory at the end of the run. Returns a message about each memory that cannot be written, and still writes the other
/// memories.
pub(crate) fn write(session: &mut Session, saves: &[SaveTarget]) -> io::Result<Vec<String>> {
    let mut problems = Vec::new();
    for SaveTarget { memory, file, form } in saves {
        let request = GridRequest {
            memory: memory.clone(),
            ty: None,
            columns: None,
            first_row: 0,
            n_rows: None,
        };
        match session.memory_file(&request, *form) {
            Ok(bytes) => {
                std::fs::write(file, bytes).map_err(|error| crate::output::about(file, error))?
            }
            Err(reason) => problems.push(match session.memory_names() {
                names if names.is_empty() => reason,
                names => format!("{reason}, expected one of `{}`", names.join("`, `")),
            }),
        }
    }
    Ok(problems)
}
