//! Texture fetches (CUDA programming guide, "Texture Fetching").

use crate::contract::image::{AddressMode, Sampler};
use crate::exec::texture::texture_filter::{FilterTap, mix, shares};
use crate::state::image::Image;
use warpgrid_isa::{FloatFormat, ScalarType};

/// Result of a texture fetch: four floats or four 32-bit integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Texel {
    Floats([f32; 4]),
    Integers([u32; 4]),
}

/// Sample position of a texture fetch: unnormalized or normalized coordinates, the plane, and texel offsets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleCoordinates {
    pub(crate) at: [f64; 3],
    /// Number of coordinates.
    pub(crate) n: usize,
    /// Index of the layer or cube face. 0 for volumes.
    pub(crate) plane: u64,
    pub(crate) offsets: [i64; 3],
    /// Whether coordinates are texel indices regardless of the sampler. Such a fetch is not filtered.
    pub(crate) by_number: bool,
    /// Whether coordinates are normalized regardless of the sampler.
    pub(crate) by_share: bool,
    /// Reference value of a depth comparison. The comparison result is 1 if the reference is less than or equal to the
    /// texel, otherwise 0.
    pub(crate) compared: Option<f32>,
}

impl Image {
    /// Checks whether texture fetches return the texels of the image as floats.
    pub(crate) fn reads_floats(&self) -> bool {
        let is_normalized = self.facts.sampler.is_some_and(|s| s.reads_normalized);
        // Texels with 32-bit integers are never normalized (CUDA driver API, "cuTexObjectCreate").
        self.facts.channel.is_float() || is_normalized && self.facts.channel.width_bytes() < 4
    }

    /// Returns the number of texels along x, y and z.
    fn extents(&self) -> [u64; 3] {
        [
            self.facts.width,
            self.facts.height.max(1),
            self.facts.depth.max(1),
        ]
    }

    /// Returns the offset of a texel in the arena.
    fn place(&self, [x, y, z]: [u64; 3], plane: u64) -> usize {
        let row = (plane + z) * self.facts.height.max(1) + y;
        self.start + (row * self.facts.pitch + x * self.facts.texel_bytes()) as usize
    }

    /// Returns a texel or the result of its depth comparison. The indices of the texel may be out of bounds. The
    /// comparison is "reference <= texel", as usual for shadow maps, because the PTX ISA does not define the comparison
    /// function.
    fn texel(
        &self,
        arena: &[u8],
        spot: &SampleCoordinates,
        at: [i64; 3],
        sampler: &Sampler,
    ) -> Texel {
        let texel = self.read(arena, spot, at, sampler);
        let Some(reference) = spot.compared else {
            return texel;
        };
        match texel {
            Texel::Floats(all) => Texel::Floats(all.map(|value| f32::from(reference <= value))),
            Texel::Integers(all) => {
                let is_signed = self.facts.channel.is_signed();
                let number = |bits: u32| match is_signed {
                    true => f64::from(bits as i32),
                    false => f64::from(bits),
                };
                Texel::Integers(all.map(|bits| u32::from(f64::from(reference) <= number(bits))))
            }
        }
    }

    /// Returns the values to which the filter applies weights: the bits of a texel's channels, or the result of the
    /// texel's depth comparison.
    fn raw(
        &self,
        arena: &[u8],
        spot: &SampleCoordinates,
        at: [i64; 3],
        sampler: &Sampler,
    ) -> [u32; 4] {
        if spot.compared.is_some() {
            return match self.texel(arena, spot, at, sampler) {
                Texel::Floats(all) => all.map(f32::to_bits),
                Texel::Integers(all) => all,
            };
        }
        let channels = self.channels(arena, spot, at, sampler);
        channels.unwrap_or_else(|| sampler.border_color.map(|share| self.bits(share)))
    }

    fn read(
        &self,
        arena: &[u8],
        spot: &SampleCoordinates,
        at: [i64; 3],
        sampler: &Sampler,
    ) -> Texel {
        let Some(channels) = self.channels(arena, spot, at, sampler) else {
            return self.border(sampler);
        };
        match self.reads_floats() {
            true => Texel::Floats(channels.map(|bits| self.float(bits))),
            false => Texel::Integers(channels.map(|bits| self.integer(bits))),
        }
    }

    /// Returns the bits of the channels of a texel, or `None` if the texel is in the border.
    fn channels(
        &self,
        arena: &[u8],
        spot: &SampleCoordinates,
        at: [i64; 3],
        sampler: &Sampler,
    ) -> Option<[u32; 4]> {
        let is_row_of_memory = self.facts.is_plain_memory && self.facts.height == 0;
        let repeats = (sampler.is_normalized || spot.by_share) && !spot.by_number;
        let mut place = [0; 3];
        let mut is_border = false;
        for dimension in 0..spot.n {
            let n = self.extents()[dimension].max(1);
            let mode = match sampler.address_modes[dimension] {
                // Ignore the addressing mode for fetches by index from linear memory.
                _ if is_row_of_memory && spot.by_number => AddressMode::Border,
                AddressMode::Wrap | AddressMode::Mirror if !repeats => AddressMode::Clamp,
                mode => mode,
            };
            match resolve(at[dimension], n, mode) {
                Some(index) => place[dimension] = index,
                None => is_border = true,
            }
        }
        if is_border {
            return None;
        }
        let place = self.place(place, spot.plane);
        let size = self.facts.channel.width_bytes() as usize;
        let mut channels = [0; 4];
        for (index, channel) in channels
            .iter_mut()
            .enumerate()
            .take(self.facts.channels as usize)
        {
            let start = place + index * size;
            let mut bytes = [0; 4];
            if let (Some(from), Some(to)) = (arena.get(start..start + size), bytes.get_mut(..size))
            {
                to.copy_from_slice(from);
            }
            *channel = u32::from_le_bytes(bytes);
        }
        Some(channels)
    }

    fn border(&self, sampler: &Sampler) -> Texel {
        let colour = sampler.border_color;
        match (self.reads_floats(), self.facts.channel.is_signed()) {
            (true, _) => Texel::Floats(colour),
            (false, true) => Texel::Integers(colour.map(|value| value as i32 as u32)),
            (false, false) => Texel::Integers(colour.map(|value| value as u32)),
        }
    }

    /// Converts the bits of a channel to a float. Integers are normalized to the range of the format.
    fn float(&self, bits: u32) -> f32 {
        use ScalarType as T;
        let channel = self.facts.channel;
        let integer = self.integer(bits);
        match (channel, largest(channel)) {
            (T::F32, _) => f32::from_bits(bits),
            (T::F16, _) => FloatFormat::F16.value(bits) as f32,
            (T::S8 | T::S16, Some(largest)) => (integer as i32 as f32 / largest).max(-1.0),
            (_, Some(largest)) => integer as f32 / largest,
            (T::S32, None) => bits as i32 as f32,
            _ => bits as f32,
        }
    }

    /// Converts a float to the bits of a channel. For normalized integer formats, the value is scaled and rounded to
    /// nearest.
    fn bits(&self, value: f32) -> u32 {
        match (self.facts.channel, largest(self.facts.channel)) {
            (ScalarType::F16, _) => FloatFormat::F16.nearest(value.into()),
            (_, Some(largest)) => {
                let least = match self.facts.channel.is_signed() {
                    true => -largest,
                    false => 0.0,
                };
                (value * largest).round().clamp(least, largest) as i32 as u32
            }
            _ => value.to_bits(),
        }
    }

    /// Extends the bits of a channel to a 32-bit integer.
    fn integer(&self, bits: u32) -> u32 {
        integer_of(self.facts.channel, bits)
    }

    /// Returns the indices of the texel before a position, and the distances of the position from the center of that
    /// texel in units of 1/256, rounded to nearest.
    fn footprint(
        &self,
        spot: &SampleCoordinates,
        sampler: &Sampler,
        shift: f64,
    ) -> ([i64; 3], [u32; 3]) {
        let extents = self.extents();
        let (mut numbers, mut weights) = ([0; 3], [0; 3]);
        for dimension in 0..spot.n {
            let in_texels = match (sampler.is_normalized || spot.by_share) && !spot.by_number {
                true => spot.at[dimension] * extents[dimension] as f64,
                false => spot.at[dimension],
            };
            let from = in_texels - shift;
            let floor = from.floor();
            let beyond = from - floor;
            numbers[dimension] = (floor as i64).saturating_add(spot.offsets[dimension]);
            // The weight of a NaN or infinite coordinate is 0, because this coordinate has no fractional part.
            weights[dimension] = ((beyond * 256.0).round() as u32).min(256);
        }
        (numbers, weights)
    }

    /// Returns the filtered texel for a sample position.
    pub(crate) fn sample(&self, arena: &[u8], spot: &SampleCoordinates) -> Texel {
        let sampler = self.facts.sampler.unwrap_or_default();
        if !sampler.is_linear || spot.by_number || !self.reads_floats() {
            let (numbers, _) = self.footprint(spot, &sampler, 0.0);
            return self.complete(self.texel(arena, spot, numbers, &sampler));
        }
        let (numbers, beyond) = self.footprint(spot, &sampler, 0.5);
        let shares = shares(beyond, spot.n);
        let mut parts = [[FilterTap::default(); 8]; 4];
        for (corner, share) in shares.into_iter().enumerate() {
            if share == 0 {
                continue;
            }
            let mut at = numbers;
            for (dimension, number) in at.iter_mut().enumerate() {
                *number = number.saturating_add((corner >> dimension & 1) as i64);
            }
            for (channel, bits) in self.raw(arena, spot, at, &sampler).into_iter().enumerate() {
                parts[channel][corner] = FilterTap { bits, share };
            }
        }
        let channel = match spot.compared {
            Some(_) => ScalarType::F32,
            None => self.facts.channel,
        };
        let mixed = parts.each_ref().map(|parts| mix(channel, parts));
        self.complete(Texel::Floats(mixed))
    }

    /// Returns one channel of the four texels to which a linear filter would apply, counterclockwise from the lower
    /// left.
    pub(crate) fn gather(&self, arena: &[u8], spot: &SampleCoordinates, channel: usize) -> Texel {
        let sampler = self.facts.sampler.unwrap_or_default();
        let (numbers, _) = self.footprint(spot, &sampler, 0.5);
        let (mut floats, mut integers) = ([0.0; 4], [0; 4]);
        for (index, [x, y]) in [[0, 1], [1, 1], [1, 0], [0, 0]].into_iter().enumerate() {
            let at = [
                numbers[0].saturating_add(x),
                numbers[1].saturating_add(y),
                0,
            ];
            match self.complete(self.texel(arena, spot, at, &sampler)) {
                Texel::Floats(all) => floats[index] = all[channel & 3],
                Texel::Integers(all) => integers[index] = all[channel & 3],
            }
        }
        match self.reads_floats() {
            true => Texel::Floats(floats),
            false => Texel::Integers(integers),
        }
    }

    /// Sets the channels that the format does not contain: green and blue to 0, and alpha to 1.
    fn complete(&self, texel: Texel) -> Texel {
        let n = self.facts.channels as usize;
        let lacks = |index: usize| index >= n;
        match texel {
            Texel::Floats(all) => Texel::Floats(std::array::from_fn(|index| match lacks(index) {
                true => [0.0, 0.0, 0.0, 1.0][index],
                false => all[index],
            })),
            Texel::Integers(all) => {
                Texel::Integers(std::array::from_fn(|index| match lacks(index) {
                    true => [0, 0, 0, 1][index],
                    false => all[index],
                }))
            }
        }
    }
}

/// Zero-extends or sign-extends the bits of a channel to a 32-bit integer.
pub(crate) fn integer_of(channel: ScalarType, bits: u32) -> u32 {
    use ScalarType as T;
    match channel {
        T::S8 => bits as u8 as i8 as u32,
        T::S16 => bits as u16 as i16 as u32,
        _ => bits,
    }
}

/// Returns the divisor that normalizes the integers of a channel format.
fn largest(channel: ScalarType) -> Option<f32> {
    use ScalarType as T;
    Some(match channel {
        T::U8 => 255.0,
        T::U16 => 65535.0,
        T::S8 => 127.0,
        T::S16 => 32767.0,
        _ => return None,
    })
}

/// Applies the addressing mode to a texel index in one dimension. Returns `None` for the border.
fn resolve(index: i64, n: u64, mode: AddressMode) -> Option<u64> {
    let n = n.min(1 << 32) as i64;
    let inside = match mode {
        AddressMode::Clamp => index.clamp(0, n - 1),
        AddressMode::Wrap => index.rem_euclid(n),
        AddressMode::Mirror => {
            let place = index.rem_euclid(2 * n);
            match place < n {
                true => place,
                false => 2 * n - 1 - place,
            }
        }
        AddressMode::Border if (0..n).contains(&index) => index,
        AddressMode::Border => return None,
    };
    Some(inside as u64)
}

/// Returns the cube map face that a direction selects, and the normalized coordinates within the face. If components
/// have equal magnitudes, z takes precedence over y, and y over x.
pub(crate) fn cube_face([x, y, z]: [f64; 3]) -> (u64, [f64; 2]) {
    let (face, s, t, major) = if z.abs() >= x.abs() && z.abs() >= y.abs() {
        match z.is_sign_negative() {
            false => (4, x, -y, z),
            true => (5, -x, -y, z),
        }
    } else if y.abs() >= x.abs() {
        match y.is_sign_negative() {
            false => (2, x, z, y),
            true => (3, x, -z, y),
        }
    } else {
        match x.is_sign_negative() {
            false => (0, -z, -y, x),
            true => (1, z, -y, x),
        }
    };
    let share = |part: f64| (part / major.abs() + 1.0) / 2.0;
    (face, [share(s), share(t)])
}

#[cfg(test)]
mod tests {
    use crate::contract::image::AddressMode;
    use crate::exec::texture::texture_sampling::{cube_face, resolve};

    #[test]
    fn address_modes_resolve_out_of_range_texel_indices() {
        let all = |mode| -> Vec<Option<u64>> { (-4..7).map(|i| resolve(i, 3, mode)).collect() };
        let some = |list: [u64; 11]| list.map(Some).to_vec();
        assert_eq!(
            all(AddressMode::Clamp),
            some([0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2])
        );
        assert_eq!(
            all(AddressMode::Wrap),
            some([2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        );
        assert_eq!(
            all(AddressMode::Mirror),
            some([2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0])
        );
        assert_eq!(resolve(-1, 3, AddressMode::Border), None);
        assert_eq!(resolve(2, 3, AddressMode::Border), Some(2));
        assert_eq!(resolve(i64::MIN, 3, AddressMode::Wrap), Some(1));
        assert_eq!(resolve(i64::MAX, 3, AddressMode::Mirror), Some(1));
    }

    #[test]
    fn largest_component_selects_cube_face() {
        assert_eq!(cube_face([2.0, 1.0, -1.0]), (0, [0.75, 0.25]));
        assert_eq!(cube_face([-2.0, 1.0, -1.0]), (1, [0.25, 0.25]));
        assert_eq!(cube_face([1.0, 2.0, -1.0]), (2, [0.75, 0.25]));
        assert_eq!(cube_face([1.0, -2.0, -1.0]), (3, [0.75, 0.75]));
        assert_eq!(cube_face([1.0, -1.0, 2.0]), (4, [0.75, 0.75]));
        assert_eq!(cube_face([1.0, -1.0, -2.0]), (5, [0.25, 0.75]));
    }
}
