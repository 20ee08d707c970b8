//! Factors in shared memory: a descriptor says where each element lies.

use super::registers::{WARPGROUP, bits_of};
use super::tensor_memory::PRODUCT;
use super::words::Words;
use super::{DescriptorField, Factor, LayoutView, Place, refusal};
use crate::fragment::FragmentRefusal;
use warpgrid_isa::layout::{
    DescriptorKind, Major, MatrixDescriptor, SharedFactor, Storage, Swizzle,
};

/// Bytes along k that one instruction reads of a dense factor.
const DEPTH_BYTES: u64 = 32;
/// The highest byte of shared memory that a descriptor can name.
const MAX_BYTES: u64 = 0x3ffff;

/// A factor of `wgmma`.
pub(super) fn warpgroup(
    words: &mut Words<'_>,
    factor: Factor,
) -> Result<LayoutView, FragmentRefusal> {
    let types = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1"];
    let ty = words.choice("type", &types, "the type of an element")?;
    let size = words.shape(WARPGROUP)?;
    // Single bits are looked at in words.
    let storage = Storage::Bytes(bits_of(ty).div_ceil(8).max(if ty == "b1" { 4 } else { 1 }));
    let majors: &[&str] = match bits_of(ty) {
        16 => &["k", "mn"],
        _ => &["k"],
    };
    let major = words.choice("major", majors, "which index runs along neighbours")?;
    let swizzles = ["128B", "64B", "32B", "none"];
    let kind = DescriptorKind::Warpgroup;
    described(
        words,
        (kind, factor),
        (ty, storage, size),
        (major, &swizzles),
    )
}

/// A factor of `tcgen05.mma`.
pub(super) fn tensor_memory(
    words: &mut Words<'_>,
    factor: Factor,
) -> Result<LayoutView, FragmentRefusal> {
    let types = [
        "f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "e2m3", "e3m2", "e2m1",
    ];
    let ty = words.choice("type", &types, "the type of an element")?;
    let size = words.shape(PRODUCT)?;
    let storage = match ty {
        "e2m3" | "e3m2" => Storage::Padded(6),
        "e2m1" => {
            let kinds = ["f8f6f4", "mxf4"];
            let kind = words.choice("kind", &kinds, "whether values of 4 bits are padded")?;
            match kind {
                "mxf4" => Storage::Nibbles,
                _ => Storage::Padded(4),
            }
        }
        _ => Storage::Bytes(bits_of(ty) / 8),
    };
    let majors: &[&str] = match storage {
        Storage::Bytes(_) => &["k", "mn"],
        Storage::Padded(_) | Storage::Nibbles => &["k"],
    };
    let major = words.choice("major", majors, "which index runs along neighbours")?;
    let all = ["128B", "64B", "32B", "none", "128B_atom_32B"];
    // Words whose rows are neighbours have the atoms of 32 bytes, and nothing else has (PTX ISA, "Shared memory layout").
    let swizzles = match (major, storage) {
        ("mn", Storage::Bytes(4)) => &all[4..],
        _ => &all[..4],
    };
    let kind = DescriptorKind::TensorMemory;
    described(
        words,
        (kind, factor),
        (ty, storage, size),
        (major, swizzles),
    )
}

fn described(
    words: &mut Words<'_>,
    (kind, factor): (DescriptorKind, Factor),
    (ty, storage, (m, n)): (&str, Storage, (usize, usize)),
    (major, swizzles): (&str, &[&'static str]),
) -> Result<LayoutView, FragmentRefusal> {
    let major = match major {
        "mn" => Major::Mn,
        _ => Major::K,
    };
    let is_sparse = factor == Factor::B
        && words.flag("sparse", "whether A is sparse: B has twice the depth")?;
    let one_bytes = if is_sparse {
        2 * DEPTH_BYTES
    } else {
        DEPTH_BYTES
    };
    let depth_of = |bytes: u64| match storage {
        Storage::Bytes(size) => bytes / u64::from(size),
        Storage::Padded(_) => bytes,
        Storage::Nibbles => 2 * bytes,
    };
    let (lines, line_name) = match factor {
        Factor::A => (m, "row of A"),
        Factor::B => (n, "column of B"),
    };
    let line_bytes = match storage {
        Storage::Bytes(size) => lines as u64 * u64::from(size),
        Storage::Padded(_) | Storage::Nibbles => lines as u64,
    };
    let about = "the bits of a descriptor, which say the rest";
    let written = words.bits("descriptor", u64::MAX, about)?;
    let descriptor = match written {
        Some(bits) => MatrixDescriptor::decode(bits, kind).ok_or_else(|| {
            refusal(format!(
                "the descriptor 0x{bits:016x} has no swizzle that exists"
            ))
        })?,
        None => chosen(words, swizzles, (major, line_bytes), (one_bytes, &depth_of))?,
    };
    // A row that is swizzled holds what fits its span, and the next tile is somewhere else.
    let most = match (major, descriptor.swizzle.span_bytes()) {
        (Major::K, Some(span)) => (span / one_bytes).max(1),
        (Major::K, None) | (Major::Mn, _) => 4,
    };
    let steps: Vec<&'static str> = [(1, "1"), (2, "2"), (4, "4")]
        .into_iter()
        .filter_map(|(n, name)| (n <= most).then_some(name))
        .collect();
    let n_steps = words.choice("steps", &steps, "products along k, one instruction each")?;
    let depth = depth_of(one_bytes * n_steps.parse().unwrap_or(1));
    let matrix = SharedFactor {
        descriptor,
        major,
        storage,
    };
    let has_bits = !matches!(storage, Storage::Bytes(_));
    let place = |line: usize, k: usize| -> Vec<Place> {
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
    let bits = written.or_else(|| descriptor.encode(kind));
    let family = match kind {
        DescriptorKind::Warpgroup => "wgmma.mma_async",
        DescriptorKind::TensorMemory => "tcgen05.mma",
    };
    let name = match factor {
        Factor::A => 'A',
        Factor::B => 'B',
    };
    let is_open = descriptor.base_offset != 0 || descriptor.swizzle == Swizzle::B128Atom32;
    let mut notes = vec![format!(
        "One instruction reads {} elements along k. The next step along k begins further on: its descriptor has another start.",
        depth_of(one_bytes)
    )];
    if descriptor.base_offset != 0 {
        notes.push("That the base offset is subtracted before the swizzle is inferred: no source states it.".to_owned());
    }
    Ok(LayoutView {
        title: format!(
            "{name} of `{family}`, {lines} × {depth} of `{ty}`, {}-major, swizzle {}, in shared memory",
            if major == Major::Mn { "MN" } else { "K" },
            descriptor.swizzle.name()
        ),
        rule: rule(&descriptor, major),
        letters:
            "mn = row of A or column of B, es = bytes of an element, LBO = leading, SBO = stride"
                .to_owned(),
        notes,
        row_name: line_name.to_owned(),
        column_name: "k".to_owned(),
        element_bits: match storage {
            Storage::Bytes(size) => 8 * size,
            Storage::Padded(_) => 8,
            Storage::Nibbles => 4,
        },
        descriptor: bits.map(|bits| format!("0x{bits:016x}")),
        fields: bits.map_or_else(Vec::new, |bits| fields(bits, &descriptor, kind)),
        sure: if is_open { "medium" } else { "high" }.to_owned(),
        ..LayoutView::of_grid((lines, depth as usize), names, &place)
    })
}

/// A descriptor of the fields that are written; the others are those of a tile without gaps.
fn chosen(
    words: &mut Words<'_>,
    swizzles: &[&'static str],
    (major, line_bytes): (Major, u64),
    (one_bytes, depth_of): (u64, &dyn Fn(u64) -> u64),
) -> Result<MatrixDescriptor, FragmentRefusal> {
    let depth = depth_of(one_bytes);
    let swizzle = words.choice("swizzle", swizzles, "how 16-byte pieces change places")?;
    let swizzle = Swizzle::from_name(swizzle).unwrap_or_default();
    let (leading, stride) = match (major, swizzle.span_bytes()) {
        // 8 rows of 16 bytes lie together; then comes the next piece along k.
        (Major::K, None) => (128, one_bytes / 16 * 128),
        (Major::K, Some(span)) => (16, 8 * span),
        (Major::Mn, None) => (line_bytes.div_ceil(16) * 128, 128),
        (Major::Mn, Some(_)) if swizzle == Swizzle::B128Atom32 => (depth / 4 * 512, 512),
        (Major::Mn, Some(span)) => (depth / 8 * 8 * span, 8 * span),
    };
    let start = words.number("start", (0, MAX_BYTES), "the byte of the first element")?;
    let leading = words.number("leading", (leading, MAX_BYTES), "the leading byte offset")?;
    let stride = words.number("stride", (stride, MAX_BYTES), "the stride byte offset")?;
    for (name, bytes) in [("start", start), ("leading", leading), ("stride", stride)] {
        if !bytes.is_multiple_of(16) {
            return Err(refusal(format!(
                "found {name} {bytes}, expected a multiple of 16: descriptors count 16 bytes"
            )));
        }
    }
    let base_offset = words.number(
        "base",
        (0, 7),
        "the base offset: where the pattern begins, in lines of 128 bytes",
    )?;
    Ok(MatrixDescriptor {
        start,
        leading_bytes: leading,
        stride_bytes: stride,
        base_offset,
        swizzle,
    })
}

/// The address of an element, before the swizzle.
fn rule(descriptor: &MatrixDescriptor, major: Major) -> String {
    let swizzle = descriptor.swizzle;
    let place = match (major, swizzle.span_bytes()) {
        (Major::K, None) => "mn/8*SBO + mn%8*16 + (k*es/16)*LBO + k*es%16".to_owned(),
        (Major::K, Some(span)) => format!("mn/8*SBO + mn%8*{span} + k*es"),
        (Major::Mn, None) => "(mn*es/16)*SBO + mn*es%16 + k/8*LBO + k%8*16".to_owned(),
        (Major::Mn, Some(_)) if swizzle == Swizzle::B128Atom32 => {
            "(mn*es/128)*LBO + mn*es%128 + k/4*SBO + k%4*128".to_owned()
        }
        (Major::Mn, Some(span)) => {
            format!("(mn*es/{span})*LBO + mn*es%{span} + k/8*SBO + k%8*{span}")
        }
    };
    let swizzled = match swizzle {
        Swizzle::None => "",
        Swizzle::B32 => ", then bit 4 ^= bit 7",
        Swizzle::B64 => ", then bits 4-5 ^= bits 7-8",
        Swizzle::B128 => ", then bits 4-6 ^= bits 7-9",
        Swizzle::B128Atom32 => ", then bits 5-6 ^= bits 7-8",
        Swizzle::B128Atom32Flip8 => ", then bits 5-6 ^= bits 7-8, bit 3 ^= bit 7",
        Swizzle::B128Atom64 => ", then bit 6 ^= bit 7",
    };
    format!("byte = start + {place}{swizzled}")
}

fn fields(bits: u64, descriptor: &MatrixDescriptor, kind: DescriptorKind) -> Vec<DescriptorField> {
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
            format!("byte {}", descriptor.start),
        ),
        field(
            "leading byte offset",
            [16, 29],
            format!("{} bytes", descriptor.leading_bytes),
        ),
        field(
            "stride byte offset",
            [32, 45],
            format!("{} bytes", descriptor.stride_bytes),
        ),
    ];
    if kind == DescriptorKind::TensorMemory {
        all.push(field("constant", [46, 48], "always 1".to_owned()));
    }
    let base = match descriptor.base_offset {
        0 => "the pattern begins at its own multiple".to_owned(),
        lines => format!("the pattern begins {lines} lines of 128 bytes further"),
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
