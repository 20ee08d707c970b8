//! SASS from real compilers produces exactly the memory of a GPU run. The listings have disassembler format, with the launches and
//! expectations of the PTX corpus.

use crate::common::{entries, keeps_promise};
use std::fs;
use std::path::Path;
use warpgrid_view::analysis::comparison::{ComparisonSide, compare};
use warpgrid_view::check;
use warpgrid_view::scenario::ComparisonKernel;
use warpgrid_view::{CheckOptions, MemoryKey, Scenario, Session, SourceLanguage};

/// Step limit far above the length of any listing.
const MAX_STEPS: u64 = 20_000_000;

fn run(scenario: Scenario) -> Result<(), String> {
    let mut session = Session::new_without_last_writers(scenario)
        .map_err(|error| format!("{} {}", error.code, error.message))?;
    keeps_promise(&mut session, MAX_STEPS)
}

/// Compares a listing with the PTX of its kernel. The error describes the differences.
fn compare_with_ptx(case: &Path, scenario: Scenario) -> Result<(), String> {
    let source = fs::read_to_string(case.join("kernel.ptx")).expect("the PTX of the case");
    let ptx = Scenario {
        source,
        front: SourceLanguage::Ptx,
        beside: Some(ComparisonKernel {
            source: scenario.source.clone(),
            ..ComparisonKernel::default()
        }),
        ..scenario
    };
    let report = compare(ptx, MAX_STEPS).map_err(|error| error.error.message)?;
    if report.sides[0].front != SourceLanguage::Ptx || report.sides[1].front != SourceLanguage::Sass
    {
        return Err("the languages were mistaken".to_owned());
    }
    let idle = |side: &ComparisonSide| side.stores == 0 && side.fault.is_none();
    if report.memories.is_empty() || report.sides.iter().any(idle) {
        return Err("nothing was compared".to_owned());
    }
    match report.equal {
        true => Ok(()),
        false => Err(format!("{:?} {:?}", report.sides, report.differences)),
    }
}

/// Calls `check` with the directory and scenario of each listing, and returns all errors.
fn wrong_listings(check: impl Fn(&Path, Scenario) -> Result<(), String>) -> Vec<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut n_listings = 0;
    let mut wrong = Vec::new();
    for folder in entries(&tests.join("machine_code")) {
        let Some(case) = folder.file_name().filter(|_| folder.is_dir()) else {
            continue;
        };
        let case = tests.join("corpus").join(case);
        let json = fs::read_to_string(case.join("case.json")).expect("the case of the PTX corpus");
        let scenario: Scenario = serde_json::from_str(&json).expect("a scenario");
        for path in entries(&folder) {
            n_listings += 1;
            let scenario = Scenario {
                source: fs::read_to_string(&path).expect("a listing"),
                front: SourceLanguage::Sass,
                target: None,
                ptx_version: None,
                ..scenario.clone()
            };
            let found = check(&case, scenario);
            wrong.extend(
                found
                    .err()
                    .map(|reason| format!("{}: {reason}", path.display())),
            );
        }
    }
    assert!(n_listings >= 56, "found {n_listings} listings");
    wrong
}

fn none_is_wrong(wrong: &[String]) {
    let lines = wrong.join("\n");
    assert!(wrong.is_empty(), "{} wrong:\n{lines}", wrong.len());
}

#[test]
fn sass_listings_are_bit_exact() {
    none_is_wrong(&wrong_listings(|_, scenario| run(scenario)));
}

#[test]
fn sass_listings_match_memory_of_ptx() {
    none_is_wrong(&wrong_listings(compare_with_ptx));
}

#[test]
fn pasted_bulk_copy_listing_infers_buffers() {
    let source = include_str!("machine_code/bulk_copy/kernel.sm_100.nvdisasm.sass").to_owned();
    let scenario = Scenario {
        source,
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).expect("a session");
    assert_eq!(
        session.inferred_annotations(),
        [
            "//@ launch grid=1 block=64",
            "//@ buffer param_0: u32[256] = iota",
            "//@ buffer param_1: u32[256] = iota",
        ]
    );
    assert!(session.run(MAX_STEPS));
    assert_eq!(session.fault(), None);
    // Registers that the listing does not name are not displayed.
    session.seek(40);
    let warp = session.lanes(0, 0).expect("a warp");
    let mut names = warp.registers.iter().map(|register| &register.name);
    assert!(names.clone().any(|name| name == "UR8"));
    assert!(
        !names.any(|name| name.starts_with('~')),
        "{:?}",
        warp.registers
    );
}

#[test]
fn snippet_infers_registers_and_launch() {
    let open = |source: String| {
        let scenario = Scenario {
            source,
            front: SourceLanguage::Sass,
            target: Some("sm_50".into()),
            ..Scenario::default()
        };
        let session = Session::new(scenario).expect("a session");
        session.inferred_annotations().to_vec()
    };
    let lines = "MOV R9, R3;\n@P1 STS.64 [R9+0x10], R4;\n";
    let guesses = open(lines.to_owned());
    let expected = [
        "//@ launch grid=1 block=32 misaligned=force",
        "//@ register R3 = 0",
        "//@ register P1 = 1",
        "//@ register R4 = lane * 2",
        "//@ register R5 = lane * 2 + 1",
    ];
    assert_eq!(guesses, expected);
    let stated = format!("{}\n{lines}", guesses.join("\n"));
    assert_eq!(open(stated), Vec::<String>::new());
}

#[test]
fn snippet_reading_parameter_infers_buffer() {
    for (start, target) in [("0x160", "sm_89"), ("0x210", "sm_90"), ("0x380", "sm_121")] {
        let lines = format!(
            "S2R R0, SR_TID.X ;\nMOV R3, 0x4 ;\nIMAD.WIDE R2, R0, R3, c[0x0][{start}] ;\nSTG.E [R2.64], R0 ;\nEXIT ;\n"
        );
        let scenario = Scenario {
            source: lines.clone(),
            front: SourceLanguage::Sass,
            ..Scenario::default()
        };
        let checked = check(
            &lines,
            &CheckOptions {
                language: SourceLanguage::Sass,
                ..CheckOptions::default()
            },
        );
        let said: Vec<&str> = checked
            .diagnostics
            .iter()
            .map(|d| d.message.as_str())
            .collect();
        assert_eq!(
            said,
            [format!(
                "the listing specifies no architecture, so it is checked for `{target}`"
            )]
        );
        let mut session = Session::new(scenario).expect("a session");
        session.run(100);
        assert!(session.fault().is_none(), "{start}: {:?}", session.fault());
        let guess = session
            .inferred_annotations()
            .iter()
            .find(|line| line.contains("buffer"));
        assert!(
            guess.is_some_and(|line| line.contains("param_0: u32[32]")),
            "{guess:?}"
        );
        let bytes = session
            .memory(&MemoryKey::Buffer("param_0".into()))
            .expect("the buffer");
        assert_eq!(
            bytes.chunks(4).map(|word| word[0]).collect::<Vec<_>>(),
            (0..32).collect::<Vec<u8>>()
        );
    }
}
