//! The instruction descriptor of `tcgen05.mma`: made of words, or taken apart.

use super::tensor_memory::PRODUCT;
use super::words::Words;
use super::{DescriptorField, LayoutView, refusal};
use crate::fragment::FragmentRefusal;
use warpgrid_isa::layout::{InstructionDescriptor, Major};
use warpgrid_isa::{MmaKind, ScalarType};

const KINDS: [(&str, MmaKind); 7] = [
    ("f16", MmaKind::F16),
    ("tf32", MmaKind::Tf32),
    ("f8f6f4", MmaKind::F8f6f4),
    ("i8", MmaKind::I8),
    ("mxf8f6f4", MmaKind::Mxf8f6f4),
    ("mxf4", MmaKind::Mxf4),
    ("mxf4nvf4", MmaKind::Mxf4nvf4),
];
const NARROW: &[&str] = &["e4m3", "e5m2", "e2m3", "e3m2", "e2m1"];

pub(super) fn instruction(words: &mut Words<'_>) -> Result<LayoutView, FragmentRefusal> {
    let names = KINDS.map(|(name, _)| name);
    let name = words.choice("kind", &names, "the kind of product: `.kind::f16`")?;
    let found = KINDS.iter().find(|(kind, _)| *kind == name);
    let kind = found.map_or(MmaKind::F16, |(_, kind)| *kind);
    let is_scaled = matches!(kind, MmaKind::Mxf8f6f4 | MmaKind::Mxf4 | MmaKind::Mxf4nvf4);
    let about = "the bits of a descriptor, which say the rest";
    let written = words.bits("descriptor", u32::MAX.into(), about)?;
    let (bits, says) = match written {
        Some(bits) => {
            let bits = bits as u32;
            let says = InstructionDescriptor::decode(bits, kind);
            let says = says.ok_or_else(|| {
                refusal(format!(
                    "0x{bits:08x} names types that `.kind::{name}` does not have"
                ))
            })?;
            (bits, says)
        }
        None => {
            let says = chosen(words, kind, is_scaled)?;
            let bits = says.encode(kind);
            let bits = bits.ok_or_else(|| {
                refusal(format!(
                    "no instruction descriptor of `.kind::{name}` has m{}n{}",
                    says.m, says.n
                ))
            })?;
            (bits, says)
        }
    };
    Ok(LayoutView {
        title: format!("Instruction descriptor of `tcgen05.mma.kind::{name}`: 0x{bits:08x}"),
        rule: "the fields below, lowest bit first; bits that are not named are 0".to_owned(),
        descriptor: Some(format!("0x{bits:08x}")),
        fields: fields(bits, &says, is_scaled),
        ..LayoutView::of_grid((0, 0), &[], &|_, _| Vec::new())
    })
}

/// What the words say.
fn chosen(
    words: &mut Words<'_>,
    kind: MmaKind,
    is_scaled: bool,
) -> Result<InstructionDescriptor, FragmentRefusal> {
    let (types, sums): (&[&str], &[&str]) = match kind {
        MmaKind::F16 => (&["f16", "bf16"], &["f32", "f16"]),
        MmaKind::Tf32 => (&["tf32"], &["f32"]),
        MmaKind::F8f6f4 => (NARROW, &["f32", "f16"]),
        MmaKind::I8 => (&["s8", "u8"], &["s32"]),
        MmaKind::Mxf8f6f4 => (NARROW, &["f32"]),
        MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => (&["e2m1"], &["f32"]),
    };
    let ty = |name: &str| ScalarType::from_name(name).unwrap_or(ScalarType::F32);
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
        true => words.number("selector", (0, 3), "the sparsity selector")? as u32,
        false => 0,
    };
    let saturates = match kind {
        MmaKind::I8 => words.flag("saturate", "sums stay within their type")?,
        MmaKind::F16
        | MmaKind::Tf32
        | MmaKind::F8f6f4
        | MmaKind::Mxf8f6f4
        | MmaKind::Mxf4
        | MmaKind::Mxf4nvf4 => false,
    };
    let (mut factor_ids, mut factor_type) = ([0; 2], ScalarType::Ue4m3);
    if is_scaled {
        let types: &[&str] = match kind {
            MmaKind::Mxf4nvf4 => &["ue4m3", "ue8m0"],
            MmaKind::F16
            | MmaKind::Tf32
            | MmaKind::I8
            | MmaKind::F8f6f4
            | MmaKind::Mxf8f6f4
            | MmaKind::Mxf4 => &["ue8m0"],
        };
        factor_type = ty(words.choice("scale_type", types, "the type of the scales")?);
        factor_ids = [
            words.number("id_a", (0, 3), "the byte of the scales of A")? as u32,
            words.number("id_b", (0, 3), "the byte of the scales of B")? as u32,
        ];
    }
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

fn fields(bits: u32, says: &InstructionDescriptor, is_scaled: bool) -> Vec<DescriptorField> {
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
        true => all.push(field("scales of B", [4, 5], byte(says.factor_ids[1]))),
        false => {
            all.push(field("saturated", [3, 3], yes(says.saturates)));
            all.push(field("type of D", [4, 5], says.d.name().to_owned()));
        }
    }
    all.extend([
        field("type of A", [7, 9], says.a.name().to_owned()),
        field(
            "type of B",
            [10, if is_scaled { 11 } else { 12 }],
            says.b.name().to_owned(),
        ),
        field("A negated", [13, 13], yes(says.negate[0])),
        field("B negated", [14, 14], yes(says.negate[1])),
        field("A transposed", [15, 15], major(says.a_major)),
        field("B transposed", [16, 16], major(says.b_major)),
        field("N / 8", [17, 22], format!("{} columns", says.n)),
    ]);
    if is_scaled {
        all.push(field(
            "type of the scales",
            [23, 23],
            says.factor_type.name().to_owned(),
        ));
    }
    all.push(field("M / 16", [24, 28], format!("{} rows", says.m)));
    if is_scaled {
        all.push(field("scales of A", [29, 30], byte(says.factor_ids[0])));
    }
    all
}
