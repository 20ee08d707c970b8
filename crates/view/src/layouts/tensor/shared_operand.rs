//! Layouts of operand matrices in shared memory, where a descriptor determines the address of each element.

use crate::layouts::fragment::request::FragmentRequestError;
use crate::layouts::tensor::instruction_descriptor::{chosen_kind, decoded};
use crate::layouts::tensor::query_parameters::QueryParams;
use crate::layouts::tensor::registers::{WARPGROUP, bits_of};
use crate::layouts::tensor::tensor_memory::PRODUCT;
use crate::layouts::tensor::{DescriptorField, ElementLocation, LayoutView, Operand, refusal};
use warpgrid_isa::MmaKind;
use warpgrid_isa::tensor_layout::{
    DescriptorKind, ElementPacking, InstructionDescriptor, Major, MatrixDescriptor,
    SharedMatrixOperand, SwizzleMode,
};

/// Number of bytes of a dense operand along k that one instruction reads.
const DEPTH_BYTES: u64 = 32;
/// Highest byte address of shared memory that a descriptor can encode.
const MAX_BYTES: u64 = 0x3ffff;

/// Operand matrix in shared memory that query parameters specify, with its descriptor, element type and size.
#[derive(Clone, Debug)]
pub(crate) struct SharedOperand {
    pub(crate) kind: DescriptorKind,
    pub(crate) factor: Operand,
    pub(crate) ty: String,
    pub(crate) matrix: SharedMatrixOperand,
    /// Number of rows of A or columns of B.
    pub(crate) lines: usize,
    /// Number of bytes along k that one instruction reads.
    pub(crate) one_bytes: u64,
    /// Bits of the shared-memory descriptor, if the query specifies them.
    pub(crate) written: Option<u64>,
    /// Instruction descriptor, if the query specifies it.
    pub(crate) instruction: Option<InstructionBits>,
}

/// Bits of an instruction descriptor and the MMA kind that determines their meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstructionBits {
    pub(crate) bits: u32,
    pub(crate) kind_name: &'static str,
    pub(crate) kind: MmaKind,
}

/// Properties of an operand that its shared-memory descriptor does not contain.
#[derive(Clone, Copy, Debug)]
struct OperandChoice<'a> {
    kind: DescriptorKind,
    factor: Operand,
    ty: &'a str,
    storage: ElementPacking,
    /// Number of rows of A and number of columns of B.
    size: (usize, usize),
    major: &'a str,
    /// Whether matrix A is sparse, or `None` if a query parameter specifies this property.
    is_sparse: Option<bool>,
}

impl SharedOperand {
    /// Returns the number of elements along k that occupy the given number of bytes.
    pub(crate) fn depth_of(&self, bytes: u64) -> u64 {
        depth_of(self.matrix.storage, bytes)
    }

    /// Returns the number of elements along k that one instruction reads.
    pub(crate) fn depth(&self) -> u64 {
        self.depth_of(self.one_bytes)
    }

    /// Returns the number of steps along k that the tile contains.
    pub(crate) fn n_steps(&self) -> u64 {
        // End the steps at the swizzle span, because a row of a swizzled tile ends there and the address of the next tile is arbitrary.
        match (
            self.matrix.major,
            self.matrix.descriptor.swizzle.span_bytes(),
        ) {
            (Major::K, Some(span)) => (span / self.one_bytes).max(1),
            (Major::K, None) | (Major::Mn, _) => 4,
        }
    }

    /// Returns the number of bytes by which the start address advances between two steps along k.
    pub(crate) fn step_bytes(&self) -> u64 {
        let MatrixDescriptor {
            leading_bytes,
            stride_bytes,
            swizzle,
            ..
        } = self.matrix.descriptor;
        match (self.matrix.major, swizzle) {
            (Major::K, SwizzleMode::None) => self.one_bytes / 16 * leading_bytes,
            (Major::K, _) => self.one_bytes,
            (Major::Mn, SwizzleMode::None) => self.depth() / 8 * leading_bytes,
            (Major::Mn, SwizzleMode::B128Atom32) => self.depth() / 4 * stride_bytes,
            (Major::Mn, _) => self.depth() / 8 * stride_bytes,
        }
    }

    pub(crate) fn family(&self) -> &'static str {
        match self.kind {
            DescriptorKind::Warpgroup => "wgmma.mma_async",
            DescriptorKind::TensorMemory => "tcgen05.mma",
        }
    }

    pub(crate) fn line_name(&self) -> &'static str {
        match self.factor {
            Operand::A => "row of A",
            Operand::B => "column of B",
        }
    }

    pub(crate) fn title(&self, depth: u64) -> String {
        let name = match self.factor {
            Operand::A => 'A',
            Operand::B => 'B',
        };
        format!(
            "{name} of `{}`, {} × {depth} of `{}`, {}-major, swizzle {}, in shared memory",
            self.family(),
            self.lines,
            self.ty,
            if self.matrix.major == Major::Mn {
                "MN"
            } else {
                "K"
            },
            self.matrix.descriptor.swizzle.name()
        )
    }

    pub(crate) fn bits(&self) -> Option<u64> {
        self.written
            .or_else(|| self.matrix.descriptor.encode(self.kind))
    }

    /// Returns the size of the tile along k and perpendicular to k.
    pub(crate) fn extent(&self) -> TileExtent {
        TileExtent {
            line_bytes: self.line_bytes(),
            one_bytes: self.one_bytes,
            depth: self.depth(),
        }
    }

    /// Returns the number of bytes of a line, provided that the elements of the line are contiguous.
    pub(crate) fn line_bytes(&self) -> u64 {
        line_bytes(self.matrix.storage, self.lines)
    }

    /// Returns the fields of the descriptor, with their meaning in bytes, in units of 16 bytes and in elements.
    pub(crate) fn fields(&self) -> Vec<DescriptorField> {
        let size = match self.matrix.storage {
            ElementPacking::Bytes(size) => Some(size),
            ElementPacking::Padded(_) | ElementPacking::Nibbles => None,
        };
        self.bits().map_or_else(Vec::new, |bits| {
            fields(bits, &self.matrix.descriptor, self.kind, size)
        })
    }
}

fn depth_of(storage: ElementPacking, bytes: u64) -> u64 {
    match storage {
        ElementPacking::Bytes(size) => bytes / u64::from(size),
        ElementPacking::Padded(_) => bytes,
        ElementPacking::Nibbles => 2 * bytes,
    }
}

fn line_bytes(storage: ElementPacking, lines: usize) -> u64 {
    match storage {
        ElementPacking::Bytes(size) => lines as u64 * u64::from(size),
        ElementPacking::Padded(_) | ElementPacking::Nibbles => lines as u64,
    }
}

/// Returns the layout of an operand of `wgmma`.
pub(crate) fn warpgroup(
    words: &mut QueryParams<'_>,
    factor: Operand,
) -> Result<LayoutView, FragmentRequestError> {
    let found = read_warpgroup(words, factor)?;
    described(words, &found)
}

/// Reads the query parameters of an operand of `wgmma`.
pub(crate) fn read_warpgroup(
    words: &mut QueryParams<'_>,
    factor: Operand,
) -> Result<SharedOperand, FragmentRequestError> {
    let types = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1"];
    let ty = words.choice("type", &types, "the type of an element")?;
    let size = words.shape(WARPGROUP)?;
    // Display 32-bit words instead of single-bit elements.
    let storage =
        ElementPacking::Bytes(bits_of(ty).div_ceil(8).max(if ty == "b1" { 4 } else { 1 }));
    let majors: &[&str] = match bits_of(ty) {
        16 => &["k", "mn"],
        _ => &["k"],
    };
    let major = words.choice(
        "major",
        majors,
        "the major-ness, which is the index that is contiguous in memory",
    )?;
    let swizzles = ["128B", "64B", "32B", "none"];
    let chosen = OperandChoice {
        kind: DescriptorKind::Warpgroup,
        factor,
        ty,
        storage,
        size,
        major,
        is_sparse: None,
    };
    read(words, chosen, &swizzles)
}

/// Returns the layout of an operand of `tcgen05.mma`.
pub(crate) fn tensor_memory(
    words: &mut QueryParams<'_>,
    factor: Operand,
) -> Result<LayoutView, FragmentRequestError> {
    let found = read_tensor_memory(words, factor)?;
    described(words, &found)
}

/// Reads the query parameters of an operand of `tcgen05.mma`.
pub(crate) fn read_tensor_memory(
    words: &mut QueryParams<'_>,
    factor: Operand,
) -> Result<SharedOperand, FragmentRequestError> {
    let about = "the bits of the instruction descriptor, which encode types, shape and major-ness";
    if let Some(bits) = words.bits("idesc", u32::MAX.into(), about)? {
        let kind = chosen_kind(words)?;
        let operand = from_instruction_descriptor(&decoded(bits, kind.0, kind.1)?, factor, kind.1)?;
        let swizzles = swizzles_of(operand.major, operand.storage);
        return Ok(SharedOperand {
            instruction: Some(InstructionBits {
                bits: bits as u32,
                kind_name: kind.0,
                kind: kind.1,
            }),
            ..read(words, operand.chosen(), swizzles)?
        });
    }
    let types = [
        "f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "e2m3", "e3m2", "e2m1",
    ];
    let ty = words.choice("type", &types, "the type of an element")?;
    let size = words.shape(PRODUCT)?;
    let storage = match ty {
        "e2m1" => {
            let kinds = ["f8f6f4", "mxf4"];
            let kind = words.choice("kind", &kinds, "whether 4-bit values are padded to 8 bits")?;
            storage_of(
                ty,
                if kind == "mxf4" {
                    MmaKind::Mxf4
                } else {
                    MmaKind::F8f6f4
                },
            )
        }
        ty => storage_of(ty, MmaKind::F8f6f4),
    };
    let majors: &[&str] = match storage {
        ElementPacking::Bytes(_) => &["k", "mn"],
        ElementPacking::Padded(_) | ElementPacking::Nibbles => &["k"],
    };
    let major = words.choice(
        "major",
        majors,
        "the major-ness, which is the index that is contiguous in memory",
    )?;
    let chosen = OperandChoice {
        kind: DescriptorKind::TensorMemory,
        factor,
        ty,
        storage,
        size,
        major,
        is_sparse: None,
    };
    read(words, chosen, swizzles_of(major, storage))
}

/// Returns the swizzle modes that an operand supports. Only MN-major operands with 32-bit elements have 32-byte atoms, and these operands
/// support no other swizzle mode (PTX ISA, "Shared memory layout").
fn swizzles_of(major: &str, storage: ElementPacking) -> &'static [&'static str] {
    const ALL: [&str; 5] = ["128B", "64B", "32B", "none", "128B_atom_32B"];
    match (major, storage) {
        ("mn", ElementPacking::Bytes(4)) => &ALL[4..],
        _ => &ALL[..4],
    }
}

/// Returns the storage format of elements of type `ty` in shared memory.
fn storage_of(ty: &str, kind: MmaKind) -> ElementPacking {
    match ty {
        "e2m3" | "e3m2" => ElementPacking::Padded(6),
        "e2m1" if matches!(kind, MmaKind::Mxf4 | MmaKind::Mxf4nvf4) => ElementPacking::Nibbles,
        "e2m1" => ElementPacking::Padded(4),
        ty => ElementPacking::Bytes(bits_of(ty) / 8),
    }
}

/// Element type, size, major-ness and sparsity of an operand matrix, as specified by an instruction descriptor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DescriptorOperandInfo {
    factor: Operand,
    ty: &'static str,
    pub(crate) storage: ElementPacking,
    size: (usize, usize),
    major: &'static str,
    is_sparse: bool,
}

impl DescriptorOperandInfo {
    /// Returns the major-ness of the operand.
    pub(crate) fn major(&self) -> Major {
        match self.major {
            "mn" => Major::Mn,
            _ => Major::K,
        }
    }

    fn chosen(&self) -> OperandChoice<'static> {
        OperandChoice {
            kind: DescriptorKind::TensorMemory,
            factor: self.factor,
            ty: self.ty,
            storage: self.storage,
            size: self.size,
            major: self.major,
            is_sparse: Some(self.is_sparse),
        }
    }
}

/// Returns the properties of the operand `factor` that an instruction descriptor specifies.
pub(crate) fn from_instruction_descriptor(
    says: &InstructionDescriptor,
    factor: Operand,
    kind: MmaKind,
) -> Result<DescriptorOperandInfo, FragmentRequestError> {
    let (ty, major) = match factor {
        Operand::A => (says.a, says.a_major),
        Operand::B => (says.b, says.b_major),
    };
    if says.m == 0 || says.n == 0 {
        return Err(refusal(format!(
            "the instruction descriptor encodes the shape m{}n{}, which is not supported",
            says.m, says.n
        )));
    }
    Ok(DescriptorOperandInfo {
        factor,
        ty: ty.name(),
        storage: storage_of(ty.name(), kind),
        size: (says.m, says.n),
        major: if major == Major::Mn { "mn" } else { "k" },
        is_sparse: says.is_sparse,
    })
}

fn read(
    words: &mut QueryParams<'_>,
    chosen: OperandChoice<'_>,
    swizzles: &[&'static str],
) -> Result<SharedOperand, FragmentRequestError> {
    let major = match chosen.major {
        "mn" => Major::Mn,
        _ => Major::K,
    };
    let is_sparse = chosen.factor == Operand::B
        && match chosen.is_sparse {
            Some(is_sparse) => is_sparse,
            None => words.flag(
                "sparse",
                "whether A is sparse, which doubles the extent of B along k",
            )?,
        };
    let one_bytes = DEPTH_BYTES * if is_sparse { 2 } else { 1 };
    let lines = match chosen.factor {
        Operand::A => chosen.size.0,
        Operand::B => chosen.size.1,
    };
    let storage = chosen.storage;
    let about = "the bits of the descriptor, which determine all other fields";
    let written = words.bits("descriptor", u64::MAX, about)?;
    let descriptor = match written {
        Some(bits) => MatrixDescriptor::decode(bits, chosen.kind).ok_or_else(|| {
            refusal(format!(
                "the descriptor 0x{bits:016x} encodes an invalid swizzle mode"
            ))
        })?,
        None => self::chosen(
            words,
            swizzles,
            major,
            TileExtent {
                line_bytes: line_bytes(storage, lines),
                one_bytes,
                depth: depth_of(storage, one_bytes),
            },
        )?,
    };
    Ok(SharedOperand {
        kind: chosen.kind,
        factor: chosen.factor,
        ty: chosen.ty.to_owned(),
        matrix: SharedMatrixOperand {
            descriptor,
            major,
            storage,
        },
        lines,
        one_bytes,
        written,
        instruction: None,
    })
}

fn described(
    words: &mut QueryParams<'_>,
    found: &SharedOperand,
) -> Result<LayoutView, FragmentRequestError> {
    let most = found.n_steps();
    let steps: Vec<&'static str> = [(1, "1"), (2, "2"), (4, "4")]
        .into_iter()
        .filter_map(|(n, name)| (n <= most).then_some(name))
        .collect();
    let n_steps = words.choice(
        "steps",
        &steps,
        "the number of steps along k, where each step is one instruction",
    )?;
    let depth = found.depth_of(found.one_bytes * n_steps.parse().unwrap_or(1));
    let SharedOperand {
        matrix,
        kind: _,
        lines,
        ..
    } = found;
    let descriptor = matrix.descriptor;
    let has_bits = !matches!(matrix.storage, ElementPacking::Bytes(_));
    let place = |line: usize, k: usize| -> Vec<ElementLocation> {
        let (address, bit, _) = matrix.element(line as u64, k as u64);
        let mut place = vec![address as u32];
        if has_bits {
            place.push(bit);
        }
        vec![place]
    };
    let names: &[&str] = if has_bits {
        &["byte", "bit"]
    } else {
        &["byte"]
    };
    let mut notes = vec![format!(
        "One instruction reads {} elements along k. The descriptor of the next step along k has a larger start address.",
        found.depth()
    )];
    notes.extend(base_note(&descriptor));
    Ok(LayoutView {
        title: found.title(depth),
        rule: rule(&descriptor, matrix.major),
        letters: LETTERS.to_owned(),
        notes,
        row_name: found.line_name().to_owned(),
        column_name: "k".to_owned(),
        element_bits: match matrix.storage {
            ElementPacking::Bytes(size) => 8 * size,
            ElementPacking::Padded(_) => 8,
            ElementPacking::Nibbles => 4,
        },
        descriptor: found.bits().map(|bits| format!("0x{bits:016x}")),
        fields: found.fields(),
        confidence: sureness(&descriptor).to_owned(),
        ..LayoutView::from_grid(*lines, depth as usize, names, &place)
    })
}

/// Meaning of the variables in the address formula.
pub(crate) const LETTERS: &str = "mn = row of A or column of B, es = element size in bytes, LBO = leading byte offset, SBO = stride byte offset";

/// Returns the confidence in the element locations that follow from a descriptor.
pub(crate) fn sureness(descriptor: &MatrixDescriptor) -> &'static str {
    let is_open = descriptor.base_offset != 0 || descriptor.swizzle == SwizzleMode::B128Atom32;
    if is_open { "medium" } else { "high" }
}

pub(crate) fn base_note(descriptor: &MatrixDescriptor) -> Option<String> {
    (descriptor.base_offset != 0).then(|| {
        "The PTX ISA manual does not document how the base offset affects the swizzle. Warpgrid assumes that the base offset is subtracted before the swizzle."
            .to_owned()
    })
}

/// Builds a descriptor from the fields that the query specifies. The other fields have the values of a contiguous tile.
fn chosen(
    words: &mut QueryParams<'_>,
    swizzles: &[&'static str],
    major: Major,
    extent: TileExtent,
) -> Result<MatrixDescriptor, FragmentRequestError> {
    let swizzle = words.choice("swizzle", swizzles, "the swizzle mode of 16-byte chunks")?;
    let swizzle = SwizzleMode::from_name(swizzle).unwrap_or_default();
    let (leading, stride) = usual_offsets(swizzle, major, extent);
    let start = words.number(
        "start",
        0,
        MAX_BYTES,
        "the byte address of the first element",
    )?;
    let leading = words.number("leading", leading, MAX_BYTES, "the leading byte offset")?;
    let stride = words.number("stride", stride, MAX_BYTES, "the stride byte offset")?;
    for (name, bytes) in [("start", start), ("leading", leading), ("stride", stride)] {
        if !bytes.is_multiple_of(16) {
            return Err(refusal(format!(
                "found `{name}={bytes}`, expected a multiple of 16, because descriptors count units of 16 bytes"
            )));
        }
    }
    let base_offset = words.number(
        "base",
        0,
        7,
        "the base offset, which is the start of the swizzle pattern in units of 128-byte lines",
    )?;
    Ok(MatrixDescriptor {
        start,
        leading_bytes: leading,
        stride_bytes: stride,
        base_offset,
        swizzle,
    })
}

/// Size of a tile along k and perpendicular to k.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileExtent {
    /// Number of bytes of the tile perpendicular to k.
    pub(crate) line_bytes: u64,
    /// Number of bytes along k that one instruction reads.
    pub(crate) one_bytes: u64,
    /// Number of elements along k that one instruction reads.
    pub(crate) depth: u64,
}

/// Returns the leading and the stride byte offset of a contiguous tile.
pub(crate) fn usual_offsets(swizzle: SwizzleMode, major: Major, extent: TileExtent) -> (u64, u64) {
    let TileExtent {
        line_bytes,
        one_bytes,
        depth,
    } = extent;
    match (major, swizzle.span_bytes()) {
        // Without a swizzle, 8 rows of 16 bytes are contiguous in memory, and the next chunk along k follows.
        (Major::K, None) => (128, one_bytes / 16 * 128),
        (Major::K, Some(span)) => (16, 8 * span),
        (Major::Mn, None) => (line_bytes.div_ceil(16) * 128, 128),
        (Major::Mn, Some(_)) if swizzle == SwizzleMode::B128Atom32 => (depth / 4 * 512, 512),
        (Major::Mn, Some(span)) => (depth / 8 * 8 * span, 8 * span),
    }
}

/// Returns the formula for the address of an element before the swizzle.
pub(crate) fn rule(descriptor: &MatrixDescriptor, major: Major) -> String {
    let swizzle = descriptor.swizzle;
    let place = match (major, swizzle.span_bytes()) {
        (Major::K, None) => "mn/8*SBO + mn%8*16 + (k*es/16)*LBO + k*es%16".to_owned(),
        (Major::K, Some(span)) => format!("mn/8*SBO + mn%8*{span} + k*es"),
        (Major::Mn, None) => "(mn*es/16)*SBO + mn*es%16 + k/8*LBO + k%8*16".to_owned(),
        (Major::Mn, Some(_)) if swizzle == SwizzleMode::B128Atom32 => {
            "(mn*es/128)*LBO + mn*es%128 + k/4*SBO + k%4*128".to_owned()
        }
        (Major::Mn, Some(span)) => {
            format!("(mn*es/{span})*LBO + mn*es%{span} + k/8*SBO + k%8*{span}")
        }
    };
    let swizzled = match swizzle {
        SwizzleMode::None => "",
        SwizzleMode::B32 => ", then bit 4 ^= bit 7",
        SwizzleMode::B64 => ", then bits 4-5 ^= bits 7-8",
        SwizzleMode::B128 => ", then bits 4-6 ^= bits 7-9",
        SwizzleMode::B128Atom32 => ", then bits 5-6 ^= bits 7-8",
        SwizzleMode::B128Atom32Flip8 => ", then bits 5-6 ^= bits 7-8, bit 3 ^= bit 7",
        SwizzleMode::B128Atom64 => ", then bit 6 ^= bit 7",
    };
    format!("byte = start + {place}{swizzled}")
}

/// Formats a size in bytes, in units of 16 bytes, and in elements if the size of an element is a whole number of bytes.
fn in_units(bytes: u64, element_bytes: Option<u32>) -> String {
    let units = bytes / 16;
    let elements = element_bytes.map(|size| bytes / u64::from(size.max(1)));
    let elements = elements.map_or_else(String::new, |n| format!(" = {n} elements"));
    format!("{bytes} bytes = {units} × 16 bytes{elements}")
}

pub(crate) fn fields(
    bits: u64,
    descriptor: &MatrixDescriptor,
    kind: DescriptorKind,
    element_bytes: Option<u32>,
) -> Vec<DescriptorField> {
    let field = |name: &str, [low, high]: [u32; 2], meaning: String| DescriptorField {
        name: name.to_owned(),
        bits: [low, high],
        value: (bits >> low & ((1 << (high - low + 1)) - 1)) as u32,
        meaning,
    };
    let mut all = vec![
        field(
            "start address",
            [0, 13],
            format!(
                "byte {:#x}: {}",
                descriptor.start,
                in_units(descriptor.start, element_bytes)
            ),
        ),
        field(
            "leading byte offset",
            [16, 29],
            in_units(descriptor.leading_bytes, element_bytes),
        ),
        field(
            "stride byte offset",
            [32, 45],
            in_units(descriptor.stride_bytes, element_bytes),
        ),
    ];
    if kind == DescriptorKind::TensorMemory {
        all.push(field("constant", [46, 48], "always 1".to_owned()));
    }
    let base = match descriptor.base_offset {
        0 => "the swizzle pattern is aligned to the size of the pattern".to_owned(),
        lines => format!("the swizzle pattern starts {lines} 128-byte lines later"),
    };
    all.push(field("base offset", [49, 51], base));
    let first = match kind {
        DescriptorKind::Warpgroup => 62,
        DescriptorKind::TensorMemory => 61,
    };
    all.push(field(
        "swizzle",
        [first, 63],
        descriptor.swizzle.name().to_owned(),
    ));
    all
}
