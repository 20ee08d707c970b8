//! Tests of the required versions and targets of instructions and directives: accepted and rejected cases with their codes.

use warpgrid_program::Overrides;
use warpgrid_program::Severity;
use warpgrid_ptx::{check, parse};

/// Version, target, instruction, and the code of its first error (`None` if it is accepted).
#[rustfmt::skip]
const INSTRUCTIONS: &[(&str, &str, &str, Option<&str>)] = &[
    ("7.0", "sm_80",   "cp.async.commit_group;",                            None),
    ("7.0", "sm_75",   "cp.async.commit_group;",                            Some("W0107")),
    ("6.4", "sm_75",   "cp.async.wait_all;",                                Some("W0106")),
    ("8.0", "sm_90a",  "wgmma.fence.sync.aligned;",                         None),
    ("8.0", "sm_90",   "wgmma.fence.sync.aligned;",                         Some("W0107")),
    ("8.0", "sm_90",   "cp.async.bulk.prefetch.global [%d1], 16;",          Some("W0105")),
    ("8.6", "sm_100a", "tcgen05.load.sync.aligned;",                        Some("W0100")),
    ("8.0", "sm_90",   "mbarrier.init.shared::cta.b64 [%r1], 1;",           None),
    ("8.0", "sm_90",   "mbarrier.init.shared::cta.global.b64 [%r1], 1;",    Some("W0102")),
    ("8.0", "sm_90",   "mbarrier.init.shared::cta.b64 [%r1];",              Some("W0108")),
    ("8.0", "sm_90",   "mbarrier.init.shared::cta.b64 %r1, 1;",             Some("W0110")),
    ("8.0", "sm_90",   "mbarrier.init.shared::cta.rank.b64 [%r1], 1;",      None),
    ("8.6", "sm_100a", "redux.sync.min.abs.NaN.f32 %f1, %f2, -1;",          None),
    ("8.6", "sm_100a", "redux.sync.min.f32 %r1, %f2, -1;",                  None),
    ("8.6", "sm_100a", "redux.sync.min.f32 %d1, %f2, -1;",                  Some("W0109")),
    ("8.6", "sm_100",  "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%d1], [%d2, {%r1, %r2, %r3, %r4, %r5}], [%d3];", None),
    ("8.6", "sm_100",  "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%d1], [%d2, {%r1, %r2, %r3, %r4, %r5}], [%d3];", Some("W0107")),
    ("8.6", "sm_100",  "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%d1], [%d2, {%r1, %r2, %r3}], [%d3], {%h1, %h2};", None),
    ("8.6", "sm_100",  "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [%d1], [%d2, {%r1, %r2, %r3}], [%d3], {%h1, %h2};", Some("W0107")),
    ("8.8", "sm_103a", "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d1], 4;", None),
    ("8.8", "sm_100a", "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d1], 4;", Some("W0110")),
    ("8.6", "sm_100",  "cvt.rn.satfinite.tf32.f32 %r1, %f1;",               None),
    ("8.6", "sm_90",   "cvt.rn.satfinite.tf32.f32 %r1, %f1;",               Some("W0303")),
    ("8.1", "sm_80",   "cvt.rna.satfinite.tf32.f32 %r1, %f1;",              None),
    // Conversions between `.bf16` and 8-bit integers require registers of 8 bits.
    ("7.8", "sm_90",   "cvt.rn.bf16.s8 %h1, %b1;",                          None),
    ("7.8", "sm_90",   "cvt.rni.u8.bf16 %b1, %h1;",                         None),
    ("7.8", "sm_80",   "cvt.rn.bf16.u8 %h1, %b1;",                          Some("W0107")),
    ("7.8", "sm_90",   "cvt.rn.bf16.s8 %h1, %h2;",                          Some("W0109")),
    ("7.8", "sm_90",   "cvt.rni.s8.bf16 %r1, %h1;",                         Some("W0109")),
    ("7.8", "sm_90",   "cvt.rzi.sat.s8.bf16 %b1, %h1;",                     Some("W0102")),
    ("9.2", "sm_120f", "cvt.rn.scaled::n2::ue8m0.bf16x2.e2m1x2 %r1, %b1, %h1;", None),
    ("9.2", "sm_120",  "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %r1, %h1, %h2;", Some("W0107")),
    ("9.1", "sm_120f", "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %r1, %h1, %h2;", Some("W0106")),
    ("9.0", "sm_13",   "ld.u32 %r1, [%d1];",                                Some("W0304")),
    ("9.0", "sm_11",   "ld.global.f64 %d1, [%d2];",                         None),
    ("8.8", "sm_100",  "min.f32 %f1, %f2, %f3, %f4;",                       None),
    ("8.6", "sm_100",  "min.f32 %f1, %f2, %f3, %f4;",                       Some("W0106")),
    ("8.1", "sm_89",   "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;",        None),
    ("8.0", "sm_89",   "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;",        Some("W0106")),
    ("7.8", "sm_90",   "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;",        None),
    ("8.0", "sm_90",   "ld.global.u32 %r1, [0];",                           Some("W0110")),
    ("8.0", "sm_90",   "ld.local.u32 %r1, [0];",                            None),
    ("8.0", "sm_90",   "mov.u16 %h1, %laneid;",                             Some("W0109")),
    ("8.0", "sm_90",   "mov.u16 %h1, %tid.x;",                              None),
    ("8.0", "sm_90",   "mov.pred %p1, %is_explicit_cluster;",               None),
    ("8.0", "sm_90",   "cvt.rn.rzi.s32.f32 %r1, %f1;",                      Some("W0103")),
    ("8.0", "sm_90",   "cvt.rzi.rn.f32.s32 %f1, %r1;",                      Some("W0103")),
    // Modifiers with a common requirement, and incompatible modifiers.
    ("8.6", "sm_90",   "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%d1, {%r2}], [%r3];", None),
    ("8.5", "sm_90",   "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%d1, {%r2}], [%r3];", Some("W0106")),
    ("8.5", "sm_90",   "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%d1, {%r1}], [%r2];", None),
    ("8.2", "sm_90",   "multimem.ld_reduce.add.acc::f32.v2.f16x2 {%r1, %r2}, [%d1];", None),
    ("8.1", "sm_90",   "multimem.ld_reduce.add.acc::f32.v2.f16x2 {%r1, %r2}, [%d1];", Some("W0106")),
    ("8.6", "sm_100a", "tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::lastuse [%r1], [%r2], %d1, %r3, %p1;", None),
    ("8.6", "sm_100a", "tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::use [%r1], [%r2], %d1, %r3, %p1;", Some("W0300")),
    ("8.6", "sm_100a", "tcgen05.ld.sync.aligned.x1.b32 {%r1}, [%r2];",      Some("W0105")),
    ("8.6", "sm_100a", "tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r1}, [%r2];", Some("W0302")),
    ("8.6", "sm_100a", "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;", None),
    // Requirements for operands.
    ("9.0", "sm_110a", "tcgen05.mma.cta_group::1.kind::tf32 [%r1], [%r2], %d1, %r3, %p1, 1;", Some("W0107")),
    ("9.0", "sm_110a", "tcgen05.mma.cta_group::1.kind::tf32 [%r1], [%r2], %d1, %r3, %p1;", None),
    ("9.0", "sm_103a", "tcgen05.mma.cta_group::1.kind::tf32 [%r1], [%r2], %d1, %r3, %p1, 1;", None),
    ("9.0", "sm_110a", "tcgen05.mma.sp.cta_group::2.kind::f16 [%r1], %d1, %d2, [%r2], %r3, {%r4, %r5, %r6, %r7, %r4, %r5, %r6, %r7}, %p1, 3;", Some("W0107")),
    ("3.1", "sm_30",   "sust.b.2d.v2.b32.trap [%d1, {%r1, %r2}], {%r3, %r4};", None),
    ("3.0", "sm_30",   "sust.b.2d.v2.b32.trap [%d1, {%r1, %r2}], {%r3, %r4};", Some("W0106")),
    // Numbers of columns that must be multiples of eight.
    ("8.0", "sm_90a",  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %p1, 1, 1, 0, 0;", None),
    ("8.0", "sm_90a",  "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1, %f2}, %d1, %d2, %p1, 1, 1, 0, 0;", Some("W0101")),
    // Single-bit MMAs support fewer shapes.
    ("8.0", "sm_90a",  "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r1, %r2, %r3, %r4}, %d1, %d2, %p1;", None),
    ("8.0", "sm_90a",  "wgmma.mma_async.sync.aligned.m64n40k256.s32.b1.b1.and.popc {%r1, %r2}, %d1, %d2, %p1;", Some("W0101")),
    ("9.4", "sm_100a", "fabric.submit.commit_group;",                       Some("W0106")),
    ("9.5", "sm_100a", "fabric.submit.commit_group;",                       None),
];

/// Version, target, directives of a kernel, and the code of the first error (`None` if they are accepted).
#[rustfmt::skip]
const DIRECTIVES: &[(&str, &str, &str, Option<&str>)] = &[
    ("8.0", "sm_90", ".maxntid 128",                  None),
    ("8.0", "sm_90", ".maxntid 0",                    Some("W0623")),
    ("8.0", "sm_90", ".maxnctapersm 4",               Some("W0623")),
    ("2.0", "sm_20", ".reqntid 32",                   Some("W0106")),
    ("7.8", "sm_80", ".explicitcluster",              Some("W0107")),
    ("9.0", "sm_90", ".blocksareclusters",            Some("W0623")),
    ("9.0", "sm_90", ".reqntid 32 .reqnctapercluster 2 .blocksareclusters", None),
    ("9.0", "sm_90", ".maxntid WARP_SZ, 2",           None),
    ("9.0", "sm_90", ".pragma \"unroll 4\";",         None),
    ("9.0", "sm_90", ".pragma \"local_maxnreg x\";",  None),
    ("9.0", "sm_90", ".pragma \"frequency 3\";",      Some("W0623")),
    ("9.0", "sm_90", ".pragma \"nounroll\", \"used_bytes_mask 1\";", Some("W0623")),
];

/// Version, target, contents of a pragma, and the codes of its first error at module scope, in a kernel and in a function.
#[rustfmt::skip]
const PRAGMAS: &[(&str, &str, &str, [Option<&str>; 3])] = &[
    ("7.0", "sm_75", "nounroll",                 [None, None, None]),
    ("7.0", "sm_75", "unroll 4",                 [Some("W0623"), None, None]),
    ("7.0", "sm_75", "used_bytes_mask 1",        [Some("W0623"), Some("W0106"), Some("W0106")]),
    ("9.0", "sm_90", "used_bytes_mask 0xff",     [Some("W0623"), None, None]),
    ("9.0", "sm_90", "used_bytes_mask 0b1",      [Some("W0623"), Some("W0623"), None]),
    ("9.0", "sm_90", "used_bytes_mask",          [Some("W0623"), Some("W0623"), None]),
    ("9.0", "sm_90", "frequency 3",              [Some("W0623"), None, None]),
    ("9.0", "sm_90", "frequency 0",              [Some("W0623"), Some("W0623"), Some("W0623")]),
    ("9.0", "sm_90", "frequency -1",             [Some("W0623"), Some("W0623"), Some("W0623")]),
    ("8.7", "sm_90", "frequency 3",              [Some("W0623"), Some("W0106"), Some("W0106")]),
    ("8.7", "sm_75", "enable_smem_spilling",     [Some("W0623"), None, Some("W0623")]),
    ("8.6", "sm_75", "enable_smem_spilling",     [Some("W0623"), Some("W0106"), Some("W0623")]),
    ("8.7", "sm_70", "enable_smem_spilling",     [Some("W0623"), Some("W0107"), Some("W0623")]),
    ("9.0", "sm_90", "local_maxnreg 30",         [Some("W0623"), None, None]),
    ("9.0", "sm_90", "local_maxnreg x",          [Some("W0623"), Some("W0623"), Some("W0623")]),
];

fn first_error(text: &str) -> Option<&'static str> {
    let checked = check(text, &parse(text), &Overrides::default());
    let mut found = checked.diagnostics.iter();
    let error = found.find(|found| found.severity == Severity::Error);
    error.map(|found| found.code)
}

#[test]
fn instructions_are_accepted_or_rejected_with_expected_code() {
    let mut wrong = Vec::new();
    for (version, target, instruction, expected) in INSTRUCTIONS {
        let text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.entry k()\n{{\n.reg .pred %p<9>;\n.reg .b8 %b<9>;\n.reg .b16 %h<9>;\n\
             .reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .f32 %f<17>;\n{instruction}\nret;\n}}\n"
        );
        let found = first_error(&text);
        if found != *expected {
            wrong.push(format!("{version} {target} {instruction}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn directives_are_accepted_or_rejected_with_expected_code() {
    for (version, target, directives, expected) in DIRECTIVES {
        let text = format!(
            ".version {version}\n.target {target}\n.entry k() {directives}\n{{\nret;\n}}\n"
        );
        assert_eq!(
            first_error(&text),
            *expected,
            "{version} {target} {directives}"
        );
    }
}

#[test]
fn pragma_acceptance_depends_on_position() {
    for (version, target, text, expected) in PRAGMAS {
        let head = format!(".version {version}\n.target {target}\n.address_size 64\n");
        let pragma = format!(".pragma \"{text}\";");
        let places = [
            format!("{head}{pragma}\n.entry k() {{ ret; }}\n"),
            format!("{head}.entry k() {{ {pragma} ret; }}\n"),
            format!("{head}.func f() {{ {pragma} ret; }}\n"),
        ];
        let found = places.map(|text| first_error(&text));
        assert_eq!(found, *expected, "{version} {target} {text}");
    }
}

#[test]
fn address_size_32_is_accepted_only_below_sm_90() {
    let text = |version, target| {
        format!(
            ".version {version}\n.target {target}\n.address_size 32\n.entry k()\n{{\nret;\n}}\n"
        )
    };
    assert_eq!(first_error(&text("4.0", "sm_30")), None);
    assert_eq!(first_error(&text("8.0", "sm_89")), None);
    assert_eq!(first_error(&text("8.0", "sm_90")), Some("W0123"));
}
