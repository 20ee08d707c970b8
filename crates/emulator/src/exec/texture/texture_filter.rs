//! Linear filtering of textures. The results are bit-exact with the texture unit (measured on an H200 at 4 million
//! positions in textures with one to three dimensions, in all formats).

use crate::exec::texture::texture_sampling::integer_of;
use warpgrid_isa::{FloatFormat, ScalarType};

/// Number of guard bits below the last digit of the longest significand, which are kept when shorter significands are
/// aligned.
const GUARD: u32 = 4;

/// Channel value of a texel, and its weight in units of 1/256.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FilterTap {
    pub(crate) bits: u32,
    pub(crate) share: u32,
}

/// Returns the weights of the texels around a position, in units of 1/256. Bit d of the index of a weight selects the
/// texel after the position in dimension d. `beyond` contains the distance of the position from the center of the first
/// texel in each of the `n` dimensions, in units of 1/256. Products of weights are rounded to 8 bits, and the weight on
/// the opposite side receives the remainder, so that the sum of all weights is 256.
pub(crate) fn shares(beyond: [u32; 3], n: usize) -> [u32; 8] {
    let [x, y, z] = beyond;
    let rounded = |product: u32| (product + 128) >> 8;
    let mut shares = [0; 8];
    let planes = match n {
        3 => [256 - z, z],
        _ => [256, 0],
    };
    for (plane, share) in planes.into_iter().enumerate() {
        let after = rounded(share * x);
        let before = share - after;
        let (after_after, before_before) = match n {
            1 => (0, before),
            _ => (rounded(after * y), rounded(before * (256 - y))),
        };
        let row = [
            before_before,
            after - after_after,
            before - before_before,
            after_after,
        ];
        shares[plane * 4..][..4].copy_from_slice(&row);
    }
    shares
}

/// Computes the weighted sum of texels for a format that is read as floats. The sum ignores texels with a weight of
/// zero, regardless of their contents.
pub(crate) fn mix(channel: ScalarType, parts: &[FilterTap; 8]) -> f32 {
    use ScalarType as T;
    // Compute the weighted sum of integers with an intermediate precision of 16 bits.
    let sum: i64 = parts
        .iter()
        .map(|part| {
            let integer = integer_of(channel, part.bits);
            let number = match channel.is_signed() {
                true => i64::from(integer as i32),
                false => i64::from(integer),
            };
            number * i64::from(part.share)
        })
        .sum();
    match channel {
        T::U8 => (sum + (((sum >> 4) + 8) >> 4)) as f32 / 65535.0,
        T::S8 => (sum + (((sum >> 4) + (sum >> 12) + 4) >> 3)).max(-32767) as f32 / 32767.0,
        T::U16 => ((sum + 128) >> 8) as f32 / 65535.0,
        T::S16 => ((sum + 128) >> 8).max(-32767) as f32 / 32767.0,
        T::F16 => mix_floats(FloatFormat::F16, 2, parts),
        _ => mix_floats(FloatFormat::F32, 1, parts),
    }
}

/// Adds the weighted texels in two groups of four. The texels of a group are aligned to the largest exponent and
/// truncated. The sums of both groups are added with `more` additional bits of precision.
fn mix_floats(format: FloatFormat, more: u32, parts: &[FilterTap; 8]) -> f32 {
    let weighed = || parts.iter().filter(|part| part.share != 0);
    let magnitude = |part: &FilterTap| part.bits & (format.sign() - 1);
    let is_negative = |part: &FilterTap| part.bits & format.sign() != 0;
    let value = |bits: u32| format.value(bits) as f32;
    let has_infinite = |sign: bool| {
        weighed().any(|part| magnitude(part) == format.infinity() && is_negative(part) == sign)
    };
    let infinities = [has_infinite(false), has_infinite(true)];
    if infinities == [true; 2] || weighed().any(|part| magnitude(part) > format.infinity()) {
        // For a NaN texel, or for infinities of both signs, return a NaN with all ones in the fraction bits of the
        // format.
        return f32::from_bits((0x7fff_ffff << (23 - format.fraction_bits)) & 0x7fff_ffff);
    }
    if infinities != [false; 2] {
        let sign = u32::from(infinities[1]) * format.sign();
        return value(format.infinity() | sign);
    }
    let (first, second) = parts.split_at(4);
    let (first, second) = (sum_four(format, first), sum_four(format, second));
    let exponent = first.exponent.max(second.exponent);
    let aligned = |sum: &PartialSum| (sum.value << more) >> (exponent - sum.exponent).min(63);
    let sum = aligned(&first) + aligned(&second);
    let scale = exponent as i32
        - format.bias()
        - i32::from(format.fraction_bits)
        - (GUARD + 8 + more) as i32;
    let cut = format.cut(sum.unsigned_abs() as f64 * 2f64.powi(scale));
    // Round the sum to nearest, with ties away from zero. Subnormal `f32` results are flushed.
    let mut bits = (cut.bits + u64::from(cut.rest * 2 >= cut.unit)) as u32;
    if flushes(format) && bits >> format.fraction_bits == 0 {
        bits = 0;
    }
    let is_below = match sum {
        0 => weighed().all(is_negative),
        _ => sum < 0,
    };
    value(bits | (u32::from(is_below) * format.sign()))
}

/// Checks whether the filter treats subnormal numbers of this format as zero.
fn flushes(format: FloatFormat) -> bool {
    format == FloatFormat::F32
}

/// Weighted sum of a group of four texels, with its exponent.
struct PartialSum {
    /// Weighted sum in units of the last digit of the largest texel, with additional low bits for the guard bits and
    /// the weights.
    value: i64,
    /// Exponent field of the largest texel in the group.
    exponent: u32,
}

fn sum_four(format: FloatFormat, parts: &[FilterTap]) -> PartialSum {
    let first = 1 << format.fraction_bits;
    let fields = |part: &FilterTap| {
        let magnitude = part.bits & (format.sign() - 1);
        let fraction = magnitude & (first - 1);
        match magnitude >> format.fraction_bits {
            0 if flushes(format) => (0, 0),
            0 => (1, fraction),
            exponent => (exponent, fraction | first),
        }
    };
    let weighed = parts.iter().filter(|part| part.share != 0);
    let exponent = weighed
        .clone()
        .map(|part| fields(part).0)
        .max()
        .unwrap_or(0);
    let value = weighed.map(|part| {
        let (own, significand) = fields(part);
        let aligned_significand = i64::from(significand << GUARD) >> (exponent - own).min(63);
        let term = aligned_significand * i64::from(part.share);
        match part.bits & format.sign() {
            0 => term,
            _ => -term,
        }
    });
    PartialSum {
        value: value.sum(),
        exponent,
    }
}

#[cfg(test)]
mod tests {
    use crate::exec::texture::texture_filter::{FilterTap, mix, shares};
    use warpgrid_isa::ScalarType;

    #[test]
    fn filtered_texels_match_recorded_gpu_results() {
        let measured = include_str!("../../../tests/data/filters.txt");
        let mut n_checked = 0;
        for line in measured.lines().filter(|line| !line.starts_with('#')) {
            let (place, rest) = line.split_once(" : ").unwrap();
            let (texels, expected) = rest.split_once(" = ").unwrap();
            let mut words = place.split(' ');
            let channel = ScalarType::from_name(words.next().unwrap()).unwrap();
            let given: Vec<u32> = words.map(|word| word.parse().unwrap()).collect();
            let mut beyond = [0; 3];
            beyond[..given.len()].copy_from_slice(&given);
            let mut parts = shares(beyond, given.len()).map(|share| FilterTap { bits: 0, share });
            for (part, texel) in parts.iter_mut().zip(texels.split(' ')) {
                part.bits = u32::from_str_radix(texel, 16).unwrap();
            }
            let sum = mix(channel, &parts).to_bits();
            assert_eq!(format!("{sum:08x}"), expected, "{line}");
            n_checked += 1;
        }
        assert!(n_checked > 1_000);
    }

    #[test]
    fn filter_weights_sum_to_256() {
        for beyond in 0..=256 {
            for other in [0, 1, 85, 128, 200, 255, 256] {
                for n in 1..=3 {
                    let sum: u32 = shares([beyond, other, 256 - beyond], n).iter().sum();
                    assert_eq!(sum, 256);
                }
            }
        }
    }
}
