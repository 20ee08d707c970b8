//! Tests of the diagnostics for stores: each row has exactly the expected codes, and every fix that is offered resolves all
//! diagnostics.

use crate::support::rows::{Row, check_codes, check_fixes, check_help, diagnostics_of, kernel};

const DECLS: &str = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .u32 %u<4>; .reg .f32 %f<9>;
.reg .b64 %rd<9>; .reg .f64 %fd<4>; .reg .v2 .b32 %v; .reg .v4 .b32 %w;
.global .align 32 .b8 gbl[64]; .shared .align 32 .b8 sh[64]; .local .align 32 .b8 lcl[64]; .const .b32 cst;
.param .b32 argument;";

fn source(header: &str, line: &str) -> String {
    kernel(header, DECLS, line)
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Combinations of modifiers.
    ("9.5 sm_100", "st.volatile.cg.u32 [%rd1], %r1;",                      &["W0300"], 1),
    ("9.5 sm_100", "st.relaxed.gpu.cs.u32 [%rd1], %r1;",                   &["W0300"], 1),
    ("9.5 sm_100", "st.global.L1::evict_last.wt.u32 [%rd1], %r1;",         &["W0300"], 1),
    ("9.5 sm_100", "st.volatile.global.L1::evict_last.u32 [%rd1], %r1;",   &["W0300"], 1),
    ("9.5 sm_100", "st.mmio.relaxed.sys.global.v2.b32 [%rd1], {%r1, %r2};", &["W0300"], 0),
    ("9.5 sm_100", "st.volatile.L2::cache_hint.u32 [%rd1], %r1, %rd2;",    &["W0300"], 0),
    ("9.5 sm_100", "st.relaxed.u32 [%rd1], %r1;",                          &["W0301"], 3),
    ("9.5 sm_100", "st.gpu.u32 [%rd1], %r1;",                              &["W0301"], 2),
    ("9.5 sm_100", "st.mmio.u32 [%rd1], %r1;",                             &["W0301"], 1),
    ("9.5 sm_100", "st.weak.cta.u32 [%rd1], %r1;",                         &["W0302"], 1),
    ("9.5 sm_100", "st.mmio.relaxed.gpu.global.u32 [%rd1], %r1;",          &["W0302"], 1),
    ("9.5 sm_100", "st.mmio.relaxed.sys.shared.u32 [sh], %r1;",            &["W0302"], 0),
    ("9.5 sm_100", "st.relaxed.cta.local.u32 [lcl], %r1;",                 &["W0302"], 0),
    ("9.5 sm_100", "st.volatile.param.u32 [argument], %r1;",               &["W0302"], 0),
    ("9.5 sm_100", "st.shared.L1::evict_last.u32 [sh], %r1;",              &["W0302"], 0),
    ("9.0 sm_100", "st.volatile.local.u32 [lcl], %r1;",                    &["W0303"], 1),
    ("9.2 sm_100", "st.mmio.release.sys.global.u32 [%rd1], %r1;",          &["W0303", "W0391"], 1),
    ("3.0 sm_13",  "st.u32 [%rd1], %r1;",                                  &["W0304"], 1),
    ("9.5 sm_100", "st.shared.v4.b64 [sh], {%rd1, %rd2, %rd3, %rd4};",     &["W0307"], 1),
    ("9.5 sm_100", "st.global.v8.b64 [%rd1], {%rd1, %rd2, %rd3, %rd4, %rd1, %rd2, %rd3, %rd4};", &["W0305"], 0),
    ("8.7 sm_90",  "@%p1 st.global.v8.b32 [%rd1+-8], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};", &["W0306"], 2),
    ("8.8 sm_90",  "st.v4.f64 [%rd1], {%fd0, %fd1, %fd2, %fd3};",          &["W0306"], 2),
    ("9.5 sm_100", "st.global.L2::evict_last.b32 [%rd1], %r1;",            &["W0308"], 1),
    ("9.5 sm_100", "st.const.u32 [cst], %r1;",                             &["W0309", "W0325"], 0),
    ("9.5 sm_100", "st.ca.u32 [%rd1], %r1;",                               &["W0309"], 0),
    ("9.5 sm_100", "st.global.f16 [%rd1], %h1;",                           &["W0309"], 1),
    ("9.5 sm_100", "st.weak.bulk [sh], 16, 0;",                            &["W0142"], 1),
    ("9.5 sm_100", "st.shared.cta.u32 [sh], %r1;",                         &["W0301"], 3),
    ("8.0 sm_90",  "st.global.b128 [%rd1], 5;",                            &["W0106"], 2),
    // Unknown modifiers.
    ("9.5 sm_100", "st.shred.u32 [sh], %r1;",                              &["W0101"], 1),
    ("9.5 sm_100", "st.global.i32 [%rd1], %r1;",                           &["W0101"], 1),
    ("9.5 sm_100", "st.global.evict_last.u32 [%rd1], %r1;",                &["W0101"], 1),
    ("9.5 sm_100", "st.Global.u32 [%rd1], %r1;",                           &["W0101"], 1),
    // Values.
    ("9.5 sm_100", "st.global.f32 [%rd1], %u1;",                           &["W0310"], 0),
    ("9.5 sm_100", "st.global.u32 [%rd1], %f1;",                           &["W0310"], 0),
    ("9.5 sm_100", "st.global.b64 [%rd1], %r1;",                           &["W0310"], 0),
    ("9.5 sm_100", "st.global.u32 [%rd1], 1.0;",                           &["W0310"], 0),
    ("9.5 sm_100", "st.global.v2.u32 [%rd1], {%f1, %f2};",                 &["W0310"], 0),
    ("9.5 sm_100", "st.global.v4.u32 [%rd1], {%r1, %r2};",                 &["W0311"], 0),
    ("9.5 sm_100", "st.global.v4.u32 [%rd1], %v;",                         &["W0311"], 0),
    ("9.5 sm_100", "st.global.v2.b32 [%rd1], {%u1, %f1};",                 &["W0312"], 0),
    ("9.5 sm_100", "st.global.v2.b32 [%rd1], {%r1, %rd1};",                &["W0313"], 0),
    ("9.5 sm_100", "st.global.v2.b32 [%rd1], {%r1, _};",                   &["W0314"], 0),
    ("9.5 sm_100", "st.global.v4.b64 [%rd1], {_, _, _, _};",               &["W0315"], 0),
    ("9.5 sm_100", "st.global.u32 [%rd1], %tid.x;",                        &["W0316"], 0),
    ("9.5 sm_100", "st.global.u32 [%rd1], [%rd2];",                        &["W0317"], 0),
    ("9.5 sm_100", "st.global.u32 [%rd1], -%r1;",                          &["W0317"], 0),
    ("9.5 sm_100", "st.global.u64 [%rd1], gbl;",                           &["W0318"], 0),
    ("9.5 sm_100", "st.global.v2.u32 [%rd1], {gbl, %r1};",                 &["W0319"], 0),
    ("9.5 sm_100", "st.global.u32 [%rd1], %r1.x;",                         &["W0320"], 0),
    ("9.5 sm_100", "st.global.v2.u32 [%rd1], {%tid.x, 5};",                &["W0334"], 0),
    // Addresses.
    ("9.5 sm_100", "st.global.u32 %rd1, %r1;",                             &["W0321"], 1),
    ("9.5 sm_100", "st.global.u32 gbl, %r1;",                              &["W0321"], 1),
    ("9.5 sm_100", "st.global.u32 [%f1], %r1;",                            &["W0322"], 0),
    ("9.5 sm_100", "st.global.u32 [%r2], %r1;",                            &["W0323"], 0),
    ("9.5 sm_100", "st.shared.u32 [16], %r1;",                             &["W0324"], 0),
    ("9.5 sm_100", "st.global.u32 [sh], %r1;",                             &["W0325"], 1),
    ("9.5 sm_100", "st.u32 [cst], %r1;",                                   &["W0325"], 0),
    ("9.5 sm_100", "st.param.u64 [input], %rd1;",                          &["W0326"], 0),
    ("9.5 sm_100", "@%p1 st.param.u32 [argument], %r1;",                   &["W0327"], 0),
    ("9.5 sm_100", "st.param::func.u32 [%rd1], %r1;",                      &["W0328"], 0),
    ("9.5 sm_100", "st.global.u32 %rd1[4], %r1;",                          &["W0329"], 0),
    ("9.5 sm_100", "st.shared.u32 sh[%f1], %r1;",                          &["W0330"], 0),
    ("9.5 sm_100", "st.shared.u32 [%laneid], %r1;",                        &["W0335"], 0),
    // Cache policies.
    ("9.5 sm_100", "st.global.u32 [%rd1], %r1, %rd2;",                     &["W0331"], 2),
    ("9.5 sm_100", "st.global.L2::cache_hint.u32 [%rd1], %r1;",            &["W0332"], 1),
    ("9.5 sm_100", "st.global.L2::cache_hint.u32 [%rd1], %r1, %r2;",       &["W0333"], 0),
    // Warnings.
    ("9.5 sm_100", "st.v2.global.u32 [%rd1], {%r1, %r2};",                 &["W0340"], 1),
    ("9.5 sm_100", "st.global.u32 [%h1], %r1;",                            &["W0341"], 0),
    ("9.5 sm_100", "st.global.u32 [%rd1], sh+4;",                          &["W0342"], 0),
    ("9.5 sm_100", "st.shared.u32 sh[-1], %r1;",                           &["W0343"], 0),
    ("5.1 sm_70",  "st.weak.u32 [%rd1], %r1;",                             &["W0390"], 0),
    ("9.5 sm_100", "st.global.v8.b8 [%rd1], {%h0, %h0, %h0, %h0, %h0, %h0, %h0, %h0};", &["W0391"], 0),
    // Several errors with different spans.
    ("9.5 sm_100", "st.shared.relaxed.wt.u32 [gbl], %f1;",                 &["W0301", "W0300", "W0325", "W0310"], 5),
    // No diagnostics.
    ("9.5 sm_100", "st.u32.global [%rd1], %r1;",                           &[], 0),
    ("9.5 sm_100", "st.global.relaxed.sys.u32 [gbl+4], 5;",                &[], 0),
    ("9.5 sm_100", "st.global.v8.f32 [%rd1], {%f0, _, %f2, %f3, %f4, %f5, %f6, %f7};", &[], 0),
    ("9.5 sm_100", "st.local.s32 [100], %r7;",                             &[], 0),
    ("9.5 sm_100", "st.shared.u32 sh[0], %r1;",                            &[], 0),
];

#[test]
fn cases_produce_expected_codes() {
    check_codes(ROWS, source);
}

#[test]
fn fixes_resolve_reported_diagnostic() {
    check_fixes(ROWS, source);
}

#[test]
fn errors_include_remedy_and_span_within_line() {
    check_help(ROWS, source, false);
}

const EXAMPLE_DECLS: &str = ".reg .pred %p; .reg .b16 %h; .reg .b32 %r, %r1, %r2, b, x, y, z, w; .reg .u32 %u;
.reg .f32 %f; .reg .b64 %rd, %policy, a, c, d; .reg .v2 .b32 v;
.global .b8 buffer[64], array[64]; .global .u32 scalar; .shared .u32 shared_variable; .param .b32 argument;";

/// Returns a kernel that contains the example. The comment of the example may specify version and target.
fn example(text: &str) -> String {
    let named = |mark: &str| {
        let start = text.split("//").nth(1)?.find(mark)? + text.find("//")? + 2;
        let word = text.get(start..)?.trim_start_matches("PTX ");
        word.split([',', ' ']).next()
    };
    format!(
        ".version {}\n.target {}\n.address_size 64\n.visible .entry k(.param .u64 input)\n{{\n{EXAMPLE_DECLS}\n{text}\nret;\n}}\n",
        named("PTX ").unwrap_or("9.5"),
        named("sm_").unwrap_or("sm_100"),
    )
}

#[test]
fn reference_examples_match_documented_codes() {
    let pages = warpgrid_ptx::diagnostics::codes().filter(|p| ("W0300".."W0400").contains(&p.code));
    let mut wrong = Vec::new();
    let mut n = 0;
    for page in pages {
        n += 1;
        let found = diagnostics_of(&example(page.wrong));
        if !found.iter().any(|d| d.code == page.code) {
            let reported: Vec<_> = found.iter().map(|d| (d.code, &d.message)).collect();
            wrong.push(format!("{} {}: {reported:?}", page.code, page.wrong));
        }
        let left = diagnostics_of(&example(page.right));
        let reported: Vec<_> = left.iter().map(|d| (d.code, &d.message)).collect();
        if !reported.is_empty() {
            wrong.push(format!("{} {}: {reported:?}", page.code, page.right));
        }
    }
    assert!(n > 30, "only {n} pages");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
