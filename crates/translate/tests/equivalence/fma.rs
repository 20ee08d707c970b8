//! Kernels with `fma` instructions on numbers for which two roundings differ from one. Output: scenarios.

use super::random::Random;
use serde_json::{Value, json};
use warpgrid_launch::Scenario;

/// Number of threads of a kernel; each executes one `fma`.
const THREADS: u32 = 4096;

/// Returns each compiled `fma` with the type of its numbers.
pub(crate) fn scenarios() -> Vec<(&'static str, Scenario)> {
    let narrow = [
        ("fma.rn.f32", inputs32(Magnitudes::All)),
        ("fma.rn.sat.f32", inputs32(Magnitudes::All)),
        // The smallest normal number causes a bailout with `.ftz`.
        ("fma.rn.ftz.f32", inputs32(Magnitudes::Middle)),
    ];
    let narrow = narrow.map(|(opcode, inputs)| (opcode, scenario(opcode, "32", 2, &inputs)));
    let wide = ("fma.rn.f64", scenario("fma.rn.f64", "64", 3, &inputs64()));
    narrow.into_iter().chain([wide]).collect()
}

fn scenario(opcode: &str, bits: &str, shift: u32, inputs: &[Vec<Value>; 3]) -> Scenario {
    let load = |name: &str, register: &str| {
        format!(
            "ld.param.b64 %p, [{name}]; add.s64 %p, %p, %o; ld.global.f{bits} {register}, [%p];"
        )
    };
    let loads = [load("a", "%a"), load("b", "%b"), load("c", "%c")].join("\n");
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 out) {{
.reg .b64 %p, %o; .reg .b32 %t, %n, %i; .reg .f{bits} %a, %b, %c, %d;
mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 128, %t;
mul.wide.u32 %o, %t, {};
{loads}
{opcode} %d, %a, %b, %c;
ld.param.b64 %p, [out]; add.s64 %p, %p, %o; st.global.f{bits} [%p], %d;
ret; }}",
        1 << shift
    );
    let buffer = |name: &str, init: Value| json!({"kind": "buffer", "name": name, "type": format!("u{bits}"), "len": THREADS, "init": init});
    let [a, b, c] = inputs;
    let scenario = json!({
        "source": source,
        "grid": [THREADS / 128, 1, 1],
        "block": [128, 1, 1],
        "params": [buffer("a", json!(a)), buffer("b", json!(b)), buffer("c", json!(c)), buffer("out", json!(0))],
    });
    serde_json::from_value(scenario).expect("a scenario")
}

impl Random {
    fn sign(&mut self) -> f64 {
        [1.0, -1.0][(self.next() & 1) as usize]
    }

    /// Returns a power of two with a random exponent.
    fn power(&mut self, from: i32, n: u64) -> f64 {
        2f64.powi(from + (self.next() % n) as i32)
    }
}

const EDGES: [u32; 10] = [
    0,
    0x8000_0000,
    0x3f80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    1,
    0x0080_0000,
    0x807f_ffff,
    0x7f7f_ffff,
];

/// Range of the results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Magnitudes {
    All,
    /// No results close to zero.
    Middle,
}

fn inputs32(magnitudes: Magnitudes) -> [Vec<Value>; 3] {
    let mut random = Random(7);
    let mut rows = [Vec::new(), Vec::new(), Vec::new()];
    for index in 0..THREADS {
        let kind = match magnitudes {
            Magnitudes::All => index % 8,
            Magnitudes::Middle => 1,
        };
        let bits = match kind {
            // A product close to a power of two, which is about half of the last digit of the addend.
            0 | 1 | 4 | 5 => {
                let a = 1.0 + (random.next() % (1 << 23)) as f64 / f64::from(1 << 23);
                let b = f64::from((2.0 / a) as f32);
                let c = 1.0 + (random.next() % (1 << 23)) as f64 / f64::from(1 << 23);
                let scale = random.power(-40, 40);
                // A quarter of the results are subnormal.
                let all = match kind {
                    0 => 2f64.powi(-126 - (random.next() % 24) as i32) / scale,
                    _ => 1.0,
                };
                let product = random.sign() * a * scale * 2f64.powi(-25);
                let addend = random.sign() * c * scale * all;
                [product * all.sqrt(), b * all.sqrt(), addend].map(|x| (x as f32).to_bits())
            }
            2 | 6 => [(); 3].map(|()| random.next() as u32),
            _ => [(); 3].map(|()| match random.next() % 3 {
                0 => EDGES[(random.next() % 10) as usize],
                1 => {
                    (random.next() as u32 & 0x807f_ffff)
                        | (0x0080_0000 * (random.next() % 3) as u32)
                }
                _ => 0x3f00_0000 + random.next() as u32 % 0x0100_0000,
            }),
        };
        for (row, bits) in rows.iter_mut().zip(bits) {
            row.push(json!(bits));
        }
    }
    rows
}

fn inputs64() -> [Vec<Value>; 3] {
    let mut random = Random(9);
    let mut rows = [Vec::new(), Vec::new(), Vec::new()];
    for index in 0..THREADS {
        let digits = |random: &mut Random| 1.0 + (random.next() as f64) / 2f64.powi(48);
        let a = random.sign() * digits(&mut random) * random.power(-60, 120);
        let b = random.sign() * digits(&mut random) * random.power(-60, 120);
        let c = match index % 4 {
            0 => -(a * b),
            1 => a * b * random.power(-54, 108),
            2 => (a * b).abs().log2().floor().exp2() * random.sign() * 2f64.powi(53),
            _ => 0.0,
        };
        for (row, x) in rows.iter_mut().zip([a, b, c]) {
            row.push(json!(format!("{:#x}", x.to_bits())));
        }
    }
    rows
}
