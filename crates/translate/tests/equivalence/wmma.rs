//! MMA operations by `wmma` with 16-bit factors and `f32` accumulators. Output: scenarios for each shape, type and
//! tensor core generation, with factors of similar or different exponents, zeros and subnormal numbers.

use super::random::Random;
use serde_json::{Value, json};
use warpgrid_launch::Scenario;

/// Number of MMA operations of a kernel, one per block.
const BLOCKS: u32 = 24;

/// Kind of MMA.
struct Kind {
    target: &'static str,
    shape: &'static str,
    rows: u32,
    columns: u32,
    ty: &'static str,
}

/// Returns the tested MMA operations with their descriptions.
pub(crate) fn scenarios() -> Vec<(String, Scenario)> {
    let shapes = [
        ("m16n16k16", 16, 16),
        ("m32n8k16", 32, 8),
        ("m8n32k16", 8, 32),
    ];
    let mut found = Vec::new();
    for target in ["sm_70", "sm_75", "sm_80", "sm_90", "sm_120"] {
        for (shape, rows, columns) in shapes {
            for ty in ["f16", "bf16"] {
                // `bf16` requires `sm_80`.
                if ty == "bf16" && matches!(target, "sm_70" | "sm_75") {
                    continue;
                }
                let kind = Kind {
                    target,
                    shape,
                    rows,
                    columns,
                    ty,
                };
                found.push((format!("{target} {shape} {ty}"), scenario(&kind)));
            }
        }
    }
    found
}

fn scenario(kind: &Kind) -> Scenario {
    let Kind {
        target,
        shape,
        rows,
        columns,
        ty,
    } = kind;
    let (n_factors, types) = match *ty {
        "bf16" => (if *rows == 16 { 4 } else { 8 }, ".f32.bf16.bf16.f32"),
        _ => (8, ".f32.f32"),
    };
    // In the other shapes, one factor is narrow and the other one is wide.
    let of = |lines: u32| match (*ty, lines) {
        ("bf16", 8) => 2,
        ("bf16", 16) => 4,
        ("bf16", _) => 8,
        _ => n_factors,
    };
    let list = |name: &str, n: u32| {
        let all: Vec<String> = (0..n).map(|index| format!("%{name}{index}")).collect();
        format!("{{{}}}", all.join(", "))
    };
    let (a, b) = (list("a", of(*rows)), list("b", of(*columns)));
    let (c, d) = (list("c", 8), list("d", 8));
    let (a_bytes, b_bytes, c_bytes) = (rows * 32, columns * 32, rows * columns * 4);
    let source = format!(
        ".version 8.7\n.target {target}\n.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {{
.reg .b32 %a<8>, %b<8>, %i; .reg .f32 %c<8>, %d<8>; .reg .b64 %p<4>, %o;
mov.u32 %i, %ctaid.x;
ld.param.u64 %p0, [a]; ld.param.u64 %p1, [b]; ld.param.u64 %p2, [c]; ld.param.u64 %p3, [d];
mul.wide.u32 %o, %i, {a_bytes}; add.s64 %p0, %p0, %o; mul.wide.u32 %o, %i, {b_bytes}; add.s64 %p1, %p1, %o;
mul.wide.u32 %o, %i, {c_bytes}; add.s64 %p2, %p2, %o; add.s64 %p3, %p3, %o;
wmma.load.a.sync.aligned.row.{shape}.global.{ty} {a}, [%p0], 16;
wmma.load.b.sync.aligned.col.{shape}.global.{ty} {b}, [%p1], 16;
wmma.load.c.sync.aligned.row.{shape}.global.f32 {c}, [%p2], {columns};
wmma.mma.sync.aligned.row.col.{shape}{types} {d}, {a}, {b}, {c};
wmma.mma.sync.aligned.row.col.{shape}{types} {d}, {a}, {b}, {d};
wmma.store.d.sync.aligned.row.{shape}.global.f32 [%p3], {d}, {columns};
ret; }}"
    );
    let mut random = Random(u64::from(rows * 7 + columns) ^ ty.len() as u64);
    let words = |random: &mut Random, bytes: u32| -> Vec<Value> {
        let of_block = |random: &mut Random, block: u32| -> Vec<Value> {
            let halves = (0..bytes / 4).map(|_| random.halves(block, ty));
            halves.map(|word| json!(word)).collect()
        };
        (0..BLOCKS)
            .flat_map(|block| of_block(random, block))
            .collect()
    };
    let (a_words, b_words) = (words(&mut random, a_bytes), words(&mut random, b_bytes));
    let c_words: Vec<Value> = (0..BLOCKS * c_bytes / 4)
        .map(|at| json!(random.sum(at / (c_bytes / 4))))
        .collect();
    let n_sums = c_words.len();
    let buffer = |name: &str, len: usize, init: Value| json!({"kind": "buffer", "name": name, "type": "u32", "len": len, "init": init});
    let scenario = json!({
        "source": source,
        "grid": [BLOCKS, 1, 1],
        "block": [32, 1, 1],
        "params": [
            buffer("a", a_words.len(), json!(a_words)), buffer("b", b_words.len(), json!(b_words)),
            buffer("c", n_sums, json!(c_words)), buffer("d", n_sums, json!(0)),
        ],
    });
    serde_json::from_value(scenario).expect("a scenario")
}

impl Random {
    fn half(&mut self, block: u32, ty: &str) -> u32 {
        let bits = self.next() as u32 & 0xffff;
        let (sign_and_fraction, middle, shift) = match ty {
            "bf16" => (0x807f, 127, 7),
            _ => (0x83ff, 15, 10),
        };
        let kept = bits & sign_and_fraction;
        let spread = self.next() as u32;
        let exponent = match block % 6 {
            // Similar exponents, and maximum significands.
            0 => middle,
            1 => return (kept & 0x8000) | middle << shift | (sign_and_fraction & 0x7fff),
            // Different exponents.
            2 => middle - 14 + spread % 28,
            3 => middle - 3 + spread % 6,
            // Many zeros of both signs.
            4 if spread.is_multiple_of(3) => return kept & 0x8000,
            4 => middle,
            // Subnormal `f16` numbers.
            _ if ty == "f16" => spread % 3,
            _ => middle - 40 + spread % 80,
        };
        kept | exponent << shift
    }

    fn halves(&mut self, block: u32, ty: &str) -> u32 {
        self.half(block, ty) | self.half(block, ty) << 16
    }

    /// Returns the bits of an `f32` accumulator.
    fn sum(&mut self, block: u32) -> u32 {
        let bits = self.next() as u32;
        let spread = self.next() as u32;
        let exponent = match block % 5 {
            0 => return 0,
            1 => 127 + spread % 8,
            2 => 100 + spread % 54,
            3 if spread.is_multiple_of(4) => return bits & 0x8000_0000,
            _ => 120 + spread % 14,
        };
        bits & 0x807f_ffff | exponent << 23
    }
}
