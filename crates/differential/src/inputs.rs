//! Generates the input values of kernels: limits of number ranges, special floats, small numbers and random numbers.

use crate::kernel::{IN_BYTES, N_LANES, OUT_BYTES};
use crate::launch::{self, Shape};
use crate::random::SplitMix64;
use serde_json::json;
use warpgrid_view::Scenario;

/// 32-bit words that are significant values when interpreted as an integer, as a float, or as a pair of `f16` values.
const WORDS: &[u32] = &[
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    24,
    31,
    32,
    33,
    63,
    64,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0xffff_fffe,
    0xaaaa_aaaa,
    0x5555_5555,
    // The following words are floats: 1, -1, 0.5, 1.5, 2.5, the largest float, the smallest normal float, subnormals, infinities, NaNs,
    // 2^24, 2^31, 2^32, 2^63.
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x3fc0_0000,
    0x4020_0000,
    0x7f7f_ffff,
    0x0080_0000,
    0x0000_0001,
    0x007f_ffff,
    0x807f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fff_ffff,
    0x7fc0_0000,
    0xffc1_2345,
    0x7f80_0001,
    0x4b80_0000,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x5f00_0000,
    0x3f7f_ffff,
    0x3f80_0001,
    0x4479_c000,
    // The following words are pairs of `f16` values: 1 and 2, the largest value, subnormals, infinities, NaNs.
    0x4000_3c00,
    0xbc00_3c00,
    0x7bff_fbff,
    0x0001_03ff,
    0x8001_0400,
    0x7c00_fc00,
    0x7e00_7fff,
    0x7c01_3c01,
    0x4000_3f80,
];

/// Upper halves of significant 64-bit floats: 1, -2, infinity, NaN, the largest, the smallest normal, a subnormal, 2^31, 2^53, 2^-126,
/// 2^128.
const UPPER: &[u32] = &[
    0x3ff0_0000,
    0xc000_0000,
    0x7ff0_0000,
    0xfff0_0000,
    0x7ff8_0000,
    0xfff8_1234,
    0x7fef_ffff,
    0x0010_0000,
    0x000f_ffff,
    0x41e0_0000,
    0x4340_0000,
    0x3810_0000,
    0x47f0_0000,
    0x3fb9_9999,
];

/// Returns a random 32-bit word.
pub(crate) fn word(random: &mut SplitMix64) -> u32 {
    match random.below(8) {
        0..=2 => random.next_u64() as u32,
        3 | 4 => *random.pick(WORDS).unwrap_or(&0),
        5 => random.below(64) as u32,
        // The result is a float of moderate magnitude.
        6 => {
            (0x3800_0000 + (random.next_u64() as u32 & 0x0fff_ffff))
                | (random.next_u64() as u32 & 1) << 31
        }
        _ => (random.below(200) as u32).wrapping_sub(100),
    }
}

/// Returns a random 64-bit number.
pub(crate) fn long(random: &mut SplitMix64) -> u64 {
    let low = u64::from(word(random));
    match random.below(8) {
        0 | 1 => random.next_u64(),
        2 => u64::from(*random.pick(UPPER).unwrap_or(&0)) << 32,
        3 => u64::from(*random.pick(UPPER).unwrap_or(&0)) << 32 | low,
        // The result is a 64-bit float of moderate magnitude.
        4 => {
            (0x3f00_0000_0000_0000 + (random.next_u64() & 0x01ff_ffff_ffff_ffff))
                | (random.next_u64() & 1) << 63
        }
        5 => low,
        6 => (random.below(2000) as u64).wrapping_sub(1000),
        _ => low << 32 | u64::from(word(random)),
    }
}

/// Returns the initial values of the buffer `in`.
pub(crate) fn values(seed: u64) -> Vec<u64> {
    let mut random = SplitMix64::new(seed);
    let n = N_LANES * IN_BYTES / 8;
    let value = |index: usize| match index * 8 % IN_BYTES {
        32..64 => long(&mut random),
        _ => u64::from(word(&mut random)) << 32 | u64::from(word(&mut random)),
    };
    (0..n).map(value).collect()
}

/// Returns the scenario that launches a kernel. The scenario contains no source.
pub fn scenario(seed: u64, shape: &Shape) -> Scenario {
    let values = values(seed).into_iter();
    let values: Vec<String> = values.map(|bits| format!("{bits:#x}")).collect();
    let n_words = values.len();
    let mut params = vec![
        json!({ "kind": "buffer", "name": "in", "type": "u64", "len": n_words, "init": values }),
        json!({ "kind": "buffer", "name": "out", "type": "u64", "len": N_LANES * OUT_BYTES / 8, "init": [] }),
    ];
    params.extend(launch::parameter_fields(seed));
    let mut launch = shape.fields();
    launch["params"] = params.into();
    serde_json::from_value(launch).unwrap_or_default()
}
