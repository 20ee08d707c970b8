//! Kernels with data races or hangs in `cases/`, with their corrected versions: each file is a test.
//! `crates/cases/README.md` describes the format.

use std::path::Path;

#[test]
fn case_files_match_stated_races_hangs_and_fixes() {
    warpgrid_cases::test_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"));
}
