//! Kernels in `cases/`: each file is a test. `crates/cases/README.md` describes the format.

use std::path::Path;

#[test]
fn kernel_case_files_match_expected_results() {
    warpgrid_cases::test_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"));
}
