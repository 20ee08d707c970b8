//! Stores as printed by the disassemblers must be accepted for their architecture; unsupported ones must be rejected.

use serde_json::Value as Json;
use warpgrid_isa::Target;
use warpgrid_isa::sass::stores::STORES;
use warpgrid_program::{Diagnostic, FrontEnd, Overrides, ReferenceDocs, Severity};
use warpgrid_sass::Sass;

fn check(arch: &str, text: &str) -> Vec<Diagnostic> {
    let overrides = Overrides {
        target: Some(Target::from_name(arch).expect("a target")),
        ..Overrides::default()
    };
    found(text, &overrides)
}

/// Diagnostic about execution rather than about the source itself.
const NOT_RUN: &str = "W1015";

fn found(text: &str, overrides: &Overrides) -> Vec<Diagnostic> {
    let mut found = Sass.check(text, overrides).diagnostics;
    found.retain(|found| found.code != NOT_RUN);
    found
}

fn errors(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error)
        .collect()
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|found| found.code).collect()
}

#[test]
fn disassembled_stores_are_accepted_for_source_architecture() {
    let mut n = 0;
    for line in include_str!("data/spellings.jsonl").lines() {
        let case: Json = serde_json::from_str(line).expect("a line of JSON");
        let text = |key: &str| case.get(key).and_then(Json::as_str).expect("a text");
        assert_eq!(check(text("arch"), text("text")), [], "{line}");
        n += 1;
    }
    assert!(n > 1900);
}

#[test]
fn store_examples_are_accepted_or_rejected() {
    for store in STORES {
        for (arch, text) in store.good {
            let found = check(arch, text);
            assert_eq!(found, [], "{arch}: {text}");
        }
        for (arch, text) in store.bad {
            assert_ne!(errors(&check(arch, text)).len(), 0, "{arch}: {text}");
        }
    }
}

#[test]
fn documented_examples_are_accepted_without_architecture() {
    for text in [
        "STL.32    [R3+0x1234], R1;   // store to Local address",
        "STS.64    [R3 - 16], R4;     // store [R5,R4] to 64-bit Shared location",
        "STS.32    [0x12], R1;        // store R1 to absolute location 0x12 in per-CTA Shared memory",
        "@P0 STL.CG.U8 [R1 + -0x10], R2 &req_6 &rd1 ?sched;",
        "@!P1 STS.S16 [16], R2 {&req_6} {&rd1} {?sched} ;",
        "STL.WB [R3], R1;",
        "STL.CS.128 [0xffffff], R4;",
        "STL.WT [RZ], RZ;",
        "@PT STS.128 [R3+-0x800000], R4;",
    ] {
        let found = found(text, &Overrides::default());
        assert_eq!(codes(&found), ["W1011"], "{text}");
    }
}

/// Each code must be reported at least once, at the offending token.
#[test]
fn invalid_stores_are_rejected_with_code_at_token() {
    for (arch, text, code, token) in [
        ("sm_50", "STS.64 [R3], R5", "W1109", "R5"),
        ("sm_50", "STS.128 [R3], R6", "W1109", "R6"),
        ("sm_90", "STL.128 [R3], R254", "W1109", "R254"),
        ("sm_90", "STL.128 [R3], R252", "W1110", "R252"),
        ("sm_90", "STL [R3], R255", "W1110", "R255"),
        (
            "sm_100",
            "STG.E.ENL2.256 desc[UR4][R2.64], R4, R9",
            "W1109",
            "R9",
        ),
        (
            "sm_100",
            "STG.E.ENL2.256 desc[UR4][R2.64], R4",
            "W1115",
            "R4",
        ),
        (
            "sm_90",
            "STG.E.ENL2.256 desc[UR4][R2.64], R4, R8",
            "W1104",
            "ENL2.256",
        ),
        ("sm_50", "ST.E [R3], R5", "W1108", "R3"),
        ("sm_90", "STG.E desc[UR5][R2.64], R5", "W1108", "UR5"),
        ("sm_80", "STG.E [UR3], R5", "W1108", "UR3"),
        ("sm_50", "STS [R3+0x800000], R5", "W1111", "+0x800000"),
        ("sm_50", "STS [R3+-0x800001], R5", "W1111", "+-0x800001"),
        ("sm_50", "STS [R3 - 0x800001], R5", "W1111", "- 0x800001"),
        (
            "sm_50",
            "STS [R3+0xffffffffffffffff], R5",
            "W1111",
            "+0xffffffffffffffff",
        ),
        ("sm_50", "STL [0x1000000], R5", "W1112", "0x1000000"),
        ("sm_50", "STL [-0x4], R5", "W1112", "-0x4"),
        ("sm_50", "STS.96 [R3], R4", "W1102", "96"),
        ("sm_50", "STS.U64 [R3], R4", "W1102", "U64"),
        ("sm_50", "STS.CG [R3], R4", "W1103", "CG"),
        ("sm_80", "STS.EF [R3], R4", "W1103", "EF"),
        ("sm_70", "STL.CG [R3], R4", "W1104", "CG"),
        ("sm_62", "STG.E.STRONG.GPU [R2], R4", "W1104", "STRONG.GPU"),
        ("sm_80", "STG.E.SYS [R2.64], R4", "W1104", "SYS"),
        ("sm_80", "STG.E.STRONG [R2.64], R4", "W1101", "STRONG"),
        ("sm_80", "STG.E.FOO [R2.64], R4", "W1101", "FOO"),
        ("sm_80", "STG.E.64.128 [R2.64], R4", "W1105", "128"),
        ("sm_35", "STG.E [R2], R4", "W1100", "STG"),
        ("sm_90", "STS [R7.X4], R0", "W1107", "[R7.X4]"),
        ("sm_72", "STS [R7.X8+0x10], R0", "W1107", "[R7.X8+0x10]"),
        ("sm_72", "STS [UR4], R0", "W1107", "[UR4]"),
        (
            "sm_75",
            "STG.E.SYS desc[UR4][R2.64], R0",
            "W1107",
            "desc[UR4][R2.64]",
        ),
        ("sm_90", "STS [0x20], R0", "W1107", "[0x20]"),
        ("sm_62", "STG.E [R2.64], R0", "W1107", "[R2.64]"),
        ("sm_80", "STL [R2.64], R0", "W1106", "[R2.64]"),
        (
            "sm_80",
            "STS desc[UR4][R2.64], R0",
            "W1106",
            "desc[UR4][R2.64]",
        ),
        ("sm_80", "STS [R2+R3], R0", "W1106", "+R3"),
        ("sm_80", "STS [R2+0x4+0x8], R0", "W1106", "+0x8"),
        ("sm_80", "STS [R2.X2], R0", "W1106", "R2.X2"),
        ("sm_80", "STS c[0x0][0x160], R0", "W1106", "c"),
        ("sm_70", "ST.E.SYS [R2], R5, P0", "W1115", "P0"),
        ("sm_50", "STG.E [R2], R5, P0", "W1115", "P0"),
        ("sm_50", "ST.E [R2], R5, P7", "W1110", "P7"),
        ("sm_50", "STS [R2], R5, R6", "W1115", "R6"),
        ("sm_50", "STS [R2]", "W1115", "[R2]"),
        ("sm_50", "STS", "W1115", "STS"),
        ("sm_50", "STS R2, R3", "W1113", "R2"),
        ("sm_50", "STS [R2], 0x3", "W1114", "0x3"),
        ("sm_50", "STS [R2], -R3", "W1114", "-R3"),
        ("sm_80", "STS [R2], UR3", "W1114", "UR3"),
        ("sm_50", "STS [R2] R3", "W1116", "R3"),
        ("sm_50", "@R1 STS [R2], R3", "W1001", "@R1"),
        ("sm_50", "sts [R2], R3", "W1014", "sts"),
    ] {
        let found = check(arch, text);
        let [error] = errors(&found)[..] else {
            panic!("{arch}: {text}: {found:#?}");
        };
        assert_eq!(
            (error.code, error.span.text(text)),
            (code, token),
            "{arch}: {text}"
        );
    }
}

#[test]
fn fixes_yield_valid_stores() {
    let mut n = 0;
    for (arch, text) in [
        ("sm_50", "STS.64 [R3], R5"),
        ("sm_50", "STS.128 [R3], R250"),
        ("sm_90", "STG.E desc[UR5][R2.64], R5"),
        ("sm_90", "STG.E desc[UR4][R3.64+0x4], R5"),
        ("sm_50", "STS.CG [R3], R4"),
        ("sm_80", "STG.E.SRTONG.GPU [R2.64], R4"),
        ("sm_75", "STG.E.64 [R2], R4"),
        ("sm_80", "STG.64.E [R2.64], R4"),
        ("sm_50", "STS [R2] R3"),
        ("sm_50", "sts [R2], R3"),
        ("sm_50", "STSS [R2], R3"),
    ] {
        for found in check(arch, text) {
            for fix in found.fixes {
                let fixed = fix.apply(text);
                assert_eq!(check(arch, &fixed), [], "{arch}: {text}: {fixed}");
                n += 1;
            }
        }
    }
    assert!(n >= 12, "only {n} fixes");
}

#[test]
fn reference_examples_match_documented_codes() {
    let pages = Sass.codes();
    assert!(pages.is_sorted_by_key(|page| page.code));
    for page in pages {
        let wrong = Sass.check(page.wrong, &Overrides::default()).diagnostics;
        assert!(
            codes(&wrong).contains(&page.code),
            "{}: {wrong:#?}",
            page.code
        );
        let right = Sass.check(page.right, &Overrides::default()).diagnostics;
        assert!(
            right.iter().all(|found| found.code == "W1011"),
            "{}: {right:#?}",
            page.code
        );
    }
}

#[test]
fn each_section_is_checked_for_declared_architecture() {
    let text = "code for sm_75\nSTS [R2.X4], R3;\ncode for sm_90\nSTS [R2.X4], R3;\n";
    let found = found(text, &Overrides::default());
    assert_eq!(codes(&found), ["W1012", "W1107"]);
    assert_eq!(found[1].span.start, 51);
}

#[test]
fn unspecified_architecture_defaults_to_newest_compatible() {
    for (text, arch) in [
        ("STS [R2.X4], R3;", "sm_89"),
        ("STG.E desc[UR4][R2.64], R3;", "sm_121"),
        ("ST.E.CG [R2], R3;", "sm_62"),
        ("STG.E.SYS [R2], R3;", "sm_75"),
        ("ULDC UR4, c[0x0][0x118]; STG.E [R2.64], R3;", "sm_90"),
    ] {
        let found = found(text, &Overrides::default());
        assert_eq!(codes(&found), ["W1011"], "{text}");
        assert!(found[0].message.contains(&format!("`{arch}`")), "{found:?}");
    }
}

#[test]
fn unknown_opcode_warns_and_adjacent_stores_are_checked() {
    let text = ".target sm_80\nFROB.X R1, {R2}, [R3];\nSTS.64 [R2], R3;\n";
    let found = found(text, &Overrides::default());
    assert_eq!(codes(&found), ["W1013", "W1109"]);
    assert_eq!(found[0].severity, Severity::Warning);
}
