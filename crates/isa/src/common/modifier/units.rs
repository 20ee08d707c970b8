//! Typed modifiers of device units: geometries of textures and surfaces, query properties, tensor load modes, CTA groups.

spelled! {
    /// Geometry of a texture or surface.
    Geometry { D1 "1d", D2 "2d", D3 "3d", D4 "4d", D5 "5d", A1d "a1d", A2d "a2d", Cube "cube", Acube "acube", D2ms "2dms", A2dms "a2dms", }
}
spelled! {
    /// Selection of the tensor elements that a tensor copy transfers.
    LoadMode {
        Tile "tile", Gather4 "tile::gather4", Scatter4 "tile::scatter4", Im2col "im2col", Im2colW "im2col::w",
        Im2colW128 "im2col::w::128", Im2colNoOffsets "im2col_no_offs",
    }
}
spelled! {
    /// Number of CTAs that execute an instruction together.
    CtaGroup { One "cta_group::1", Two "cta_group::2", }
}

impl Geometry {
    /// Returns the number of texture coordinates, including the layer of an array. `.5d` is treated like `.a1d` (assembler 13.5).
    pub const fn n_coordinates(self) -> usize {
        use Geometry as G;
        match self {
            G::D1 => 1,
            G::D2 | G::A1d | G::D5 => 2,
            G::D3 | G::D4 | G::A2d | G::Cube | G::Acube | G::D2ms | G::A2dms => 4,
        }
    }

    /// Returns the number of surface coordinates. For `.4d` and `.5d`, which the manual does not document, one coordinate is sufficient
    /// (assembler 13.5).
    pub const fn n_surface_coordinates(self) -> usize {
        match self {
            Geometry::D4 | Geometry::D5 => 1,
            other => other.n_coordinates(),
        }
    }

    /// Returns the number of texel offsets, or `None` if the geometry does not support offsets in braces.
    pub const fn n_offsets(self) -> Option<usize> {
        use Geometry as G;
        match self {
            G::D1 | G::A1d | G::D5 => Some(1),
            G::D2 | G::A2d | G::D2ms | G::A2dms => Some(2),
            G::D3 | G::D4 => Some(4),
            G::Cube | G::Acube => None,
        }
    }

    /// Returns the number of components of a gradient, excluding layers, or `None` if any number is accepted (assembler 13.5).
    pub const fn n_gradients(self) -> Option<usize> {
        use Geometry as G;
        match self {
            G::Cube | G::Acube => None,
            other => other.n_offsets(),
        }
    }

    /// Returns whether the first coordinate is a layer index.
    pub const fn is_array(self) -> bool {
        use Geometry as G;
        match self {
            G::A1d | G::A2d | G::Acube | G::D5 => true,
            // Assembler 13.5 checks the layer index of a multisample array like a coordinate, so `A2dms` is not an array here.
            G::D1 | G::D2 | G::D3 | G::D4 | G::Cube | G::D2ms | G::A2dms => false,
        }
    }

    /// Returns whether a sample number precedes the coordinates.
    pub const fn has_samples(self) -> bool {
        use Geometry as G;
        match self {
            G::D2ms | G::A2dms => true,
            G::D1 | G::D2 | G::D3 | G::D4 | G::D5 | G::A1d | G::A2d | G::Cube | G::Acube => false,
        }
    }

    /// Returns whether texture accesses with this geometry support depth comparison.
    pub const fn compares(self) -> bool {
        use Geometry as G;
        match self {
            G::D1 | G::D2 | G::A1d | G::A2d | G::Cube | G::Acube | G::D5 => true,
            G::D3 | G::D4 | G::D2ms | G::A2dms => false,
        }
    }
}

impl LoadMode {
    /// Returns the number of coordinates for a tensor with `dimensions` dimensions. The gather and scatter modes have one coordinate for
    /// each row.
    pub const fn n_coordinates(self, dimensions: usize) -> usize {
        match self {
            LoadMode::Gather4 | LoadMode::Scatter4 => 5,
            LoadMode::Tile
            | LoadMode::Im2col
            | LoadMode::Im2colW
            | LoadMode::Im2colW128
            | LoadMode::Im2colNoOffsets => dimensions,
        }
    }

    /// Returns the number of im2col offsets or sizes for a tensor with `dimensions` dimensions.
    pub const fn n_offsets(self, dimensions: usize) -> usize {
        match self {
            LoadMode::Im2col => dimensions.saturating_sub(2),
            LoadMode::Tile
            | LoadMode::Gather4
            | LoadMode::Scatter4
            | LoadMode::Im2colW
            | LoadMode::Im2colW128
            | LoadMode::Im2colNoOffsets => 2,
        }
    }
}

impl CtaGroup {
    /// Returns the number of 32-bit words of the disable-output-lane mask for this number of CTAs.
    pub const fn n_lane_masks(self) -> usize {
        match self {
            CtaGroup::One => 4,
            CtaGroup::Two => 8,
        }
    }
}

spelled! {
    /// Property that a texture, sampler or surface query returns.
    TextureQuery {
        Width "width", Height "height", Depth "depth", ChannelType "channel_data_type", ChannelOrder "channel_order",
        NormalizedCoordinates "normalized_coords", ForceUnnormalized "force_unnormalized_coords", ArraySize "array_size",
        FilterMode "filter_mode", AddressMode0 "addr_mode_0", AddressMode1 "addr_mode_1", AddressMode2 "addr_mode_2",
        MipmapLevels "num_mipmap_levels", Samples "num_samples", MemoryLayout "memory_layout",
    }
}
spelled! {
    /// Type of opaque reference for which `istypep` tests.
    ReferenceKind { Texture "texref", Sampler "samplerref", Surface "surfref", }
}
spelled! {
    /// The component of texels that `tld4` reads.
    TexelComponent { Red "r", Green "g", Blue "b", Alpha "a", }
}
spelled! {
    /// Unit of surface coordinates.
    SurfaceMode {
        /// The x coordinate is in bytes, and the elements are untyped.
        Bytes "b",
        /// Coordinates are in elements, which the access converts to or from the format of the surface.
        Formatted "p",
    }
}
spelled! {
    /// Behavior of out-of-bounds surface accesses.
    SurfaceBounds {
        /// An out-of-bounds access causes a trap.
        Trap "trap",
        /// The coordinates are clamped to the nearest element.
        Clamp "clamp",
        /// Loads return zero, and stores are ignored.
        Zero "zero",
    }
}
spelled! {
    /// Tensor map field that `tensormap.replace` sets.
    TensorMapField {
        Address "global_address", Rank "rank", Box "box_dim", Extent "global_dim", ElementStride "element_stride",
        Stride "global_stride", ElementType "elemtype", Interleave "interleave_layout", Swizzle "swizzle_mode",
        Atomicity "swizzle_atomicity", Fill "fill_mode",
    }
}
spelled! {
    /// Component of the CTA index that `clusterlaunchcontrol` returns.
    BlockIndex {
        Whole "get_first_ctaid", X "get_first_ctaid::x", Y "get_first_ctaid::y", Z "get_first_ctaid::z",
    }
}
spelled! {
    /// Access shape of `tcgen05.ld` and `tcgen05.st`: number of lanes, and number of bits per lane.
    TensorMemoryAccessShape { M32x32 "32x32b", M16x64 "16x64b", M16x128 "16x128b", M16x256 "16x256b", M16x32x2 "16x32bx2", }
}
spelled! {
    /// Shape of `tcgen05.cp`: number of rows, and number of bits per row.
    TensorMemoryCopyShape { L128x256 "128x256b", L4x256 "4x256b", L128x128 "128x128b", L64x128 "64x128b", L32x128 "32x128b", }
}
spelled! {
    /// Warps whose tensor-memory lanes receive a copy of each row of `tcgen05.cp`.
    WarpMulticast { X2Even "warpx2::02_13", X2Halves "warpx2::01_23", X4 "warpx4", }
}

impl TensorMemoryAccessShape {
    /// Returns the number of registers per thread that an access with this shape transfers without repetition (`.x1`).
    pub const fn registers(self) -> usize {
        match self {
            TensorMemoryAccessShape::M32x32
            | TensorMemoryAccessShape::M16x64
            | TensorMemoryAccessShape::M16x32x2 => 1,
            TensorMemoryAccessShape::M16x128 => 2,
            TensorMemoryAccessShape::M16x256 => 4,
        }
    }
}

impl TensorMemoryCopyShape {
    /// Returns the number of rows of the matrix in shared memory, and the bytes per row.
    pub const fn rows_and_bytes(self) -> (usize, usize) {
        match self {
            TensorMemoryCopyShape::L128x256 => (128, 32),
            TensorMemoryCopyShape::L4x256 => (4, 32),
            TensorMemoryCopyShape::L128x128 => (128, 16),
            TensorMemoryCopyShape::L64x128 => (64, 16),
            TensorMemoryCopyShape::L32x128 => (32, 16),
        }
    }
}

/// Object whose property a query returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueryObject {
    Texture,
    Surface,
    Sampler,
    /// The sampler in modules with the texturing mode `independent`. Otherwise, the texture.
    Filtering,
}
