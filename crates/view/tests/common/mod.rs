//! What the tests over folders of kernels share: the entries of a folder, and whether a run leaves what its case promises.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use warpgrid_view::session::expectations::{compare, compare_fault};
use warpgrid_view::{MemoryId, Session};

/// The paths in a folder, sorted.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Runs to the end, and says what differs from what the scenario promises of its fault and its buffers.
pub(crate) fn keeps_promise(session: &mut Session, max_steps: u64) -> Result<(), String> {
    if !session.run(max_steps) {
        return Err(format!("not finished after {max_steps} steps"));
    }
    let expected = session.scenario().fault.clone();
    if let Some(why) = compare_fault(expected.as_ref(), session.fault().as_ref()) {
        return Err(why);
    }
    buffers_are_as_promised(session)
}

/// Says what differs from what the scenario promises of its buffers.
pub(crate) fn buffers_are_as_promised(session: &Session) -> Result<(), String> {
    for buffer in session.buffers() {
        let bytes = session
            .memory(&MemoryId::Buffer(buffer.name.clone()))
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

/// The digest of bytes in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
