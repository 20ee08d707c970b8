//! Textures and surfaces of a launch (CUDA driver API, "cuTexObjectCreate"), and their handles.

use crate::contract::launch::BufferIndex;
use warpgrid_isa::ScalarType;

/// First image handle. Handles are opaque, and no memory has an address in their range.
pub(crate) const FIRST_HANDLE: u64 = 0x7d00_0000_0000;

/// Distance between consecutive handles. Because of this distance, the sum of a handle and a small offset is an invalid
/// handle.
pub(crate) const HANDLE_STEP: u64 = 64;

/// Addressing mode of a texture for out-of-range coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The image repeats outside of its bounds.
    Wrap,
    /// The coordinate is clamped to the nearest texel.
    #[default]
    Clamp,
    /// The image repeats outside of its bounds, and every second copy is mirrored.
    Mirror,
    /// Texels outside of the image have the border color.
    Border,
}

/// Sampling parameters of a texture: addressing modes, filtering, and interpretation of coordinates and texels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampler {
    /// Addressing modes of the coordinates x, y and z.
    pub address_modes: [AddressMode; 3],
    /// Whether texels are interpolated linearly.
    pub is_linear: bool,
    /// Whether 8-bit and 16-bit integers are read as floats in the range from 0 or -1 to 1.
    pub reads_normalized: bool,
    /// Whether coordinates are normalized to the range from 0 to 1.
    pub is_normalized: bool,
    pub border_color: [f32; 4],
}

/// Image of a launch, which is a texture with its sampler or a surface: the buffer with the texels, the format and the
/// extents.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageInit {
    /// Name of the image in the launch.
    pub name: String,
    /// Buffer that contains the texels.
    pub buffer: BufferIndex,
    pub byte_offset: u64,
    /// Channel type: `u8`, `s8`, `u16`, `s16`, `u32`, `s32`, `f16` or `f32`.
    pub channel: ScalarType,
    /// Number of channels per texel: 1, 2 or 4.
    pub channels: u64,
    pub width: u64,
    /// Height in texels; 0 for a one-dimensional image.
    pub height: u64,
    /// Depth in texels; 0 unless the image is three-dimensional.
    pub depth: u64,
    /// Number of layers; 0 for an image without layers.
    pub layers: u64,
    /// Whether the array is a cube map, in which each layer has six faces. A cube map has at least one layer.
    pub is_cubemap: bool,
    /// Row pitch in bytes.
    pub pitch: u64,
    /// Whether the kernel can also access the texels by address.
    pub is_plain_memory: bool,
    /// Sampler of a texture; `None` for a surface.
    pub sampler: Option<Sampler>,
    /// Module variable to which the image is bound, if it is not a parameter.
    pub variable: Option<String>,
}

impl ImageInit {
    /// Returns the number of bytes of a texel.
    pub const fn texel_bytes(&self) -> u64 {
        (self.channel.width_bytes() as u64).saturating_mul(self.channels)
    }

    /// Returns the number of consecutive two-dimensional planes: layers, cube map faces, or depth planes of a volume.
    pub fn n_planes(&self) -> u64 {
        let faces = match self.is_cubemap {
            true => 6,
            false => 1,
        };
        self.depth
            .max(1)
            .saturating_mul(self.layers.max(1))
            .saturating_mul(faces)
    }

    /// Returns the number of bytes from the first texel to the end of the last texel.
    pub fn size_bytes(&self) -> u64 {
        let rows = self.n_planes().saturating_mul(self.height.max(1));
        let last = self.width.saturating_mul(self.texel_bytes());
        rows.saturating_sub(1)
            .saturating_mul(self.pitch)
            .saturating_add(last)
    }

    /// Returns the handle of the image with this index in the launch.
    pub const fn handle(index: usize) -> u64 {
        FIRST_HANDLE + (index as u64 + 1) * HANDLE_STEP
    }

    /// Returns the index of the image with this handle in the launch.
    pub(crate) const fn index_of(handle: u64) -> Option<usize> {
        // In SASS for Hopper and later, instructions contain only the lower half of a handle.
        let full_handle = match handle >> 32 {
            0 => handle | FIRST_HANDLE,
            _ => handle,
        };
        let distance = full_handle.wrapping_sub(FIRST_HANDLE);
        match distance != 0 && distance.is_multiple_of(HANDLE_STEP) && distance < 1 << 32 {
            true => Some((distance / HANDLE_STEP) as usize - 1),
            false => None,
        }
    }
}
