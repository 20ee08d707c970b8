//! Kernels with one approximate function each, on arguments from the whole range. Output: scenarios.

use serde_json::json;
use warpgrid_launch::Scenario;

const THREADS: u32 = 4096;
/// Returns the number of arguments per thread: `WARPGRID_ARGUMENTS`, or a default.
fn n_arguments() -> u32 {
    let stated = std::env::var("WARPGRID_ARGUMENTS").ok();
    let number = stated.and_then(|text| text.parse().ok());
    number.unwrap_or(32)
}

const OPCODES: [&str; 19] = [
    "rcp.approx.f32",
    "rcp.approx.ftz.f32",
    "rsqrt.approx.f32",
    "rsqrt.approx.ftz.f32",
    "sqrt.approx.f32",
    "sqrt.approx.ftz.f32",
    "ex2.approx.f32",
    "ex2.approx.ftz.f32",
    "lg2.approx.f32",
    "lg2.approx.ftz.f32",
    "sin.approx.f32",
    "sin.approx.ftz.f32",
    "cos.approx.f32",
    "cos.approx.ftz.f32",
    "tanh.approx.f32",
    "div.approx.f32",
    "div.approx.ftz.f32",
    "div.full.f32",
    "div.full.ftz.f32",
];

/// Code that computes the bits `%x` and `%y` of arguments from a number `%i`.
const ARGUMENT_OF: [(&str, &str); 3] = [
    // Distributed over all bit patterns.
    (
        "all bits",
        "mad.lo.u32 %x, %i, 0x9e3779b1, 77; mul.lo.u32 %y, %x, 0x85ebca6b;",
    ),
    // All exponents and signs, with the first and the last fractions.
    (
        "ends of fractions",
        "shl.b32 %x, %i, 23; shr.u32 %y, %i, 9; and.b32 %y, %y, 15; add.s32 %x, %x, %y; sub.s32 %x, %x, 8;
         mul.lo.u32 %y, %i, 0x04d2a000; xor.b32 %y, %y, %x;",
    ),
    // From 2^-16 to 2^16, with both signs.
    (
        "magnitudes around one",
        "mul.lo.u32 %x, %i, 0x000a3d71; and.b32 %y, %i, 1; shl.b32 %y, %y, 31; and.b32 %x, %x, 0x0fffffff;
         add.u32 %x, %x, 0x37800000; or.b32 %x, %x, %y; xor.b32 %y, %x, 0x00345678;",
    ),
];

/// Returns a scenario with a description for each function and each kind of arguments.
pub(crate) fn scenarios() -> impl Iterator<Item = (String, Scenario)> {
    OPCODES.into_iter().flat_map(|opcode| {
        let of = move |(kind, argument): (&str, &str)| {
            (format!("{opcode}, {kind}"), scenario(opcode, argument))
        };
        ARGUMENT_OF.into_iter().map(of)
    })
}

fn scenario(opcode: &str, argument: &str) -> Scenario {
    let second = if opcode.starts_with("div") {
        ", %y"
    } else {
        ""
    };
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 out) {{
.reg .b64 %p, %o; .reg .b32 %t, %n, %i, %x, %y, %end; .reg .f32 %d; .reg .pred %more;
mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %i, %n, 128, %t;
add.u32 %end, %i, {};
again:
{argument}
{opcode} %d, %x{second};
ld.param.b64 %p, [out]; mul.wide.u32 %o, %i, 4; add.s64 %p, %p, %o; st.global.f32 [%p], %d;
add.u32 %i, %i, {THREADS}; setp.lt.u32 %more, %i, %end; @%more bra again;
ret; }}",
        THREADS * n_arguments()
    );
    let scenario = json!({
        "source": source,
        "grid": [THREADS / 128, 1, 1],
        "block": [128, 1, 1],
        "params": [{"kind": "buffer", "name": "out", "type": "u32", "len": THREADS * n_arguments(), "init": 0}],
    });
    serde_json::from_value(scenario).expect("a scenario")
}
