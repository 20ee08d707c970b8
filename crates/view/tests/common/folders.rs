//! Test cases as directories: a kernel, its launch, and the output of other compilers for the same kernel. Provides a scenario for each
//! source.

use serde::Deserialize;
use std::fs;
use std::path::Path;
use warpgrid_view::Scenario;

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    variants: Vec<Variant>,
}

#[derive(Deserialize)]
struct Variant {
    file: String,
}

/// Returns a scenario for each source of a case, with the path of the source relative to the directory of all cases.
pub(crate) fn scenarios_of(folder: &Path) -> Vec<(String, Scenario)> {
    let json = fs::read_to_string(folder.join("case.json")).expect("case.json");
    let scenario: Scenario = serde_json::from_str(&json).expect("a scenario");
    let case: Case = serde_json::from_str(&json).expect("a case");
    // A directory of listings contains only variants.
    let first = Some("kernel.ptx".to_owned()).filter(|file| folder.join(file).exists());
    let variants = case.variants.into_iter().map(|variant| variant.file);
    let files = first.into_iter().chain(variants);
    let folder_name = folder.file_name().unwrap_or_default().to_string_lossy();
    files
        .map(|file| {
            let source = fs::read_to_string(folder.join(&file)).expect("a text");
            let scenario = Scenario {
                source,
                ptx_version: None,
                ..scenario.clone()
            };
            (format!("{folder_name}/{file}"), scenario)
        })
        .collect()
}
