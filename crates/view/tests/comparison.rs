//! Comparison of two versions of a kernel with one launch: equal memory, the position at which they diverge, and frames at the same number
//! of stores.

use crate::common::entries;
use expect_test::{expect, expect_file};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use warpgrid_view::analysis::comparison::{
    CellComparison, ComparisonCell, ComparisonReport, ComparisonVerdict, ComputedValue, PairedRun,
    compare,
};
use warpgrid_view::scenario::ComparisonKernel;
use warpgrid_view::{Scenario, SourceLanguage};

const MAX_STEPS: u64 = 100_000;

/// Each thread stores its index three times.
const PTX: &str = "\
//@ launch grid=1 block=32
//@ buffer out: u32[32] = 0
.version 8.0
.target sm_75
.address_size 64
.visible .entry triple(.param .u64 out) {
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    mul.lo.u32 %r2, %r1, 3;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
";

const SASS: &str = "\
        code for sm_75
                Function : triple
        /*0000*/  S2R R0, SR_TID.X ;
        /*0010*/  MOV R3, 0x4 ;
        /*0020*/  IMAD R5, R0, 0x3, RZ ;
        /*0030*/  IMAD.WIDE R2, R0, R3, c[0x0][0x160] ;
        /*0040*/  STG.E.SYS [R2], R5 ;
        /*0050*/  EXIT ;
";

fn scenario(first: &str, second: &str) -> Scenario {
    Scenario {
        source: first.to_owned(),
        front: SourceLanguage::of_source(first),
        beside: Some(ComparisonKernel {
            source: second.to_owned(),
            ..ComparisonKernel::default()
        }),
        ..Scenario::default()
    }
}

/// Each thread stores the value that its neighbor wrote to shared memory. `between` is empty or a barrier.
fn exchange(between: &str) -> String {
    format!(
        "\
//@ launch grid=1 block=64
//@ buffer out: u32[64] = 0
.version 8.0
.target sm_80
.address_size 64
.visible .entry exchange(.param .u64 out) {{
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    .shared .align 4 .b32 s[64];
    mov.u32 %r1, %tid.x;
    st.shared.u32 s[%r1], %r1;
    {between}
    xor.b32 %r2, %r1, 32;
    ld.shared.u32 %r3, s[%r2];
    ld.param.u64 %rd1, [out];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r3;
    ret;
}}
"
    )
}

/// Formats the verdict of a comparison and the first differing instructions.
fn text(report: &ComparisonReport) -> String {
    let value = |side: &ComputedValue| {
        let register = side.register.as_deref().unwrap_or("constant");
        let source: Vec<String> = side
            .source
            .iter()
            .map(|position| position.short())
            .collect();
        format!(
            "line {}: {} -> {register} = {} {:?} {source:?}",
            side.range.line, side.instruction, side.value, side.number
        )
    };
    let mut text = format!("{:?}: {}\n", report.verdict, report.summary);
    if let Some(found) = &report.first_difference {
        let confirmed = match found.confirmed {
            true => "confirmed",
            false => "not confirmed",
        };
        let _ = writeln!(text, "{}[{}], {confirmed}", found.memory, found.index);
        for (name, side) in ["first", "second"].iter().zip(&found.sides) {
            let _ = writeln!(text, "{name}: {}", value(side));
        }
        for omitted in &found.omitted {
            let _ = writeln!(text, "omitted: {}", value(omitted));
        }
    }
    for note in &report.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

#[test]
fn first_differing_instructions_match_expected_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/comparisons");
    let mut n_cases = 0;
    for path in entries(&folder) {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("");
        let Some((case, "sass")) = name
            .split_once('.')
            .and_then(|(case, rest)| Some((case, rest.rsplit_once('.')?.1)))
        else {
            continue;
        };
        n_cases += 1;
        let read = |path: &Path| fs::read_to_string(path).expect("a readable file");
        let (ptx, sass) = (read(&folder.join(format!("{case}.ptx"))), read(&path));
        let report = compare(scenario(&ptx, &sass), MAX_STEPS).expect("both run");
        expect_file![folder.join(format!("{case}.expected"))].assert_eq(&text(&report));
        // The order of the sources does not change the named instructions.
        let swapped = compare(scenario(&sass, &ptx), MAX_STEPS).expect("both run");
        assert_eq!(swapped.verdict, report.verdict, "{case}");
        let named = |report: &ComparisonReport, side: usize| {
            report
                .first_difference
                .as_ref()
                .map(|found| found.sides[side].range)
        };
        assert_eq!(named(&swapped, 1), named(&report, 0), "{case}");
    }
    assert!(n_cases > 0);
}

#[test]
fn loop_iterations_and_shared_memory_are_followed() {
    let kernel = |shift: u32| {
        exchange("bar.sync 0;").replace(
            "mad.wide.u32 %rd2",
            &format!(
                "shl.b32 %r4, %r3, {shift};\n    add.u32 %r3, %r4, %r1;\n    mad.wide.u32 %rd2"
            ),
        )
    };
    let report = compare(scenario(&kernel(3), &kernel(2)), MAX_STEPS).expect("both run");
    assert_eq!(report.verdict, ComparisonVerdict::Different);
    expect![[r#"
        Different: different memory contents: 1 of 1 buffers and variables differs
        out[33], confirmed
        first: line 16: shl.b32 %r4, %r3, 3; -> %r4 = 0x00000008 None []
        second: line 16: shl.b32 %r4, %r3, 2; -> %r4 = 0x00000004 None []
    "#]]
    .assert_eq(&text(&report));
}

#[test]
fn note_attributes_difference_to_data_race() {
    let (racing, ordered) = (exchange(""), exchange("bar.sync 0;"));
    let report = compare(scenario(&racing, &ordered), MAX_STEPS).expect("both run");
    assert!(!report.equal);
    assert_eq!(report.verdict, ComparisonVerdict::NotComparable);
    expect![
        "not comparable here: kernel A has a data race (lines 11 and 14), so the results of this kernel may differ between runs"
    ]
    .assert_eq(&report.summary);
    assert_eq!(report.notes, Vec::<String>::new());
}

#[test]
fn note_attributes_difference_to_uninitialized_register() {
    let (first, second) = (
        PTX.replace("mul.lo.u32 %r2, %r1, 3;", "add.u32 %r2, %r2, 3;"),
        PTX,
    );
    let report = compare(scenario(&first, second), MAX_STEPS).expect("both run");
    expect![
        "not comparable here: kernel A, line 15: the stored value depends on the uninitialized register `%r2` (thread 0 of block 0)"
    ]
    .assert_eq(&report.summary);
}

#[test]
fn ptx_launch_applies_to_both_kernels_in_either_order() {
    for (first, second) in [(PTX, SASS), (SASS, PTX)] {
        let report = compare(scenario(first, second), MAX_STEPS).expect("both run");
        assert!(report.equal, "{report:?}");
        assert_eq!(report.memories, ["out".into()]);
        assert_eq!(
            report.summary,
            "identical memory contents: 128 bytes of `out`"
        );
        assert_eq!((report.n_bytes, report.differences.len()), (128, 0));
        let [a, b] = report
            .sides
            .each_ref()
            .map(|side| (side.front, side.stores));
        assert_eq!((a.1, b.1), (1, 1));
        assert_ne!(a.0, b.0);
    }
}

#[test]
fn launch_declared_by_one_kernel_applies_to_both() {
    let bare: String = PTX
        .lines()
        .skip(2)
        .map(|line| format!("{line}\n"))
        .collect();
    let stated = format!("//@ launch grid=1 block=64\n//@ buffer data: u32[64] = 9\n{SASS}");
    let report = compare(scenario(&bare, &stated), MAX_STEPS).expect("both run");
    assert!(report.equal, "{report:?}");
    assert_eq!(
        (report.memories, report.n_bytes),
        (vec!["data".into()], 256)
    );
}

#[test]
fn undeclared_launch_is_inferred_once_for_both_kernels() {
    let bare: String = PTX
        .lines()
        .skip(2)
        .map(|line| format!("{line}\n"))
        .collect();
    let pair = PairedRun::new(scenario(SASS, &bare), MAX_STEPS).expect("both run");
    assert_eq!(
        pair.guesses(),
        ["//@ launch grid=1 block=32", "//@ buffer out: u32[32] = 0"]
    );
}

#[test]
fn difference_names_diverging_stores_of_both_kernels() {
    let other = SASS.replace("R0, 0x3, RZ", "R0, R0, RZ");
    let report = compare(scenario(PTX, &other), MAX_STEPS).expect("both run");
    assert!(!report.equal);
    let difference = &report.differences[0];
    assert_eq!((difference.index, difference.n_elements), (1, 30));
    let sides = difference.sides.each_ref().map(|side| {
        let store = side.stores.last().expect("a store wrote it");
        format!(
            "{}: line {} {}, lane {}",
            side.value, store.line, store.instruction, store.lane
        )
    });
    expect![[r#"
        [
            "3: line 15 st.global.u32 [%rd3], %r2;, lane 1",
            "1: line 7 STG.E.SYS [R2], R5, lane 1",
        ]
    "#]]
    .assert_debug_eq(&sides);
}

#[test]
fn first_divergence_is_index_of_first_differing_store() {
    let text = |second: u32, third: u32| {
        format!(
            "//@ launch grid=1 block=1\n//@ buffer p: u32[3] = 0\nst.global.u32 [p], 1;\nst.global.u32 [p+4], {second};\nst.global.u32 [p+8], {third};\n"
        )
    };
    let parting = |other: String| {
        let scenario = Scenario {
            source: text(5, 6),
            beside: Some(ComparisonKernel {
                source: other,
                ..ComparisonKernel::default()
            }),
            ..Scenario::default()
        };
        let mut pair = PairedRun::new(scenario, MAX_STEPS).expect("both run");
        while !pair.advance(1000) {}
        let report = pair.report();
        pair.first_divergence(&report)
    };
    assert_eq!(parting(text(5, 6)), None);
    assert_eq!(parting(text(7, 8)), Some(2));
    assert_eq!(parting(text(5, 8)), Some(3));
}

#[test]
fn fault_in_only_one_kernel_is_difference() {
    let beyond = SASS.replace("[R2]", "[R2+0x100000]");
    let report = compare(scenario(PTX, &beyond), MAX_STEPS).expect("both run");
    assert_eq!(
        (report.equal, &*report.summary),
        (
            false,
            "different memory contents: 1 of 1 buffers and variables differs"
        )
    );
    assert_eq!(report.sides[0].fault, None);
    assert!(
        report.sides[1]
            .fault
            .as_ref()
            .is_some_and(|reason| reason.contains("out-of-bounds")),
        "{report:?}"
    );
}

#[test]
fn unfinished_runs_are_not_equal() {
    let report = compare(scenario(PTX, SASS), 3).expect("both run");
    assert_eq!(
        (report.equal, &*report.summary),
        (
            false,
            "the runs have not finished, and memory is identical so far"
        )
    );
}

#[test]
fn error_identifies_failing_kernel() {
    let wrong = SASS.replace("STG.E.SYS [R2]", "STG.E.SYS [R2+0x1000000]");
    let error = compare(scenario(PTX, &wrong), MAX_STEPS).expect_err("one does not run");
    assert_eq!(error.side, 1);
    let error = compare(scenario("st.shred.u32 [p], 1;", SASS), MAX_STEPS);
    assert_eq!(error.map_err(|error| error.side), Err(0));
    let error = compare(scenario(PTX, ""), MAX_STEPS);
    assert_eq!(error.map_err(|error| error.side), Err(1));
}

#[test]
fn frames_align_kernels_by_store_count() {
    // PTX that stores twice, and SASS whose second store differs.
    let twice = PTX.replace("    ret;", "    st.global.u32 [%rd3], %r1;\n    ret;");
    let other = SASS.replace("EXIT ;", "STG.E.SYS [R2], R5 ;\n        /*0060*/  EXIT ;");
    let mut pair = PairedRun::new(scenario(&twice, &other), MAX_STEPS).expect("both run");
    assert!(!pair.advance(3), "three steps are not all");
    while !pair.advance(3) {}
    assert_eq!(pair.length(), 3);
    let mut found = Vec::new();
    for position in 0..=3 {
        let frame = pair.frame(position, &[], 4);
        let lines = frame
            .sides
            .each_ref()
            .map(|side| side.last.as_ref().map(|step| step.range.line));
        let grid = &frame.grids[0];
        let ComparisonCell {
            texts, mark, now, ..
        } = &grid.cells[2];
        found.push(format!(
            "{lines:?} {texts:?} {mark:?} {now:?} {}",
            grid.n_differing
        ));
    }
    expect![[r#"
        [
            "[None, None] [\"0\", \"0\"] Untouched [false, false] 0",
            "[Some(15), Some(7)] [\"6\", \"6\"] Equal [true, true] 0",
            "[Some(16), Some(8)] [\"2\", \"6\"] Differs [true, true] 31",
            "[Some(17), Some(9)] [\"2\", \"6\"] Differs [false, false] 31",
        ]
    "#]]
    .assert_debug_eq(&found);
    assert_eq!(pair.frame(9, &[], 4).position, 3);
    let marks: Vec<CellComparison> = pair.frame(2, &[], 4).grids[0]
        .cells
        .iter()
        .take(2)
        .map(|cell| cell.mark)
        .collect();
    assert_eq!(marks, [CellComparison::Equal, CellComparison::Differs]);
}

#[test]
fn kernel_without_stores_stays_at_start_until_last_frame() {
    let quiet = SASS.replace("STG.E.SYS [R2], R5", "NOP");
    let mut pair = PairedRun::new(scenario(PTX, &quiet), MAX_STEPS).expect("both run");
    while !pair.advance(u64::MAX) {}
    let frame = pair.frame(1, &[], 4);
    assert_eq!(frame.sides[1].position, 0);
    assert_eq!(frame.grids[0].cells[1].mark, CellComparison::First);
    assert_eq!(pair.frame(2, &[], 4).sides[1].position, 6);
    assert!(!pair.report().equal);
}
