//! Bank conflict fixes for kernels of all families: the rewritten source is accepted, produces the same results, and has fewer bank
//! conflicts.

use super::kernels::kernels;
use expect_test::expect_file;
use std::fmt::Write;
use warpgrid_view::check;
use warpgrid_view::diagnostics::NO_RESULT;
use warpgrid_view::layouts::inspector::cure;
use warpgrid_view::{CheckOptions, Scenario, Session};

fn scenario(source: &str) -> Scenario {
    Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    }
}

#[test]
fn bank_conflicts_are_removed_from_most_generated_kernels() {
    let mut text = String::new();
    let (mut n, mut n_cured) = (0, 0);
    for kernel in kernels() {
        n += 1;
        match cure(&scenario(&kernel.source), 10_000_000) {
            Ok(cured) => {
                n_cured += usize::from(cured.after == 0);
                assert!(
                    check(&cured.source, &CheckOptions::default()).accept,
                    "{}",
                    cured.source
                );
                assert_eq!(
                    cured.same,
                    ["in", "out"].map(str::to_owned)[2 - cured.same.len()..]
                );
                let _ = writeln!(
                    text,
                    "{}: {} conflicts, then {}: {}",
                    kernel.name,
                    cured.before,
                    cured.after,
                    cured.changes.join(", ")
                );
            }
            Err(failure) if failure.code == NO_RESULT => {
                let _ = writeln!(text, "{}: not cured: {failure}", kernel.name);
            }
            Err(error) => {
                panic!("{}: {error:?}\n{}", kernel.name, kernel.source)
            }
        }
    }
    let _ = writeln!(text, "{n_cured} of {n} without any conflict");
    expect_file!["cured.txt"].assert_eq(&text);
    assert!(n >= 100, "{n} kernels");
    assert!(n_cured * 100 >= n * 90, "{n_cured} of {n}");
}

#[test]
fn conflict_report_matches_snapshot() {
    let kernels = kernels();
    let kernel = kernels
        .iter()
        .find(|kernel| kernel.name == "transpose u32 32x32, 1 warps")
        .expect("it is there");
    let mut session = Session::new_without_last_writers(scenario(&kernel.source)).expect("it runs");
    session.run(1_000_000);
    let report = session.conflicts();
    expect_file!["transpose.txt"]
        .assert_eq(&warpgrid_view::layouts::inspector::conflicts_text(&report));
}
