//! What an editor is answered, at the place that `^` marks below each line.

use super::*;
use crate::syntax::parse;
use expect_test::{Expect, expect};
use std::fmt::Write;

fn check_hover(line: &str, at: &str, expected: Expect) {
    let offset = line.find(at).expect("the place") as u32;
    let found = hover(line, &Overrides::default(), offset);
    let text = found.map_or("nothing".to_owned(), |found| {
        format!("{}\n{}\n", found.title, found.lines.join("\n"))
    });
    expected.assert_eq(&text);
}

#[test]
fn words_of_a_store_are_explained() {
    let line = ".target sm_75\n@!P0 STG.E.64.STRONG.GPU [R2+0x10], R4;";
    check_hover(
        line,
        "STG",
        expect![[r#"
        STG{.E}{.cop|.evict}{.sz}{.sem} [a], Rb{, Rc{, mask}}
        Store to global memory.
        As PTX: `st.relaxed.gpu.global.v2.b32`, among others.
        On `sm_50` and later.
        Read for `sm_75`.
    "#]],
    );
    check_hover(
        line,
        "GPU",
        expect![[r#"
        .STRONG.GPU
        Ordered as all of the GPU sees it.
        On `sm_70` and later.
    "#]],
    );
    check_hover(
        line,
        "!P0",
        expect![[r#"
        @!P0
        The instruction runs in the lanes where `P0` is false.
    "#]],
    );
    check_hover(
        line,
        "R4",
        expect![[r#"
        R4
        `R4` to `R5` are stored: 64 bits, the lowest first.
    "#]],
    );
    check_hover(
        line,
        "0x10",
        expect![[r#"
        +0x10
        An offset in bytes: 16 = 0x10.
    "#]],
    );
}

#[test]
fn other_opcodes_and_labels_are_explained() {
    let text = ".L_x_1:\n/*0010*/ BRA `(.L_x_1);\n/*0020*/ FROB R1;";
    check_hover(
        text,
        "BRA",
        expect![[r#"
        BRA
        Branch.
        On `sm_35` and later.
        Read for `sm_121`.
    "#]],
    );
    check_hover(
        text,
        "FROB",
        expect![[r#"
        FROB
        The tables do not have this opcode: it is kept and not analysed.
    "#]],
    );
    let offset = text.find("(.L_x_1)").expect("a label") as u32;
    let found = hover(text, &Overrides::default(), offset).expect("a target");
    assert_eq!(found.declared, Some(Span::new(0, 6)));
}

fn suggestions(text: &str) -> Vec<String> {
    let found = complete(text, &Overrides::default(), text.len() as u32);
    found.into_iter().map(|found| found.text).collect()
}

#[test]
fn what_fits_the_architecture_is_offered() {
    let words = suggestions(".target sm_75\nSTG.E.");
    assert!(words.contains(&"SYS".to_owned()) && words.contains(&"STRONG.GPU".to_owned()));
    assert!(!words.contains(&"E".to_owned()) && !words.contains(&"CG".to_owned()));
    let words = suggestions(".target sm_61\nSTG.E.C");
    assert!(words.contains(&"CG".to_owned()) && !words.contains(&"STRONG.GPU".to_owned()));
    let addresses = suggestions(".target sm_75\nSTS [");
    assert!(addresses.contains(&"[R2.X4]".to_owned()));
    let addresses = suggestions(".target sm_90\nSTS ");
    assert!(!addresses.contains(&"[R2.X4]".to_owned()));
    assert_eq!(suggestions(".target sm_90\nST")[0], "ST");
    assert!(suggestions(".target sm_61\nS").contains(&"SSY".to_owned()));
    assert!(!suggestions(".target sm_90\nS").contains(&"SSY".to_owned()));
}

#[test]
fn the_operand_that_is_written_is_active() {
    let active = |text: &str| signature(text, text.len() as u32).map(|found| found.active);
    assert_eq!(active("STS"), Some(None));
    assert_eq!(active("STS [R2"), Some(Some(0)));
    assert_eq!(active("STS [R2], "), Some(Some(1)));
    assert_eq!(active("STS [R2], R3"), Some(Some(1)));
    assert_eq!(active("// STS"), None);
}

fn check_format(text: &str, expected: Expect) {
    let formatted = format(text);
    expected.assert_eq(&formatted);
    assert_eq!(format(&formatted), formatted, "formatting twice changes");
}

#[test]
fn lines_of_a_person_are_put_in_order() {
    check_format(
        ".target sm_50\nSTS.64   [R3 - 16],R4 ;// data\n  @!P0   STL [R1 + -0x4] , RZ\nEXIT; EXIT;\n",
        expect![[r#"
            .target sm_50
                STS.64 [R3+-0x10], R4;// data
                @!P0 STL [R1+-0x4], RZ;
                EXIT;
                EXIT;
        "#]],
    );
}

#[test]
fn a_carriage_return_alone_makes_no_line_end() {
    // Found by fuzzing: formatted again, every line would have ended as that one.
    for (text, formatted) in [("\r$\n", "    $;\n"), ("NOP;\r$\n", "    NOP;\n    $;\n")] {
        assert_eq!(format(text), formatted);
        assert_eq!(format(formatted), formatted);
    }
}

#[test]
fn a_statement_on_a_line_of_its_own_is_still_no_header() {
    // Found by property tests: each half of the line would have been read as the heading of a function.
    for (text, formatted) in [
        ("c\"}.L:$\n", "c\"}.L:\n    $;\n"),
        ("c for d(;R1;e = f\n", "c for d(;\n    R1;e = f\n"),
    ] {
        assert_eq!(format(text), formatted);
        assert_eq!(parse(text).errors.len(), parse(formatted).errors.len());
        assert_eq!(format(formatted), formatted);
    }
}

#[test]
fn a_broken_line_is_left_as_it_is() {
    check_format(
        "STS  [R3 ,  R4;\nSTS  [R3],  R4;",
        expect![[r#"
        STS  [R3 ,  R4;
            STS [R3], R4;"#]],
    );
}

#[test]
fn a_listing_keeps_its_columns() {
    let line = |text: &str| format!("        /*0010*/      {text} /* 0x0000000000067919 */\n");
    for (written, formatted) in [
        ("STS [R3 - 16],  R4 ;   ", "STS [R3+-0x10], R4 ;   "),
        ("STS  [R3 ],  R4 ;   ", "STS [R3], R4 ;      "),
        ("STS [R3],R4 ;   ", "STS [R3], R4 ;  "),
    ] {
        assert_eq!(format(&line(written)), line(formatted));
        assert_eq!(format(&line(formatted)), line(formatted));
    }
}

#[test]
fn instructions_are_explained_word_by_word() {
    let Some(warpgrid_program::Explanation::Instruction { words, .. }) =
        explain("STG.E.64.STRONG.GPU [R2], R4;")
    else {
        panic!("a known store");
    };
    let mut text = String::new();
    for word in words {
        let meaning = match word.meaning {
            Some(warpgrid_program::WordMeaning::Value { slot, value }) => {
                format!("{slot}: {}", value.help)
            }
            Some(warpgrid_program::WordMeaning::Literal(_)) | None => String::new(),
        };
        writeln!(text, ".{} {meaning}", word.text).expect("a string");
    }
    expect![[r#"
        .E width of the address: The address has 64 bits: Ra names the lower register of a pair.
        .64 width: Two registers from Rb on, whose number is even.
        .STRONG.GPU memory order and scope: Ordered as all of the GPU sees it.
    "#]]
    .assert_eq(&text);
    assert!(explain("IMAD.WIDE R1, R2, R3").is_some());
    assert!(explain("nonsense").is_none());
}
