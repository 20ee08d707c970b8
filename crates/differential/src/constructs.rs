//! Generates statements that need more than registers: calls, variables, parameters, the stack, generic addresses, matrices, barriers,
//! masks and wide values. Each result is one line of statements. The kernel generator later removes lines that the target does not support.

use crate::instruction::predicate;
use crate::kernel::{N_LONGS, N_WORDS, OWN_START};
use crate::launch::{EXTRA_BYTES, Shape};
use crate::random::SplitMix64;
use std::fmt::Write as _;

/// Number of values that a loop stores in uniform registers.
const N_UNIFORM: usize = 72;

/// Declarations of the variables and functions that a kernel uses. The kernel generator replaces `KERNEL` by the name of the kernel.
pub(crate) const DECLARATIONS: &str = "\
.global .align 16 .b32 KERNEL_ga[8] = {5, 6, 7, 8, 0x80000000, 0xffffffff, 0x3f800000, 64};
.global .align 8 .u64 KERNEL_gp[3] = {KERNEL_ga, KERNEL_ga+4, generic(KERNEL_ga)+16};
.const .align 8 .u64 KERNEL_cp[2] = {KERNEL_ga+8, generic(KERNEL_ga)+12};
.func (.param .b32 r0) KERNEL_rec(.param .b32 n)
{
.reg .b32 %a<4>; .reg .pred %b;
ld.param.b32 %a0, [n]; setp.le.s32 %b, %a0, 0; mov.b32 %a1, 7; @%b bra E;
sub.s32 %a2, %a0, 1;
{ .param .b32 x; .param .b32 y; st.param.b32 [y], %a2; call (x), KERNEL_rec, (y); ld.param.b32 %a3, [x]; }
mad.lo.u32 %a1, %a3, %a0, 1;
E: st.param.b32 [r0], %a1; ret;
}
.func (.param .b32 d) KERNEL_h0(.param .b32 a, .param .b64 b)
{ .reg .b32 %r<3>; .reg .b64 %d; ld.param.b32 %r0, [a]; ld.param.b64 %d, [b]; cvt.u32.u64 %r1, %d; sub.u32 %r2, %r0, %r1; st.param.b32 [d], %r2; ret; }
.func (.param .b32 d) KERNEL_h1(.param .b32 a, .param .b64 b)
{ .reg .b32 %r<3>; .reg .b64 %d; ld.param.b32 %r0, [a]; ld.param.b64 %d, [b]; shr.u64 %d, %d, 32; cvt.u32.u64 %r1, %d; xor.b32 %r2, %r0, %r1; st.param.b32 [d], %r2; ret; }
.func (.param .align 16 .b8 d[16]) KERNEL_st(.param .align 16 .b8 a[32], .param .align 8 .b8 b[8])
{ .reg .b32 %r<6>; .reg .b64 %d<3>; ld.param.v4.b32 {%r0, %r1, %r2, %r3}, [a]; ld.param.b64 %d0, [a+24]; ld.param.b32 %r4, [b+4];
add.u32 %r0, %r0, %r3; xor.b32 %r1, %r2, %r4; st.param.v2.b32 [d], {%r0, %r1}; st.param.b64 [d+8], %d0; ret; }
.global .align 8 .u64 KERNEL_tt[2] = {KERNEL_h0, KERNEL_h1};
";

/// Returns the declarations in the kernel body that only the statements of this module use.
pub(crate) fn body_declarations() -> String {
    format!(
        ".reg .b64 %x<4>;\n.reg .b32 %m<4>, %u<{N_UNIFORM}>;\n.reg .b128 %b<3>;\n.shared .align 8 .b64 mb;\n"
    )
}

/// Checks whether statements read initial values of variables, which some listings omit.
pub(crate) fn reads_initial_values(line: &str) -> bool {
    ["KERNEL_g", "KERNEL_c", "KERNEL_tt", "cc", ".branchtargets"]
        .iter()
        .any(|name| line.contains(name))
}

/// Generates the statements of one construct. At depth 0, all threads of the block execute these statements.
pub(crate) fn statements<'a>(
    shape: &'a Shape,
    depth: usize,
    label: &'a str,
    random: &'a mut SplitMix64,
) -> String {
    let mut maker = Maker {
        shape,
        label,
        random,
    };
    let anywhere: &[fn(&mut Maker<'a>) -> String] = &[
        Maker::recursion,
        Maker::indirect_call,
        Maker::structures,
        Maker::variables,
        Maker::parameters,
        Maker::stack,
        Maker::generic_addresses,
        Maker::wide_values,
        Maker::wide_atomics,
        Maker::uniform_loop,
    ];
    let of_all_threads: &[fn(&mut Maker<'a>) -> String] = &[
        Maker::product,
        Maker::matrix_rows,
        Maker::named_barrier,
        Maker::mbarrier,
        Maker::bulk_copy,
        Maker::masked_lanes,
        Maker::ragged_loop,
        Maker::dynamic_shared,
        Maker::cluster,
        Maker::recursion_and_barrier,
    ];
    let of_all = depth == 0 && maker.random.below(2) == 0;
    let constructs = if of_all { of_all_threads } else { anywhere };
    let construct = maker.random.pick(constructs).copied();
    construct.map_or_else(String::new, |construct| construct(&mut maker))
}

struct Maker<'a> {
    shape: &'a Shape,
    /// Label that is unique within the kernel.
    label: &'a str,
    random: &'a mut SplitMix64,
}

impl Maker<'_> {
    fn word(&mut self) -> String {
        format!("%r{}", self.random.below(N_WORDS))
    }

    fn long(&mut self) -> String {
        format!("%d{}", self.random.below(N_LONGS))
    }

    /// Returns `n` distinct 32-bit registers.
    fn words(&mut self, n: usize) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        while found.len() < n {
            let next = self.word();
            if !found.contains(&next) {
                found.push(next);
            }
        }
        found
    }

    fn any_words(&mut self, n: usize) -> String {
        let words: Vec<String> = (0..n).map(|_| self.word()).collect();
        words.join(", ")
    }

    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        self.random.pick(words).copied().unwrap_or("")
    }

    fn recursion(&mut self) -> String {
        let [a, d] = [0; 2].map(|_| self.word());
        format!(
            "and.b32 %t0, {a}, 3; {{ .param .b32 x; .param .b32 y; st.param.b32 [y], %t0; call (x), KERNEL_rec, (y); \
             ld.param.b32 {d}, [x]; }}"
        )
    }

    fn recursion_and_barrier(&mut self) -> String {
        format!("{} bar.sync 0;", self.recursion())
    }

    fn indirect_call(&mut self) -> String {
        let [a, b, d] = [0; 3].map(|_| self.word());
        let (c, label) = (self.long(), self.label);
        format!(
            "and.b32 %t0, {a}, 1; mul.wide.u32 %w, %t0, 8; mov.u64 %l, KERNEL_tt; add.u64 %l, %l, %w; ld.global.u64 %l, [%l]; \
             {{ {label}p: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _); .param .b32 x; .param .b64 y; .param .b32 z; \
             st.param.b32 [x], {b}; st.param.b64 [y], {c}; call (z), %l, (x, y), {label}p; ld.param.b32 {d}, [z]; }}"
        )
    }

    fn structures(&mut self) -> String {
        let sources = self.any_words(4);
        let (b, c) = (self.long(), self.word());
        let to = self.words(2).join(", ");
        let d = self.long();
        format!(
            "{{ .param .align 16 .b8 x[32]; .param .align 8 .b8 y[8]; .param .align 16 .b8 z[16]; st.param.v4.b32 [x], {{{sources}}}; \
             st.param.b64 [x+16], {b}; st.param.b64 [x+24], {b}; st.param.b32 [y], {c}; st.param.b32 [y+4], {c}; \
             call (z), KERNEL_st, (x, y); ld.param.v2.b32 {{{to}}}, [z]; ld.param.b64 {d}, [z+8]; }}"
        )
    }

    fn variables(&mut self) -> String {
        let (a, d) = (self.word(), self.word());
        let k = self.random.below(3);
        let j = 4 * self.random.below(4);
        match self.random.below(4) {
            0 => format!(
                "ld.global.b32 {d}, [KERNEL_ga+{}];",
                4 * self.random.below(8)
            ),
            1 => format!(
                "mov.u64 %w, KERNEL_gp; ld.global.u64 %w, [%w+{}]; ld.global.b32 {d}, [%w+{j}];",
                8 * k
            ),
            2 => format!(
                "ld.const.u64 %w, [KERNEL_cp+{}]; ld.b32 {d}, [%w+{j}];",
                8 * (k % 2)
            ),
            _ => format!(
                "and.b32 %t0, {a}, 1; mul.wide.u32 %w, %t0, 8; mov.u64 %l, KERNEL_gp; add.u64 %l, %l, %w; ld.global.u64 %l, [%l+8]; \
                 ld.b32 {d}, [%l+{j}];"
            ),
        }
    }

    fn parameters(&mut self) -> String {
        let (a, d) = (self.word(), self.word());
        let at = 4 * self.random.below(EXTRA_BYTES / 4);
        match self.random.below(5) {
            0 => format!("ld.param.b32 {d}, [number];"),
            1 => format!("ld.param.b32 {d}, [extra+{at}];"),
            2 => format!(
                "and.b32 %t0, {a}, 60; cvt.u64.u32 %l, %t0; mov.b64 %w, extra; add.u64 %w, %w, %l; ld.param.b32 {d}, [%w];"
            ),
            3 => format!("cvta.param.u64 %w, extra; ld.b32 {d}, [%w+{at}];"),
            _ => format!(
                "and.b32 %t0, {a}, 60; cvt.u64.u32 %l, %t0; cvta.param.u64 %w, extra; add.u64 %w, %w, %l; ld.b32 {d}, [%w];"
            ),
        }
    }

    fn stack(&mut self) -> String {
        let [a, b, d] = [0; 3].map(|_| self.word());
        let size = 16 * (1 + self.random.below(4));
        let at = 4 * self.random.below(size / 4);
        format!(
            "stacksave.u64 %x0; and.b32 %t0, {a}, 48; cvt.u64.u32 %w, %t0; add.u64 %w, %w, {size}; alloca.u64 %w, %w; \
             st.local.b32 [%w+{at}], {b}; ld.local.b32 {d}, [%w+{at}]; stackrestore.u64 %x0;"
        )
    }

    fn generic_addresses(&mut self) -> String {
        let [a, b, d] = [0; 3].map(|_| self.word());
        let at = 4 * self.random.below(16);
        match self.random.below(4) {
            0 => format!(
                "cvt.u64.u32 %w, %s; cvta.shared.u64 %w, %w; st.b32 [%w+{at}], {a}; ld.b32 {d}, [%w+{at}];"
            ),
            1 => {
                let op = self.one_of(&["add.u32", "min.s32", "xor.b32", "exch.b32"]);
                format!(
                    "cvt.u64.u32 %w, %s; cvta.shared.u64 %w, %w; st.b32 [%w+{at}], {a}; atom.{op} {d}, [%w+{at}], {b};"
                )
            }
            2 => format!(
                "mov.u64 %w, lo; cvta.local.u64 %w, %w; st.b32 [%w+{at}], {a}; ld.b32 {d}, [%w+{at}];"
            ),
            _ => format!(
                "cvt.u64.u32 %w, %s; cvta.shared.u64 %w, %w; mov.u64 %l, lo; cvta.local.u64 %l, %l; and.b32 %t0, {a}, 1; \
                 setp.eq.u32 %q, %t0, 0; selp.b64 %w, %w, %l, %q; st.b32 [%w+{at}], {b}; ld.b32 {d}, [%w+{at}]; \
                 isspacep.shared %q, %w; @%q add.u32 {d}, {d}, 1;"
            ),
        }
    }

    fn wide_values(&mut self) -> String {
        let [a, b, c, d] = [0; 4].map(|_| self.long());
        let at = OWN_START + 16 * self.random.below(8);
        let space = self.one_of(&["global", ""]);
        let dot = if space.is_empty() { "" } else { "." };
        format!(
            "mov.b128 %b0, {{{a}, {b}}}; st{dot}{space}.b128 [%o+{at}], %b0; ld{dot}{space}.b128 %b1, [%o+{at}]; mov.b128 {{%x0, %x1}}, %b1; \
             add.u64 {c}, {c}, %x0; xor.b64 {d}, {d}, %x1;"
        )
    }

    fn wide_atomics(&mut self) -> String {
        let at = OWN_START + 16 * self.random.below(8);
        let [a, b, d] = [0; 3].map(|_| self.word());
        let [e, f, g] = [0; 3].map(|_| self.long());
        let op = self.one_of(&["exch", "cas"]);
        let third = if op == "cas" { ", %b0" } else { "" };
        match self.random.below(6) {
            0 => format!("atom.global.add.noftz.f16x2 {d}, [%o+{at}], {a};"),
            1 => format!("atom.global.add.noftz.bf16x2 {d}, [%o+{at}], {a};"),
            2 => format!(
                "mov.b32 {{%h0, %h1}}, {a}; atom.shared.add.noftz.f16 %h2, [%s+{}], %h0;",
                at % 64
            ),
            3 => {
                let to = self.words(2).join(", ");
                format!("atom.global.add.v2.f32 {{{to}}}, [%o+{at}], {{{a}, {b}}};")
            }
            4 => format!(
                "mov.b128 %b0, {{{e}, {f}}}; atom.global.{op}.b128 %b1, [%o+{at}], %b0{third}; mov.b128 {{{g}, %x1}}, %b1;"
            ),
            _ => format!(
                "mov.b128 %b0, {{{e}, {f}}}; atom.shared.{op}.b128 %b1, [%s+{}], %b0{third}; mov.b128 {{{g}, %x1}}, %b1;",
                at % 64
            ),
        }
    }

    /// Generates a loop with more uniform values than the architecture has uniform registers.
    fn uniform_loop(&mut self) -> String {
        let (a, d) = (self.word(), self.word());
        let label = self.label;
        let mut text = String::new();
        for index in 0..N_UNIFORM {
            let _ = write!(text, "ld.param.b32 %u{index}, [extra+{}]; ", 4 * index);
        }
        let _ = write!(text, "and.b32 %c3, {a}, 3; {label}u: ");
        for index in 0..N_UNIFORM {
            let _ = write!(
                text,
                "mad.lo.u32 {d}, {d}, %u{index}, %u{}; ",
                N_UNIFORM - 1 - index
            );
        }
        let _ = write!(
            text,
            "sub.s32 %c3, %c3, 1; setp.gt.s32 %q, %c3, 0; @%q bra {label}u;"
        );
        text
    }

    fn product(&mut self) -> String {
        let to = self.words(4).join(", ");
        let (two, four, sums) = (self.any_words(2), self.any_words(4), self.any_words(4));
        let one = self.any_words(1);
        match self.random.below(6) {
            0 => format!(
                "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{{to}}}, {{{two}}}, {{{one}}}, {{{sums}}};"
            ),
            1 => format!(
                "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {{{to}}}, {{{four}}}, {{{two}}}, {{{sums}}};"
            ),
            2 => format!(
                "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {{{to}}}, {{{four}}}, {{{two}}}, {{{sums}}};"
            ),
            3 => format!(
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {{{to}}}, {{{four}}}, {{{two}}}, {{{sums}}};"
            ),
            4 => format!(
                "mov.b32 %m0, 0x44444444; mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{to}}}, {{{two}}}, {{{two}}}, {{{sums}}}, %m0, 0x0;"
            ),
            _ => {
                let d = self.word();
                format!("movmatrix.sync.aligned.m8n8.trans.b16 {d}, {one};")
            }
        }
    }

    /// Generates a load or a store of matrices. Each matrix row consists of 16 bytes of the shared memory of one lane.
    fn matrix_rows(&mut self) -> String {
        let trans = self.one_of(&["", ".trans"]);
        let n = *self.random.pick(&[1, 2, 4]).unwrap_or(&1);
        let at = 16 * self.random.below(4);
        match self.random.below(2) {
            0 => {
                let to = self.words(n).join(", ");
                format!(
                    "bar.sync 0; ldmatrix.sync.aligned.m8n8.x{n}{trans}.shared.b16 {{{to}}}, [%s+{at}]; bar.sync 0;"
                )
            }
            _ => {
                let from = self.any_words(n);
                let d = self.word();
                format!(
                    "bar.sync 0; stmatrix.sync.aligned.m8n8.x{n}{trans}.shared.b16 [%s+{at}], {{{from}}}; bar.sync 0; ld.shared.b32 {d}, [%s+{at}];"
                )
            }
        }
    }

    fn named_barrier(&mut self) -> String {
        let n = self.shape.block_threads();
        let (a, d) = (self.word(), self.word());
        match self.random.below(3) {
            0 if n == 64 => format!(
                "bar.sync 0; setp.lt.u32 %q, %n, 32; st.shared.b32 [%s+4], {a}; @%q bar.arrive 3, 64; @!%q bar.sync 3, 64; \
                 xor.b32 %t1, %n, 32; mov.u32 %t0, sh; mad.lo.u32 %t0, %t1, 64, %t0; @!%q ld.shared.b32 {d}, [%t0+4]; bar.sync 0;"
            ),
            1 => format!("barrier.sync {}, {n};", 1 + self.random.below(15)),
            _ => {
                let (d, p) = (self.word(), predicate(self.random));
                format!("barrier.red.popc.aligned.u32 {d}, 2, {n}, {p};")
            }
        }
    }

    fn mbarrier(&mut self) -> String {
        let n = self.shape.block_threads();
        let (a, d, label) = (self.word(), self.word(), self.label);
        let wait = self.one_of(&["test_wait", "try_wait"]);
        format!(
            "bar.sync 0; setp.eq.u32 %q, %n, 0; @%q mbarrier.init.shared.b64 [mb], {n}; st.shared.b32 [%s+8], {a}; bar.sync 0; \
             mbarrier.arrive.shared.b64 %x0, [mb]; {label}m: mbarrier.{wait}.shared.b64 %q, [mb], %x0; @!%q bra {label}m; \
             xor.b32 %t1, %n, 1; mov.u32 %t0, sh; mad.lo.u32 %t0, %t1, 64, %t0; ld.shared.b32 {d}, [%t0+8]; bar.sync 0; \
             setp.eq.u32 %q, %n, 0; @%q mbarrier.inval.shared.b64 [mb];"
        )
    }

    fn bulk_copy(&mut self) -> String {
        let (d, label) = (self.word(), self.label);
        let at = 4 * self.random.below(16);
        format!(
            "bar.sync 0; setp.eq.u32 %q, %n, 0; @%q mbarrier.init.shared.b64 [mb], 1; @%q fence.proxy.async; bar.sync 0; \
             mov.u32 %t0, sh; mov.u32 %t1, mb; @%q mbarrier.arrive.expect_tx.shared.b64 %x0, [%t1], 64; \
             @%q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%t0], [%i], 64, [%t1]; \
             {label}b: mbarrier.try_wait.parity.shared.b64 %q, [mb], 0; @!%q bra {label}b; ld.shared.b32 {d}, [%t0+{at}]; bar.sync 0; \
             setp.eq.u32 %q, %n, 0; @%q mbarrier.inval.shared.b64 [mb];"
        )
    }

    /// Generates a warp-level operation whose member mask contains the lanes for which a predicate is true.
    fn masked_lanes(&mut self) -> String {
        let [a, d, e] = [0; 3].map(|_| self.word());
        let (p, label) = (predicate(self.random), self.label);
        let operation = match self.random.below(6) {
            0 => format!(
                "redux.sync.{}.s32 {d}, {a}, %m0;",
                self.one_of(&["add", "min", "max"])
            ),
            1 => format!("bfind.u32 %m1, %m0; shfl.sync.idx.b32 {d}, {a}, %m1, 31, %m0;"),
            2 => format!("setp.lt.s32 %q, {a}, 0; vote.sync.ballot.b32 {d}, %q, %m0;"),
            3 => format!("match.any.sync.b32 {d}, {a}, %m0;"),
            4 => format!("elect.sync {d}|%q, %m0; @%q add.u32 {e}, {e}, 1;"),
            _ => format!(
                "bar.warp.sync %m0; activemask.b32 %m1; and.b32 %m1, %m1, 0; add.u32 {d}, {a}, %m1;"
            ),
        };
        format!(
            "vote.sync.ballot.b32 %m0, {p}, 0xffffffff; @!{p} bra {label}k; {operation} {label}k: bar.warp.sync 0xffffffff;"
        )
    }

    /// Generates a loop that the lanes exit after different numbers of iterations.
    fn ragged_loop(&mut self) -> String {
        let [a, b, d] = [0; 3].map(|_| self.word());
        let label = self.label;
        format!(
            "and.b32 %c3, {a}, 7; {label}r: sub.s32 %c3, %c3, 1; mad.lo.u32 {d}, {d}, 3, {b}; setp.lt.s32 %q, %c3, 0; @%q bra {label}s; \
             bra {label}r; {label}s: bar.warp.sync 0xffffffff;"
        )
    }

    fn dynamic_shared(&mut self) -> String {
        let (a, d) = (self.word(), self.word());
        let distance = 1 + self.random.below(self.shape.block_threads() - 1);
        format!(
            "bar.sync 0; mov.u32 %t0, dyn; mad.lo.u32 %t1, %n, 4, %t0; st.shared.b32 [%t1], {a}; bar.sync 0; xor.b32 %t1, %n, {distance}; \
             mad.lo.u32 %t1, %t1, 4, %t0; ld.shared.b32 {d}, [%t1]; bar.sync 0;"
        )
    }

    fn cluster(&mut self) -> String {
        if !self.shape.has_cluster() {
            return self.dynamic_shared();
        }
        let (a, d) = (self.word(), self.word());
        format!(
            "st.shared.b32 [%s+12], {a}; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; mov.u32 %t0, %cluster_ctarank; \
             xor.b32 %t0, %t0, 1; add.u32 %t1, %s, 12; mapa.shared::cluster.u32 %t1, %t1, %t0; ld.shared::cluster.b32 {d}, [%t1]; \
             barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
        )
    }
}
