//! Random kernels of compiled operations: arithmetic, comparisons, divergent branches, loops, loads and stores of
//! global and shared memory, exchanges between lanes, MMA, approximate functions, calls, sums over all threads, and
//! host calls. Input: a seed. Output: a scenario as JSON, which only depends on the seed.

use serde_json::{Value, json};
use std::fmt::Write;

/// Number of words that each thread may write.
const WORDS: u32 = 16;

/// Number of registers of each kind.
const REGISTERS: u64 = 8;

/// Number of rows with a word for each thread, followed by as many rows with a byte for each thread.
const ROWS: u32 = 8;

/// Block dimensions for which subwarps are within rows, cross rows, or are partial.
const BLOCKS: [[u32; 3]; 11] = [
    [32, 1, 1],
    [64, 1, 1],
    [33, 1, 1],
    [96, 1, 1],
    [128, 1, 1],
    [39, 1, 1],
    [16, 8, 1],
    [6, 5, 1],
    [8, 3, 3],
    [4, 9, 1],
    [1, 34, 1],
];

/// Bit patterns of edge cases.
const EDGES: [u32; 14] = [
    0,
    1,
    0x8000_0000,
    0x7fff_ffff,
    0xffff_ffff,
    0x3f80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0xffa0_0000,
    0x0080_0000,
    0x807f_ffff,
    0x0000_8000,
    0x4b00_0001,
];

/// Called functions: with register and memory arguments, nested calls, divergent lanes, separate returns, stack data
/// and exchanges.
const FUNCTIONS: &str = "
.func (.reg .b32 d) mixed(.reg .b32 a, .reg .b32 b)
{
    .reg .pred %p;
    xor.b32 d, a, b;
    setp.lt.u32 %p, a, b;
    @%p ret;
    mad.lo.u32 d, d, 77, a;
}
.func (.param .align 8 .b8 sums[16]) turns(.param .b32 x, .param .align 8 .b8 y[16])
{
    .reg .b32 %a, %b, %n, %m;
    .reg .b64 %w, %o;
    .reg .pred %p;
    .local .align 4 .b8 kept[16];
    ld.param.u32 %a, [x];
    ld.param.u64 %w, [y];
    ld.param.u32 %m, [y+12];
    and.b32 %n, %a, 3;
    mov.u32 %b, 1;
AGAIN:
    mad.lo.u32 %b, %b, %a, %n;
    and.b32 %m, %m, 12;
    cvt.u64.u32 %o, %m;
    mov.u64 %w, kept;
    add.s64 %w, %w, %o;
    st.local.u32 [%w], %b;
    setp.gt.s32 %p, %b, 0;
    @%p call (%b), mixed, (%b, %a);
    @!%p call (%m), mixed, (%n, 5);
    sub.u32 %n, %n, 1;
    setp.ge.s32 %p, %n, 0;
    @%p bra AGAIN;
    ld.local.u32 %n, [%w];
    st.param.v2.b32 [sums], {%b, %n};
    st.param.b64 [sums+8], %o;
    ret;
}
.func (.reg .b32 d) neighbour(.reg .b32 a)
{
    shfl.sync.down.b32 d, a, 3, 31, 0xffffffff;
    ret;
}
";

/// Pointer that advances by a step, and the distance between lanes.
struct Walk {
    base: String,
    stride: i64,
    step: i64,
}

struct Generator {
    state: u64,
    text: String,
    n_labels: u32,
    depth: u32,
    has_shared: bool,
    /// Number of threads of the grid.
    n_threads: u32,
    has_whole_warps: bool,
}

/// Returns the kernel of a seed with its launch.
pub(crate) fn scenario(seed: u64) -> Value {
    let mut generator = Generator {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678,
        text: String::new(),
        n_labels: 0,
        depth: 0,
        has_shared: false,
        n_threads: 0,
        has_whole_warps: false,
    };
    generator.has_shared = generator.below(2) == 0;
    let block = BLOCKS[generator.below(BLOCKS.len() as u64) as usize];
    let threads: u32 = block.iter().product();
    let blocks = 1 + generator.below(4) as u32;
    generator.has_whole_warps = threads.is_multiple_of(32);
    let source = generator.kernel(threads * blocks);
    let n = threads * blocks;
    let mut init = format!("random {}", generator.below(1000));
    for index in 0..n.min(500) {
        let value = match generator.below(3) {
            0 => EDGES[generator.below(EDGES.len() as u64) as usize],
            _ => generator.next() as u32,
        };
        let _ = write!(init, " [{index}]={value}");
    }
    let buffer = |name: &str, len: u32, init: Value| json!({"kind": "buffer", "name": name, "type": "u32", "len": len, "init": init});
    json!({
        "source": source,
        "grid": [blocks, 1, 1],
        "block": block,
        "params": [
            buffer("in", n.max(1024), json!(init)),
            buffer("out", n * WORDS, json!(0)),
            {"kind": "scalar", "name": "n", "type": "u32", "value": n - generator.below(8) as u32},
            buffer("sums", 8, json!(0)),
            buffer("rows", ROWS * n + 2 * n, json!(0)),
        ],
    })
}

impl Generator {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 20) % n.max(1)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "    {text}");
    }

    fn r(&mut self) -> String {
        format!("%r{}", self.below(REGISTERS))
    }

    fn f(&mut self) -> String {
        format!("%f{}", self.below(REGISTERS))
    }

    /// Returns a register, or a register with a constant value.
    fn float_source(&mut self) -> String {
        match self.below(5) {
            0 => format!("%uf{}", self.below(3)),
            _ => self.f(),
        }
    }

    fn d(&mut self) -> String {
        format!("%rd{}", self.below(REGISTERS))
    }

    fn p(&mut self) -> String {
        format!("%p{}", self.below(4))
    }

    /// Returns a register or a constant.
    fn source(&mut self) -> String {
        match self.below(3) {
            0 => format!("{}", self.below(40) as i64 - 3),
            _ => self.r(),
        }
    }

    fn kernel(&mut self, n_threads: u32) -> String {
        self.n_threads = n_threads;
        self.text.clear();
        let _ = write!(
            self.text,
            ".version 8.0\n.target sm_90\n.address_size 64\n{FUNCTIONS}\n\
             .visible .entry generated(.param .u64 in, .param .u64 out, .param .u32 n, .param .u64 sums, .param .u64 rows)\n{{\n"
        );
        for declaration in [
            ".reg .b32 %r<24>;",
            ".reg .f32 %f<8>;",
            ".reg .b64 %rd<16>;",
            ".reg .f64 %fd<4>;",
            ".reg .b16 %h<4>;",
            ".reg .pred %p<8>;",
            ".reg .b32 %u<4>;",
            ".reg .b64 %ud<3>;",
            ".reg .pred %up<2>;",
            ".reg .f32 %uf<3>;",
            ".reg .b64 %rows, %row, %byte, %words, %bytes, %all;",
            ".reg .b32 %tz, %ty, %nz, %ny, %nx, %tzy, %nzy;",
            ".shared .align 16 .b8 tile[512];",
            ".shared .align 16 .b8 copied[4096];",
            ".shared .align 16 .b8 walked[2048];",
            ".local .align 8 .b8 own[64];",
        ] {
            self.line(declaration);
        }
        for start in [
            "mov.u32 %tz, %tid.z;",
            "mov.u32 %ty, %tid.y;",
            "mov.u32 %r23, %tid.x;",
            "mov.u32 %nz, %ntid.z;",
            "mov.u32 %ny, %ntid.y;",
            "mov.u32 %nx, %ntid.x;",
            "mad.lo.u32 %tzy, %tz, %ny, %ty;",
            "mad.lo.u32 %r20, %tzy, %nx, %r23;",
            "mul.lo.u32 %nzy, %nz, %ny;",
            "mul.lo.u32 %r22, %nzy, %nx;",
            "mov.u32 %r21, %ctaid.x;",
            "mad.lo.s32 %r19, %r21, %r22, %r20;",
            "ld.param.u32 %r18, [n];",
            "ld.param.u64 %rd15, [in];",
            "cvta.to.global.u64 %rd14, %rd15;",
            "ld.param.u64 %rd15, [out];",
            "cvta.to.global.u64 %rd13, %rd15;",
            "mul.wide.u32 %words, %r19, 4;",
            "add.s64 %rd11, %rd14, %words;",
            "ld.param.u64 %rd15, [sums];",
            "cvta.to.global.u64 %rd8, %rd15;",
            "mul.wide.u32 %all, %r19, 64;",
            "add.s64 %rd10, %rd13, %all;",
            "ld.param.u64 %rows, [rows];",
            "add.s64 %row, %rows, %words;",
            "cvt.u64.u32 %bytes, %r19;",
            "add.s64 %byte, %rows, %bytes;",
            "mov.u32 %u0, %ctaid.x;",
            "ld.param.u32 %u1, [n];",
            "mad.lo.u32 %u2, %u0, %u1, 7;",
            "mov.u32 %u3, %tid.x;",
            "mul.wide.u32 %ud0, %u0, %u1;",
            "cvt.u64.u32 %ud1, %u2;",
            "ld.param.u64 %ud2, [in];",
            "mov.f32 %uf0, 0f7f800000;",
            "mov.f32 %uf1, 0fbf800001;",
            "mov.f32 %uf2, 0f7fc00001;",
            "setp.lt.u32 %up0, %u0, 2;",
            "setp.gt.s32 %up1, %u2, %u1;",
        ] {
            self.line(start);
        }
        let after = 4 * ROWS * n_threads;
        self.line(&format!("add.s64 %byte, %byte, {after};"));
        if self.below(2) == 0 && !self.has_shared {
            self.line("setp.ge.u32 %p7, %r19, %r18;");
            self.line("@%p7 bra END;");
        }
        self.line("ld.global.u32 %r0, [%rd11];");
        self.line("mov.b32 %f0, %r0;");
        for index in 1..REGISTERS {
            self.line(&format!(
                "mad.lo.u32 %r{index}, %r{}, 1664525, %r20;",
                index - 1
            ));
            self.line(&format!("mov.b32 %f{index}, %r{};", index - 1));
            self.line(&format!("mul.wide.s32 %rd{index}, %r{index}, 77;"));
        }
        self.line("setp.lt.u32 %p0, %r0, %r1;");
        self.line("setp.lt.u32 %p1, %r20, 13;");
        let n = 4 + self.below(10);
        for _ in 0..n {
            self.piece();
        }
        for index in 0..REGISTERS / 2 {
            self.line(&format!("st.global.u32 [%rd10+{}], %r{index};", 4 * index));
            self.line(&format!(
                "st.global.f32 [%rd10+{}], %f{index};",
                16 + 4 * index
            ));
        }
        self.line("st.global.u64 [%rd10+32], %rd1;");
        self.line("st.global.v2.u32 [%rd10+40], {%r5, %r6};");
        self.text.push_str("END:\n");
        self.line("ret;");
        self.text.push_str("}\n");
        self.text.clone()
    }

    fn piece(&mut self) {
        match self.below(23) {
            16 | 17 => self.walk(),
            18 => self.fill(),
            19 if self.depth == 0 && self.has_shared => self.walk_shared(),
            20..=22 => self.alike(),
            12 | 13 if self.depth == 0 => self.collective(),
            11 => self.call(),
            14 if self.depth > 0 => self.spill_row(),
            14 => self.add_up(),
            15 if self.below(2) == 0 => self.approximate(),
            15 => self.halves(),
            0 if self.depth < 2 => self.choice(),
            1 if self.depth < 2 => self.repeat(),
            2 if self.depth == 0 && self.has_shared => match self.below(3) {
                0 => self.copy(),
                _ => self.exchange(),
            },
            3 => self.load(),
            4 => self.store(),
            _ => {
                for _ in 0..1 + self.below(5) {
                    self.arithmetic();
                }
            }
        }
    }

    /// Writes a warp-level operation of all lanes.
    fn collective(&mut self) {
        let [d, a, b] = [self.r(), self.r(), self.r()];
        let p = self.p();
        let lane = self.below(32);
        let clamp = self
            .pick(&["31", "0x1f", "0x1c1f", "0x181f", "7195", "0"])
            .to_owned();
        let mode = self.pick(&["up", "down", "bfly", "idx"]);
        let full = "0xffffffff";
        // Exchanges with missing lanes are excluded.
        let kind = match self.has_whole_warps {
            true => self.below(14),
            false => 6 + self.below(6),
        };
        let text = match kind {
            0..=3 => format!("shfl.sync.{mode}.b32 {d}|{p}, {a}, {lane}, {clamp}, {full};"),
            4 => format!("shfl.sync.{mode}.b32 {d}, {a}, {b}, {clamp}, {full};"),
            5 => format!("shfl.sync.{mode}.b32 {d}|{p}, {a}, {b}, %r20, {full};"),
            6 => format!("vote.sync.ballot.b32 {d}, {p}, {full};"),
            7 => {
                let how = self.pick(&["all", "any", "uni"]);
                let q = self.p();
                format!("vote.sync.{how}.pred {q}, !{p}, {full};")
            }
            8 => {
                self.line(&format!("and.b32 %r13, {a}, 3;"));
                let how = self.pick(&["any.sync.b32 %r12", "all.sync.b32 %r12|%p5"]);
                self.line(&format!("match.{how}, %r13, {full};"));
                format!("add.u32 {d}, {d}, %r12;")
            }
            9 => {
                let op = self.pick(&[
                    "add.s32", "min.s32", "max.u32", "and.b32", "xor.b32", "max.s32",
                ]);
                format!("redux.sync.{op} {d}, {a}, {full};")
            }
            10 => "bar.warp.sync 0xffffffff;".to_owned(),
            11 => format!("activemask.b32 {d};"),
            12 => format!("movmatrix.sync.aligned.m8n8.trans.b16 {d}, {a};"),
            _ => {
                // Factors and accumulators of moderate magnitude.
                for (index, from) in [&a, &b, &d].into_iter().enumerate() {
                    self.line(&format!("and.b32 %r{}, {from}, 0xbdffbdff;", 11 + index));
                }
                let sums = "{%f0, %f1, %f2, %f3}";
                for index in 0..4 {
                    self.line(&format!("cvt.rn.f32.s32 %f{index}, %r{index};"));
                }
                format!(
                    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {sums}, {{%r11, %r12}}, {{%r13}}, {sums};"
                )
            }
        };
        self.line(&text);
    }

    /// Writes additions of all threads to common words, whose order does not matter.
    fn add_up(&mut self) {
        let a = self.r();
        let index = self.r();
        let p = self.p();
        let guard = match self.below(3) {
            0 => format!("@{p} "),
            _ => String::new(),
        };
        self.line(&format!("and.b32 %r13, {index}, 28;"));
        self.line("cvt.u64.u32 %rd9, %r13;");
        self.line("add.s64 %rd9, %rd8, %rd9;");
        self.line(&format!("{guard}red.global.add.u32 [%rd9], {a};"));
    }

    /// Writes loads through two advancing registers with contiguous, uniform or strided lanes, and sums of the loaded
    /// values; the sums, including NaNs, are converted to bits at the end.
    fn walk(&mut self) {
        let label = self.n_labels;
        self.n_labels += 1;
        let times = 1 + self.below(5);
        for declaration in [
            format!(".reg .b64 %wb{label}, %wc{label}, %wb{label}o, %wc{label}o;"),
            format!(".reg .b32 %wn{label}, %wv{label};"),
            format!(".reg .f32 %ws{label}, %wt{label}, %wl{label};"),
            format!(".reg .pred %wp{label};"),
        ] {
            self.line(&declaration);
        }
        let walks = ["%wb", "%wc"].map(|name| self.begin_walk(format!("{name}{label}")));
        self.line(&format!("mov.u32 %wn{label}, {times};"));
        self.line(&format!("mov.f32 %ws{label}, 0f00000000;"));
        let _ = writeln!(self.text, "WALK{label}:");
        for _ in 0..1 + self.below(5) {
            let p = self.p();
            let guard = match self.below(5) {
                0 => format!("@{p} "),
                _ => String::new(),
            };
            let a = self.r();
            let walk = &walks[self.below(4) as usize / 3];
            self.load_at(&guard, &a, walk);
            self.line(&format!("mov.b32 %wl{label}, {a};"));
            let op = self.pick(&[
                "fma.rn",
                "fma.rn.ftz",
                "add",
                "min",
                "max.ftz",
                "sub",
                "mul",
            ]);
            let more = if op.starts_with("fma") {
                format!(", %ws{label}")
            } else {
                String::new()
            };
            self.line(&format!(
                "{op}.f32 %wt{label}, %ws{label}, %wl{label}{more};"
            ));
            let op = self.pick(&["neg", "abs", "sqrt.rn", "rcp.rn"]);
            match self.below(4) {
                0 => self.line(&format!("{guard}{op}.f32 %ws{label}, %wt{label};")),
                1 => self.line(&format!(
                    "{guard}add.sat.f32 %ws{label}, %wt{label}, %wl{label};"
                )),
                2 => self.line(&format!("setp.le.f32 {p}, %wt{label}, %ws{label};")),
                _ => self.line(&format!(
                    "{guard}mul.f32 %ws{label}, %wt{label}, %wt{label};"
                )),
            }
        }
        if self.below(3) == 0 {
            let (a, p) = (self.r(), self.p());
            let guard = match self.below(2) {
                0 => format!("@!{p} "),
                _ => String::new(),
            };
            let offset = 4 * self.below(4);
            self.line(&format!(
                "{guard}st.global.u32 [%rd10+{}], {a};",
                48 + offset
            ));
        }
        for walk in &walks {
            let Walk { base, step, .. } = walk;
            self.line(&format!("add.s64 {base}, {base}, {step};"));
        }
        self.line(&format!("sub.u32 %wn{label}, %wn{label}, 1;"));
        self.line(&format!("setp.ne.u32 %wp{label}, %wn{label}, 0;"));
        self.line(&format!("@%wp{label} bra WALK{label};"));
        let [a, f] = [self.r(), self.f()];
        match self.below(4) {
            0 => {
                let p = self.p();
                self.line(&format!("selp.f32 {f}, %ws{label}, %wt{label}, {p};"));
            }
            1 if self.depth == 0 && self.has_whole_warps => self.line(&format!(
                "shfl.sync.bfly.b32 {f}, %ws{label}, 3, 31, 0xffffffff;"
            )),
            2 => self.line(&format!("@%p1 st.global.f32 [%rd10+52], %wt{label};")),
            _ => self.line(&format!("mov.f32 {f}, %wt{label};")),
        }
        self.line(&format!("mov.b32 {a}, %ws{label};"));
    }

    /// Starts a pointer into read-only data, which depends on the thread, on the block, or on loaded values.
    fn begin_walk(&mut self, base: String) -> Walk {
        let stride = [0, 1, 2, 3, 4, 4, 8, 12, 16, -4, -8, -2][self.below(12) as usize];
        let step = 4 * self.below(9) as i64 - 16;
        let from = self
            .pick(&["%r20", "%r20", "%r23", "%r21", "%r13", "%u3"])
            .to_owned();
        self.line("and.b32 %r13, %r1, 31;");
        if from == "%u3" {
            self.line("and.b32 %r13, %u3, 127;");
        }
        let from = if from == "%u3" { "%r13" } else { &from };
        self.line(&format!("mul.wide.s32 {base}o, {from}, {stride};"));
        self.line(&format!("add.s64 {base}, %rd14, {base}o;"));
        let start = if stride < 0 { 2048 } else { 256 };
        self.line(&format!("add.s64 {base}, {base}, {start};"));
        Walk { base, stride, step }
    }

    /// Writes a load that is valid for strided lanes: the address is a multiple of the access width.
    fn load_at(&mut self, guard: &str, a: &str, walk: &Walk) {
        let Walk { base, stride, step } = walk;
        let (base, wide) = (base.as_str(), self.d());
        let fits = |width: i64| stride % width == 0 && step % width == 0;
        let offset = |width: i64, n: u64| width * (n as i64 % (64 / width));
        let n = self.below(64);
        let text = match self.below(10) {
            0 => format!("ld.global.u8 {a}, [{base}+{}];", offset(1, n)),
            1 => format!("ld.global.s8 {a}, [{base}+{}];", offset(1, n)),
            2 if fits(2) => format!("ld.global.s16 {a}, [{base}+{}];", offset(2, n)),
            3 if fits(2) => format!("ld.global.v2.u8 {{{a}, %r13}}, [{base}+{}];", offset(2, n)),
            4 if fits(4) => format!(
                "ld.global.v4.u8 {{{a}, %r13, %r12, %r11}}, [{base}+{}];",
                offset(4, n)
            ),
            5 if fits(8) => format!("ld.global.u64 {wide}, [{base}+{}];", offset(8, n)),
            6 if fits(8) => format!("ld.global.v2.u32 {{{a}, %r13}}, [{base}+{}];", offset(8, n)),
            7 if fits(16) => format!(
                "ld.global.v4.u32 {{{a}, %r13, %r12, %r11}}, [{base}+{}];",
                offset(16, n)
            ),
            8 if fits(16) => format!(
                "ld.global.v2.u64 {{{wide}, %rd9}}, [{base}+{}];",
                offset(16, n)
            ),
            _ if fits(4) => format!("ld.global.u32 {a}, [{base}+{}];", offset(4, n)),
            _ => format!("ld.global.u8 {a}, [{base}+-{}];", offset(1, n)),
        };
        self.line(&format!("{guard}{text}"));
    }

    /// Writes words and bytes of the thread to rows with one element per thread, which some lanes write or read again.
    fn fill(&mut self) {
        let label = self.n_labels;
        self.n_labels += 1;
        let n = u64::from(self.n_threads);
        for declaration in [
            format!(".reg .b64 %fb{label}, %fc{label};"),
            format!(".reg .b32 %fn{label};"),
            format!(".reg .pred %fp{label};"),
        ] {
            self.line(&declaration);
        }
        let times = 1 + self.below(4);
        self.line(&format!("mov.b64 %fb{label}, %row;"));
        self.line(&format!("mov.b64 %fc{label}, %byte;"));
        self.line(&format!("mov.u32 %fn{label}, {times};"));
        let _ = writeln!(self.text, "FILL{label}:");
        for _ in 0..1 + self.below(4) {
            let (a, f, p) = (self.r(), self.f(), self.p());
            let guard = match self.below(4) {
                0 => format!("@{p} "),
                1 => "@!%up0 ".to_owned(),
                _ => String::new(),
            };
            let offset = 4 * n * self.below(5);
            let row = format!("[%fb{label}+{offset}]");
            let byte = format!("[%fc{label}+{}]", n * self.below(5));
            let text = match self.below(7) {
                0 => format!("ld.global.u32 {a}, {row};"),
                1 => format!("st.global.u8 {byte}, {a};"),
                2 => format!("ld.global.s8 {a}, {byte};"),
                3 => format!("st.global.f32 {row}, {f};"),
                4 => format!("st.u32 {row}, {a};"),
                5 => format!("st.global.u16 {row}, {a};"),
                _ => format!("st.global.u32 {row}, {a};"),
            };
            self.line(&format!("{guard}{text}"));
        }
        self.arithmetic();
        self.line(&format!("add.s64 %fb{label}, %fb{label}, {};", 4 * n));
        self.line(&format!("add.s64 %fc{label}, %fc{label}, {n};"));
        self.line(&format!("sub.u32 %fn{label}, %fn{label}, 1;"));
        self.line(&format!("setp.ne.u32 %fp{label}, %fn{label}, 0;"));
        self.line(&format!("@%fp{label} bra FILL{label};"));
    }

    /// Writes a loop with barriers through shared memory: stores to the thread's own words, and loads of words of other
    /// threads.
    fn walk_shared(&mut self) {
        let label = self.n_labels;
        self.n_labels += 1;
        for declaration in [
            format!(".reg .b32 %sb{label}, %sc{label}, %sn{label};"),
            format!(".reg .b64 %sw{label};"),
            format!(".reg .pred %sp{label};"),
        ] {
            self.line(&declaration);
        }
        let (width, ty) =
            [(4, "u32"), (4, "u32"), (1, "u8"), (2, "u16"), (4, "f32")][self.below(5) as usize];
        let value = match ty {
            "f32" => self.f(),
            _ => self.r(),
        };
        let stride = width * [0, 1, 1, 1, 2][self.below(5) as usize];
        let step = width * (self.below(5) as i64 - 2);
        let times = 1 + self.below(4);
        self.line(&format!("mov.u32 %sb{label}, walked;"));
        self.line(&format!(
            "mad.lo.u32 %sc{label}, %r20, {stride}, %sb{label};"
        ));
        self.line(&format!("add.u32 %sc{label}, %sc{label}, 64;"));
        self.line(&format!(
            "mad.lo.u32 %sb{label}, %r20, {width}, %sb{label};"
        ));
        self.line(&format!("cvt.u64.u32 %sw{label}, %sb{label};"));
        let is_generic = self.below(4) == 0;
        if is_generic {
            self.line(&format!("cvta.shared.u64 %sw{label}, %sw{label};"));
        }
        self.line(&format!("mov.u32 %sn{label}, {times};"));
        self.line("bar.sync 0;");
        let _ = writeln!(self.text, "SHARED{label}:");
        let p = self.p();
        let guard = match self.below(4) {
            0 => format!("@{p} "),
            _ => String::new(),
        };
        let is_alike = self.below(3) == 0;
        let store = match (is_generic, self.below(2)) {
            (true, _) => format!("st.{ty} [%sw{label}]"),
            (_, 0) => format!("st.shared.{ty} [%sw{label}]"),
            _ => format!("st.shared.{ty} [%sb{label}]"),
        };
        self.line(&format!("{guard}{store}, {value};"));
        if is_alike {
            self.line(&format!("ld.shared.{ty} {value}, [%sb{label}];"));
        }
        self.line("bar.sync 0;");
        for _ in 0..1 + self.below(3) {
            let offset = width * (self.below(16) as i64 - 8);
            let from = match width {
                4 if self.below(4) == 0 => format!("[walked+{}]", offset + 32),
                _ => format!("[%sc{label}+{offset}]"),
            };
            let p = self.p();
            let guard = match self.below(4) {
                0 => format!("@{p} "),
                _ => String::new(),
            };
            self.line(&format!("{guard}ld.shared.{ty} {value}, {from};"));
            self.arithmetic();
        }
        if self.below(4) > 0 {
            self.line("bar.sync 0;");
        }
        self.line(&format!("add.u32 %sc{label}, %sc{label}, {step};"));
        self.line(&format!("sub.u32 %sn{label}, %sn{label}, 1;"));
        self.line(&format!("setp.ne.u32 %sp{label}, %sn{label}, 0;"));
        self.line(&format!("@%sp{label} bra SHARED{label};"));
        self.line("bar.sync 0;");
    }

    /// Writes operations on uniform values and on values with a constant distance between lanes.
    fn alike(&mut self) {
        let u = |g: &mut Self| format!("%u{}", g.below(4));
        let ud = |g: &mut Self| format!("%ud{}", g.below(3));
        for _ in 0..1 + self.below(4) {
            let [d, a, b] = [u(self), u(self), u(self)];
            let [wide, x, y] = [ud(self), ud(self), ud(self)];
            let (r, number) = (self.r(), self.below(40) as i64 - 5);
            let up = format!("%up{}", self.below(2));
            let text = match self.below(25) {
                0 => format!("mad.lo.u32 {d}, {a}, {number}, {b};"),
                1 => format!("sub.u32 {d}, {a}, {b};"),
                2 => format!("shl.b32 {d}, {a}, {};", self.below(40)),
                3 => format!("shr.s32 {d}, {a}, {};", self.below(40)),
                4 => format!("shr.u32 {d}, {a}, {};", self.below(40)),
                5 => format!("and.b32 {d}, {a}, {number};"),
                6 => format!("not.b32 {d}, {a};"),
                7 => format!("neg.s32 {d}, {a};"),
                8 => format!("mul.wide.s32 {wide}, {a}, {b};"),
                9 => format!("mad.wide.u32 {wide}, {a}, {number}, {y};"),
                10 => format!("cvt.u32.u64 {d}, {x};"),
                11 => format!("cvt.s64.s32 {wide}, {a};"),
                12 => format!("shr.s64 {wide}, {x}, {};", self.below(70)),
                13 => format!("shl.b64 {wide}, {x}, {};", self.below(70)),
                14 => format!("mad.lo.s64 {wide}, {x}, {y}, {x};"),
                15 => {
                    let op = self.pick(&["lt.u32", "ge.s32", "eq.u32", "hi.u32", "ls.u32"]);
                    format!("setp.{op} {up}, {a}, {b};")
                }
                16 => {
                    let op = self.pick(&["lt.u64", "ge.s64", "ne.b64", "gt.u64"]);
                    format!("setp.{op} {up}, {x}, {y};")
                }
                17 => format!("@{up} add.u32 {d}, {a}, {number};"),
                18 => format!("@!{up} xor.b32 {r}, {r}, {a};"),
                19 => format!("selp.b32 {d}, {a}, {b}, {up};"),
                20 => format!("add.u32 {r}, {r}, {a};"),
                // Host calls.
                21 => format!("dp4a.u32.u32 {r}, {a}, {b}, {d};"),
                22 => format!("brev.b32 {d}, {a};"),
                23 => format!("red.global.add.u32 [%rd8+{}], {a};", 4 * self.below(8)),
                _ if self.depth == 0 && self.has_whole_warps => {
                    self.line(&format!("vote.sync.ballot.b32 %r13, {up}, 0xffffffff;"));
                    format!("shfl.sync.bfly.b32 {r}, {a}, 5, 31, 0xffffffff;")
                }
                _ => format!("cvt.u32.u64 {r}, {x};"),
            };
            self.line(&text);
        }
        if self.depth < 2 && self.below(3) == 0 {
            let label = self.n_labels;
            self.n_labels += 1;
            let up = format!("%up{}", self.below(2));
            let not = self.pick(&["", "!"]);
            self.line(&format!("@{not}{up} bra ALIKE{label};"));
            self.piece();
            let _ = writeln!(self.text, "ALIKE{label}:");
        }
        if self.below(3) == 0 {
            let (r, x) = (self.r(), ud(self));
            self.line(&format!("cvt.u32.u64 %r13, {x};"));
            self.line(&format!("xor.b32 {r}, {r}, %r13;"));
            let a = u(self);
            self.line(&format!("st.global.u32 [%rd10+56], {a};"));
        }
    }

    /// Writes accesses to local memory.
    fn spill_row(&mut self) {
        let [a, index] = [self.r(), self.r()];
        let p = self.p();
        let guard = match self.below(3) {
            0 => format!("@{p} "),
            _ => String::new(),
        };
        let wide = self.d();
        self.line(&format!("and.b32 %r13, {index}, 56;"));
        self.line("cvt.u64.u32 %rd9, %r13;");
        self.line("mov.u64 %rd12, own;");
        self.line("add.s64 %rd9, %rd12, %rd9;");
        match self.below(6) {
            0 => self.line(&format!("{guard}ld.local.u32 {a}, [%rd9+4];")),
            1 => self.line(&format!("{guard}st.local.u64 [%rd9], {wide};")),
            2 => self.line(&format!("{guard}ld.local.s8 {a}, [%rd9+1];")),
            3 => {
                self.line("cvta.local.u64 %rd9, %rd9;");
                self.line(&format!("{guard}st.u32 [%rd9], {a};"));
            }
            4 => {
                // Local memory in some lanes, global memory in the others.
                self.line("cvta.local.u64 %rd9, %rd9;");
                self.line(&format!("@{p} add.s64 %rd9, %rd10, 32;"));
                self.line(&format!("{guard}ld.u32 {a}, [%rd9+4];"));
            }
            _ => self.line(&format!("{guard}st.local.u32 [%rd9], {a};")),
        }
    }

    /// Writes operations on 16-bit numbers, and host calls.
    fn halves(&mut self) {
        let [d, a, b, c] = [self.r(), self.r(), self.r(), self.r()];
        let f = self.f();
        let p = self.p();
        let guard = match self.below(3) {
            0 => format!("@{p} "),
            _ => String::new(),
        };
        let text = match self.below(11) {
            7 => format!("sub.rn.bf16x2 {d}, {a}, {b};"),
            8 => format!("min.bf16x2 {d}, {a}, {b};"),
            9 => format!("neg.f16x2 {d}, {a};"),
            10 => format!("mul.rn.f16x2 {d}, {a}, {b};"),
            0 => format!("fma.rn.f16x2 {d}, {a}, {b}, {c};"),
            1 => format!("sub.rn.f16x2 {d}, {a}, {b};"),
            2 => format!("cvt.rn.f16x2.f32 {d}, {f}, {f};"),
            3 => format!("dp4a.u32.u32 {d}, {a}, {b}, {c};"),
            4 => format!("fma.rn.relu.f16x2 {d}, {a}, {b}, {c};"),
            5 => format!("cvt.rn.bf16x2.f32 {d}, {f}, {f};"),
            _ => format!("max.f16x2 {d}, {a}, {b};"),
        };
        self.line(&format!("{guard}{text}"));
    }

    /// Writes function calls, which some of the lanes execute.
    fn call(&mut self) {
        let [d, a, b] = [self.r(), self.r(), self.r()];
        let wide = self.d();
        let p = self.p();
        let guard = match self.below(3) {
            0 => format!("@{p} "),
            _ => String::new(),
        };
        match self.below(4) {
            0 if self.depth == 0 && self.has_whole_warps => {
                self.line(&format!("call ({d}), neighbour, ({a});"))
            }
            0 | 1 => self.line(&format!("{guard}call ({d}), mixed, ({a}, {b});")),
            _ => {
                for part in [
                    "{ .param .b32 p0; .param .align 8 .b8 p1[16]; .param .align 8 .b8 q[16];",
                    &format!("st.param.b32 [p0], {a};"),
                    &format!("st.param.b64 [p1], {wide};"),
                    &format!("st.param.b32 [p1+12], {b};"),
                    &format!("{guard}call (q), turns, (p0, p1);"),
                    &format!("ld.param.b32 {d}, [q];"),
                    &format!("ld.param.b64 {wide}, [q+8];"),
                    "}",
                ] {
                    self.line(part);
                }
            }
        }
    }

    /// Writes approximate functions.
    fn approximate(&mut self) {
        let [d, a, b] = [self.f(), self.f(), self.f()];
        let p = self.p();
        let guard = match self.below(3) {
            0 => format!("@{p} "),
            _ => String::new(),
        };
        let ftz = self.pick(&["", ".ftz"]);
        let text = match self.below(4) {
            0 => {
                let how = self.pick(&["approx", "full"]);
                format!("div.{how}{ftz}.f32 {d}, {a}, {b};")
            }
            1 => format!("tanh.approx.f32 {d}, {a};"),
            _ => {
                let name = self.pick(&["rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos"]);
                format!("{name}.approx{ftz}.f32 {d}, {a};")
            }
        };
        self.line(&format!("{guard}{text}"));
    }

    /// Writes a divergent branch with two sides.
    fn choice(&mut self) {
        let label = self.n_labels;
        self.n_labels += 1;
        let p = self.p();
        let not = self.pick(&["", "!"]);
        self.line(&format!("@{not}{p} bra ELSE{label};"));
        self.depth += 1;
        for _ in 0..1 + self.below(3) {
            self.piece();
        }
        let has_else = self.below(2) == 0;
        if has_else {
            self.line(&format!("bra.uni JOIN{label};"));
        }
        let _ = writeln!(self.text, "ELSE{label}:");
        if has_else {
            self.piece();
            let _ = writeln!(self.text, "JOIN{label}:");
        }
        self.depth -= 1;
    }

    /// Writes a loop with equal or different iteration counts of the lanes.
    fn repeat(&mut self) {
        let label = self.n_labels;
        self.n_labels += 1;
        let counter = 16 + self.depth.min(1);
        let times = 1 + self.below(5);
        match self.below(9) {
            0..=3 => self.line(&format!("mov.u32 %r{counter}, {times};")),
            4 if self.depth == 0 => {
                // Long enough that lanes that have left the loop exceed a time slice.
                let factor = 5 + self.below(20);
                self.line(&format!("and.b32 %r{counter}, %r20, 31;"));
                self.line(&format!(
                    "mad.lo.u32 %r{counter}, %r{counter}, {factor}, 1;"
                ));
            }
            _ => {
                let mask = self.pick(&["3", "6", "12"]);
                self.line(&format!("and.b32 %r{counter}, %r20, {mask};"));
                self.line(&format!("add.u32 %r{counter}, %r{counter}, 1;"));
            }
        }
        let _ = writeln!(self.text, "LOOP{label}:");
        self.depth += 1;
        for _ in 0..1 + self.below(3) {
            self.piece();
        }
        self.depth -= 1;
        self.line(&format!("sub.u32 %r{counter}, %r{counter}, 1;"));
        self.line(&format!("setp.ne.u32 %p6, %r{counter}, 0;"));
        self.line(&format!("@%p6 bra LOOP{label};"));
    }

    /// Writes an exchange with another thread through shared memory.
    fn exchange(&mut self) {
        let value = self.r();
        let result = self.r();
        self.line("mov.u32 %r15, tile;");
        self.line("shl.b32 %r14, %r20, 2;");
        self.line("add.u32 %r14, %r15, %r14;");
        self.line("bar.sync 0;");
        self.line(&format!("st.shared.u32 [%r14], {value};"));
        self.line("bar.sync 0;");
        match self.below(3) {
            0 => {
                let at = 4 * self.below(20);
                self.line(&format!("ld.shared.u32 {result}, [tile+{at}];"));
            }
            1 => {
                let mask = self.pick(&["1", "3", "5", "16", "21"]);
                self.line(&format!("xor.b32 %r14, %r20, {mask};"));
                self.line("rem.u32 %r14, %r14, %r22;");
                self.line("shl.b32 %r14, %r14, 2;");
                self.line("add.u32 %r14, %r15, %r14;");
                self.line(&format!("ld.shared.u32 {result}, [%r14];"));
            }
            _ => {
                let p = self.p();
                self.line(&format!("@{p} ld.shared.u32 {result}, [%r14];"));
            }
        }
    }

    /// Writes copies to shared memory that remain in flight for a while.
    fn copy(&mut self) {
        let result = self.r();
        for line in [
            "and.b32 %r13, %r20, 31;",
            "mul.wide.u32 %rd9, %r13, 16;",
            "add.s64 %rd9, %rd14, %rd9;",
            "mov.u32 %r15, copied;",
            "shl.b32 %r14, %r20, 4;",
            "add.u32 %r14, %r15, %r14;",
            "bar.sync 0;",
        ] {
            self.line(line);
        }
        let n_groups = 1 + self.below(2);
        for group in 0..n_groups {
            let (p, n) = (self.p(), self.r());
            let guard = match self.below(3) {
                0 => format!("@{p} "),
                _ => String::new(),
            };
            let size = self.pick(&["4", "8", "16"]).to_owned();
            let q = self.p();
            let beyond = match self.below(4) {
                0 => {
                    self.line(&format!("and.b32 %r13, {n}, 31;"));
                    ", %r13".to_owned()
                }
                1 => format!(", {q}"),
                _ => String::new(),
            };
            let at = 2048 * group;
            self.line(&format!(
                "{guard}cp.async.ca.shared.global [%r14+{at}], [%rd9], {size}{beyond};"
            ));
            if group + 1 == n_groups || self.below(2) == 0 {
                self.line("cp.async.commit_group;");
            }
            if self.below(2) == 0 {
                self.arithmetic();
            }
        }
        if self.below(3) == 0 {
            self.collective();
        }
        let wait = match self.below(6) {
            0 => "cp.async.wait_all;",
            // With two groups, the second group remains in flight.
            1 => "cp.async.wait_group 1;",
            _ => "cp.async.wait_group 0;",
        };
        self.line(wait);
        if self.below(4) > 0 {
            self.line("bar.sync 0;");
        }
        let mask = self.pick(&["0", "3", "16", "33"]);
        self.line(&format!("xor.b32 %r14, %r20, {mask};"));
        self.line("rem.u32 %r14, %r14, %r22;");
        self.line("shl.b32 %r14, %r14, 4;");
        self.line("add.u32 %r14, %r15, %r14;");
        let at = 4 * self.below(4);
        self.line(&format!("ld.shared.u32 {result}, [%r14+{at}];"));
        self.line("cp.async.wait_all;");
    }

    /// Writes loads of read-only data.
    fn load(&mut self) {
        let (result, index) = (self.r(), self.r());
        match self.below(5) {
            0 => {
                self.line(&format!("and.b32 %r13, {index}, 255;"));
                self.line("mul.wide.u32 %rd9, %r13, 4;");
                self.line("add.s64 %rd9, %rd14, %rd9;");
                self.line(&format!("ld.global.u32 {result}, [%rd9];"));
            }
            1 => {
                let ty = self.pick(&["u8", "s8", "u16", "s16"]);
                self.line(&format!("and.b32 %r13, {index}, 510;"));
                self.line("cvt.u64.u32 %rd9, %r13;");
                self.line("add.s64 %rd9, %rd14, %rd9;");
                self.line(&format!("ld.global.{ty} {result}, [%rd9+2];"));
            }
            2 => {
                let at = 4 * self.below(9);
                self.line(&format!("ld.global.u32 {result}, [%rd14+{at}];"));
            }
            3 => {
                let (p, f) = (self.p(), self.f());
                self.line(&format!("@{p} ld.global.nc.f32 {f}, [%rd11];"));
            }
            _ => {
                let wide = self.d();
                self.line("and.b32 %r13, %r20, 31;");
                self.line("mul.wide.u32 %rd9, %r13, 16;");
                self.line("add.s64 %rd9, %rd14, %rd9;");
                match self.below(3) {
                    0 => self.line(&format!("ld.global.u64 {wide}, [%rd9];")),
                    1 => self.line("ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd9];"),
                    _ => self.line("ld.global.v2.f32 {%f4, %f5}, [%rd9];"),
                }
            }
        }
    }

    /// Writes stores to private locations of the thread.
    fn store(&mut self) {
        let (r, f) = (self.r(), self.f());
        let p = self.p();
        let guard = match self.below(3) {
            0 => format!("@{p} "),
            _ => String::new(),
        };
        let at = 48 + 4 * self.below(4);
        match self.below(4) {
            0 => self.line(&format!("{guard}st.global.u8 [%rd10+{at}], {r};")),
            1 => self.line(&format!("{guard}st.global.f32 [%rd10+{at}], {f};")),
            2 => self.line(&format!("{guard}ld.global.u32 {r}, [%rd10+{at}];")),
            _ => self.line(&format!("{guard}st.global.u32 [%rd10+{at}], {r};")),
        }
    }

    fn arithmetic(&mut self) {
        let [d, a, b] = [self.r(), self.r(), self.r()];
        let s = self.source();
        let p = self.p();
        let guard = match self.below(6) {
            0 => format!("@{p} "),
            1 => format!("@!{p} "),
            _ => String::new(),
        };
        let text = match self.below(18) {
            0 => {
                let op = self.pick(&[
                    "add.u32",
                    "sub.s32",
                    "and.b32",
                    "or.b32",
                    "xor.b32",
                    "mul.lo.s32",
                ]);
                format!("{op} {d}, {a}, {s};")
            }
            1 => {
                let op = self.pick(&[
                    "min.s32",
                    "max.s32",
                    "min.u32",
                    "max.u32",
                    "mul.hi.u32",
                    "mul.hi.s32",
                    "div.u32",
                    "div.s32",
                    "rem.s32",
                    "rem.u32",
                ]);
                format!("{op} {d}, {a}, {s};")
            }
            2 => {
                let op = self.pick(&[
                    "mad.lo.u32",
                    "mad.hi.s32",
                    "mad.hi.u32",
                    "sad.s32",
                    "sad.u32",
                ]);
                format!("{op} {d}, {a}, {b}, {s};")
            }
            3 => {
                let op = self.pick(&["shl.b32", "shr.u32", "shr.s32"]);
                format!("{op} {d}, {a}, {s};")
            }
            4 => {
                let op = self.pick(&[
                    "abs.s32", "neg.s32", "not.b32", "cnot.b32", "popc.b32", "clz.b32",
                ]);
                format!("{op} {d}, {a};")
            }
            5 => {
                let table = self.below(256);
                format!("lop3.b32 {d}, {a}, {b}, {s}, {table};")
            }
            6 => {
                let (position, length) = (self.below(40), self.below(40));
                match self.below(3) {
                    0 => format!("bfi.b32 {d}, {a}, {b}, {position}, {length};"),
                    1 => format!("bfe.s32 {d}, {a}, {position}, {length};"),
                    _ => format!("bfe.u32 {d}, {a}, {position}, {length};"),
                }
            }
            7 => {
                let amount = self.below(36);
                let op = self.pick(&["shf.l.wrap.b32", "shf.r.clamp.b32", "shf.r.wrap.b32"]);
                format!("{op} {d}, {a}, {b}, {amount};")
            }
            8 => {
                let selector = self.next() as u32 & 0x7777;
                format!("prmt.b32 {d}, {a}, {b}, {selector};")
            }
            9 | 10 => {
                let d = self.f();
                let [a, b, c] = [
                    self.float_source(),
                    self.float_source(),
                    self.float_source(),
                ];
                let ftz = self.pick(&["", "", "", ".ftz"]);
                match self.below(12) {
                    0 => format!("add{ftz}.f32 {d}, {a}, {b};"),
                    1 => format!("sub.f32 {d}, {a}, {b};"),
                    2 => format!("mul.f32 {d}, {a}, {b};"),
                    3 | 4 => format!("fma.rn.f32 {d}, {a}, {b}, {c};"),
                    5 => format!("min{ftz}.f32 {d}, {a}, {b};"),
                    6 => format!("max.f32 {d}, {a}, {b};"),
                    7 => format!("div.rn.f32 {d}, {a}, {b};"),
                    8 => format!("sqrt.rn.f32 {d}, {a};"),
                    9 => format!("neg.f32 {d}, {a};"),
                    10 => format!("add.sat.f32 {d}, {a}, {b};"),
                    _ => format!("rsqrt.approx.f32 {d}, {a};"),
                }
            }
            11 => {
                let op = self.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
                let ty = self.pick(&["u32", "s32"]);
                let p = self.p();
                match self.below(3) {
                    0 => {
                        let q = self.p();
                        format!("setp.{op}.and.{ty} {p}|%p5, {a}, {s}, {q};")
                    }
                    _ => format!("setp.{op}.{ty} {p}, {a}, {s};"),
                }
            }
            12 => {
                let op = self.pick(&[
                    "eq", "neu", "lt", "leu", "gt", "geu", "num", "nan", "equ", "ne", "ltu",
                ]);
                let (p, a, b) = (self.p(), self.f(), self.f());
                let ftz = self.pick(&["", ".ftz"]);
                format!("setp.{op}{ftz}.f32 {p}, {a}, {b};")
            }
            13 => {
                let p = self.p();
                format!("selp.b32 {d}, {a}, {s}, {p};")
            }
            14 => {
                let [d, a, b] = [self.d(), self.d(), self.d()];
                let op = self.pick(&[
                    "add.s64",
                    "sub.s64",
                    "mul.lo.s64",
                    "and.b64",
                    "or.b64",
                    "xor.b64",
                    "min.s64",
                    "max.u64",
                    "div.s64",
                    "rem.u64",
                    "mul.hi.s64",
                    "mul.hi.u64",
                    "mad.hi.s64",
                ]);
                let c = match op {
                    "mad.hi.s64" => format!(", {d}"),
                    _ => String::new(),
                };
                format!("{op} {d}, {a}, {b}{c};")
            }
            15 => {
                let [wide, other] = [self.d(), self.d()];
                match self.below(7) {
                    0 => format!("mul.wide.s32 {wide}, {a}, {b};"),
                    1 => format!("mad.wide.u32 {wide}, {a}, {b}, {other};"),
                    2 => format!("cvt.u32.u64 {d}, {wide};"),
                    3 => format!("cvt.s64.s32 {wide}, {a};"),
                    4 => format!("mov.b64 {{{d}, {b}}}, {wide};"),
                    5 => format!("mov.b64 {wide}, {{{a}, {b}}};"),
                    _ => {
                        let op = self.pick(&["shl.b64", "shr.u64", "shr.s64"]);
                        format!("{op} {wide}, {other}, {s};")
                    }
                }
            }
            16 => {
                let f = self.f();
                match self.below(10) {
                    8 => format!("cvt.rn.f32.s16 {f}, {a};"),
                    9 => format!("cvt.rn.f32.u8 {f}, {a};"),
                    0 => format!("cvt.rn.f32.s32 {f}, {a};"),
                    1 => format!("cvt.rn.f32.u32 {f}, {a};"),
                    2 => format!("cvt.rzi.s32.f32 {d}, {f};"),
                    3 => format!("cvt.rzi.u32.f32 {d}, {f};"),
                    4 => format!("mov.b32 {d}, {f};"),
                    5 => format!("cvt.u32.u8 {d}, {a};"),
                    6 => format!("cvt.s32.s16 {d}, {a};"),
                    _ => format!("mov.b32 {f}, {a};"),
                }
            }
            _ => {
                let [p, q, s] = [self.p(), self.p(), self.p()];
                let op = self.pick(&["and", "or", "xor"]);
                format!("{op}.pred {p}, {q}, {s};")
            }
        };
        self.line(&format!("{guard}{text}"));
    }
}
