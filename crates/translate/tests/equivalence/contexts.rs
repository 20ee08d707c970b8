//! Random kernels with synchronization points in nested loops: barriers and shuffles, with registers that are modified
//! before, within and after the loops, on paths that all, some or no lanes take. Output: scenarios.

use super::random::{Random, Text};
use serde_json::json;
use std::fmt::Write;
use warpgrid_launch::Scenario;

const HEAD: &str = ".reg .b64 %in, %out, %a, %b, %o; .reg .pred %p<4>; .reg .b32 %v<8>, %s<4>, %k<4>, %t, %c, %i, %z, %sa, %fa, %t4; .reg .f32 %f<8>, %sum;
.shared .align 16 .b8 own[512]; .shared .align 16 .b8 fixed[512];
ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %i, %c, 96, %t;
mul.wide.u32 %o, %i, 4; add.s64 %a, %in, %o; add.s64 %b, %out, %o; shl.b32 %t4, %t, 2; mov.u32 %sa, own; add.u32 %sa, %sa, %t4;
mov.u32 %fa, fixed; add.u32 %z, %fa, %t4; st.shared.u32 [%z], %i; st.shared.u32 [%sa], %t;
ld.global.u32 %v0, [%a]; mad.lo.u32 %v1, %i, 77, 5; xor.b32 %v2, %v0, %t; mov.u32 %v3, %t; mov.u32 %v4, 1; mov.u32 %v5, 9; mov.u32 %v6, 0; mov.u32 %v7, %c;
mov.u32 %s0, 3; mov.u32 %s1, %c; mov.u32 %s2, 0; mov.u32 %s3, %ctaid.x; mov.f32 %sum, 0f3F800000; mov.u32 %k0, 0; mov.u32 %k1, 0; mov.u32 %k2, 0;
bar.sync 0;";

const GRID: u32 = 4;
const BLOCKS: [u32; 4] = [96, 64, 32, 37];

struct Writer(Text);

impl Writer {
    /// Returns a divergent or a uniform source.
    fn value(&mut self) -> String {
        match self.0.below(4) {
            0 => format!("%s{}", self.0.below(4)),
            _ => format!("%v{}", self.0.below(8)),
        }
    }

    fn straight(&mut self) {
        let (v, s, a) = (self.0.below(8), self.0.below(4), self.value());
        let offset = 16 * self.0.below(4);
        let line = match self.0.below(9) {
            0 => format!("add.u32 %s{s}, %s{s}, 3;"),
            1 => format!("mul.lo.u32 %s{s}, %s{}, 5;", (s + 1) % 4),
            2 => format!("st.shared.u32 [%sa], {a};"),
            3 => format!("ld.shared.u32 %v{v}, [%sa];"),
            4 => format!("add.s64 %a, %a, 4; add.u32 %v{v}, %v{v}, {a};"),
            5 => self.sum_of_words(offset),
            6 => format!("xor.b32 %v{v}, %v{v}, {a};"),
            _ => format!("mad.lo.u32 %v{v}, %v{v}, 3, {a};"),
        };
        let _ = writeln!(self.0.lines, "{line}");
    }

    /// Writes a sum of words that all lanes load, multiplied by a row with one value per lane.
    fn sum_of_words(&mut self, offset: u64) -> String {
        let n = 1 + self.0.below(8);
        let mut line = String::new();
        for word in 0..n {
            let f = word % 8;
            let _ = write!(
                line,
                "ld.shared.f32 %f{f}, [%fa+{}]; cvt.rn.f32.u32 %f{}, %v{f}; fma.rn.f32 %sum, %f{f}, %f{}, %sum; ",
                offset + 4 * word,
                (f + 1) % 8,
                (f + 1) % 8,
            );
        }
        line
    }

    /// Writes a branch that some lanes take, either short enough for if-conversion or too long.
    fn some_lanes(&mut self) {
        let end = self.0.label();
        let _ = match self.0.below(3) {
            0 => writeln!(self.0.lines, "and.b32 %z, %t, 5; setp.eq.u32 %p0, %z, 1;"),
            1 => writeln!(
                self.0.lines,
                "setp.gt.u32 %p0, %t, {};",
                20 + self.0.n_labels
            ),
            _ => {
                let a = self.value();
                writeln!(self.0.lines, "and.b32 %z, {a}, 2; setp.ne.u32 %p0, %z, 0;")
            }
        };
        let _ = writeln!(self.0.lines, "@%p0 bra {end};");
        for _ in 0..1 + self.0.below(3) {
            let (v, a) = (self.0.below(8), self.value());
            let _ = writeln!(self.0.lines, "mad.lo.u32 %v{v}, {a}, 7, %t;");
        }
        if self.0.below(3) == 0 {
            let v = self.0.below(8);
            self.0.lines += &format!("add.u32 %v{v}, %v{v}, 1;\n").repeat(40);
        }
        let _ = writeln!(self.0.lines, "{end}:");
    }

    fn wait(&mut self) {
        let (d, a) = (self.0.below(8), self.0.below(8));
        let _ = match self.0.below(3) {
            0 if self.0.is_whole => {
                writeln!(self.0.lines, "shfl.sync.bfly.b32 %v{d}, %v{a}, 5, 31, -1;")
            }
            _ => writeln!(self.0.lines, "bar.sync 0;"),
        };
    }

    /// Writes a loop that all lanes execute equally often, or skip.
    fn go_round(&mut self, depth: u32) {
        let (again, end) = (self.0.label(), self.0.label());
        let n = 1 + self.0.below(4);
        if self.0.below(2) == 0 {
            let _ = writeln!(
                self.0.lines,
                "setp.gt.u32 %p1, %c, {}; @%p1 bra {end};",
                self.0.n_labels % 4
            );
        }
        let _ = writeln!(self.0.lines, "mov.u32 %k{depth}, 0;\n{again}:");
        self.pieces(depth - 1);
        let _ = writeln!(
            self.0.lines,
            "add.u32 %k{depth}, %k{depth}, 1; setp.lt.u32 %p2, %k{depth}, {n}; @%p2 bra {again};\n{end}:"
        );
    }

    fn pieces(&mut self, depth: u32) {
        for _ in 0..2 + self.0.below(4) {
            if self.0.left == 0 {
                return;
            }
            self.0.left -= 1;
            match self.0.below(8) {
                0 | 1 => self.wait(),
                2 => self.some_lanes(),
                3 | 4 if depth > 0 => self.go_round(depth),
                _ => self.straight(),
            }
        }
    }
}

pub(crate) fn scenario(seed: u64) -> Scenario {
    let mut random = Random(seed ^ 0x7ec0_7d50);
    let threads = BLOCKS[random.next() as usize % BLOCKS.len()];
    let mut writer = Writer(Text::new(random, 24, threads));
    writer.pieces(3);
    writer.pieces(3);
    let mut mix = String::new();
    for v in 1..8 {
        let _ = writeln!(mix, "mad.lo.u32 %v0, %v0, 31, %v{v};");
    }
    for s in 0..4 {
        let _ = writeln!(mix, "mad.lo.u32 %v0, %v0, 31, %s{s};");
    }
    let text = writer.0.lines;
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {{\n{HEAD}\n{text}
{mix}ld.shared.u32 %v1, [%sa]; add.u32 %v0, %v0, %v1; mov.b32 %v1, %sum; mad.lo.u32 %v0, %v0, 31, %v1; ld.global.u32 %v1, [%a];
add.u32 %v0, %v0, %v1; st.global.u32 [%b], %v0; ret; }}"
    );
    let words: Vec<u64> = (0..1024).map(|_| writer.0.random.next() & 0xffff).collect();
    let scenario = json!({
        "source": source,
        "grid": [GRID, 1, 1],
        "block": [threads, 1, 1],
        "params": [
            {"kind": "buffer", "name": "in", "type": "u32", "len": words.len(), "init": words},
            {"kind": "buffer", "name": "out", "type": "u32", "len": GRID * 96, "init": 0},
        ],
    });
    serde_json::from_value(scenario).expect("a scenario")
}
