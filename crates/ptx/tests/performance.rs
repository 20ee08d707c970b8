//! Tests of the predictions about ignored and serialized instructions against the remarks of assembler 13.5.
//!
//! `data/performance.txt` contains a case for each line `== C7514 C7517: description`, which states the numbers of all remarks.
//! The lines after it are the body of a kernel; or declarations, a line `KERNEL` with directives, and the body. [`WORDS`] are
//! abbreviations. `UPDATE_EXPECT=1 PTXAS=ptxas cargo test -p warpgrid-ptx performance` records the remarks of an installed
//! assembler.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use warpgrid_program::Overrides;
use warpgrid_ptx::{check, parse};

const WORDS: &[(&str, &str)] = &[
    ("FENCE", "wgmma.fence.sync.aligned;"),
    ("COMMIT", "wgmma.commit_group.sync.aligned;"),
    ("WAIT0", "wgmma.wait_group.sync.aligned 0;"),
    ("WAIT1", "wgmma.wait_group.sync.aligned 1;"),
    (
        "PRODUCT",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d2, %d3, 1, 1, 1, 0, 0;",
    ),
    // The second MMA has a different descriptor, because the assembler merges equal MMAs.
    (
        "SECOND",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d5, %d3, 1, 1, 1, 0, 0;",
    ),
    (
        "OVERWRITE",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d5, %d3, 0, 1, 1, 0, 0;",
    ),
    (
        "OTHER",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, %d2, %d3, 1, 1, 1, 0, 0;",
    ),
    (
        "OF_REGISTERS",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, %d3, 1, 1, 1, 0;",
    ),
    (
        "OF_REGISTERS_SECOND",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, %d5, 1, 1, 1, 0;",
    ),
    (
        "OF_REGISTERS2",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, {%r1, %r2, %r3, %r4}, %d3, 1, 1, 1, 0;",
    ),
    (
        "SPARSE",
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, %d3, %r5, 0, 1, 1, 1, 0;",
    ),
    (
        "STORE2",
        "st.global.v4.f32 [%d1+256], {%f4, %f5, %f6, %f7};",
    ),
    ("DECREASE", "setmaxnreg.dec.sync.aligned.u32 40;"),
    (
        "INDIRECT",
        "prototype: .callprototype _ (); call %d1, (), prototype;",
    ),
    (
        "RECURSIVE",
        ".func f(.reg .u32 a) { .reg .pred q; .reg .u32 b; setp.eq.u32 q, a, 0; @q ret; sub.u32 b, a, 1; call f, (b); ret; }",
    ),
    (
        "VPRINTF",
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);",
    ),
    (
        "PRINT",
        "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d1; st.param.b64 [b], %d1; call (r), vprintf, (a, b); }",
    ),
];

/// Codes of predictions with the remarks that they predict.
const PREDICTED: &[(&str, &[&str])] = &[
    ("W0800", &["C7508"]),
    ("W0801", &["C7504", "C7506"]),
    ("W0802", &["C7406"]),
    ("W0803", &["C7514", "C7517"]),
    ("W0804", &["C7515"]),
    ("W0805", &["C7513"]),
    ("W0806", &["C7509", "C7510", "C7519"]),
    ("W0807", &["C7514", "C7517"]),
];

const PROLOGUE: &str = "{
.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<10>; .reg .pred %p<4>;
ld.param.u64 %d1, [p];
ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+4]; ld.global.u32 %r3, [%d1+8]; ld.global.u32 %r4, [%d1+12];
ld.global.u64 %d2, [%d1+16]; ld.global.u64 %d3, [%d1+24]; ld.global.u64 %d5, [%d1+32];
ld.global.f32 %f0, [%d1]; ld.global.f32 %f1, [%d1+4]; ld.global.f32 %f2, [%d1+8]; ld.global.f32 %f3, [%d1+12];
ld.global.f32 %f4, [%d1+40]; ld.global.f32 %f5, [%d1+44]; ld.global.f32 %f6, [%d1+48]; ld.global.f32 %f7, [%d1+52];
ld.global.f32 %f9, [%d1+56];
setp.eq.u32 %p1, %r1, 0;
";

const EPILOGUE: &str = "
st.global.f32 [%d1], %f0; st.global.f32 [%d1+4], %f1; st.global.f32 [%d1+8], %f2; st.global.f32 [%d1+12], %f3;
ret;
}
";

struct Case<'t> {
    remarks: BTreeSet<&'t str>,
    description: &'t str,
    text: &'t str,
}

fn cases(data: &str) -> Vec<Case<'_>> {
    let sections = data.split("== ").skip(1);
    let case = |section| {
        let (head, text) = str::split_once(section, '\n').expect("a line feed after the remarks");
        let (remarks, description) = head.split_once(": ").expect("remarks before a colon");
        Case {
            remarks: remarks.split(' ').filter(|word| *word != "none").collect(),
            description,
            text,
        }
    };
    sections.map(case).collect()
}

/// Returns the module of a case.
fn module(text: &str) -> String {
    let (declarations, directives, body) = match text.split_once("KERNEL") {
        None => ("", "", text),
        Some((declarations, rest)) => {
            let (directives, body) = rest.split_once('\n').unwrap_or((rest, ""));
            (declarations, directives, body)
        }
    };
    let source = format!(
        ".version 8.8\n.target sm_90a\n.address_size 64\n{declarations}\n.visible .entry k(.param .u64 p){directives}\n{PROLOGUE}{body}{EPILOGUE}"
    );
    let is_word = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let expand = |word: &str| {
        let found = WORDS.iter().find(|(short, _)| *short == word);
        found.map_or_else(|| word.to_owned(), |(_, long)| (*long).to_owned())
    };
    let words = source.split_inclusive(|c: char| !is_word(c));
    let expanded = words.map(|piece| {
        let word = piece.trim_end_matches(|c: char| !is_word(c));
        expand(word) + piece.get(word.len()..).unwrap_or_default()
    });
    expanded.collect()
}

/// Returns the remarks that an assembler prints about a module.
fn remarks_of(assembler: &str, source: &str) -> BTreeSet<String> {
    let path = std::env::temp_dir().join(format!("warpgrid-remarks-{}.ptx", std::process::id()));
    std::fs::write(&path, source).expect("a file for the assembler");
    let output = Command::new(assembler)
        .args(["-arch=sm_90a", "-o", "/dev/null"])
        .arg(&path)
        .output()
        .expect("an assembler");
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let words = said.split(['(', ')']);
    let is_number = |word: &&str| word.len() == 5 && word.starts_with('C');
    words.filter(is_number).map(str::to_owned).collect()
}

/// Describes the difference between the predictions about a case and its remarks, or returns `None` if both agree.
fn difference(case: &Case<'_>) -> Option<String> {
    let source = module(case.text);
    let checked = check(&source, &parse(&source), &Overrides::default());
    let found: BTreeSet<&str> = checked.diagnostics.iter().map(|d| d.code).collect();
    let of = |code: &&str| PREDICTED.iter().find(|(own, _)| own == code);
    let is_stated = |code: &&str| {
        let predicted = of(code).map_or(&[][..], |(_, remarks)| *remarks);
        predicted.iter().any(|remark| case.remarks.contains(remark))
    };
    let is_predicted = |remark: &&&str| {
        let mut predicted = found.iter().filter_map(&of);
        predicted.any(|(_, remarks)| remarks.contains(*remark))
    };
    let wrong: Vec<&str> = found
        .iter()
        .copied()
        .filter(|code| !is_stated(code))
        .collect();
    let missing: Vec<&&str> = case
        .remarks
        .iter()
        .filter(|remark| !is_predicted(remark))
        .collect();
    let agrees = wrong.is_empty() && missing.is_empty();
    (!agrees).then(|| format!("{}: wrong {wrong:?}, missing {missing:?}", case.description))
}

#[test]
fn predicted_performance_remarks_match_ptxas() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/performance.txt");
    let data = std::fs::read_to_string(&path).expect("the cases");
    if let (Ok(assembler), Ok(_)) = (std::env::var("PTXAS"), std::env::var("UPDATE_EXPECT")) {
        let recorded = cases(&data).into_iter().map(|case| {
            let remarks = remarks_of(&assembler, &module(case.text));
            let remarks = Vec::from_iter(remarks).join(" ");
            let remarks = if remarks.is_empty() { "none" } else { &remarks };
            format!("== {remarks}: {}\n{}", case.description, case.text)
        });
        std::fs::write(&path, recorded.collect::<String>()).expect("the cases are written");
    }
    let data = std::fs::read_to_string(&path).expect("the cases");
    let cases = cases(&data);
    assert!(cases.len() > 100, "only {} cases", cases.len());
    let failures: Vec<String> = cases.iter().filter_map(difference).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
