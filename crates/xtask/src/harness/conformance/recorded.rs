//! Implements `--recorded`, which compares recorded launches with inferred launches. `cargo xtask record` writes the recorded launches to a
//! directory with PTX modules and the file `launches.jsonl`. The command reports the modules that Warpgrid rejects, and the launches whose
//! block size Warpgrid infers incorrectly.

use super::Result;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};
use std::path::Path;
use warpgrid_view::check;
use warpgrid_view::model::Severity;
use warpgrid_view::{CheckOptions, Scenario, Session, SourceLanguage};

/// Compares all modules and launches of a directory. Returns false if a module is rejected.
pub(super) fn compare(folder: &Path) -> Result<bool> {
    let modules = read_modules(folder)?;
    let mut n_accepted = 0;
    for (name, source) in &modules {
        let report = check(source, &CheckOptions::default());
        n_accepted += usize::from(report.accept);
        let mut errors = report
            .diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error);
        if let Some(error) = errors.next() {
            println!("{name}:{}: {} {}", error.line, error.code, error.message);
        }
    }
    println!("{n_accepted} of {} modules accepted", modules.len());
    let launches =
        read_to_string(folder.join("launches.jsonl")).map_err(|error| error.to_string())?;
    let (mut n_launches, mut n_equal) = (0, 0);
    for line in launches.lines() {
        let launch: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let module = launch["module"].as_str().unwrap_or_default();
        let Some(source) = modules.get(module) else {
            continue;
        };
        n_launches += 1;
        let entry = launch["entry"].as_str().unwrap_or_default();
        let stated = extents(&launch["block"]);
        let inferred = inferred_block(source, entry)?;
        n_equal += usize::from(inferred == stated);
        if inferred != stated {
            println!(
                "{module} {entry}: the launch has block size {stated:?}, but the inferred block size is {inferred:?}"
            );
        }
    }
    println!(
        "for {n_equal} of {n_launches} launches, the inferred block size equals the recorded block size"
    );
    Ok(n_accepted == modules.len())
}

/// Reads the PTX modules of a directory and returns the sources by file name.
fn read_modules(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut modules = BTreeMap::new();
    for entry in read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_none_or(|extension| extension != "ptx") {
            continue;
        }
        let source =
            read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        modules.insert(name.into_owned(), source);
    }
    Ok(modules)
}

fn extents(value: &Value) -> [u32; 3] {
    [0, 1, 2].map(|axis| {
        value[axis]
            .as_u64()
            .and_then(|n| n.try_into().ok())
            .unwrap_or(0)
    })
}

fn inferred_block(source: &str, entry: &str) -> Result<[u32; 3]> {
    let scenario = Scenario {
        source: source.to_owned(),
        front: SourceLanguage::Ptx,
        entry: Some(entry.to_owned()),
        ..Scenario::default()
    };
    let session = Session::new_without_last_writers(scenario).map_err(|error| error.message)?;
    Ok(session.scenario().block.unwrap_or_default())
}
