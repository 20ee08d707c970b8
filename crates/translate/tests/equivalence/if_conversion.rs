//! Random kernels with short divergent branches: hammocks with early exits, diamonds and nested branches, in short
//! loops and in loops longer than a time slice, which lanes leave together or separately, between barriers and
//! warp-level operations. Output: scenarios.

use super::random::{Random, Text};
use serde_json::json;
use std::fmt::Write;
use warpgrid_launch::Scenario;

const HEAD: &str = ".reg .b64 %in, %out, %a, %b, %e, %o, %l; .reg .pred %p<64>, %g; .reg .b32 %v<6>, %s<4>, %i, %t, %c, %sa, %z, %y, %t4, %tl;
.shared .align 16 .b8 tile[512]; .local .align 4 .b8 kept[32];
ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %i, %c, 96, %t;
mul.wide.u32 %o, %i, 4; add.s64 %a, %in, %o; mul.wide.u32 %o, %i, 16; add.s64 %b, %out, %o; mov.u64 %l, kept;
shl.b32 %t4, %t, 2; mov.u32 %tl, tile; add.u32 %sa, %tl, %t4; st.shared.u32 [%sa], %i; st.local.u32 [%l], %i; st.local.u32 [%l+4], %c;
mov.u32 %s0, 3; mov.u32 %s1, %c; mad.lo.u32 %s2, %t, 5, 1; mov.u32 %s3, 0;
ld.global.u32 %v0, [%a]; mad.lo.u32 %v1, %i, 77, 5; xor.b32 %v2, %v0, %t; mov.u32 %v3, %t; shr.u32 %v4, %v0, 3; mov.u32 %v5, 9;
bar.sync 0;";

/// Number of blocks, sufficient for two threads.
const GRID: u32 = 8;

/// Block sizes of up to three warps, some with a partial last subwarp.
const BLOCKS: [u32; 3] = [96, 64, 37];

struct Writer(Text);

impl Writer {
    fn value(&mut self) -> String {
        match self.0.below(5) {
            0 => format!("%s{}", self.0.below(3)),
            1 => self.0.below(100).to_string(),
            _ => format!("%v{}", self.0.below(6)),
        }
    }

    /// Returns a destination register, rarely a uniform one.
    fn result(&mut self) -> String {
        match self.0.below(9) {
            0 => format!("%s{}", self.0.below(3)),
            _ => format!("%v{}", self.0.below(6)),
        }
    }

    /// Returns a fresh predicate, which differs between lanes in most cases.
    fn predicate(&mut self) -> String {
        self.0.n_labels += 1;
        let p = format!("%p{}", self.0.n_labels % 64);
        let (a, b) = (self.value(), self.value());
        let kind = self.0.below(4);
        let _ = match kind {
            0 => writeln!(
                self.0.lines,
                "and.b32 %z, {a}, 3; setp.ne.u32 {p}, %z, {};",
                kind
            ),
            1 => writeln!(
                self.0.lines,
                "xor.b32 %z, {a}, {b}; and.b32 %z, %z, 1; setp.eq.u32 {p}, %z, 0;"
            ),
            2 => writeln!(self.0.lines, "setp.lt.u32 {p}, {a}, {b};"),
            _ => writeln!(
                self.0.lines,
                "and.b32 %z, %t, {}; setp.lt.u32 {p}, %z, 5;",
                7 + 8 * (self.0.n_labels % 2)
            ),
        };
        match self.0.below(2) {
            0 => format!("!{p}"),
            _ => p,
        }
    }

    fn straight(&mut self) {
        let (d, a, b) = (self.result(), self.value(), self.value());
        let offset = 4 * self.0.below(4);
        let kind = self.0.below(12);
        let line = match kind {
            0 => format!("mad.lo.u32 {d}, {a}, 3, {b};"),
            1 => format!("sub.u32 {d}, {a}, {b};"),
            2 => format!("ld.shared.u32 {d}, [%sa];"),
            3 => format!("st.shared.u32 [%sa], {a};"),
            4 => format!("ld.global.u32 {d}, [%a+{offset}];"),
            5 => format!("st.global.u32 [%b+{offset}], {a};"),
            6 => format!(
                "and.b32 %z, {a}, 63; mul.wide.u32 %o, %z, 4; add.s64 %e, %in, %o; ld.global.u32 {d}, [%e];"
            ),
            7 => format!("ld.local.u32 {d}, [%l+{}];", offset % 8),
            8 => format!("st.local.u32 [%l+{}], {a};", offset % 8),
            9 => format!("add.s64 %a, %a, {}; add.u32 {d}, {d}, {b};", offset % 8),
            10 => format!("selp.u32 {d}, {a}, {b}, %p{};", self.0.n_labels % 64),
            _ => format!("xor.b32 {d}, {a}, {b};"),
        };
        match self.0.below(5) {
            0 if kind < 6 => {
                let guard = self.predicate();
                let _ = writeln!(self.0.lines, "@{guard} {line}");
            }
            _ => {
                let _ = writeln!(self.0.lines, "{line}");
            }
        }
    }

    /// Writes a few lines, with branches to `end`, if given.
    fn lines(&mut self, end: Option<&str>) {
        for _ in 0..1 + self.0.below(4) {
            self.straight();
            if let Some(end) = end
                && self.0.below(6) == 0
            {
                let p = self.predicate();
                let _ = writeln!(self.0.lines, "@{p} bra {end};");
            }
        }
    }

    fn choice(&mut self, depth: u32) {
        let (p, end) = (self.predicate(), self.0.label());
        if self.0.below(2) == 0 {
            let _ = writeln!(self.0.lines, "@{p} bra {end};");
            self.lines(Some(&end));
        } else {
            let other = self.0.label();
            let _ = writeln!(self.0.lines, "@{p} bra {other};");
            self.lines(None);
            let _ = writeln!(self.0.lines, "bra {end};\n{other}:");
            self.lines(None);
        }
        if depth > 0 && self.0.below(3) == 0 {
            self.choice(depth - 1);
        }
        let _ = writeln!(self.0.lines, "{end}:");
        self.straight();
    }

    fn pieces(&mut self, depth: u32) {
        for _ in 0..1 + self.0.below(4) {
            if self.0.left == 0 {
                return;
            }
            self.0.left -= 1;
            match self.0.below(9) {
                0 | 1 => self.straight(),
                2 if depth == 2 => self.0.lines += "bar.sync 0;\n",
                3 if depth == 2 && self.0.is_whole => {
                    let (d, a) = (self.0.below(6), self.0.below(6));
                    let _ = writeln!(self.0.lines, "shfl.sync.bfly.b32 %v{d}, %v{a}, 5, 31, -1;");
                }
                4 if depth > 0 => {
                    let again = self.0.label();
                    let n = [2, 5, 20, 120][self.0.below(4) as usize];
                    let (counter, end) = (format!("%k{depth}"), format!("%m{depth}"));
                    // The lanes leave together, or each after a different number of iterations.
                    let _ = match self.0.below(3) {
                        0 => {
                            let value = self.value();
                            writeln!(self.0.lines, "rem.u32 {end}, {value}, {n};")
                        }
                        _ => writeln!(self.0.lines, "mov.u32 {end}, {n};"),
                    };
                    let _ = writeln!(self.0.lines, "mov.u32 {counter}, 0;\n{again}:");
                    self.pieces(depth - 1);
                    self.choice(1);
                    let _ = writeln!(
                        self.0.lines,
                        "add.u32 {counter}, {counter}, 1; setp.lt.u32 %g, {counter}, {end}; @%g bra {again};"
                    );
                }
                _ => self.choice(1),
            }
        }
    }
}

pub(crate) fn scenario(seed: u64) -> Scenario {
    let mut random = Random(seed ^ 0x00de_7001);
    let threads = BLOCKS[random.next() as usize % BLOCKS.len()];
    let mut writer = Writer(Text::new(random, 14, threads));
    writer.choice(1);
    writer.pieces(2);
    let text = writer.0.lines;
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {{\n.reg .b32 %k<3>, %m<3>;\n{HEAD}\n{text}
add.u32 %v0, %v0, %v1; mad.lo.u32 %v2, %v2, 3, %v3; xor.b32 %v4, %v4, %v5; mad.lo.u32 %v0, %v0, 5, %v2; add.u32 %v0, %v0, %v4;
add.u32 %v0, %v0, %s0; mad.lo.u32 %v0, %v0, 3, %s1; add.u32 %v0, %v0, %s2; ld.shared.u32 %v1, [%sa]; add.u32 %v0, %v0, %v1;
ld.local.u32 %v1, [%l]; add.u32 %v0, %v0, %v1; st.global.u32 [%b+12], %v0; ret; }}"
    );
    let words: Vec<u64> = (0..2048).map(|_| writer.0.random.next() & 0xffff).collect();
    let scenario = json!({
        "source": source,
        "grid": [GRID, 1, 1],
        "block": [threads, 1, 1],
        "params": [
            {"kind": "buffer", "name": "in", "type": "u32", "len": words.len(), "init": words},
            {"kind": "buffer", "name": "out", "type": "u32", "len": 4 * GRID * 96, "init": 0},
        ],
    });
    serde_json::from_value(scenario).expect("a scenario")
}

/// Returns a kernel of one warp or slightly more in which each thread writes a word, with `%t` and the lane index `%z`
/// in the subwarp.
fn kernel(threads: u32, text: &str) -> Scenario {
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {{
.reg .b64 %out, %o, %b; .reg .pred %p<4>, %g; .reg .b32 %t, %t4, %tl, %sa, %z, %n, %x, %y; .shared .align 16 .b8 tile[512];
mov.u32 %t, %tid.x; ld.param.u64 %out, [out]; mul.wide.u32 %o, %t, 4; add.s64 %b, %out, %o; and.b32 %z, %t, 3; setp.eq.u32 %p0, %z, 1;
shl.b32 %t4, %t, 2; mov.u32 %tl, tile; add.u32 %sa, %tl, %t4; mov.u32 %n, 0; mov.u32 %x, 1; mov.u32 %y, 999;
{text} ret; }}"
    );
    let scenario = json!({
        "source": source,
        "grid": [1, 1, 1],
        "block": [threads, 1, 1],
        "params": [{"kind": "buffer", "name": "out", "type": "u32", "len": 256, "init": 0}],
    });
    serde_json::from_value(scenario).expect("a scenario")
}

/// Returns kernels with inactive lanes, exited or beyond the block, while other lanes of their subwarp execute an
/// if-converted branch.
pub(crate) fn without_some_lanes() -> [(&'static str, Scenario); 2] {
    let way = "@%p0 bra END; st.shared.u32 [%sa], %y; END: bar.sync 0;";
    let ended = format!(
        "st.shared.u32 [%sa], %t; bar.sync 0; setp.eq.u32 %p1, %z, 3; @%p1 exit; {way} ld.shared.u32 %x, [%sa+4]; st.global.u32 [%b], %x;"
    );
    let beyond = format!(
        "setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [%sa+152], %x; bar.sync 0; {way} ld.shared.u32 %x, [%tl+152]; st.global.u32 [%b], %x;"
    );
    [
        ("lanes that have ended", kernel(32, &ended)),
        ("lanes beyond the block", kernel(38, &beyond)),
    ]
}

/// Returns a kernel whose accesses to global memory require tracking from the start of the run, which is detected after
/// a store to shared memory in the same barrier interval.
pub(crate) fn noted_after_a_store() -> Scenario {
    kernel(
        64,
        "st.shared.u32 [%sa], %t; ld.global.u64 %o, [%out+512]; st.global.u32 [%b], %x; bar.sync 0; ld.shared.u32 %x, [%sa];",
    )
}

/// Returns a kernel in which a subwarp reads words of shared memory, then some diverged lanes read their words in
/// an if-converted branch before they store to them.
pub(crate) fn read_before_lanes_part() -> Scenario {
    kernel(
        64,
        "st.shared.u32 [%sa], %t; bar.sync 0; ld.shared.u32 %x, [%sa]; setp.eq.u32 %p1, %z, 3;
AGAIN: @%p0 bra LOOP;
@%p1 bra READ; ld.shared.u32 %y, [%sa]; add.u32 %x, %x, %y;
READ: @%p1 bra STORED; st.shared.u32 [%sa], %x;
STORED: add.u32 %x, %x, 1;
LOOP: add.u32 %n, %n, 1; setp.lt.u32 %g, %n, 3; @%g bra AGAIN;
ld.shared.u32 %y, [%sa]; add.u32 %x, %x, %y; st.global.u32 [%b], %x;",
    )
}

/// Returns kernels in which inactive lanes would divide zero by zero, or contain other values that cause bailouts.
pub(crate) fn rare_elsewhere() -> impl Iterator<Item = (&'static str, Scenario)> {
    let cases = [
        (
            "lanes beyond the end of the block",
            "div.rn.f64 %d2, %d0, %d1; fma.rn.f64 %d2, %d2, %d0, %d1; min.f64 %d2, %d2, %d0; cvt.rn.f32.f64 %f0, %d2; cvt.f64.f32 %d2, %f0; cvt.rzi.s32.f64 %v, %d2;",
        ),
        (
            "lanes that leave a branch out",
            "mov.f64 %d2, 0d3FF8000000000000; mov.u32 %v, 7; @%zero bra END; div.rn.f64 %d2, %d0, %d3; cvt.rzi.s32.f64 %v, %d2; END: add.u32 %v, %v, 1;",
        ),
        (
            "lanes whose guard does not hold",
            "mov.f64 %d2, 0d3FF8000000000000; mov.u32 %v, 7; @!%zero div.rn.f64 %d2, %d0, %d3; @!%zero cvt.rzi.s64.f64 %e, %d2; @!%zero cvt.u32.u64 %v, %e;",
        ),
    ];
    cases.into_iter().map(|(what, code)| {
        let source = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b64 %in, %out, %e, %o; .reg .f64 %d<4>; .reg .f32 %f0; .reg .b32 %t, %v, %z; .reg .pred %zero;
ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 8; add.s64 %in, %in, %o; add.s64 %out, %out, %o;
ld.global.f64 %d0, [%in]; ld.global.f64 %d1, [%in+8]; and.b32 %z, %t, 3; setp.eq.u32 %zero, %z, 0; cvt.rn.f64.u32 %d3, %z;
@%zero sub.f64 %d0, %d0, %d0; mov.u64 %e, 0;
{code} st.global.f64 [%out], %d2; cvt.u64.u32 %e, %v; st.global.u64 [%out+512], %e; ret; }}"
        );
        let scenario = json!({
            "source": source, "grid": [1, 1, 1], "block": [37, 1, 1],
            "params": [
                {"kind": "buffer", "name": "in", "type": "f64", "len": 64, "init": (1..=64).collect::<Vec<u32>>()},
                {"kind": "buffer", "name": "out", "type": "f64", "len": 128, "init": 0},
            ],
        });
        (what, serde_json::from_value(scenario).expect("a scenario"))
    })
}
