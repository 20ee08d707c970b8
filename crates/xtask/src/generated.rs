//! Kernels at random for the hosts of translated code: seeds go in, a file of scenarios comes out, which tests in JavaScript read.

#[path = "../../translate/tests/same/generated.rs"]
mod kernels;

use crate::shell::{self, Result};
use std::path::PathBuf;

/// The variable that names the file to tests.
pub(crate) const VARIABLE: &str = "GENERATED_KERNELS";

/// Kernels in CI.
const SEEDS: std::ops::Range<u64> = 0..500;

/// Writes the scenarios as one array of JSON.
pub(crate) fn write() -> Result<PathBuf> {
    let folder = shell::root().join("target/tmp");
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(said)?;
    let file = folder.join("generated.json");
    let scenarios: Vec<_> = SEEDS.map(kernels::scenario).collect();
    shell::write(&file, &serde_json::Value::from(scenarios).to_string())?;
    Ok(file)
}
