//! Random kernels whose threads store to a few shared words, often equal values, for which the order does not matter.
//! Output: scenarios.

use super::random::Random;
use serde_json::json;
use std::fmt::Write;
use warpgrid_launch::Scenario;

const HEAD: &str = ".reg .b64 %flags, %out, %a, %o, %b; .reg .pred %p; .reg .b32 %t, %c, %i, %n, %v, %x, %s, %tile; .shared .align 16 .b8 tile[64];
ld.param.u64 %flags, [flags]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %i, %c, 64, %t;
mul.wide.u32 %o, %i, 4; add.s64 %b, %out, %o; mov.u32 %tile, tile; mov.u32 %x, 0;";

/// Returns a kernel whose threads store to and load from common words, and synchronize occasionally.
pub(crate) fn scenario(seed: u64) -> Scenario {
    let mut random = Random(seed ^ 0xa6_4ee5);
    let mut below = |n: u64| random.next() % n;
    let mut text = String::new();
    // Most kernels store one value, and few load.
    let (n_values, loads) = (1 + below(8) / 5, below(12));
    for _ in 0..1 + below(5) {
        let place = match below(5) {
            0 => "and.b32 %n, %t, 7;".to_owned(),
            1 => "shr.u32 %n, %t, 3;".to_owned(),
            2 => "mul.lo.u32 %n, %t, 5; shr.u32 %n, %n, 2; and.b32 %n, %n, 7;".to_owned(),
            3 => "and.b32 %n, %i, 15;".to_owned(),
            _ => format!("mov.u32 %n, {};", below(16)),
        };
        let value = match below(4) {
            0 => format!("and.b32 %v, %t, {};", n_values - 1),
            1 => format!("add.u32 %v, %n, {};", below(n_values)),
            _ => format!("mov.u32 %v, {};", 7 * below(n_values)),
        };
        let guard = match below(3) {
            0 => format!(
                "and.b32 %s, %i, {}; setp.eq.u32 %p, %s, 1;",
                1 + 2 * below(4)
            ),
            1 => "setp.lt.u32 %p, %t, 20;".to_owned(),
            _ => "setp.lt.u32 %p, %t, 64;".to_owned(),
        };
        let (width, shift) = [("u32", 2), ("u32", 2), ("u8", 0), ("u16", 1)][below(4) as usize];
        let access = match below(12) {
            n if n < loads / 3 => "ld",
            11 if width == "u32" => "red",
            _ => "st",
        };
        let (space, base) = match below(3) {
            0 => ("shared", "add.u32 %s, %tile, %n;"),
            _ => ("global", "cvt.u64.u32 %o, %n; add.s64 %a, %flags, %o;"),
        };
        let address = if space == "shared" { "%s" } else { "%a" };
        let access = match access {
            "ld" => format!("@%p ld.{space}.{width} %v, [{address}]; mad.lo.u32 %x, %x, 3, %v;"),
            "red" => format!("@%p red.{space}.add.u32 [{address}], %v;"),
            _ => format!("@%p st.{space}.{width} [{address}], %v;"),
        };
        let _ = writeln!(
            text,
            "{place} {value} {guard}\nshl.b32 %n, %n, {shift}; {base} {access}"
        );
        if below(3) == 0 {
            text += "bar.sync 0;\n";
        }
    }
    let source = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 flags, .param .u64 out) {{\n{HEAD}\n{text}
bar.sync 0; and.b32 %n, %t, 15; shl.b32 %n, %n, 2; add.u32 %s, %tile, %n; ld.shared.u32 %v, [%s]; mad.lo.u32 %x, %x, 5, %v; st.global.u32 [%b], %x; ret; }}"
    );
    let scenario = json!({
        "source": source,
        "grid": [4, 1, 1],
        "block": [64, 1, 1],
        "params": [
            {"kind": "buffer", "name": "flags", "type": "u32", "len": 16, "init": 0},
            {"kind": "buffer", "name": "out", "type": "u32", "len": 256, "init": 0},
        ],
    });
    serde_json::from_value(scenario).expect("a scenario")
}
