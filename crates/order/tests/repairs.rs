//! Fixes of races in sources with several statements on a line, labels, comments, barriers other than 0, and raw
//! strings.

use crate::kernels::MAX_STEPS;
use expect_test::{Expect, expect};
use warpgrid_view::memory_model::concurrency::fix_of;
use warpgrid_view::model::EditView;
use warpgrid_view::{Scenario, Session};

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        grid: Some([1; 3]),
        block: Some([64, 1, 1]),
        ..Scenario::default()
    };
    Session::new_without_last_writers(scenario)
        .unwrap_or_else(|reason| panic!("{}", reason.message))
}

/// Returns the source with the fix of its first race applied, which must remove all races.
fn repaired(source: &str) -> String {
    let races = session(source).run_for_races(MAX_STEPS).races;
    let repair = races.first().map_or(&[][..], |race| &race.repair);
    let Some(fix) = fix_of(repair) else {
        return "no repair".to_owned();
    };
    let text = EditView::apply_all(source, fix.edits.iter());
    let left = session(&text).run_for_races(MAX_STEPS).races;
    assert!(left.is_empty(), "{text}");
    text
}

fn check(source: &str, expected: Expect) {
    expected.assert_eq(&repaired(source));
}

#[test]
fn barrier_is_inserted_between_statements_of_one_line() {
    check(
        "// Lanes exchange values.
    .shared .b32 s[64];
    .reg .b32 %r<5>; .reg .pred %p0;
    mov.u32 %r0, %tid.x; mov.u32 %r1, s; mad.lo.u32 %r2, %r0, 4, %r1;
    xor.b32 %r0, %r0, 32; mad.lo.u32 %r3, %r0, 4, %r1;
    st.shared.u32 [%r2], %r0; ld.shared.u32 %r4, [%r3]; // exchange
    ret;
",
        expect![[r#"
            // Lanes exchange values.
                .shared .b32 s[64];
                .reg .b32 %r<5>; .reg .pred %p0;
                mov.u32 %r0, %tid.x; mov.u32 %r1, s; mad.lo.u32 %r2, %r0, 4, %r1;
                xor.b32 %r0, %r0, 32; mad.lo.u32 %r3, %r0, 4, %r1;
                st.shared.u32 [%r2], %r0; bar.sync 0;
                ld.shared.u32 %r4, [%r3]; // exchange
                ret;
        "#]],
    );
}

#[test]
fn barrier_is_inserted_after_label_on_line_of_access() {
    check(
        "// Lanes exchange values.
    .shared .b32 s[64];
    .reg .b32 %r<5>; .reg .pred %p0;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, s;
    mad.lo.u32 %r2, %r0, 4, %r1;
    st.shared.u32 [%r2], %r0;
    xor.b32 %r0, %r0, 32;
    mad.lo.u32 %r3, %r0, 4, %r1;
NEXT: ld.shared.u32 %r4, [%r3];
    ret;
",
        expect![[r#"
            // Lanes exchange values.
                .shared .b32 s[64];
                .reg .b32 %r<5>; .reg .pred %p0;
                mov.u32 %r0, %tid.x;
                mov.u32 %r1, s;
                mad.lo.u32 %r2, %r0, 4, %r1;
                st.shared.u32 [%r2], %r0;
                xor.b32 %r0, %r0, 32;
                mad.lo.u32 %r3, %r0, 4, %r1;
            NEXT: bar.sync 0;
            ld.shared.u32 %r4, [%r3];
                ret;
        "#]],
    );
}

#[test]
fn bar_arrive_on_nonzero_barrier_is_replaced_with_bar_sync() {
    check(
        "// Lanes exchange values.
    .shared .b32 s[64];
    .reg .b32 %r<5>; .reg .pred %p0;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, s;
    mad.lo.u32 %r2, %r0, 4, %r1;
    st.shared.u32 [%r2], %r0;
    xor.b32 %r0, %r0, 32;
    mad.lo.u32 %r3, %r0, 4, %r1;
    setp.lt.u32 %p0, %r0, 32;
    @%p0 bra FIRST; bar.sync 3, 64; bra.uni NEXT;
FIRST: bar.arrive 3, 64; // too weak
NEXT:
    ld.shared.u32 %r4, [%r3];
    ret;
",
        expect![[r#"
            // Lanes exchange values.
                .shared .b32 s[64];
                .reg .b32 %r<5>; .reg .pred %p0;
                mov.u32 %r0, %tid.x;
                mov.u32 %r1, s;
                mad.lo.u32 %r2, %r0, 4, %r1;
                st.shared.u32 [%r2], %r0;
                xor.b32 %r0, %r0, 32;
                mad.lo.u32 %r3, %r0, 4, %r1;
                setp.lt.u32 %p0, %r0, 32;
                @%p0 bra FIRST; bar.sync 3, 64; bra.uni NEXT;
            FIRST: bar.sync 3, 64; // too weak
            NEXT:
                ld.shared.u32 %r4, [%r3];
                ret;
        "#]],
    );
}

#[test]
fn repair_edits_raw_string_but_not_quoted_lines() {
    let source = |open: &str, end: &str, close: &str| {
        format!(
            r#"__global__ void k() {{
  asm volatile({open}{end}
    {open}.shared .b32 s[64];{end}
    {open}.reg .b32 t, a, b;{end}
    {open}mov.u32 t, %%tid.x;{end}
    {open}mov.u32 a, s;{end}
    {open}mad.lo.u32 a, t, 4, a;{end}
    {open}st.shared.u32 [a], t;{end}
    {open}xor.b32 t, t, 32;{end}
    {open}mov.u32 a, s;{end}
    {open}mad.lo.u32 a, t, 4, a;{end}
    {open}ld.shared.u32 b, [a];{end}
  {close} ::: "memory");
}}
"#
        )
    };
    let raw = source("", "", ")\"").replacen("volatile(", "volatile(R\"(", 1);
    check(
        &raw,
        expect![[r#"
        __global__ void k() {
          asm volatile(R"(
            .shared .b32 s[64];
            .reg .b32 t, a, b;
            mov.u32 t, %%tid.x;
            mov.u32 a, s;
            mad.lo.u32 a, t, 4, a;
            st.shared.u32 [a], t;
            xor.b32 t, t, 32;
            mov.u32 a, s;
            mad.lo.u32 a, t, 4, a;
            bar.sync 0;
            ld.shared.u32 b, [a];
          )" ::: "memory");
        }
    "#]],
    );
    let quoted = source("\"", "\\n\"", "");
    check(&quoted, expect!["no repair"]);
}
