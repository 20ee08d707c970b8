//! Textures, and what is asked of them and of surfaces (PTX ISA, "Texture Instructions", "suq").

use super::table::{ALWAYS, form, operands, set, since, types};
use crate::does::{
    SurfaceOp,
    TextureOp::{self, Gather, IsReference, Query, QueryLevel},
    UnitOp::{Surface, Texture},
};
use crate::form::rule::{Rule, RuleKind::*, of, rule};
use crate::form::{Form, Gate, SlotName as S, UnitOperand};
use crate::modifier::{
    Geometry::*, Property::*, Queried as Q, ReferenceKind as Handle, TexelComponent::*,
    VectorWidth::*,
};
use crate::types::ScalarType::{Pred, U64};

/// A texture in a register.
pub const INDIRECT: Gate = since(3, 1).sm(20);
/// A texture and a sampler in registers.
pub const INDIRECT_PAIR: Gate = since(4, 3).sm(30);
/// Offsets in texels, and values to compare with.
pub const OFFSETS: Gate = since(4, 3).sm(30);
/// Levels of a mipmap.
const MIPMAPS: Gate = since(3, 1).sm(20);
/// A predicate after the bar, which says whether the texels are resident.
pub const RESIDENCY: Gate = since(7, 1).sm(60);

const LAYERS: Gate = since(4, 1).sm(30);

set! { REFERENCE: Type "type of reference";
    "texref",     Reference(Handle::Texture), ALWAYS, "a texture";
    "samplerref", Reference(Handle::Sampler), ALWAYS, "a sampler";
    "surfref",    Reference(Handle::Surface), ALWAYS, "a surface";
}
set! { OF_TEXTURE: Query "query";
    "width",                     Query(Q::Texture, Width), ALWAYS,            "texels of a row";
    "height",                    Query(Q::Texture, Height), ALWAYS,            "rows";
    "depth",                     Query(Q::Texture, Depth), ALWAYS,            "layers of a volume";
    "channel_data_type",         Query(Q::Texture, ChannelType), ALWAYS,            "the type of a channel";
    "channel_order",             Query(Q::Texture, ChannelOrder), since(2, 1).sm(20), "the order of channels";
    "normalized_coords",         Query(Q::Texture, NormalizedCoordinates), ALWAYS,            "whether coordinates go from 0 to 1";
    "force_unnormalized_coords", Query(Q::Sampler, ForceUnnormalized), ALWAYS,            "whether the sampler counts texels";
    "array_size",                Query(Q::Texture, ArraySize), ALWAYS,            "layers of an array";
    "filter_mode",               Query(Q::Filtering, FilterMode), since(3, 1).sm(20), "how texels are filtered";
    "addr_mode_0",               Query(Q::Filtering, AddressMode0), ALWAYS,            "what lies beyond the first dimension";
    "addr_mode_1",               Query(Q::Filtering, AddressMode1), since(3, 1).sm(20), "what lies beyond the second dimension";
    "addr_mode_2",               Query(Q::Filtering, AddressMode2), ALWAYS,            "what lies beyond the third dimension";
    "num_mipmap_levels",         Query(Q::Texture, MipmapLevels), LAYERS,            "levels of a mipmap";
    "num_samples",               Query(Q::Texture, Samples), LAYERS,            "samples of a texel";
}
set! { OF_LEVEL: Query "query";
    "width",  Query(Q::Texture, Width), ALWAYS, "texels of a row";
    "height", Query(Q::Texture, Height), ALWAYS, "rows";
    "depth",  Query(Q::Texture, Depth), ALWAYS, "layers of a volume";
}
set! { OF_SURFACE: Query "query";
    "width",             Query(Q::Surface, Width), ALWAYS,            "elements of a row";
    "height",            Query(Q::Surface, Height), ALWAYS,            "rows";
    "depth",             Query(Q::Surface, Depth), ALWAYS,            "layers of a volume";
    "channel_data_type", Query(Q::Surface, ChannelType), ALWAYS,            "the type of a channel";
    "channel_order",     Query(Q::Surface, ChannelOrder), ALWAYS,            "the order of channels";
    "array_size",        Query(Q::Surface, ArraySize), since(4, 1).sm(20), "layers of an array";
    "memory_layout",     Query(Q::Surface, MemoryLayout), since(4, 2).sm(20), "whether elements lie in rows or in blocks";
}
set! { GEOMETRY: Geometry "geometry";
    "1d",    Geometry(D1),    ALWAYS,            "one row";
    "2d",    Geometry(D2),    ALWAYS,            "rows";
    "3d",    Geometry(D3),    ALWAYS,            "a volume";
    "a1d",   Geometry(A1d),   since(2, 3).sm(20), "an array of rows; the first coordinate is the layer";
    "a2d",   Geometry(A2d),   since(2, 3).sm(20), "an array of images; the first coordinate is the layer";
    "cube",  Geometry(Cube),  since(3, 0).sm(20), "six faces of a cube";
    "acube", Geometry(Acube), since(3, 0).sm(20), "an array of cubes; the first coordinate is the layer";
    "2dms",  Geometry(D2ms),  since(3, 2).sm(30), "rows with several samples of a texel";
    "a2dms", Geometry(A2dms), since(3, 2).sm(30), "an array of images with several samples of a texel";
    "5d",    Geometry(D5),    ALWAYS.assembler("13.5"), "not in the manual; as `.a1d`";
}
/// The geometries of textures that have mipmaps, by the gate of cubes.
macro_rules! mipmapped {
    ($name:ident, $cubes:expr) => {
        set! { $name: Geometry "geometry";
            "1d",    Geometry(D1),    ALWAYS,            "one row";
            "2d",    Geometry(D2),    ALWAYS,            "rows";
            "3d",    Geometry(D3),    ALWAYS,            "a volume";
            "a1d",   Geometry(A1d),   since(2, 3).sm(20), "an array of rows; the first coordinate is the layer";
            "a2d",   Geometry(A2d),   since(2, 3).sm(20), "an array of images; the first coordinate is the layer";
            "cube",  Geometry(Cube),  $cubes,            "six faces of a cube";
            "acube", Geometry(Acube), $cubes,            "an array of cubes; the first coordinate is the layer";
            "5d",    Geometry(D5),    ALWAYS.assembler("13.5"), "not in the manual; as `.a1d`";
        }
    };
}
mipmapped!(MIPMAPPED, since(3, 0).sm(20));
mipmapped!(GRADED, since(4, 3).sm(20));
set! { GATHERED: Geometry "geometry";
    "2d",    Geometry(D2),    ALWAYS,            "rows";
    "a2d",   Geometry(A2d),   since(4, 3).sm(30), "an array of images; the first coordinate is the layer";
    "cube",  Geometry(Cube),  since(4, 3).sm(30), "six faces of a cube";
    "acube", Geometry(Acube), since(4, 3).sm(30), "an array of cubes; the first coordinate is the layer";
}
set! { COMPONENT: Component "component";
    "r", Component(Red), since(3, 1).sm(20), "red";
    "g", Component(Green), ALWAYS,            "green";
    "b", Component(Blue), ALWAYS,            "blue";
    "a", Component(Alpha), ALWAYS,            "alpha";
}
set! { FOUR: Vector "vector width"; "v4", Vector(V4), ALWAYS, "four values"; }
set! { TWO: Vector "vector width"; "v2", Vector(V2), ALWAYS, "two pairs of halves"; }
types!(WORD, Type, B32);
types!(TEXELS, DType, F32 S32 U32);
types!(GATHERED_TEXELS, DType, F32 U32; since(3, 1).sm(20) => S32);
types!(PAIRS, DType; since(4, 2).sm(53) => F16x2);
types!(COORDINATES, CType, F32 S32);
types!(SINGLES, CType, F32);

#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule(Only { when: of(S::Geometry, &["cube", "acube"]), slot: S::CType, among: &["f32"] }, "a direction has `.f32` coordinates"),
    rule(Only { when: of(S::Geometry, &["2dms", "a2dms"]), slot: S::CType, among: &["s32"] }, "the sample number is an integer"),
];

operands! {
    ASKED: "d" Fixed(Pred), "a" Fixed(U64);
    QUERIED: "a" Unit(UnitOperand::Reference);
    LEVEL: "a" Unit(UnitOperand::Reference), "level" Unit(UnitOperand::Level);
    SAMPLED: "d" Unit(UnitOperand::Sampled), "a, coordinates" Unit(UnitOperand::TexturePlace), "lod" Unit(UnitOperand::Detail),
        "dPdx" Unit(UnitOperand::Gradient), "dPdy" Unit(UnitOperand::Gradient), "offset" Unit(UnitOperand::TextureOffset),
        "reference" Unit(UnitOperand::Compared);
}

const TXQ: &str = "texture-instructions-txq";
const TEX: &str = "texture-instructions-tex";

/// A row of `tex`: syntax, sets of its own, words of its name.
macro_rules! sample {
    ($does:ident $syntax:literal, [$($set:expr),*], $leads:literal $(, $field:ident: $value:expr)*; $help:literal $(; $($example:ident: $given:expr),*)?) => {
        form!($syntax, [COORDINATES, $($set),*], Unit(Texture(TextureOp::$does)), leads: $leads, types: SAMPLED, rules: RULES $(, $field: $value)*; $help, TEX $(; $($example: $given),*)?)
    };
}

/// The forms of textures: four values of a texel, or two pairs of halves.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    sample!(Sample "tex.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates]{, offset}{, reference}", [GEOMETRY, FOUR, TEXELS], 0;
        "Reads a texel of a texture, filtered as the sampler says.";
        good: &["tex.1d.v4.f32.s32 {a, b, c, e}, [d, {r}];"], bad: &[("tex.cube.v4.f32.s32 {a, b, c, e}, [d, {r, r, r, r}];", "W0302")]),
    sample!(Sample "tex.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates]{, offset}{, reference}", [GEOMETRY, TWO, PAIRS], 0;
        "Reads a texel of a texture as halves."),
    sample!(Sample "tex.base.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates]{, offset}{, reference}", [GEOMETRY, FOUR, TEXELS], 1, gate: MIPMAPS;
        "Reads a texel of the finest level of a mipmap."),
    sample!(Sample "tex.base.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates]{, offset}{, reference}", [GEOMETRY, TWO, PAIRS], 1, gate: MIPMAPS;
        "Reads a texel of the finest level of a mipmap as halves."),
    sample!(SampleLevel "tex.level.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates], lod{, offset}{, reference}", [MIPMAPPED, FOUR, TEXELS], 1, gate: MIPMAPS;
        "Reads a texel of a level of a mipmap."),
    sample!(SampleLevel "tex.level.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates], lod{, offset}{, reference}", [MIPMAPPED, TWO, PAIRS], 1, gate: MIPMAPS;
        "Reads a texel of a level of a mipmap as halves."),
    sample!(SampleGradient "tex.grad.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates], dPdx, dPdy{, offset}{, reference}", [GRADED, FOUR, TEXELS], 1, gate: MIPMAPS;
        "Reads a texel of a mipmap level, chosen by gradients."),
    sample!(SampleGradient "tex.grad.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates], dPdx, dPdy{, offset}{, reference}", [GRADED, TWO, PAIRS], 1, gate: MIPMAPS;
        "Reads a texel of a mipmap level as halves, chosen by gradients."),
    form!("tld4.comp.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates]{, offset}{, reference}", [COMPONENT, GATHERED, FOUR, GATHERED_TEXELS, SINGLES], Unit(Texture(Gather)),
        gate: since(2, 2).sm(20).assembler("13.5"), types: SAMPLED;
        "Reads one component of the four texels around a place.", "texture-instructions-tld4";
        good: &["tld4.r.2d.v4.f32.f32 {a, b, c, e}, [d, {x, y}];"], bad: &[("tld4.r.3d.v4.f32.f32 {a, b, c, e}, [d, {x, y, z, z}];", "W0102")]),
    form!("istypep.type d, a", [REFERENCE], Unit(Texture(IsReference)), gate: since(4, 0).sm(30).assembler("13.5"), types: ASKED, takes: &[NoAddress];
        "Says whether a value refers to a texture, sampler or surface.", "texture-instructions-istypep";
        good: &["istypep.texref p, d;"], bad: &[("istypep.texref p, r;", "W0109")]),
    form!("txq.query.type d, [a]", [OF_TEXTURE, WORD], Unit(Texture(Query)), gate: since(2, 0).sm(20).assembler("13.5"), types: QUERIED;
        "Reads a property of a texture or sampler.", TXQ; good: &["txq.width.b32 r, [d];"], bad: &[("txq.width.b32 r, [r];", "W0110")]),
    form!("txq.level.query.type d, [a], level", [OF_LEVEL, WORD], Unit(Texture(QueryLevel)), gate: since(4, 3).sm(30).assembler("13.5"), leads: 1, types: LEVEL;
        "Reads a size of one level of a mipmap.", TXQ; good: &["txq.level.width.b32 r, [d], 1;"]),
    form!("suq.query.type d, [a]", [OF_SURFACE, WORD], Unit(Surface(SurfaceOp::Query)), gate: since(2, 0).sm(20).assembler("13.5"), types: QUERIED;
        "Reads a property of a surface.", "surface-instructions-suq"; good: &["suq.width.b32 r, [d];"]),
];
