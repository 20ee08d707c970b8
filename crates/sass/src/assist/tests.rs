//! Tests of the editor features. The character `^` marks the tested position in the line above it.

use super::*;
use crate::syntax::parse;
use expect_test::{Expect, expect};
use std::fmt::Write;

fn check_hover(line: &str, at: &str, expected: Expect) {
    let offset = line.find(at).expect("the place") as u32;
    let found = hover(line, &parse(line), &Overrides::default(), offset);
    let text = found.map_or("nothing".to_owned(), |found| {
        format!("{}\n{}\n", found.title, found.lines.join("\n"))
    });
    expected.assert_eq(&text);
}

#[test]
fn hover_explains_store_components() {
    let line = ".target sm_75\n@!P0 STG.E.64.STRONG.GPU [R2+0x10], R4;";
    check_hover(
        line,
        "STG",
        expect![[r#"
            STG{.E}{.cop|.evict}{.sz}{.sem} [a], Rb{, Rc{, mask}}
            Store to global memory.
            The opcode corresponds to PTX `st.relaxed.gpu.global.v2.b32` and to other PTX instructions.
            Available on `sm_50` and later.
            The instruction is decoded for `sm_75`.
        "#]],
    );
    check_hover(
        line,
        "GPU",
        expect![[r#"
            .STRONG.GPU
            Strong store at GPU scope.
            Available on `sm_70` and later.
        "#]],
    );
    check_hover(
        line,
        "!P0",
        expect![[r#"
            @!P0
            The instruction is executed by the lanes in which `P0` is false.
        "#]],
    );
    check_hover(
        line,
        "R4",
        expect![[r#"
            R4
            Stores the 64 bits of `R4` to `R5`, with the least significant register first.
        "#]],
    );
    check_hover(
        line,
        "0x10",
        expect![[r#"
            +0x10
            The offset is 16 (0x10) bytes.
        "#]],
    );
}

#[test]
fn hover_explains_branches_labels_and_unknown_opcodes() {
    let text = ".L_x_1:\n/*0010*/ BRA `(.L_x_1);\n/*0020*/ FROB R1;";
    check_hover(
        text,
        "BRA",
        expect![[r#"
            BRA
            Branch to a label.
            Available on `sm_35` and later.
            The instruction is decoded for `sm_121`.
        "#]],
    );
    check_hover(
        text,
        "FROB",
        expect![[r#"
            FROB
            The opcode is unknown, so the instruction is not analysed.
        "#]],
    );
    let offset = text.find("(.L_x_1)").expect("a label") as u32;
    let found = hover(text, &parse(text), &Overrides::default(), offset).expect("a target");
    assert_eq!(found.declared, Some(Span::new(0, 6)));
}

fn suggestions(text: &str) -> Vec<String> {
    let found = complete(text, &parse(text), &Overrides::default(), text.len() as u32);
    found.into_iter().map(|found| found.text).collect()
}

#[test]
fn completion_depends_on_architecture() {
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
fn signature_help_marks_active_operand() {
    let active =
        |text: &str| signature(text, &parse(text), text.len() as u32).map(|found| found.active);
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
fn formatter_normalizes_handwritten_source() {
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
fn lone_carriage_return_does_not_set_line_ending() {
    // Regression test for a fuzzing result: a second formatting pass changed the line end of every line.
    for (text, formatted) in [("\r$\n", "    $;\n"), ("NOP;\r$\n", "    NOP;\n    $;\n")] {
        assert_eq!(format(text), formatted);
        assert_eq!(format(formatted), formatted);
    }
}

#[test]
fn splitting_line_does_not_create_function_header() {
    // Regression test for a property test result: after the formatter had split the line, each half was parsed as a function header.
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
fn formatter_preserves_malformed_lines() {
    check_format(
        "STS  [R3 ,  R4;\nSTS  [R3],  R4;",
        expect![[r#"
        STS  [R3 ,  R4;
            STS [R3], R4;"#]],
    );
}

#[test]
fn formatter_preserves_listing_columns() {
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
fn instruction_explanation_covers_each_modifier() {
    let Some(warpgrid_program::Explanation::Instruction { words, .. }) =
        explain("STG.E.64.STRONG.GPU [R2], R4;")
    else {
        panic!("a known store");
    };
    let mut text = String::new();
    for word in words {
        let meaning = match word.meaning {
            Some(warpgrid_program::TokenDocKind::Value { slot, value }) => {
                format!("{slot}: {}", value.help)
            }
            Some(warpgrid_program::TokenDocKind::Literal(_)) | None => String::new(),
        };
        writeln!(text, ".{} {meaning}", word.text).expect("a string");
    }
    expect![[r#"
        .E width of the address: 64-bit address in a register pair, whose lower register is Ra.
        .64 width: Stores two registers that start at Rb, whose index must be even.
        .STRONG.GPU memory order and scope: Strong store at GPU scope.
    "#]]
    .assert_eq(&text);
    assert!(explain("IMAD.WIDE R1, R2, R3").is_some());
    assert!(explain("nonsense").is_none());
}

/// Returns the reference page of a mnemonic: faults, modifiers, counterparts and remarks.
fn page(mnemonic: &str) -> String {
    let mut text = String::new();
    let mut add = |line: &str| text += &format!("{line}\n");
    match explain(mnemonic).expect("a known opcode") {
        warpgrid_program::Explanation::Opcode(forms) => {
            for form in forms {
                add(&form.syntax);
                for slot in &form.slots {
                    let words: Vec<&str> = slot.values.iter().map(|v| v.text.as_str()).collect();
                    add(&format!("  .{}: {}", slot.title, words.join(" ")));
                }
                for operand in &form.operands {
                    add(&format!("  {}: {}", operand.name, operand.help));
                }
                form.beside.iter().for_each(|line| add(line));
            }
        }
        warpgrid_program::Explanation::Instruction {
            words,
            faults,
            equivalents: beside,
            ..
        } => {
            faults.iter().for_each(|fault| add(fault));
            for word in words {
                add(&format!(".{}: {:?}", word.text, word.meaning.is_some()));
            }
            beside.iter().for_each(|line| add(line));
        }
    }
    text
}

#[test]
fn opcode_explanation_lists_operands_modifiers_and_counterpart() {
    expect![[r#"
        SHFL.shuffle Pd, Rd, Ra, Rb, Rc
          .source lane: IDX UP DOWN BFLY
          Pd: destination predicate, where `PT` discards the result
          Rd: destination register, or first register of a wide result
          Ra, Rb, Rc: source register, or first register of a wide value (for arithmetic, alternatively an immediate, a constant or a uniform register)
        PTX counterparts include `shfl.sync`
    "#]].assert_eq(&page("SHFL"));
    expect![[r#"
        UISETP.icmp{.U32|.S32|.U64|.S64}{.bool} UPd, UPe, URa, URb, UPa
        UISETP.icmp{.U32|.S32}{.bool}.EX UPd, UPe, URa, URb, UPa{, UPb}
          .comparison: LT EQ LE GT NE GE T F
          .modifier: U32
          .modifier: S32
          .modifier: U64
          .modifier: S64
          .combination with the predicate: AND OR XOR
          .modifier: EX
          UPd, UPe: uniform destination predicate, where `UPT` discards the result
          URa, URb: uniform source register, or first uniform register of a wide value (for arithmetic, alternatively an immediate)
          UPa: uniform source predicate, optionally negated by `!`
          UPb: uniform source predicate, optionally negated by `!`
        PTX counterparts include `setp.s32`, `setp.s64`
    "#]].assert_eq(&page("UISETP"));
    expect![[r#"
        NOP
        PTX counterpart: none, because `ptxas` inserts the opcode for alignment.
        The emulator executes this opcode with all operands and modifiers.
    "#]]
    .assert_eq(&page("NOP"));
    expect![[r#"
        TTUGO
        PTX counterpart: none, because the opcode controls the ray tracing unit, which PTX does not expose.
        The emulator recognizes this opcode, but does not execute the instruction.
        The operands are not documented.
    "#]]
    .assert_eq(&page("TTUGO"));
    expect![[r#"
        STS{.sz} [Ra + ImmS24], Rb
          .width of the address: E
          .width: 8 U8 S8 16 U16 S16 32 64 128
          [Ra + ImmS24]: address in one of the forms that are listed below
          Rb: first register of the data to store
        PTX counterparts include `st.shared.b32`
    "#]]
    .assert_eq(&page("STS"));
}

#[test]
fn invalid_modifiers_are_flagged_in_explanation() {
    expect![[r#"
        unknown modifier `.BOGUS` of `LDG` (known modifiers: `.EU`, `.LU`, `.CG`, `.CS`, `.U8`, `.CGA`, `.GPU`, `.SYS`, `.E`, `.EF`, `.EL`, `.EN` or 31 others)
        .E: true
        .BOGUS: false
        PTX counterparts include `ld.global`, `ld.global.nc`
    "#]].assert_eq(&page("LDG.E.BOGUS"));
    expect![[r#"
        `.128` cannot be combined with the other modifiers
        .E: true
        .64: true
        .128: false
        PTX counterparts include `ld.global`, `ld.global.nc`
    "#]]
    .assert_eq(&page("LDG.E.64.128"));
    expect![[r#"
        missing modifier, expected `.LT`, `.EQ`, `.LE`, `.GT`, `.NE`, `.GE`, `.T` or `.F`
        .U32: true
        PTX counterparts include `setp.s32`, `setp.s64`
    "#]]
    .assert_eq(&page("ISETP.U32"));
    expect![[r#"
        unknown modifier `.IDEX` of `SHFL` (did you mean `.IDX`? known modifiers: `.IDX`, `.UP`, `.DOWN` or `.BFLY`)
        .IDEX: false
        PTX counterparts include `shfl.sync`
    "#]].assert_eq(&page("SHFL.IDEX"));
    expect![[r#"
        unknown modifier `.BOGUS` of `STG` (known modifiers: `.CG`, `.CS`, `.EU`, `.U8`, `.SYS`, `.E`, `.WB`, `.WT`, `.EF`, `.EL`, `.NA`, `.8` or 15 others)
        .E: true
        .BOGUS: false
        PTX counterparts include `st.global.b32`
    "#]].assert_eq(&page("STG.E.BOGUS"));
    expect![[r#"
        .64x96x16: true
        .F32: true
        .BF16: true
        PTX counterparts include `wgmma.mma_async.sync`
    "#]]
    .assert_eq(&page("HGMMA.64x96x16.F32.BF16"));
    expect![[r#"
        .SC: true
        .BOGUS: true
        PTX counterparts include `fence.acq_rel`, `fence.sc`, `membar.gl`
        The emulator executes this opcode with all operands and modifiers.
    "#]]
    .assert_eq(&page("MEMBAR.SC.BOGUS"));
}
