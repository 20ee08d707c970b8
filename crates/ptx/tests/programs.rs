//! Tests of whole modules against the results of the reference assembler 13.5: declarations, calls, 32-bit programs, debug
//! information and samplers, which single instructions do not cover.

use warpgrid_program::Overrides;
use warpgrid_program::Severity;
use warpgrid_ptx::{check, parse};

/// Subject, module, and the code of its first error (empty if the module is accepted).
#[rustfmt::skip]
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("pred explicit cluster", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.pred %p1, %is_explicit_cluster; @%is_explicit_cluster bra L; L:\nret;\n}\n", ""),
    ("is_explicit u32", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u32 %r1, %is_explicit_cluster;\nret;\n}\n", "W0109"),
    ("cvt f16.bf16", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\ncvt.rn.f16.bf16 %h1, %h2;\nret;\n}\n", ""),
    ("local 2.3", ".version 2.3\n.target sm_20\n.address_size 64\n.local .u32 l[4];\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nst.local.u32 [l], %r1;\nret;\n}\n", ""),
    ("reg 2.3", ".version 2.3\n.target sm_20\n.address_size 64\n.reg .u32 r7;\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u32 r7, %r1;\nret;\n}\n", ""),
    ("reg group 2.3", ".version 2.3\n.target sm_20\n.address_size 64\n.reg .u32 r<8>;\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u32 r7, %r1;\nret;\n}\n", ""),
    ("local 3.0", ".version 3.0\n.target sm_20\n.address_size 64\n.local .u32 l[4];\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n\nret;\n}\n", "W0620"),
    ("add.f32.f16", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nadd.rn.f32.f16 %f1, %h1, %f2;\nret;\n}\n", ""),
    ("max3", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmax.f32 %f1, %f2, %f3, %f4;\nret;\n}\n", ""),
    ("vec param", ".version 9.0\n.target sm_90\n.address_size 64\n.func (.reg .v4 .f32 o) f(.reg .v4 .f32 i) { mov.f32 o.x, i.x; ret; }\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n.reg .v4 .f32 a, b; call (b), f, (a); ret; }\n", ""),
    ("vec param scalar", ".version 9.0\n.target sm_90\n.address_size 64\n.func f(.reg .v4 .f32 i) { ret; }\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n call f, (%f1); ret; }\n", "W0135"),
    ("mov b32 v", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n.reg .v2 .b16 v; mov.b32 %r1, v;\nret;\n}\n", ""),
    ("mov b64 a", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n.reg .v2 .b32 a; mov.b64 %rd1, a; mov.b64 a, %rd2;\nret;\n}\n", ""),
    ("set f16x2", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n.reg .b32 x; set.gt.f16x2.f16x2 x, %r1, %r2;\nret;\n}\n", ""),
    ("cvt relu", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\ncvt.rn.relu.bf16.f32 %h1, %f1;\nret;\n}\n", ""),
    ("ptr texref", ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 .ptr .texref p, .param .u64 .ptr .surfref q, .param .u64 .ptr .samplerref z) { ret; }\n", ""),
    ("variadic", ".version 9.0\n.target sm_90\n.address_size 64\n.func f(.param .b32 a, .param .align 8 .b8 v[]) { ret; }\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n{ .param .b32 a; .param .align 8 .b8 x[24]; st.param.b32 [a], %r1; st.param.b64 [x], %rd1; call.uni f, (a, x); } ret; }\n", ""),
    ("variadic scalar", ".version 9.0\n.target sm_90\n.address_size 64\n.func f(.param .b32 a, .param .align 8 .b8 v[]) { ret; }\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n{ .param .b32 a; .param .b64 x; st.param.b32 [a], %r1; st.param.b64 [x], %rd1; call.uni f, (a, x); } ret; }\n", "W0135"),
    ("gridid", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u32 %r1, %gridid;\nret;\n}\n", ""),
    ("empty module any target", ".version 3.0\n.target sm_90\n", ""),
    ("red.global.v2", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nred.global.v2.f32.add [%rd1], {%f1, %f2};\nret;\n}\n", ""),
    ("fma oob", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nfma.rn.oob.f16 %h1, %h2, %h3, %h4;\nret;\n}\n", ""),
    ("addr size 32 9.0", ".version 9.0\n.target sm_90\n.address_size 32\n.visible .entry k() { ret; }\n", "W0123"),
    ("ld 32 1.4", ".version 1.4\n.target sm_10\n.entry k () { .reg .u32 r<9>; ld.global.u32 r1, [r2]; exit; }\n", ""),
    ("cvta u32", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\ncvta.shared.u32 %r1, %r2;\nret;\n}\n", "W0104"),
    ("mov global", ".version 9.0\n.target sm_100a\n.address_size 64\n.global .u32 g;\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u32 %r1, g;\nret;\n}\n", "W0123"),
    ("mov global +4", ".version 9.0\n.target sm_100a\n.address_size 64\n.global .u32 g[4];\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u32 %r1, g+4;\nret;\n}\n", ""),
    ("mov shared", ".version 9.0\n.target sm_100a\n.address_size 64\n.shared .u32 s;\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u32 %r1, s;\nret;\n}\n", ""),
    ("mov const", ".version 9.0\n.target sm_100a\n.address_size 64\n.const .u32 s;\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u32 %r1, s;\nret;\n}\n", ""),
    ("debug no section", ".version 9.0\n.target sm_90, debug\n.address_size 64\n.visible .entry k() { ret; }\n", "W0146"),
    ("debug section", ".version 9.0\n.target sm_90, debug\n.address_size 64\n.visible .entry k() { ret; }\n.section .debug_str { .b8 0 }\n", ""),
    ("call entry", ".version 9.0\n.target sm_90\n.address_size 64\n.entry e() { ret; }\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n call e; ret; }\n", "W0134"),
    ("address_size 2.2", ".version 2.2\n.target sm_20\n.address_size 64\n.entry k() { ret; }\n", "W0123"),
    ("samplerref", ".version 9.0\n.target sm_100a\n.address_size 64\n.global .samplerref s;\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n\nret;\n}\n", "W0614"),
    ("samplerref indep", ".version 9.0\n.target sm_90, texmode_independent\n.address_size 64\n.global .samplerref s;\n.visible .entry k() { ret; }\n", ""),
    ("samplerref param", ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .samplerref s) { ret; }\n", "W0614"),
    ("abi_preserve 8.0", ".version 8.0\n.target sm_90\n.address_size 64\n.func f() .abi_preserve 4 { ret; }\n", "W0106"),
    ("ldparam seq", ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n{ .param .b32 a; ld.param.b32 %r1, [a]; } ret; }\n", "W0147"),
    ("ldparam seq ok", ".version 9.0\n.target sm_90\n.address_size 64\n.func (.param .b32 o) f() { ret; }\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n{ .param .b32 a; call (a), f; ld.param.b32 %r1, [a]; } ret; }\n", ""),
    ("ldparam arg", ".version 9.0\n.target sm_90\n.address_size 64\n.func f(.param .b32 o) { ret; }\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n{ .param .b32 a; st.param.b32 [a], %r1; call f, (a); ld.param.b32 %r1, [a]; } ret; }\n", "W0147"),
    ("mov param local", ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n{ .param .b32 a; mov.b64 %rd1, a; } ret; }\n", "W0147"),
    ("max.NaN.f32 6.5", ".version 6.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmax.NaN.f32 %f1, %f2, %f3;\nret;\n}\n", "W0303"),
    ("xorsign sm80", ".version 7.2\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmax.xorsign.abs.f32 %f1, %f2, %f3;\nret;\n}\n", "W0303"),
    ("abs.f16 6.4", ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nabs.f16 %h1, %h2;\nret;\n}\n", "W0106"),
    ("ld.v4.u64 8.7", ".version 8.7\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nld.global.v4.u64 {%rd1,%rd2,%rd3,%rd4}, [%rd5];\nret;\n}\n", "W0306"),
    ("noreturn 6.3", ".version 6.3\n.target sm_70\n.address_size 64\n.func f() .noreturn { ret; }\n", "W0106"),
    ("common 4.3", ".version 4.3\n.target sm_30\n.address_size 64\n.common .global .u32 c;\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n\nret;\n}\n", "W0601"),
    ("pragma", ".version 8.2\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n.pragma \"used_bytes_mask 0xff\";\nld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1]; ret; }\n", "W0106"),
    ("mov.u16 laneid", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u16 %h1, %laneid;\nret;\n}\n", "W0109"),
    ("mov.u16 tid", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nmov.u16 %h1, %tid.x;\nret;\n}\n", ""),
    ("set s16.f32", ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\nset.gt.s16.f32 %h1, %f1, %f2;\nret;\n}\n", "W0104"),
    ("label in section 6.5", ".version 6.5\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n.section .debug_str { info: .b8 0 }\n", "W0106"),
    ("label in section 7.0", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n.section .debug_str { info: .b8 0 }\n", ""),
    ("label - label 7.4", ".version 7.4\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n.section .debug_str { a: .b8 0 b: .b32 b-a }\n", "W0106"),
    ("label - label 7.5", ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n.section .debug_str { a: .b8 0 b: .b32 b-a }\n", ""),
    (".tex 1.4", ".version 1.4\n.target sm_13\n.tex .u64 t;\n.entry k() { .reg .f32 %f<9>; .reg .s32 %r<9>; tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t,{%r1,%r2,%r3,%r4}]; exit; }\n", ""),
    (".tex 5.0", ".version 5.0\n.target sm_30\n.tex .u64 t;\n.entry k() { exit; }\n", "W0615"),
];

#[test]
fn modules_are_accepted_or_rejected_with_expected_code() {
    for (about, source, code) in PROGRAMS {
        let parsed = parse(source);
        let checked = check(source, &parsed, &Overrides::default());
        let mut errors = checked.diagnostics.iter();
        let first = errors.find(|found| found.severity == Severity::Error);
        let found = first.map_or("", |error| error.code);
        assert_eq!(found, *code, "{about}: {first:?}\n{source}");
    }
}
