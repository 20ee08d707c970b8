//! Generates a file of scenarios with random kernels for the JavaScript tests of translated code. A range of seeds determines the kernels.

#[path = "../../translate/tests/equivalence/random_kernels.rs"]
mod kernels;

use crate::shell::{self, Result};
use std::path::PathBuf;

/// Environment variable that contains the path of the file.
pub(crate) const VARIABLE: &str = "GENERATED_KERNELS";

/// Seeds of the kernels that CI tests.
const SEEDS: std::ops::Range<u64> = 0..500;

/// Writes the scenarios as a JSON array, and returns the path of the file.
pub(crate) fn write() -> Result<PathBuf> {
    let folder = shell::root().join("target/tmp");
    let describe_error = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(describe_error)?;
    let file = folder.join("generated.json");
    let scenarios: Vec<_> = SEEDS.map(kernels::scenario).collect();
    shell::write(&file, &serde_json::Value::from(scenarios).to_string())?;
    Ok(file)
}
