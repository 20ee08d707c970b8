//! Kernels of tensor instructions with their expected memory, by family.

use flate2::read::GzDecoder;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use warpgrid_view::Scenario;

/// Kernel with several sources.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) case: Scenario,
    pub(crate) texts: BTreeMap<String, String>,
}

/// Returns the cases of a family.
pub(crate) fn cases(family: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tensor");
    let file = File::open(folder.join(format!("{family}.json.gz"))).expect("a family");
    serde_json::from_reader(GzDecoder::new(file)).expect("cases")
}
