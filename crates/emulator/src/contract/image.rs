//! Textures and surfaces of a launch (CUDA driver API, "cuTexObjectCreate"), and their handles.

use crate::contract::launch::BufferIndex;
use warpgrid_isa::ScalarType;

/// Handles are opaque; these are no addresses of any memory.
pub(crate) const FIRST_HANDLE: u64 = 0x7d00_0000_0000;

/// Apart, so that a handle with something added is none.
pub(crate) const HANDLE_STEP: u64 = 64;

/// What lies beyond an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The image again.
    Wrap,
    /// The nearest texel.
    #[default]
    Clamp,
    /// The image again, every second time reversed.
    Mirror,
    /// The colour of the border.
    Border,
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampler {
    /// Of x, y and z.
    pub address_modes: [AddressMode; 3],
    /// Texels are mixed by their distance.
    pub is_linear: bool,
    /// Integers of 8 and 16 bits become floats from 0 or -1 to 1.
    pub reads_normalized: bool,
    /// Whether coordinates are normalized to the range from 0 to 1.
    pub is_normalized: bool,
    pub border_color: [f32; 4],
}

/// An image of a launch: a texture with its sampler, or a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageInit {
    /// As the launch calls it.
    pub name: String,
    /// Where its bytes are.
    pub buffer: BufferIndex,
    pub byte_offset: u64,
    /// Channel type: `u8`, `s8`, `u16`, `s16`, `u32`, `s32`, `f16` or `f32`.
    pub channel: ScalarType,
    /// 1, 2 or 4.
    pub channels: u64,
    pub width: u64,
    /// 0 for one row.
    pub height: u64,
    /// 0 for what is no volume.
    pub depth: u64,
    /// 0 for what has no layers.
    pub layers: u64,
    /// Whether the array is a cube map, in which each layer has six faces. A cube map has at least one layer.
    pub is_cubemap: bool,
    /// Row pitch in bytes.
    pub pitch: u64,
    /// Memory that a kernel can reach by addresses, too.
    pub is_plain_memory: bool,
    /// None for a surface.
    pub sampler: Option<Sampler>,
    /// The module's variable that is bound to it, where no parameter does.
    pub variable: Option<String>,
}

impl ImageInit {
    /// Bytes of a texel.
    pub const fn texel_bytes(&self) -> u64 {
        (self.channel.width_bytes() as u64).saturating_mul(self.channels)
    }

    /// Images of width and height that follow each other: layers, faces, or planes of a volume.
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

    /// Bytes from the first texel to the end of the last.
    pub fn size_bytes(&self) -> u64 {
        let rows = self.n_planes().saturating_mul(self.height.max(1));
        let last = self.width.saturating_mul(self.texel_bytes());
        rows.saturating_sub(1)
            .saturating_mul(self.pitch)
            .saturating_add(last)
    }

    /// The handle of the image with this number.
    pub const fn handle(index: usize) -> u64 {
        FIRST_HANDLE + (index as u64 + 1) * HANDLE_STEP
    }

    /// The number of the image that a handle means.
    pub(crate) const fn index_of(handle: u64) -> Option<usize> {
        // From Hopper on machine code has the lower half alone.
        let whole = match handle >> 32 {
            0 => handle | FIRST_HANDLE,
            _ => handle,
        };
        let distance = whole.wrapping_sub(FIRST_HANDLE);
        match distance != 0 && distance.is_multiple_of(HANDLE_STEP) && distance < 1 << 32 {
            true => Some((distance / HANDLE_STEP) as usize - 1),
            false => None,
        }
    }
}
