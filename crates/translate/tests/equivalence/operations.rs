//! Kernels with one operation on 16-bit floats, one uncommon operation, or one conversion each: all 16-bit numbers, and
//! pairs, triples and 32-bit numbers from the whole range. Output: scenarios.

use serde_json::json;
use warpgrid_launch::Scenario;

const THREADS: u32 = 8192;
/// Number of arguments per thread: all 16-bit numbers, and as many others.
const ARGUMENTS: u32 = 8;

/// Operations that compute the result from the bits `%x`, `%y` and `%z` of arguments.
const OPERATIONS: [&str; 27] = [
    "cvt.u16.u32 %h, %x; cvt.f32.f16 %f, %h; mov.b32 %d, %f;",
    "cvt.u16.u32 %h, %x; cvt.f32.bf16 %f, %h; mov.b32 %d, %f;",
    "mov.b32 %f, %y; cvt.rn.f16.f32 %h, %f; cvt.u32.u16 %d, %h;",
    "mov.b32 %f, %y; cvt.rn.bf16.f32 %h, %f; cvt.u32.u16 %d, %h;",
    "mov.b32 %f, %y; mov.b32 %g, %z; cvt.rn.f16x2.f32 %d, %f, %g;",
    "mov.b32 %f, %y; mov.b32 %g, %z; cvt.rn.bf16x2.f32 %d, %g, %f;",
    "add.rn.f16x2 %d, %x, %y;",
    "sub.rn.f16x2 %d, %x, %y;",
    "mul.rn.f16x2 %d, %x, %y;",
    "fma.rn.f16x2 %d, %x, %y, %z;",
    "min.f16x2 %d, %x, %y;",
    "max.f16x2 %d, %x, %y;",
    "neg.f16x2 %d, %x;",
    "abs.f16x2 %d, %y;",
    "add.rn.bf16x2 %d, %x, %y;",
    "sub.rn.bf16x2 %d, %x, %y;",
    "min.bf16x2 %d, %x, %y;",
    "max.bf16x2 %d, %x, %y;",
    "neg.bf16x2 %d, %x;",
    "cvt.u16.u32 %h, %x; cvt.u16.u32 %i, %y; add.f16 %h, %h, %i; cvt.u32.u16 %d, %h;",
    "cvt.u16.u32 %h, %x; cvt.u16.u32 %i, %y; mul.f16 %h, %h, %i; cvt.u32.u16 %d, %h;",
    "cvt.u16.u32 %h, %x; cvt.u16.u32 %i, %y; fma.rn.f16 %h, %h, %i, %h; cvt.u32.u16 %d, %h;",
    "cvt.u16.u32 %h, %x; cvt.u16.u32 %i, %y; setp.lt.f16 %p, %h, %i; selp.u32 %d, 1, 0, %p;",
    "cvt.u16.u32 %h, %x; cvt.u16.u32 %i, %x; setp.nan.f16 %p, %h, %i; selp.u32 %d, 1, 0, %p;",
    "cvt.u16.u32 %h, %x; cvt.u16.u32 %i, %y; setp.ge.bf16 %p, %h, %i; selp.u32 %d, 1, 0, %p;",
    "and.b32 %x, %x, 0xbfffbfff; or.b32 %x, %x, 0x20002000; and.b32 %y, %y, 0xbfffbfff; or.b32 %y, %y, 0x20002000; mul.rn.bf16x2 %d, %x, %y;",
    "and.b32 %x, %x, 0xbfffbfff; or.b32 %x, %x, 0x20002000; and.b32 %y, %y, 0xbfffbfff; or.b32 %y, %y, 0x20002000; fma.rn.bf16x2 %d, %x, %y, %z;",
];

/// Other uncommon operations of the same form.
const HAS_OTHER_GROUPS: [&str; 31] = [
    "brev.b32 %d, %y;",
    "and.b32 %y, %y, 0xbfffffff; mov.b64 %e, {%z, %y}; mov.b64 %j, {%n, %z}; min.f64 %e, %e, %j; mov.b64 {%d, %y}, %e; xor.b32 %d, %d, %y;",
    "and.b32 %y, %y, 0xbfffffff; mov.b64 %e, {%z, %y}; mov.b64 %j, {%n, %z}; max.f64 %e, %j, %e; mov.b64 {%d, %y}, %e; xor.b32 %d, %d, %y;",
    "bfind.u32 %d, %x;",
    "bfind.s32 %d, %y;",
    "shr.s32 %y, %y, 20; bfind.shiftamt.s32 %d, %y;",
    "and.b32 %x, %x, 3; bfind.shiftamt.u32 %d, %x;",
    "dp4a.s32.s32 %d, %x, %y, %z;",
    "dp4a.u32.s32 %d, %x, %y, %z;",
    "dp4a.s32.u32 %d, %x, %y, %z;",
    "dp4a.u32.u32 %d, %x, %y, %z;",
    "shf.l.wrap.b32 %d, %y, %z, %n;",
    "shf.r.wrap.b32 %d, %y, %z, %n;",
    "shf.l.clamp.b32 %d, %y, %z, %n;",
    "shf.r.clamp.b32 %d, %y, %z, %n;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %x}; fma.rn.f32x2 %o, %o, %q, %o; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %x}; add.rn.f32x2 %o, %o, %q; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %x}; mul.rn.f32x2 %o, %q, %o; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "add.cc.u32 %d, %y, %z; addc.cc.u32 %y, %z, %n; addc.u32 %z, 0, 0; xor.b32 %d, %d, %y; shf.l.wrap.b32 %d, %d, %d, %z;",
    "sub.cc.u32 %d, %y, %z; subc.cc.u32 %y, %z, %x; subc.u32 %z, %x, 0; xor.b32 %d, %d, %y; add.u32 %d, %d, %z;",
    "add.cc.u32 %d, %y, %y; subc.cc.u32 %y, %z, %x; addc.u32 %z, %x, 5; xor.b32 %d, %d, %y; add.u32 %d, %d, %z;",
    "mad.lo.cc.u32 %d, %y, %z, %n; madc.hi.cc.u32 %y, %y, %z, %x; madc.lo.cc.u32 %x, %x, %z, %y; addc.u32 %z, %x, 0; xor.b32 %d, %d, %y; add.u32 %d, %d, %z;",
    "mad.hi.cc.s32 %d, %y, %z, %x; madc.hi.s32 %y, %d, %x, %z; xor.b32 %d, %d, %y;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %y}; add.cc.u64 %o, %o, %q; addc.cc.u64 %q, %q, %o; addc.u32 %x, %x, 0; xor.b64 %o, %o, %q; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y; add.u32 %d, %d, %x;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %y}; sub.cc.s64 %o, %o, %q; subc.cc.u64 %q, %o, %q; subc.u64 %o, %o, 1; xor.b64 %o, %o, %q; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %x}; mad.lo.cc.u64 %o, %o, %q, %o; madc.hi.cc.u64 %q, %q, %o, %q; madc.lo.u64 %o, %o, %q, %o; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %x}; mad.hi.cc.s64 %o, %o, %q, %o; madc.hi.s64 %q, %q, %o, %q; xor.b64 %o, %o, %q; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "setp.lt.s32 %p, %y, 0; add.cc.u32 %d, %z, %z; @%p add.cc.u32 %d, %y, %z; addc.u32 %d, %d, 0;",
    "add.cc.u32 %d, %y, %z; setp.lt.s32 %p, %y, 0; @%p bra way; subc.cc.u32 %y, %z, %y; mul.lo.u32 %d, %d, 3; way: addc.u32 %d, %d, %y;",
    "add.cc.u32 %d, %y, %z; bar.sync 0; addc.cc.u32 %y, %d, %x; shfl.sync.idx.b32 %y, %y, 3, 31, -1; addc.u32 %d, %y, %d;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %x}; sub.ftz.f32x2 %o, %q, %o; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
];

/// Integer operations without a vector instruction, or with several sources in registers.
const INTEGERS: [&str; 30] = [
    "bfe.u32 %d, %y, %z, %x;",
    "bfe.s32 %d, %y, %x, %z;",
    "and.b32 %x, %x, 31; and.b32 %z, %z, 31; bfe.s32 %d, %y, %x, %z;",
    "bfi.b32 %d, %y, %n, %z, %x;",
    "and.b32 %x, %x, 31; and.b32 %z, %z, 15; bfi.b32 %d, %y, %n, %x, %z;",
    "bfe.u32 %d, %y, 5, 9; bfe.s32 %z, %y, 12, 20; xor.b32 %d, %d, %z; bfi.b32 %d, %x, %d, 7, 11;",
    "prmt.b32 %d, %y, %z, %x;",
    "prmt.b32 %d, %y, %z, 0x7250; prmt.b32 %y, %d, %z, 0x9f3a; xor.b32 %d, %d, %y;",
    "prmt.b32.f4e %d, %y, %z, %x; prmt.b32.b4e %y, %d, %z, %n; prmt.b32.rc8 %z, %y, %d, %x; xor.b32 %d, %d, %z;",
    "prmt.b32.ecl %d, %y, %z, %x; prmt.b32.ecr %y, %d, %z, %n; prmt.b32.rc16 %z, %y, %d, %x; xor.b32 %d, %d, %z;",
    "add.sat.s32 %d, %y, %z; sub.sat.s32 %y, %x, %z; xor.b32 %d, %d, %y;",
    "mad.hi.sat.s32 %d, %y, %z, %y; mul.hi.u32 %x, %y, %z; mad.hi.s32 %y, %z, %y, %d; xor.b32 %d, %d, %y; xor.b32 %d, %d, %x;",
    "mul24.hi.s32 %d, %y, %z; mad24.hi.u32 %d, %y, %z, %d; mad24.hi.sat.s32 %y, %z, %y, %z; mul24.lo.s32 %z, %z, %x; xor.b32 %d, %d, %y; add.u32 %d, %d, %z;",
    "szext.clamp.s32 %d, %y, %x; szext.wrap.u32 %y, %z, %x; xor.b32 %d, %d, %y;",
    "and.b32 %z, %z, 63; and.b32 %x, %x, 63; bmsk.clamp.b32 %d, %x, %z; bmsk.wrap.b32 %y, %z, %x; xor.b32 %d, %d, %y;",
    "dp2a.lo.s32.u32 %d, %y, %z, %x; dp2a.hi.u32.s32 %d, %z, %y, %d; dp2a.hi.s32.s32 %d, %z, %y, %d;",
    "lop3.b32 %d, %y, %z, %x, 0x96; lop3.b32 %y, %y, %z, %x, 0xe8; lop3.b32 %z, %y, %d, %x, 0x2d; xor.b32 %d, %d, %z;",
    "cvt.u16.u32 %h, %y; cvt.u16.u32 %i, %z; mul.hi.u16 %h, %h, %i; mad.lo.s16 %i, %i, %h, %i; cvt.s32.s16 %d, %i;",
    "cvt.u16.u32 %h, %y; cvt.u16.u32 %i, %z; mul.hi.s16 %h, %h, %i; sad.s16 %i, %i, %h, %i; cvt.u32.u16 %d, %i;",
    "cvt.u16.u32 %h, %y; cvt.u16.u32 %i, %x; div.s16 %h, %h, %i; rem.u16 %i, %h, %i; cvt.s32.s16 %d, %i;",
    "cvt.u16.u32 %h, %x; cvt.u16.u32 %i, %z; cnot.b16 %i, %i; shr.s16 %h, %h, %y; shl.b16 %i, %i, %n; xor.b16 %h, %h, %i; cvt.u32.u16 %d, %h;",
    "div.s32 %d, %y, %x; rem.s32 %z, %z, %x; div.u32 %y, %y, 7; rem.s32 %x, %z, -1; xor.b32 %d, %d, %y; xor.b32 %d, %d, %x; xor.b32 %d, %d, %z;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %x}; popc.b64 %d, %o; clz.b64 %y, %q; bfind.s64 %z, %o; bfind.shiftamt.u64 %x, %q; xor.b32 %d, %d, %y; mad.lo.u32 %d, %d, 77, %z; add.u32 %d, %d, %x;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %x}; and.b32 %x, %x, 63; bfe.s64 %o, %o, %x, %n; bfi.b64 %q, %o, %q, %x, %n; bfe.u64 %o, %q, 3, 40; xor.b64 %o, %o, %q; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "mov.b64 %o, {%y, %z}; brev.b64 %o, %o; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %x}; sad.s64 %o, %o, %q, %o; sad.u64 %q, %o, %q, %q; min.u64 %o, %o, %q; max.s64 %q, %q, %o; xor.b64 %o, %o, %q; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%x, %z}; div.s64 %o, %o, %q; rem.u64 %q, %o, %q; div.s64 %q, %q, -1; rem.s64 %o, %o, 1000; xor.b64 %o, %o, %q; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "mov.b64 %o, {%y, %z}; mov.b64 %q, {%z, %x}; shl.b64 %o, %o, %x; shr.s64 %q, %q, %n; shr.u64 %q, %q, 35; setp.lt.u64 %p, %o, %q; selp.b64 %o, %o, %q, %p; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "add.u16x2 %d, %y, %z; min.s16x2 %y, %y, %z; max.u16x2 %z, %d, %y; add.sat.s16x2 %d, %z, %y; add.sat.u16x2 %d, %d, %x; add.sat.s8x4 %y, %d, %z; max.u8x4 %z, %y, %d; sub.u8x4 %d, %y, %z;",
    "set.eq.u32.s32 %d, %x, %n; setp.gt.s32 %p, %x, %z; set.lo.and.f32.u32 %f, %y, %z, %p; mov.b32 %y, %f; setp.hs.or.u32 %p|%more, %y, %z, %p; selp.b32 %z, %z, %x, %more; xor.b32 %d, %d, %y; add.u32 %d, %d, %z;",
];

/// Conversions of the same form. NaN arguments that would cause a bailout are replaced.
const CONVERSIONS: [&str; 34] = [
    "mov.b32 %f, %y; cvt.rni.f32.f32 %f, %f; mov.b32 %d, %f;",
    "mov.b32 %f, %y; cvt.rzi.f32.f32 %f, %f; mov.b32 %d, %f;",
    "mov.b32 %f, %y; cvt.rmi.f32.f32 %f, %f; mov.b32 %d, %f;",
    "mov.b32 %f, %y; cvt.rpi.ftz.f32.f32 %f, %f; mov.b32 %d, %f;",
    "mov.b32 %f, %y; cvt.sat.f32.f32 %f, %f; mov.b32 %d, %f;",
    "mov.b32 %f, %y; cvt.ftz.f32.f32 %f, %f; mov.b32 %d, %f;",
    "mov.b32 %f, %y; cvt.rni.sat.f32.f32 %f, %f; mov.b32 %d, %f;",
    "mov.b32 %f, %y; cvt.rni.s32.f32 %d, %f;",
    "mov.b32 %f, %y; cvt.rmi.s32.f32 %d, %f;",
    "mov.b32 %f, %y; cvt.rpi.ftz.s32.f32 %d, %f;",
    "mov.b32 %f, %y; cvt.rpi.u32.f32 %d, %f;",
    "mov.b32 %f, %y; cvt.rzi.u32.f32 %d, %f;",
    "mov.b32 %f, %y; cvt.rni.s16.f32 %h, %f; cvt.s32.s16 %d, %h;",
    "mov.b32 %f, %y; cvt.rzi.u16.f32 %h, %f; cvt.u32.u16 %d, %h;",
    "mov.b32 %f, %y; cvt.rni.u8.f32 %d, %f;",
    "mov.b32 %f, %y; cvt.rni.s8.f32 %d, %f;",
    "mov.b32 %f, %y; cvt.rzi.s8.f32 %h, %f; cvt.u32.u16 %d, %h;",
    "cvt.sat.u8.s32 %d, %y;",
    "cvt.sat.s8.s32 %d, %y;",
    "shr.s32 %y, %y, 20; cvt.sat.u8.s32 %d, %y;",
    "shr.s32 %y, %y, 20; cvt.sat.s8.s32 %h, %y; cvt.u32.u16 %d, %h;",
    "cvt.sat.s16.u32 %h, %y; cvt.u32.u16 %d, %h;",
    "cvt.sat.u32.s32 %d, %y;",
    "cvt.sat.s32.u32 %d, %y;",
    "mov.b64 %o, {%z, %y}; cvt.rn.f32.s64 %f, %o; mov.b32 %d, %f;",
    "mov.b64 %o, {%z, %y}; cvt.rn.f32.u64 %f, %o; mov.b32 %d, %f;",
    "mov.b64 %o, {%z, %y}; cvt.rn.f64.s64 %e, %o; mov.b64 {%d, %y}, %e; xor.b32 %d, %d, %y;",
    "mov.b64 %o, {%z, %y}; cvt.rn.f64.u64 %e, %o; mov.b64 {%d, %y}, %e; xor.b32 %d, %d, %y;",
    "and.b32 %y, %y, 0xbfffffff; mov.b32 %f, %y; cvt.rzi.s64.f32 %o, %f; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "and.b32 %y, %y, 0xdfffffff; mov.b32 %f, %y; setp.nan.f32 %p, %f, %f; selp.f32 %f, 0f4f800000, %f, %p; cvt.rpi.u64.f32 %o, %f; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "and.b32 %y, %y, 0xc3ffffff; mov.b64 %e, {%z, %y}; cvt.rni.s64.f64 %o, %e; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
    "and.b32 %y, %y, 0xc1ffffff; mov.b64 %e, {%z, %y}; cvt.rmi.s32.f64 %d, %e;",
    "and.b32 %y, %y, 0xc1ffffff; mov.b64 %e, {%z, %y}; cvt.rni.u32.f64 %d, %e;",
    "and.b32 %y, %y, 0xc3ffffff; mov.b64 %e, {%z, %y}; cvt.rzi.u64.f64 %o, %e; mov.b64 {%d, %y}, %o; xor.b32 %d, %d, %y;",
];

/// Code that computes the bits of arguments from a number `%n`.
const ARGUMENTS_OF: [(&str, &str); 3] = [
    // All numbers in the low half, distributed over all bit patterns in the other arguments.
    (
        "all numbers",
        "mul.lo.u32 %y, %n, 0x9e3779b1; mul.lo.u32 %z, %y, 0x85ebca6b; shl.b32 %x, %z, 16; xor.b32 %x, %x, %n;",
    ),
    // Equal in all lanes, except for `%n`.
    (
        "uniform numbers",
        "sub.u32 %x, %n, %t; mul.lo.u32 %y, %x, 0x9e3779b1; mul.lo.u32 %z, %y, 0x85ebca6b; shr.u32 %x, %x, 7;",
    ),
    // Similar magnitudes, so that sums cancel and results are close to midpoints: few digits, with one far lower digit.
    (
        "sums near the middle",
        "shl.b32 %x, %n, 4; and.b32 %x, %x, 0x0ff0; or.b32 %x, %x, 0x3c003c00; shr.u32 %y, %n, 8; mul.lo.u32 %y, %y, 0x00110011;
         and.b32 %y, %y, 0x03ff03ff; or.b32 %y, %y, 0x2c003800; mul.lo.u32 %z, %n, 0x10011; and.b32 %z, %z, 0xbfffbfff;
         xor.b32 %z, %z, 0x80000000;",
    ),
];

/// Returns a scenario with a description for each operation and each kind of arguments.
pub(crate) fn scenarios() -> impl Iterator<Item = (String, Scenario)> {
    let all = OPERATIONS
        .into_iter()
        .chain(HAS_OTHER_GROUPS)
        .chain(INTEGERS)
        .chain(CONVERSIONS);
    all.flat_map(|operation| {
        let of = move |(kind, arguments): (&str, &str)| {
            (
                format!("{operation}, {kind}"),
                scenario(operation, arguments),
            )
        };
        ARGUMENTS_OF.into_iter().map(of)
    })
}

fn scenario(operation: &str, arguments: &str) -> Scenario {
    let end = THREADS * ARGUMENTS;
    let source = format!(
        ".version 9.4\n.target sm_107a\n.address_size 64
.visible .entry k(.param .u64 out) {{
.reg .b64 %q, %o; .reg .b32 %t, %b, %n, %x, %y, %z, %d; .reg .f32 %f, %g; .reg .f64 %e, %j; .reg .b16 %h, %i; .reg .pred %p, %more;
mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %n, %b, 128, %t;
again:
{arguments}
{operation}
ld.param.b64 %q, [out]; mul.wide.u32 %o, %n, 4; add.s64 %q, %q, %o; st.global.u32 [%q], %d;
add.u32 %n, %n, {THREADS}; setp.lt.u32 %more, %n, {end}; @%more bra again;
ret; }}"
    );
    let scenario = json!({
        "source": source,
        "grid": [THREADS / 128, 1, 1],
        "block": [128, 1, 1],
        "params": [{"kind": "buffer", "name": "out", "type": "u32", "len": end, "init": 0}],
    });
    serde_json::from_value(scenario).expect("a scenario")
}
