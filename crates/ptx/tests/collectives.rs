//! Tests of the diagnostics for asynchronous stores, matrix stores and declarations: each row has exactly the expected codes, and
//! every fix that is offered resolves all diagnostics.

use crate::support::rows::{Row, check_codes, check_fixes, check_help, diagnostics_of, kernel};
use warpgrid_program::Diagnostic;

const DECLS: &str = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .u32 %u<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
.reg .f64 %fd<4>; .reg .b128 %q<2>; .reg .v2 .b32 %v;
.global .align 32 .b8 gbl[64]; .shared .align 32 .b8 sh[64]; .local .align 32 .b8 lcl[64];";

fn source(header: &str, line: &str) -> String {
    let decls = match line.starts_with('.') {
        true => "",
        false => match header.starts_with(['9', '8']) && !header.contains("sm_6") {
            true => DECLS,
            false => ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;",
        },
    };
    let decls = decls.replace(
        ".reg .b128 %q<2>;",
        match header {
            "8.0 sm_80" | "8.1 sm_90" => "",
            _ => ".reg .b128 %q<2>;",
        },
    );
    kernel(header, &decls, line)
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // st.async: opcode, combinations of modifiers, missing modifiers.
    ("9.5 sm_100", "st .async.release.gpu.u32 [%rd1], %r1;",                            &["W0400"], 1),
    ("9.5 sm_100", "st.release.async.gpu.global.u32 [%rd1], %r1;",                      &["W0142"], 1),
    ("9.5 sm_100", "st.async.u32 [%rd1], %r1, [%rd2];",                                 &["W0414", "W0401"], 1),
    ("9.5 sm_100", "st.async.shared::cluster.u32 [%rd1], %r1, [%rd2];",                 &["W0105"], 1),
    ("9.5 sm_100", "st.async.release.gpu.global.u32 [%rd1], %r1, [%rd2];",              &["W0402"], 1),
    ("9.5 sm_100", "st.async.release.global.u32 [%rd1], %r1;",                          &["W0105"], 2),
    ("9.5 sm_100", "st.async.mmio.sys.global.u32 [%rd1], %r1;",                         &["W0105"], 1),
    ("9.5 sm_100", "st.async.mmio.release.gpu.global.u32 [%rd1], %r1;",                 &["W0302"], 1),
    ("9.5 sm_100", "st.async.release.sys.shared::cta.u32 [%rd1], %r1;",                 &["W0102"], 1),
    ("9.5 sm_100", "st.async.shred::cluster.mbarrier::complete_tx::bytes.u32 [%rd1], %r1, [%rd2];", &["W0101"], 1),
    ("9.5 sm_100", "st.async.volatile.mbarrier::complete_tx::bytes.u32 [%rd1], %r1, [%rd2];", &["W0309"], 0),
    ("8.6 sm_90",  "st.async.release.gpu.global.u32 [%rd1], %r1;",                      &["W0106", "W0107"], 2),
    ("8.0 sm_80",  "st.async.mbarrier::complete_tx::bytes.u32 [%rd1], %r1, [%rd2];",    &["W0106", "W0107"], 2),
    // st.async: type widths and vectors.
    ("9.5 sm_100", "st.async.mbarrier::complete_tx::bytes.u16 [%rd1], %h1, [%rd2];",    &["W0403"], 0),
    ("9.5 sm_100", "st.async.mbarrier::complete_tx::bytes.v2.u32 [%rd1], {%r1, %r2};",  &["W0404", "W0414"], 0),
    ("9.5 sm_100", "st.async.release.gpu.v2.u32 [%rd1], {%r1, %r2};",                   &["W0102", "W0407"], 1),
    ("9.5 sm_100", "st.async.release.gpu.b128 [%rd1], %q1;",                            &["W0414", "W0405"], 0),
    ("9.5 sm_100", "st.async.mbarrier::complete_tx::bytes.v4.f64 [%rd1], {%fd1, %fd2, %fd3, %fd1}, [%rd2];", &["W0305"], 0),
    // st.async: values.
    ("9.5 sm_100", "st.async.release.gpu.u32 [%rd1], %rd2;",                            &["W0406"], 0),
    ("9.5 sm_100", "st.async.release.gpu.f32 [%rd1], 5;",                               &["W0406"], 1),
    ("9.5 sm_100", "st.async.release.gpu.u64 [%rd1], gbl;",                             &["W0407"], 0),
    ("9.5 sm_100", "st.async.release.gpu.u64 [%rd1], gbl+4;",                           &["W0407"], 0),
    ("9.5 sm_100", "st.async.release.gpu.u32 [%rd1], %tid.x;",                          &["W0407"], 0),
    ("9.5 sm_100", "st.async.mbarrier::complete_tx::bytes.v2.u32 [%rd1], {%r1}, [%rd2];", &["W0408"], 0),
    ("9.5 sm_100", "st.async.mbarrier::complete_tx::bytes.v2.u32 [%rd1], {%f1, %u1}, [%rd2];", &["W0409"], 0),
    ("9.5 sm_100", "st.async.mbarrier::complete_tx::bytes.v2.u32 [%rd1], %r1, [%rd2];", &["W0415"], 0),
    // st.async: addresses.
    ("9.5 sm_100", "st.async.release.gpu.u32 %rd1, %r1;",                               &["W0410"], 1),
    ("9.5 sm_100", "st.async.release.gpu.u32 [%f1], %r1;",                              &["W0411"], 0),
    ("9.5 sm_100", "st.async.release.gpu.global.u32 [sh], %r1;",                        &["W0412"], 0),
    ("9.5 sm_100", "st.async.release.gpu.u32 [16], %r1;",                               &["W0413"], 0),
    ("9.5 sm_100", "st.async.mbarrier::complete_tx::bytes.u32 [%f1], %rd3, [%p1];",     &["W0411", "W0406", "W0411"], 0),
    // wmma.store.
    ("9.5 sm_100", "wmma.store.sync.d.aligned.row.m8n8k32.s32 [%rd1], {%r1, %r2};",     &["W0500"], 1),
    ("9.5 sm_100", "wmma.store.d.sync.row.m8n8k32.s32 [%rd1], {%r1, %r2};",             &["W0501"], 1),
    ("6.2 sm_70",  "wmma.store.d.sync.aligned.row.m16n16k16.f16 [%rd1], {%r1, %r2, %r3, %r4};", &["W0502"], 1),
    ("9.5 sm_100", "wmma.store.d.aligned.row.m8n8k32.s32 [%rd1], {%r1, %r2};",          &["W0105"], 1),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.m8n8k32.s32 [%rd1], {%r1, %r2};",         &["W0105"], 2),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.rwo.m8n8k32.s32 [%rd1], {%r1, %r2};",     &["W0101"], 1),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.local.s32 [lcl], {%r1, %r2};", &["W0309"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m16n16k16.f16 [%rd1], {%r1, %r2};",   &["W0503"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd1], {%f1, %f2};",     &["W0504"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd1], {%f1, %u2};",     &["W0505"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd1], %v;",             &["W0506"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd1], {%r1, _};",       &["W0507"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd1], {%r1, %r2}, %rd2;", &["W0508"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.s32 %rd1, {%r1, %r2};",       &["W0509"], 1),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%f1], {%r1, %r2};",      &["W0510"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.shared.s32 [gbl], {%r1, %r2};", &["W0511"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [0], {%r1, %r2};",        &["W0512"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.f32 [%rd1], {%f1, %f2};",     &["W0513"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd1], {%r1, %r2}, 4;",  &["W0514"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd1], {%r1, %r2}, 9;",  &["W0514"], 0),
    ("9.5 sm_100", "wmma.store.d.sync.aligned.row.m8n8k32.v4.s32 [%rd1], {%r1, %r2};",  &["W0515"], 1),
    ("6.5 sm_60",  "wmma.store.d.sync.aligned.row.m16n16k16.f16 [%rd1], {%r1, %r2, %r3, %r4};", &["W0107"], 1),
    // wmma.load.
    ("9.5 sm_100", "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r1, %r2}, [%rd1], %r3;", &[], 0),
    ("9.5 sm_100", "wmma.load.sync.a.aligned.row.m16n16k16.s8 {%r1, %r2}, [%rd1];",     &["W0500"], 1),
    ("9.5 sm_100", "wmma.load.b.sync.col.m8n8k32.u4 {%r1}, [%rd1];",                    &["W0501"], 1),
    ("6.2 sm_72",  "wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd1];", &["W0502"], 1),
    ("9.5 sm_100", "wmma.load.b.sync.aligned.row.m8n8k32.u4 {%r1}, [%rd1];",            &["W0302"], 0),
    ("9.5 sm_100", "wmma.load.a.sync.aligned.row.m16n16k8.tf32 {%r1, %r2}, [%rd1];",    &["W0503"], 0),
    ("9.5 sm_100", "wmma.load.a.sync.aligned.row.m8n8k4.f64 {%r1}, [%rd1];",            &["W0504"], 0),
    ("9.5 sm_100", "wmma.load.c.sync.aligned.row.m8n8k32.s32 {%r1, 5}, [%rd1];",        &["W0507"], 0),
    ("9.5 sm_100", "wmma.load.c.sync.aligned.row.m8n8k32.s32 {_, _}, [%rd1];",          &["W0507"], 0),
    ("9.5 sm_100", "wmma.load.c.sync.aligned.row.m8n8k32.s32 {%r1, _}, [%rd1];",        &[], 0),
    ("9.5 sm_100", "wmma.load.a.sync.aligned.row.m8n8k32.u4 {%r1}, [%rd1], 16;",        &["W0514"], 0),
    ("9.5 sm_100", "wmma.load.a.sync.aligned.row.m8n8k32.u4 {%r1}, [sh], %rd2;",        &["W0508"], 0),
    // MMA instructions.
    ("9.5 sm_100", "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};", &[], 0),
    ("9.5 sm_100", "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.s4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};", &["W0104"], 0),
    ("9.5 sm_100", "wmma.mma.sync.aligned.col.col.m8n8k32.s32.u4.u4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};", &["W0302"], 0),
    ("9.5 sm_100", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};", &[], 0),
    ("9.5 sm_100", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%f1, %f2}, {%r3}, {%f1, %f2, %f3, %f4};", &["W0504"], 0),
    ("9.5 sm_100", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %rd2}, {%r3}, {%f1, %f2, %f3, %f4};", &["W0505"], 0),
    ("9.5 sm_100", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, %r3, {%f1, %f2, %f3, %f4};", &["W0506"], 0),
    ("9.5 sm_100", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.popc.and {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};", &["W0520"], 0),
    ("8.3 sm_90",  "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4};", &["W0106"], 1),
    ("9.5 sm_89", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1, _, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4};", &[], 0),
    ("9.5 sm_90", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1, _, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4};", &["W0507"], 0),
    ("9.5 sm_120", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1, _, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4};", &[], 0),
    ("9.5 sm_100", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 4;", &["W0516"], 0),
    ("9.5 sm_100", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %rd1, 0;", &["W0517"], 0),
    ("9.5 sm_100", "mma.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 0;", &["W0105"], 2),
    // Matrices in shared memory.
    ("9.5 sm_100", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [sh];",  &[], 0),
    ("9.5 sm_100", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [sh];",             &["W0503"], 0),
    ("9.5 sm_100", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [sh];",               &["W0506"], 0),
    ("9.5 sm_100", "ldmatrix.sync.aligned.m8n8.x16.shared.b16 {%r1, %r2}, [sh];",       &["W0513"], 0),
    ("9.5 sm_100", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [gbl];",            &["W0511"], 0),
    ("9.5 sm_100", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [sh], {%r1, _};",          &["W0507"], 0),
    ("9.5 sm_80",  "stmatrix.sync.aligned.m8n8.x1.shared.b16 [sh], {%r1};",             &["W0107"], 1),
    // Declarations.
    ("8.2 sm_60",  ".reg .b128 x;",                           &["W0601", "W0601"], 2),
    ("9.5 sm_100", ".global .pred p;",                        &["W0602"], 0),
    ("9.5 sm_100", ".reg .v2 .pred p;",                       &["W0602"], 0),
    ("9.5 sm_100", ".reg .v4 .f64 x;",                        &["W0603"], 0),
    ("9.5 sm_100", ".reg .b32 x[4];",                         &["W0604"], 1),
    ("9.5 sm_100", ".shared .u32 v = 5;",                     &["W0605"], 1),
    ("9.5 sm_100", ".global .f32 v = 1;",                     &["W0606"], 1),
    ("9.5 sm_100", ".global .u32 v = 1.0;",                   &["W0606"], 0),
    ("9.5 sm_100", ".global .u32 v[2] = 1;",                  &["W0606"], 0),
    ("9.5 sm_100", ".global .u32 v[2] = {1, 2, 3};",          &["W0607"], 0),
    ("9.5 sm_100", ".global .v2 .u32 v = {1};",               &["W0608"], 0),
    ("9.5 sm_100", ".shared .u32 v[];",                       &["W0609"], 0),
    ("9.5 sm_100", ".global .align 3 .u32 v;",                &["W0610"], 1),
    ("9.5 sm_100", ".param .align 256 .b8 v[8];",             &["W0611"], 1),
    ("9.5 sm_100", ".param .v2 .f32 v;",                      &["W0612"], 1),
    ("9.5 sm_100", ".shared .attribute(.managed) .u32 v;",    &["W0613"], 0),
    ("9.5 sm_100", ".global .texref t;",                      &["W0614"], 0),
    ("9.5 sm_100", ".tex .u32 t;",                            &["W0615"], 0),
    ("9.5 sm_100", ".shared .b8 v[49153];",                   &["W0617"], 0),
    ("9.5 sm_100", ".const .b8 v[65537];",                    &["W0618"], 0),
    ("9.5 sm_100", ".global .f16 v = 1.0;",                   &["W0621"], 0),
    ("9.5 sm_100", ".shared .u32 s; .global .u64 v = s;",                  &["W0622"], 0),
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
    check_help(ROWS, source, true);
}

/// Declarations of the names in the examples of the reference pages.
const EXAMPLE_DECLS: &str =
    ".reg .b64 a, m, %rd<3>; .reg .b32 b, c; .reg .b128 q; .reg .u32 %u<3>; .reg .f32 %f<3>;
.global .align 16 .b8 buffer[64]; .shared .align 16 .b8 tile[64];";

/// Returns the diagnostics of an example of a reference page.
fn example(text: &str) -> Vec<Diagnostic> {
    let source = match text.starts_with(".version") {
        true => text.to_owned(),
        false => {
            let decls = match text.starts_with('.') {
                true => "",
                false => EXAMPLE_DECLS,
            };
            format!(
                ".version 9.5\n.target sm_100\n.address_size 64\n.entry k()\n{{\n{decls}\n{text}\nret;\n}}\n"
            )
        }
    };
    diagnostics_of(&source)
}

#[test]
fn reference_examples_match_documented_codes() {
    use warpgrid_ptx::diagnostics::{declarations, matrix, store_async};
    let pages = [store_async::CODES, matrix::CODES, declarations::CODES];
    let mut wrong = Vec::new();
    for page in pages.into_iter().flatten() {
        let found = example(page.wrong);
        if found.iter().all(|d| d.code != page.code) {
            let codes: Vec<_> = found.iter().map(|d| d.code).collect();
            wrong.push(format!("{}: {} gives {codes:?}", page.code, page.wrong));
        }
        let found = example(page.right);
        if !found.is_empty() {
            let reported: Vec<_> = found.iter().map(|d| (d.code, &d.message)).collect();
            wrong.push(format!("{}: {} gives {reported:?}", page.code, page.right));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
