//! Encoding and decoding of the instruction descriptors of `tcgen05.mma`. The encoder reads the field values from query parameters.

use crate::layouts::fragment::request::{FragmentRequest, FragmentRequestError};
use crate::layouts::tensor::query_parameters::QueryParams;
use crate::layouts::tensor::registers::bits_of;
use crate::layouts::tensor::tensor_memory::PRODUCT;
use crate::layouts::tensor::{DescriptorField, LayoutView, RelatedLayout, refusal};
use warpgrid_isa::tensor_layout::{InstructionDescriptor, Major};
use warpgrid_isa::{MmaKind, ScalarType};

pub(crate) const KINDS: [(&str, MmaKind); 7] = [
    ("f16", MmaKind::F16),
    ("tf32", MmaKind::Tf32),
    ("f8f6f4", MmaKind::F8f6f4),
    ("i8", MmaKind::I8),
    ("mxf8f6f4", MmaKind::Mxf8f6f4),
    ("mxf4", MmaKind::Mxf4),
    ("mxf4nvf4", MmaKind::Mxf4nvf4),
];
const NARROW: &[&str] = &["e4m3", "e5m2", "e2m3", "e3m2", "e2m1"];

/// Returns the MMA kind with the given name.
pub(crate) fn kind_named(name: &str) -> Option<MmaKind> {
    let found = KINDS.iter().find(|(kind, _)| *kind == name)?;
    Some(found.1)
}

/// Returns the MMA kind that the query parameters select, and the name of the kind.
pub(crate) fn chosen_kind(
    words: &mut QueryParams<'_>,
) -> Result<(&'static str, MmaKind), FragmentRequestError> {
    let names = KINDS.map(|(name, _)| name);
    let name = words.choice("kind", &names, "the kind of MMA, such as `.kind::f16`")?;
    Ok((name, kind_named(name).unwrap_or(MmaKind::F16)))
}

/// Decodes a 32-bit instruction descriptor. The error names the fields with invalid values.
pub(crate) fn decoded(
    bits: u64,
    name: &str,
    kind: MmaKind,
) -> Result<InstructionDescriptor, FragmentRequestError> {
    let bits = bits as u32;
    InstructionDescriptor::decode(bits, kind).ok_or_else(|| {
        refusal(format!(
            "the instruction descriptor 0x{bits:08x} encodes types that `.kind::{name}` does not support"
        ))
    })
}

pub(crate) fn instruction(words: &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError> {
    let (name, kind) = chosen_kind(words)?;
    let about = "the bits of the descriptor, which determine all other fields";
    let written = words.bits("descriptor", u32::MAX.into(), about)?;
    let about = "the bits of the intended descriptor, for a comparison of the fields";
    let meant = words.bits("meant", u32::MAX.into(), about)?;
    let (bits, says) = match written {
        Some(bits) => (bits as u32, decoded(bits, name, kind)?),
        None => {
            let says = chosen(words, kind)?;
            let bits = says.encode(kind);
            let bits = bits.ok_or_else(|| {
                refusal(format!(
                    "no instruction descriptor of `.kind::{name}` encodes m{}n{}",
                    says.m, says.n
                ))
            })?;
            (bits, says)
        }
    };
    let fields = fields(bits, &says, kind);
    let mut notes = mistakes(bits, &says, kind);
    if let Some(meant) = meant {
        let other = decoded(meant, name, kind)?;
        notes.extend(differences(
            &fields,
            &self::fields(meant as u32, &other, kind),
        ));
    }
    let related = ["a", "b"].map(|factor| {
        let words = [("kind", name.to_owned()), ("idesc", format!("0x{bits:x}"))];
        let meant = meant.map(|bits| ("meant_idesc", format!("0x{bits:x}")));
        let words = words.into_iter().chain(meant);
        RelatedLayout {
            title: format!(
                "The tile of {} that the hardware reads",
                factor.to_ascii_uppercase()
            ),
            request: FragmentRequest {
                op: format!("tcgen05.tile.{factor}"),
                with: words.map(|(name, word)| (name.to_owned(), word)).collect(),
                ..FragmentRequest::default()
            },
        }
    });
    Ok(LayoutView {
        title: format!("Instruction descriptor of `tcgen05.mma.kind::{name}`: 0x{bits:08x}"),
        rule: "fields in order of their bits, from the lowest bit; all other bits are 0".to_owned(),
        descriptor: Some(format!("0x{bits:08x}")),
        fields,
        notes,
        ptx: vec![format!("mov.b32 %idesc, 0x{bits:08x};")],
        related: related.into(),
        ..LayoutView::from_grid(0, 0, &[], &|_, _| Vec::new())
    })
}

/// Returns messages about the fields that differ between two instruction descriptors. Each message contains the intended value of the
/// field.
pub(crate) fn differences(found: &[DescriptorField], meant: &[DescriptorField]) -> Vec<String> {
    let pairs = found.iter().zip(meant);
    let differ = pairs.filter(|(found, meant)| found.value != meant.value);
    let named = differ.map(|(found, meant)| {
        format!(
            "Field {}: {}, intended: {}.",
            found.name, found.meaning, meant.meaning
        )
    });
    let all: Vec<String> = named.collect();
    match all.is_empty() {
        true => vec!["All fields match the intended descriptor.".to_owned()],
        false => all,
    }
}

/// Returns messages about the fields of an instruction descriptor whose values no instruction accepts.
fn mistakes(bits: u32, says: &InstructionDescriptor, kind: MmaKind) -> Vec<String> {
    let mut notes = Vec::new();
    let step = match says.m {
        64 => 8,
        _ => 16,
    };
    if !matches!(says.m, 32 | 64 | 128 | 256) {
        notes.push(format!(
            "No MMA has {} rows. The field M counts units of 16 rows, so 128 rows are encoded as 8.",
            says.m
        ));
    }
    if says.n == 0 || says.n > 256 || !says.n.is_multiple_of(step) {
        notes.push(format!(
            "No MMA with {} rows has {} columns. The field N counts units of 8 columns, and N must be a multiple of {step} up to 256.",
            says.m, says.n
        ));
    }
    let named = fields(bits, says, kind).iter().fold(0u32, |named, field| {
        let [low, high] = field.bits;
        named | ((1u32 << (high - low + 1)) - 1) << low
    });
    // In `.ws` instructions, the two highest bits are the maximum shift of B (PTX ISA, "Instruction descriptor").
    let shifts = match kind.is_scaled() {
        true => 0,
        false => 0x3 << 30,
    };
    let rest = bits & !named & !shifts;
    if rest != 0 {
        notes.push(format!(
            "The bits 0x{rest:08x} belong to no field of this MMA kind, and the PTX ISA manual requires that these bits are 0."
        ));
    }
    notes
}

/// Returns the fields of an instruction descriptor constant. An editor shows the fields when the user hovers over the constant.
pub(crate) fn fields_of(bits: u32, kind: &str) -> Option<Vec<DescriptorField>> {
    let kind = kind_named(kind)?;
    let descriptor = InstructionDescriptor::decode(bits, kind)?;
    Some(fields(bits, &descriptor, kind))
}

/// Reads the query parameters that specify an instruction descriptor.
fn chosen(
    words: &mut QueryParams<'_>,
    kind: MmaKind,
) -> Result<InstructionDescriptor, FragmentRequestError> {
    let (types, sums): (&[&str], &[&str]) = match kind {
        MmaKind::F16 => (&["f16", "bf16"], &["f32", "f16"]),
        MmaKind::Tf32 => (&["tf32"], &["f32"]),
        MmaKind::F8f6f4 => (NARROW, &["f32", "f16"]),
        MmaKind::I8 => (&["s8", "u8"], &["s32"]),
        MmaKind::Mxf8f6f4 => (NARROW, &["f32"]),
        MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => (&["e2m1"], &["f32"]),
    };
    let a = ty(words.choice("type", types, "the type of A")?);
    let b = ty(words.choice("b", types, "the type of B")?);
    let d = ty(words.choice("d", sums, "the type of D")?);
    let (m, n) = words.shape(PRODUCT)?;
    let major = |is_mn| if is_mn { Major::Mn } else { Major::K };
    let a_major = major(words.flag("transpose_a", "A is MN-major")?);
    let b_major = major(words.flag("transpose_b", "B is MN-major")?);
    let negate = [
        words.flag("negate_a", "A is negated")?,
        words.flag("negate_b", "B is negated")?,
    ];
    let is_sparse = words.flag("sparse", "A is sparse")?;
    let selector = match is_sparse {
        true => words.number("selector", 0, 3, "the sparsity selector")? as u32,
        false => 0,
    };
    let saturates = match kind {
        MmaKind::I8 => words.flag("saturate", "integer saturation")?,
        MmaKind::F16
        | MmaKind::Tf32
        | MmaKind::F8f6f4
        | MmaKind::Mxf8f6f4
        | MmaKind::Mxf4
        | MmaKind::Mxf4nvf4 => false,
    };
    let (factor_type, factor_ids) = scale_factors(words, kind)?;
    Ok(InstructionDescriptor {
        m,
        n,
        a,
        b,
        d,
        a_major,
        b_major,
        negate,
        is_sparse,
        saturates,
        selector,
        factor_ids,
        factor_type,
    })
}

fn ty(name: &str) -> ScalarType {
    ScalarType::from_name(name).unwrap_or(ScalarType::F32)
}

/// Reads the query parameters for the type of the scale factors, and for the byte IDs of the scale factors of A and B.
fn scale_factors(
    words: &mut QueryParams<'_>,
    kind: MmaKind,
) -> Result<(ScalarType, [u32; 2]), FragmentRequestError> {
    if !kind.is_scaled() {
        return Ok((ScalarType::Ue4m3, [0; 2]));
    }
    let types: &[&str] = match kind {
        MmaKind::Mxf4nvf4 => &["ue4m3", "ue8m0"],
        MmaKind::F16
        | MmaKind::Tf32
        | MmaKind::I8
        | MmaKind::F8f6f4
        | MmaKind::Mxf8f6f4
        | MmaKind::Mxf4 => &["ue8m0"],
    };
    let ty = ty(words.choice("scale_type", types, "the type of the scale factors")?);
    let ids = [
        words.number("id_a", 0, 3, "the byte ID of the scale factors of A")? as u32,
        words.number("id_b", 0, 3, "the byte ID of the scale factors of B")? as u32,
    ];
    Ok((ty, ids))
}

pub(crate) fn fields(
    bits: u32,
    says: &InstructionDescriptor,
    kind: MmaKind,
) -> Vec<DescriptorField> {
    let is_scaled = kind.is_scaled();
    let ty = |ty: ScalarType| format!("{}, {} bits", ty.name(), bits_of(ty.name()));
    let field = |name: &str, [low, high]: [u32; 2], meaning: String| DescriptorField {
        name: name.to_owned(),
        bits: [low, high],
        value: bits >> low & ((1 << (high - low + 1)) - 1),
        meaning,
    };
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let major = |major: Major| {
        if major == Major::Mn {
            "MN-major"
        } else {
            "K-major"
        }
        .to_owned()
    };
    let byte = |id: u32| format!("byte {id}");
    let mut all = vec![
        field("sparsity selector", [0, 1], says.selector.to_string()),
        field("sparse A", [2, 2], yes(says.is_sparse)),
    ];
    match is_scaled {
        true => all.push(field(
            "scale factors of B",
            [4, 5],
            byte(says.factor_ids[1]),
        )),
        false => {
            all.push(field("saturated", [3, 3], yes(says.saturates)));
            all.push(field("type of D", [4, 5], ty(says.d)));
        }
    }
    all.extend([
        field("type of A", [7, 9], ty(says.a)),
        field(
            "type of B",
            [10, 9 + InstructionDescriptor::n_b_type_bits(kind)],
            ty(says.b),
        ),
        field("A negated", [13, 13], yes(says.negate[0])),
        field("B negated", [14, 14], yes(says.negate[1])),
        field("A transposed", [15, 15], major(says.a_major)),
        field("B transposed", [16, 16], major(says.b_major)),
        field(
            "N / 8",
            [17, 22],
            format!("{} columns = {} × 8", says.n, says.n / 8),
        ),
    ]);
    if is_scaled {
        all.push(field(
            "type of the scale factors",
            [23, 23],
            says.factor_type.name().to_owned(),
        ));
    }
    all.push(field(
        "M / 16",
        [24, 28],
        format!("{} rows = {} × 16", says.m, says.m / 16),
    ));
    if is_scaled {
        all.push(field(
            "scale factors of A",
            [29, 30],
            byte(says.factor_ids[0]),
        ));
    }
    all
}
