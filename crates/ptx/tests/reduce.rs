//! Reduction of sources with properties that the test defines.

use expect_test::{Expect, expect};
use warpgrid_program::Overrides;
use warpgrid_ptx::reduce::{count_statements, reduce, without_annotations};
use warpgrid_ptx::{check, format, parse};

const SOURCE: &str = "// Sum of a row.
//@ launch grid=4 block=128
//@ buffer out: u32[512] = 0
.version 8.0
.target sm_80
.address_size 64
.func unused() { ret; }
.visible .entry k(.param .u64 out, .param .u32 n) .maxntid 128
{
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<4>;
    .shared .b32 tile[64];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    {
        .reg .b32 %inner;
        add.s32 %inner, %r2, 100;
        mov.u32 %r3, %inner;
    }
    setp.ge.u32 %p, %r2, %r1;
    @%p bra END;
    mad.wide.u32 %rd2, %r2, 4, %rd1;
    st.global.u32 [%rd2+16], %r3;
END:
    ret;
}
";

fn is_accepted(source: &str) -> bool {
    check(source, &parse(source), &Overrides::default()).accept()
}

/// Checks the reduced source of [`SOURCE`], which must be accepted and contain `text`.
fn check_reduced(text: &str, expect: Expect) {
    let mut has_property = |source: &str| source.contains(text) && is_accepted(source);
    assert!(has_property(SOURCE));
    let reduced = reduce(SOURCE, &mut has_property);
    expect.assert_eq(&format(&reduced));
    assert!(count_statements(&reduced) <= count_statements(SOURCE));
    // No single part of the result can be removed.
    let again = reduce(&reduced, &mut has_property);
    assert_eq!(again, reduced);
}

#[test]
fn unused_functions_blocks_parameters_and_annotations_are_removed() {
    check_reduced(
        "st.global.u32",
        expect![[r#"
            //@ launch grid=0 block=0
            .version 8.0
            .target sm_80
            .address_size 64
            .visible .entry k()
            {
                .reg .b64 %rd<4>;
                st.global.u32 [%rd2], 0;
            }
        "#]],
    );
}

#[test]
fn numbers_of_annotations_become_smaller() {
    check_reduced(
        "block=1",
        expect![[r#"
            //@ launch grid=0 block=1
            .version 8.0
            .target sm_80
            .address_size 64
        "#]],
    );
}

#[test]
fn labels_remain_while_a_branch_uses_them() {
    check_reduced(
        "bra END",
        expect![[r#"
            //@ launch grid=0 block=0
            .version 8.0
            .target sm_80
            .address_size 64
            .visible .entry k()
            {
                bra END;
            END:
            }
        "#]],
    );
}

#[test]
fn property_that_is_always_lost_leaves_the_source_unchanged() {
    assert_eq!(reduce(SOURCE, &mut |_| false), SOURCE);
}

#[test]
fn property_of_every_text_leaves_the_header_and_the_launch() {
    assert_eq!(
        reduce(SOURCE, &mut |_| true),
        "//@ launch grid=0 block=0\n.version 8.0\n.target sm_80\n.address_size 64\n"
    );
}

#[test]
fn annotations_are_removed_without_the_other_comments() {
    let source = without_annotations(SOURCE);
    assert!(
        source.starts_with("// Sum of a row.\n.version 8.0\n"),
        "{source}"
    );
}
