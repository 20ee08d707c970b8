//! Reconvergence in SASS: each directory of `regions` contains a kernel with its launch, and listings from assembler 13.5 and `nvdisasm`.
//! Each listing produces the same memory as the PTX.

use std::fs;
use std::path::Path;
use warpgrid_view::{MemoryKey, Scenario, Session, SourceLanguage};

/// Returns the contents of `out` after a run to the end.
fn run(name: &str, source: String, front: SourceLanguage) -> Vec<u8> {
    let scenario = Scenario {
        source,
        front,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    assert!(session.run(100_000), "{name}: not over");
    assert_eq!(session.fault(), None, "{name}");
    session
        .memory(&MemoryKey::from("out"))
        .expect("a buffer")
        .to_vec()
}

/// Runs the kernel of a directory, and each of its listings with the launch of the kernel.
fn check(case: &str, n_listings: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/regions")
        .join(case);
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file of the case");
    let ptx = read("kernel.ptx");
    let launch = ptx.lines().filter(|line| line.starts_with("//@"));
    let launch: String = launch.map(|line| format!("{line}\n")).collect();
    let expected = run("kernel.ptx", ptx, SourceLanguage::Ptx);
    let mut n_run = 0;
    for entry in fs::read_dir(&folder).expect("the folder of the case") {
        let name = entry
            .expect("a file")
            .file_name()
            .into_string()
            .expect("a name");
        if name.ends_with(".sass") {
            let found = run(
                &name,
                format!("{launch}{}", read(&name)),
                SourceLanguage::Sass,
            );
            assert_eq!(found, expected, "{case}/{name}");
            n_run += 1;
        }
    }
    assert_eq!(n_run, n_listings, "{case}");
}

/// Some targets of the jump table leave a region without `BREAK`, and their lanes wait at the end of the outer region.
#[test]
fn lanes_waiting_at_outer_region_end_exit_inner_region() {
    check("switch_that_falls_through", 2);
}

/// The unoptimized version: lanes leave the region without `BREAK`, to a warp barrier before a `BAR.SYNC`.
#[test]
fn lanes_waiting_at_warp_barrier_exit_region_without_break() {
    check("switch_before_a_barrier", 1);
}

/// `BRA.DIV` detects that all lanes are converged, so no lane branches.
#[test]
fn bra_div_keeps_converged_lanes_in_one_group() {
    check("votes_after_a_match", 2);
}
