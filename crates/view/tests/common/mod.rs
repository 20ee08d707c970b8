//! Shared functions of tests that run directories of kernels: directory entries, and comparison of a run with the expectations of its case.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use warpgrid_view::session::expectations::{compare, compare_fault};
use warpgrid_view::{MemoryKey, Session};

/// Returns the sorted paths in a directory.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Runs to the end and compares the fault and the buffers with the expectations of the scenario. The error describes the differences.
pub(crate) fn keeps_promise(session: &mut Session, max_steps: u64) -> Result<(), String> {
    if !session.run(max_steps) {
        return Err(format!("not finished after {max_steps} steps"));
    }
    let expected = session.scenario().fault.clone();
    if let Some(reason) = compare_fault(expected.as_ref(), session.fault().as_ref()) {
        return Err(reason);
    }
    buffers_are_as_promised(session)
}

/// Compares the buffers with the expectations of the scenario. The error describes the differences.
pub(crate) fn buffers_are_as_promised(session: &Session) -> Result<(), String> {
    for buffer in session.buffers() {
        let bytes = session
            .memory(&MemoryKey::Buffer(buffer.name.clone()))
            .ok_or("a buffer is gone")?;
        if let Some(m) = compare(&buffer, bytes)? {
            return Err(format!(
                "{}[{}]: found {}, expected {} ({} differ)",
                m.buffer, m.index, m.found, m.expected, m.n_wrong
            ));
        }
        let found = sha256(bytes);
        if buffer
            .expect_sha256
            .is_some_and(|expected| expected != found)
        {
            return Err(format!("{} has another digest", buffer.name));
        }
    }
    Ok(())
}

/// Returns the SHA-256 digest of bytes in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
