//! Tensor maps: the layout of a tensor in global memory, the box that a copy transfers, and the layout of the box in
//! shared memory (CUDA driver API, "cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col"; PTX ISA, "Tensor-map",
//! "tensormap.replace").
//!
//! A tensor map is opaque: a kernel copies its 128 bytes and replaces fields. SASS replaces fields with stores, so
//! these fields have the offsets of the hardware (measured with assembler 13.5, which compiles `tensormap.replace` to
//! stores). The emulator defines the offsets of the other fields. 128 zero bytes encode a tensor map with one dimension
//! of extent 1, whose fields can be replaced one by one.

use warpgrid_isa::TensorMapField;
use warpgrid_isa::tensor_layout::SwizzleMode;
use warpgrid_program::counted;

/// Size of a tensor map in bytes.
pub const TENSOR_MAP_BYTES: usize = 128;
/// Maximum number of dimensions of a tensor.
pub const MAX_RANK: usize = 5;

/// Decoded tensor map, which describes a tensor in global memory and the box that a copy transfers. Dimensions are
/// ordered from the innermost to the outermost dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TensorMap {
    pub mode: TensorMode,
    /// Address of the first element in global memory.
    pub address: u64,
    pub ty: TensorType,
    /// Number of dimensions, 1 to 5.
    pub rank: usize,
    /// Number of elements along each dimension.
    pub extents: [u64; MAX_RANK],
    /// Strides in bytes of all dimensions except for the innermost dimension.
    pub strides: [u64; MAX_RANK - 1],
    /// Number of elements of the box along each dimension. The field applies to tiled mode.
    pub box_extents: [u32; MAX_RANK],
    /// Element stride along each dimension. The stride 0 has the same meaning as 1.
    pub element_strides: [u32; MAX_RANK],
    pub interleave: Interleave,
    /// Swizzle mode of shared memory.
    pub swizzle_mode: u8,
    /// Swizzle atomicity: size of the unit that the swizzle moves as a whole.
    pub atomicity: u8,
    /// Whether out-of-bounds elements are loaded as NaN instead of zero.
    pub fills_nan: bool,
    /// Corners of the `im2col` bounding box along width, height and depth.
    pub lower_corner: [i32; 3],
    pub upper_corner: [i32; 3],
    pub channels_per_pixel: u32,
    pub pixels_per_column: u32,
}

macro_rules! numbered {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $member:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub enum $name { #[default] $($(#[$vmeta])* $member,)* }

        impl $name {
            /// All variants, in the order of the CUDA driver API.
            pub const ALL: &'static [$name] = &[$($name::$member,)*];

            /// Returns the name of the variant in scenario files.
            pub const fn name(self) -> &'static str {
                match self { $($name::$member => $text,)* }
            }

            /// Returns the variant with a given name in scenario files.
            pub fn from_name(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|member| member.name() == name)
            }
        }
    };
}

numbered! {
    /// Mode of a tensor map, which determines the elements that a copy transfers.
    TensorMode {
        Tiled = "tiled",
        Im2col = "im2col",
        Im2colW = "im2col_w",
        Im2colW128 = "im2col_w128",
    }
}

impl TensorMode {
    /// Returns the number of dimensions in which the bounding box of a tensor map with this rank has corners.
    pub fn n_corners(self, rank: usize) -> usize {
        match self {
            TensorMode::Tiled => 0,
            TensorMode::Im2col => rank.saturating_sub(2),
            TensorMode::Im2colW | TensorMode::Im2colW128 => 1,
        }
    }
}

numbered! {
    /// Element type, numbered as in the CUDA driver API.
    TensorType {
        U8 = "u8", U16 = "u16", U32 = "u32", S32 = "s32", U64 = "u64", S64 = "s64", F16 = "f16", F32 = "f32", F64 = "f64",
        Bf16 = "bf16", F32Ftz = "f32_ftz", Tf32 = "tf32", Tf32Ftz = "tf32_ftz",
        /// Two 4-bit values per byte.
        U4Align8 = "u4_align8",
        /// 16 values of 4 bits in 8 bytes, padded to 16 bytes of shared memory.
        U4Align16 = "u4_align16",
        /// 16 values of 6 bits in 12 bytes, padded to 16 bytes of shared memory.
        U6Align16 = "u6_align16",
    }
}
numbered! {
    /// Channel interleaving in global memory.
    Interleave { None = "none", B16 = "16B", B32 = "32B", }
}

/// Storage unit of a tensor: smallest group of values that occupies a whole number of bytes in both global and shared
/// memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageUnit {
    /// Number of values in the unit.
    pub n_values: u64,
    /// Size of the unit in global memory, in bytes.
    pub global_bytes: u64,
    /// Size of the unit in shared memory, in bytes.
    pub shared_bytes: u64,
}

impl Interleave {
    /// Returns the storage unit of the innermost dimension: the unit of the element type, or one slice of channels in
    /// an interleaved layout. In an interleaved layout, dimension 0 counts slices (measured on an H100).
    pub const fn unit(self, ty: TensorType) -> StorageUnit {
        let bytes = match self {
            Interleave::None => return ty.unit(),
            Interleave::B16 => 16,
            Interleave::B32 => 32,
        };
        StorageUnit {
            n_values: 1,
            global_bytes: bytes,
            shared_bytes: bytes,
        }
    }
}

impl TensorType {
    /// Returns the smallest group of values that occupies a whole number of bytes.
    pub const fn unit(self) -> StorageUnit {
        use TensorType as T;
        let (n_values, global_bytes, shared_bytes) = match self {
            T::U8 => (1, 1, 1),
            T::U16 | T::F16 | T::Bf16 => (1, 2, 2),
            T::U32 | T::S32 | T::F32 | T::F32Ftz | T::Tf32 | T::Tf32Ftz => (1, 4, 4),
            T::U64 | T::S64 | T::F64 => (1, 8, 8),
            T::U4Align8 => (2, 1, 1),
            T::U4Align16 => (16, 8, 16),
            T::U6Align16 => (16, 12, 16),
        };
        StorageUnit {
            n_values,
            global_bytes,
            shared_bytes,
        }
    }

    /// Checks whether loads round elements of this type to a 10-bit fraction.
    pub const fn is_tf32(self) -> bool {
        matches!(self, TensorType::Tf32 | TensorType::Tf32Ftz)
    }

    /// Checks whether out-of-bounds elements of this type may be loaded as NaN.
    pub const fn is_float(self) -> bool {
        use TensorType as T;
        match self {
            T::F16 | T::F32 | T::F64 | T::Bf16 | T::F32Ftz | T::Tf32 | T::Tf32Ftz => true,
            T::U8 | T::U16 | T::U32 | T::S32 | T::U64 | T::S64 => false,
            T::U4Align8 | T::U4Align16 | T::U6Align16 => false,
        }
    }

    /// Element types in the order of `tensormap.replace`, which differs from the order of the driver API (PTX ISA,
    /// "tensormap.replace").
    const FIELD_ORDER: [TensorType; 16] = {
        use TensorType as T;
        [
            T::U8,
            T::U16,
            T::U32,
            T::S32,
            T::U64,
            T::S64,
            T::F16,
            T::F32,
            T::F32Ftz,
            T::F64,
            T::Bf16,
            T::Tf32,
            T::Tf32Ftz,
            T::U4Align8,
            T::U4Align16,
            T::U6Align16,
        ]
    };

    /// Returns the type with this number in `tensormap.replace`.
    fn from_field(number: u64) -> Option<TensorType> {
        let order = TensorType::FIELD_ORDER;
        order.get(usize::try_from(number).ok()?).copied()
    }

    /// Returns the number of the type in `tensormap.replace`.
    fn field(self) -> u64 {
        let place = TensorType::FIELD_ORDER.iter().position(|ty| *ty == self);
        place.unwrap_or(0) as u64
    }
}

impl TensorMap {
    /// Returns the swizzle mode of shared memory, or `None` if the number of the mode is undefined.
    pub fn swizzle(&self) -> Option<SwizzleMode> {
        SwizzleMode::of(self.swizzle_mode, self.atomicity)
    }

    /// Returns the element stride along a dimension.
    pub fn element_stride(&self, dimension: usize) -> u64 {
        u64::from(
            self.element_strides
                .get(dimension)
                .copied()
                .unwrap_or(1)
                .max(1),
        )
    }

    /// Encodes the tensor map as bytes. Field values that no copy can use may be truncated. [`TensorMap::problem`]
    /// rejects such values.
    pub fn encode(&self) -> [u8; TENSOR_MAP_BYTES] {
        let mut bytes = [0; TENSOR_MAP_BYTES];
        let mut write_field = |(at, bits): (usize, u32), value: u64| {
            for bit in (0..bits).filter(|bit| value >> bit & 1 != 0) {
                let bit = at + bit as usize;
                bytes[bit / 8] |= 1 << (bit % 8);
            }
        };
        let less_one = |n: u64| n.wrapping_sub(1);
        write_field(ADDRESS, self.address);
        write_field(RANK, less_one(self.rank as u64));
        write_field(TYPE, self.ty.field());
        write_field(INTERLEAVE, self.interleave as u64);
        write_field(SWIZZLE, self.swizzle_mode.into());
        write_field(SWIZZLE_96, u64::from(self.swizzle_mode >> 2));
        write_field(FILL, self.fills_nan.into());
        write_field(ATOMICITY, self.atomicity.into());
        for (dimension, stride) in self.strides.iter().enumerate() {
            write_field(stride_low(dimension), stride >> 4);
            write_field(stride_high(dimension), stride >> 36);
        }
        for dimension in 0..MAX_RANK {
            write_field(extent(dimension), less_one(self.extents[dimension]));
            write_field(
                element_stride(dimension),
                less_one(self.element_stride(dimension)),
            );
            let n = self.box_extents[dimension];
            write_field(box_extent(dimension), less_one(n.into()));
        }
        write_field(MODE, self.mode as u64);
        for (axis, n) in self.lower_corner.iter().enumerate() {
            write_field(corner(axis), *n as u64);
        }
        for (axis, n) in self.upper_corner.iter().enumerate() {
            write_field(corner(3 + axis), *n as u64);
        }
        write_field(CHANNELS, self.channels_per_pixel.into());
        write_field(PIXELS, self.pixels_per_column.into());
        bytes
    }

    /// Decodes a tensor map from bytes. Returns `None` if the bytes are not a valid encoding.
    pub fn decode(bytes: &[u8; TENSOR_MAP_BYTES]) -> Option<TensorMap> {
        let mut rest = *bytes;
        let mut take = |(at, bits): (usize, u32)| {
            let bit = |bit: u32| {
                let at = at + bit as usize;
                let value = rest[at / 8] >> (at % 8) & 1;
                rest[at / 8] &= !(1 << (at % 8));
                u64::from(value) << bit
            };
            (0..bits).map(bit).fold(0, |value, bit| value | bit)
        };
        // Ignore this bit, which the hardware clears when an instruction replaces the address.
        take((64 + 21, 1));
        let map = TensorMap {
            address: take(ADDRESS),
            extents: std::array::from_fn(|dimension| take(extent(dimension)) + 1),
            strides: std::array::from_fn(|dimension| {
                take(stride_low(dimension)) << 4 | take(stride_high(dimension)) << 36
            }),
            box_extents: std::array::from_fn(|dimension| take(box_extent(dimension)) as u32 + 1),
            element_strides: std::array::from_fn(|dimension| {
                take(element_stride(dimension)) as u32 + 1
            }),
            mode: TensorMode::ALL.get(take(MODE) as usize).copied()?,
            ty: TensorType::from_field(take(TYPE))?,
            rank: take(RANK) as usize + 1,
            interleave: Interleave::ALL.get(take(INTERLEAVE) as usize).copied()?,
            swizzle_mode: (take(SWIZZLE) | take(SWIZZLE_96) << 2) as u8,
            atomicity: take(ATOMICITY) as u8,
            fills_nan: take(FILL) == 1,
            lower_corner: std::array::from_fn(|axis| take(corner(axis)) as u16 as i16 as i32),
            upper_corner: std::array::from_fn(|axis| take(corner(3 + axis)) as u16 as i16 as i32),
            channels_per_pixel: take(CHANNELS) as u32,
            pixels_per_column: take(PIXELS) as u32,
        };
        rest.iter().all(|byte| *byte == 0).then_some(map)
    }

    /// Replaces a field of the tensor map. `dimension` selects the element of a field that has one value per dimension.
    /// Returns `false` if the value or the dimension is out of range.
    pub fn replace(&mut self, field: TensorMapField, dimension: usize, value: u64) -> bool {
        use TensorMapField as F;
        let small = |most: u64| (value <= most).then_some(value as u8);
        let within = |range: std::ops::RangeInclusive<u64>| range.contains(&value);
        let done = match field {
            F::Address => {
                self.address = value;
                Some(())
            }
            F::Rank => small(MAX_RANK as u64 - 1).map(|n| self.rank = usize::from(n) + 1),
            F::Box if within(1..=256) => put(&mut self.box_extents, dimension, value as u32),
            F::Extent if within(1..=1 << 32) => put(&mut self.extents, dimension, value),
            F::ElementStride if within(1..=8) => {
                put(&mut self.element_strides, dimension, value as u32)
            }
            F::Stride if within(0..=(1 << 40) - 1) && value.is_multiple_of(16) => {
                put(&mut self.strides, dimension, value)
            }
            F::Box | F::Extent | F::ElementStride | F::Stride => None,
            F::ElementType => TensorType::from_field(value).map(|ty| self.ty = ty),
            F::Interleave => {
                let found = Interleave::ALL.get(usize::try_from(value).unwrap_or(usize::MAX));
                found
                    .copied()
                    .map(|interleave| self.interleave = interleave)
            }
            F::Swizzle => small(4).map(|n| self.swizzle_mode = n),
            F::Atomicity => small(3).map(|n| self.atomicity = n),
            F::Fill => small(1).map(|n| self.fills_nan = n == 1),
        };
        done.is_some()
    }

    /// Returns the storage unit of the innermost dimension.
    pub fn unit(&self) -> StorageUnit {
        self.interleave.unit(self.ty)
    }

    /// Returns the reason why no copy can use the tensor map, or `None` for a valid tensor map. The checks correspond
    /// to the checks of the driver's encoding functions.
    pub fn problem(&self) -> Option<String> {
        self.check().err()
    }

    fn check(&self) -> Result<(), String> {
        self.check_tensor()?;
        let swizzle = self.swizzle().ok_or("unknown swizzle mode")?;
        let inner = match self.mode {
            TensorMode::Tiled => self.check_box()?,
            TensorMode::Im2col | TensorMode::Im2colW | TensorMode::Im2colW128 => {
                self.check_bounding_box()?
            }
        };
        self.check_inner(inner, swizzle)?;
        if self.interleave == Interleave::B32 && swizzle != SwizzleMode::B32 {
            return Err("the interleave layout `32B` needs the swizzle mode `32B`".to_owned());
        }
        if self.fills_nan && !self.ty.is_float() {
            return Err(format!(
                "NaN fill is not supported for `{}`",
                self.ty.name()
            ));
        }
        Ok(())
    }

    /// Checks whether elements with less than 8 bits are padded to groups of 16 bytes.
    fn is_packed(&self) -> bool {
        matches!(self.ty, TensorType::U4Align16 | TensorType::U6Align16)
    }

    /// Checks the rank, the address, the strides and the extents of the tensor.
    fn check_tensor(&self) -> Result<(), String> {
        let rank = self.rank;
        let is_image = self.mode != TensorMode::Tiled;
        let least = match is_image || self.interleave != Interleave::None {
            true => 3,
            false => 1,
        };
        if !(least..=MAX_RANK).contains(&rank) {
            let found = counted(rank, "dimension");
            return Err(format!("found {found}, expected {least} to {MAX_RANK}"));
        }
        let multiple = match self.interleave == Interleave::B32 || self.is_packed() {
            true => 32,
            false => 16,
        };
        if !self.address.is_multiple_of(multiple) {
            return Err(format!(
                "the tensor address 0x{:x} is not a multiple of {multiple}",
                self.address
            ));
        }
        let strides = self.strides.iter().take(rank - 1);
        for stride in strides {
            if !stride.is_multiple_of(multiple) || *stride >= 1 << 40 {
                return Err(format!(
                    "found a stride of {}, expected a multiple of {multiple} below 2^40",
                    counted(*stride, "byte")
                ));
            }
        }
        for (dimension, extent) in self.extents.iter().take(rank).enumerate() {
            if !(1..=1 << 32).contains(extent) {
                return Err(format!(
                    "dimension {dimension} has {extent} elements, expected 1 to 2^32"
                ));
            }
            let step = self.element_stride(dimension);
            if step > 8 {
                return Err(format!(
                    "dimension {dimension} has the element stride {step}, expected 1 to 8"
                ));
            }
        }
        let unit_elements = match self.ty {
            TensorType::U4Align8 => 2,
            TensorType::U4Align16 | TensorType::U6Align16 => 128,
            _ => 1,
        };
        if !self.extents[0].is_multiple_of(unit_elements) {
            return Err(format!(
                "dimension 0 has {} elements, expected a multiple of {unit_elements} for `{}`",
                self.extents[0],
                self.ty.name()
            ));
        }
        Ok(())
    }

    /// Checks the box of a tiled tensor map. Returns the number of box elements along dimension 0.
    fn check_box(&self) -> Result<u32, String> {
        let boxes = self.box_extents.iter().take(self.rank).enumerate();
        for (dimension, extent) in boxes {
            if !(1..=256).contains(extent) {
                return Err(format!(
                    "the box has {extent} elements along dimension {dimension}, expected 1 to 256"
                ));
            }
        }
        Ok(self.box_extents[0])
    }

    /// Checks the bounding box of an `im2col` tensor map. Returns the number of elements along dimension 0.
    fn check_bounding_box(&self) -> Result<u32, String> {
        if !(1..=256).contains(&self.channels_per_pixel) {
            let n = self.channels_per_pixel;
            return Err(format!("found {n} channels per pixel, expected 1 to 256"));
        }
        let n_corners = self.mode.n_corners(self.rank);
        for (along, extent) in self.extents.iter().skip(1).take(n_corners).enumerate() {
            let corner = |corners: &[i32; 3]| i128::from(corners[along.min(2)]);
            let n = i128::from(*extent) + corner(&self.upper_corner) - corner(&self.lower_corner);
            if n < 1 {
                return Err(format!(
                    "the bounding box of dimension {} is empty",
                    along + 1
                ));
            }
        }
        if self.pixels_per_column > 1024 {
            let n = self.pixels_per_column;
            return Err(format!(
                "found {n} pixels per column, expected at most 1024"
            ));
        }
        Ok(self.channels_per_pixel)
    }

    /// Checks the number of bytes of the box along dimension 0.
    fn check_inner(&self, inner: u32, swizzle: SwizzleMode) -> Result<(), String> {
        let unit = self.ty.unit();
        if self.is_packed() && inner != 128 {
            return Err(format!(
                "the box has {inner} elements along dimension 0, expected 128 for `{}`",
                self.ty.name()
            ));
        }
        let inner_bytes = u64::from(inner).div_ceil(unit.n_values) * unit.shared_bytes;
        if !inner_bytes.is_multiple_of(16) {
            return Err(format!(
                "the box has {inner_bytes} bytes along dimension 0, expected a multiple of 16"
            ));
        }
        if inner_bytes > swizzle.span_bytes().unwrap_or(u64::MAX) {
            return Err(format!(
                "the box has {inner_bytes} bytes along dimension 0, expected at most {}, the span of the swizzle",
                swizzle.span_bytes().unwrap_or(0)
            ));
        }
        Ok(())
    }
}

/// Replaces the list element at `index`. Returns `None` if `index` is out of bounds.
fn put<T>(list: &mut [T], index: usize, value: T) -> Option<()> {
    *list.get_mut(index)? = value;
    Some(())
}

/// Position of the first bit and number of bits of a field in an encoded tensor map.
type BitField = (usize, u32);

const ADDRESS: BitField = (0, 64);
/// Position of the rank, which is encoded as the rank minus one. Extents, element strides and box extents are also
/// encoded minus one.
const RANK: BitField = (64 + 4, 3);
const TYPE: BitField = (64 + 7, 4);
const INTERLEAVE: BitField = (64 + 11, 2);
const SWIZZLE: BitField = (64 + 13, 2);
const FILL: BitField = (64 + 15, 1);
const ATOMICITY: BitField = (64 + 19, 2);
const SWIZZLE_96: BitField = (64 + 22, 1);
// The emulator defines the offsets of the fields that `tensormap.replace` cannot replace.
const MODE: BitField = (8 * 0x40, 8);
const CHANNELS: BitField = (8 * 0x44, 16);
const PIXELS: BitField = (8 * 0x46, 16);

/// Returns the position of the low part of a stride, which is encoded without its 4 low bits.
const fn stride_low(dimension: usize) -> BitField {
    (8 * (0x0c + 4 * dimension), 32)
}

const fn stride_high(dimension: usize) -> BitField {
    (8 * 0x1c + 4 * dimension, 4)
}

const fn extent(dimension: usize) -> BitField {
    (8 * (0x20 + 4 * dimension), 32)
}

const fn element_stride(dimension: usize) -> BitField {
    (8 * 0x34 + 3 * dimension, 3)
}

const fn box_extent(dimension: usize) -> BitField {
    (8 * (0x37 + dimension), 8)
}

const fn corner(axis: usize) -> BitField {
    (8 * (0x48 + 2 * axis), 16)
}

#[cfg(test)]
mod tests {
    use crate::contract::tensor_map::{TENSOR_MAP_BYTES, TensorMap, TensorMode, TensorType};

    #[test]
    fn encoded_fields_match_hardware_offsets() {
        let map = TensorMap {
            address: 0x7f00_1234_5600,
            ty: TensorType::Bf16,
            rank: 3,
            extents: [64, 1 << 32, 7, 1, 1],
            strides: [128, 0x12_3456_7890, 0, 0],
            box_extents: [64, 256, 2, 1, 1],
            element_strides: [1, 8, 2, 1, 1],
            swizzle_mode: 3,
            atomicity: 2,
            ..TensorMap::default()
        };
        let bytes = map.encode();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(word(0x08), 2 << 4 | 10 << 7 | 3 << 13 | 2 << 19);
        assert_eq!([word(0x0c), word(0x10)], [128 >> 4, 0x2345_6789]);
        assert_eq!(word(0x1c), 0x10);
        assert_eq!([word(0x20), word(0x24), word(0x28)], [63, u32::MAX, 6]);
        assert_eq!(word(0x34), 7 << 3 | 1 << 6 | 63 << 24);
        assert_eq!(word(0x38), 255 | 1 << 8);
        assert_eq!(TensorMap::decode(&bytes), Some(map));
    }

    #[test]
    fn im2col_tensor_map_round_trips() {
        let map = TensorMap {
            mode: TensorMode::Im2col,
            rank: 4,
            extents: [8; 5],
            box_extents: [1; 5],
            element_strides: [1; 5],
            lower_corner: [-1, -128, 0],
            upper_corner: [-2, 127, 0],
            channels_per_pixel: 256,
            pixels_per_column: 1024,
            ..TensorMap::default()
        };
        assert_eq!(TensorMap::decode(&map.encode()), Some(map));
    }

    #[test]
    fn zero_bytes_decode_and_all_ones_bytes_are_rejected() {
        let zeros = TensorMap::decode(&[0; TENSOR_MAP_BYTES]).expect("a map");
        assert_eq!((zeros.rank, zeros.extents[0]), (1, 1));
        assert_eq!(TensorMap::decode(&[0xff; TENSOR_MAP_BYTES]), None);
    }
}
