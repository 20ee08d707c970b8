//! Disassembly of compiled files without PTX with an installed disassembler: nvdisasm or cuobjdump.

use crate::installed_tools::search;
use std::path::Path;
use std::process::Command;

/// Disassemblers with their options, in the order of preference. A listing of `nvdisasm` also contains the data sections, but nvdisasm reads
/// only cubins. cuobjdump also reads fatbins, object files and executables.
const DISASSEMBLERS: [(&str, &[&str]); 2] = [("nvdisasm", &[]), ("cuobjdump", &["-sass"])];

/// Returns the listing of the SASS in a file. The error is a message for the user.
pub(crate) fn listing(path: &Path) -> Result<String, String> {
    let installed: Vec<_> = DISASSEMBLERS
        .iter()
        .filter_map(|(name, options)| Some((search(name)?, options)))
        .collect();
    if installed.is_empty() {
        return Err(
            "the file contains no PTX, and neither `nvdisasm` nor `cuobjdump` is installed: install nvdisasm with `pip install nvidia-cuda-nvdisasm`, or run the listing that `cuobjdump -sass` prints on another host"
                .to_owned(),
        );
    }
    let mut messages = String::new();
    for (program, options) in installed {
        let output = Command::new(&program).args(*options).arg(path).output();
        let output =
            output.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        messages += &String::from_utf8_lossy(&output.stderr);
    }
    Err(format!(
        "the file cannot be disassembled:\n{}",
        messages.trim_end()
    ))
}
