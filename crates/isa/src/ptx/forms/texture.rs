//! Texture accesses, and queries on textures and surfaces (PTX ISA, "Texture Instructions", "suq").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use crate::form::rule::{Rule, RuleKind::*, of, rule};
use crate::form::{DeviceUnitOperand, Form, Gate, SlotName as S};
use crate::modifier::{
    Geometry::*, QueryObject as Q, ReferenceKind as Handle, TexelComponent::*, TextureQuery::*,
    VectorWidth::*,
};
use crate::operation::{
    DeviceUnitOp::{Surface, Texture},
    SurfaceOp,
    TextureOp::{self, Gather, IsReference, Query, QueryLevel},
};
use crate::types::ScalarType::{Pred, U64};

/// Gate of texture accesses with the texture handle in a register.
pub const INDIRECT: Gate = since(3, 1).sm(20);
/// Gate of texture accesses with both the texture handle and the sampler handle in registers.
pub const INDIRECT_PAIR: Gate = since(4, 3).sm(30);
/// Gate of texel offsets and depth comparison.
pub const OFFSETS: Gate = since(4, 3).sm(30);
/// Gate of forms with an explicit mipmap level.
const MIPMAPS: Gate = since(3, 1).sm(20);
/// Gate of the destination predicate after the vertical bar, which indicates whether the texels are resident.
pub const RESIDENCY: Gate = since(7, 1).sm(60);

const LAYERS: Gate = since(4, 1).sm(30);

set! { REFERENCE: Type "kind of reference";
    "texref",     Reference(Handle::Texture), ALWAYS, "a texture";
    "samplerref", Reference(Handle::Sampler), ALWAYS, "a sampler";
    "surfref",    Reference(Handle::Surface), ALWAYS, "a surface";
}
set! { OF_TEXTURE: Query "query";
    "width",                     Query(Q::Texture, Width), ALWAYS,            "width in texels";
    "height",                    Query(Q::Texture, Height), ALWAYS,            "height in rows";
    "depth",                     Query(Q::Texture, Depth), ALWAYS,            "depth in texels";
    "channel_data_type",         Query(Q::Texture, ChannelType), ALWAYS,            "channel data type";
    "channel_order",             Query(Q::Texture, ChannelOrder), since(2, 1).sm(20), "channel order";
    "normalized_coords",         Query(Q::Texture, NormalizedCoordinates), ALWAYS,            "flag that tells whether coordinates are normalized to [0, 1]";
    "force_unnormalized_coords", Query(Q::Sampler, ForceUnnormalized), ALWAYS,            "flag that tells whether the sampler forces unnormalized coordinates";
    "array_size",                Query(Q::Texture, ArraySize), ALWAYS,            "number of array layers";
    "filter_mode",               Query(Q::Filtering, FilterMode), since(3, 1).sm(20), "filter mode";
    "addr_mode_0",               Query(Q::Filtering, AddressMode0), ALWAYS,            "address mode of the first dimension";
    "addr_mode_1",               Query(Q::Filtering, AddressMode1), since(3, 1).sm(20), "address mode of the second dimension";
    "addr_mode_2",               Query(Q::Filtering, AddressMode2), ALWAYS,            "address mode of the third dimension";
    "num_mipmap_levels",         Query(Q::Texture, MipmapLevels), LAYERS,            "number of mipmap levels";
    "num_samples",               Query(Q::Texture, Samples), LAYERS,            "number of samples per texel";
}
set! { OF_LEVEL: Query "query";
    "width",  Query(Q::Texture, Width), ALWAYS, "width in texels";
    "height", Query(Q::Texture, Height), ALWAYS, "height in rows";
    "depth",  Query(Q::Texture, Depth), ALWAYS, "depth in texels";
}
set! { OF_SURFACE: Query "query";
    "width",             Query(Q::Surface, Width), ALWAYS,            "width in elements";
    "height",            Query(Q::Surface, Height), ALWAYS,            "height in rows";
    "depth",             Query(Q::Surface, Depth), ALWAYS,            "depth in texels";
    "channel_data_type", Query(Q::Surface, ChannelType), ALWAYS,            "channel data type";
    "channel_order",     Query(Q::Surface, ChannelOrder), ALWAYS,            "channel order";
    "array_size",        Query(Q::Surface, ArraySize), since(4, 1).sm(20), "number of array layers";
    "memory_layout",     Query(Q::Surface, MemoryLayout), since(4, 2).sm(20), "memory layout of the elements";
}
set! { GEOMETRY: Geometry "geometry";
    "1d",    Geometry(D1),    ALWAYS,            "one dimension";
    "2d",    Geometry(D2),    ALWAYS,            "two dimensions";
    "3d",    Geometry(D3),    ALWAYS,            "three dimensions";
    "a1d",   Geometry(A1d),   since(2, 3).sm(20), "array of one-dimensional layers, whose first coordinate is the layer index";
    "a2d",   Geometry(A2d),   since(2, 3).sm(20), "array of two-dimensional layers, whose first coordinate is the layer index";
    "cube",  Geometry(Cube),  since(3, 0).sm(20), "cube map";
    "acube", Geometry(Acube), since(3, 0).sm(20), "array of cube maps, whose first coordinate is the layer index";
    "2dms",  Geometry(D2ms),  since(3, 2).sm(30), "two-dimensional multisample texture";
    "a2dms", Geometry(A2dms), since(3, 2).sm(30), "array of two-dimensional multisample textures";
    "5d",    Geometry(D5),    ALWAYS.assembler("13.5"), "undocumented modifier with the effect of `.a1d`";
}
/// Set of the geometries of textures with mipmaps. The gate of cube maps is a parameter of the macro.
macro_rules! mipmapped {
    ($name:ident, $cubes:expr) => {
        set! { $name: Geometry "geometry";
            "1d",    Geometry(D1),    ALWAYS,            "one dimension";
            "2d",    Geometry(D2),    ALWAYS,            "two dimensions";
            "3d",    Geometry(D3),    ALWAYS,            "three dimensions";
            "a1d",   Geometry(A1d),   since(2, 3).sm(20), "array of one-dimensional layers, whose first coordinate is the layer index";
            "a2d",   Geometry(A2d),   since(2, 3).sm(20), "array of two-dimensional layers, whose first coordinate is the layer index";
            "cube",  Geometry(Cube),  $cubes,            "cube map";
            "acube", Geometry(Acube), $cubes,            "array of cube maps, whose first coordinate is the layer index";
            "5d",    Geometry(D5),    ALWAYS.assembler("13.5"), "undocumented modifier with the effect of `.a1d`";
        }
    };
}
mipmapped!(MIPMAPPED, since(3, 0).sm(20));
mipmapped!(GRADED, since(4, 3).sm(20));
set! { GATHERED: Geometry "geometry";
    "2d",    Geometry(D2),    ALWAYS,            "two dimensions";
    "a2d",   Geometry(A2d),   since(4, 3).sm(30), "array of two-dimensional layers, whose first coordinate is the layer index";
    "cube",  Geometry(Cube),  since(4, 3).sm(30), "cube map";
    "acube", Geometry(Acube), since(4, 3).sm(30), "array of cube maps, whose first coordinate is the layer index";
}
set! { COMPONENT: Component "component";
    "r", Component(Red), since(3, 1).sm(20), "red";
    "g", Component(Green), ALWAYS,            "green";
    "b", Component(Blue), ALWAYS,            "blue";
    "a", Component(Alpha), ALWAYS,            "alpha";
}
set! { FOUR: Vector "vector width"; "v4", Vector(V4), ALWAYS, "four values"; }
set! { TWO: Vector "vector width"; "v2", Vector(V2), ALWAYS, "two `.f16x2` registers"; }
types!(WORD, Type, B32);
types!(TEXELS, DType, F32 S32 U32);
types!(GATHERED_TEXELS, DType, F32 U32; since(3, 1).sm(20) => S32);
types!(PAIRS, DType; since(4, 2).sm(53) => F16x2);
types!(COORDINATES, CType, F32 S32);
types!(SINGLES, CType, F32);

#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule(Restricts { when: of(S::Geometry, &["cube", "acube"]), slot: S::CType, among: &["f32"] }, "the coordinates of a cube map must have type `.f32`"),
    rule(Restricts { when: of(S::Geometry, &["2dms", "a2dms"]), slot: S::CType, among: &["s32"] }, "the sample index of a multisample texture must be an integer"),
];

operands! {
    ASKED: "d" Fixed(Pred), "a" Fixed(U64);
    QUERIED: "a" Unit(DeviceUnitOperand::Reference);
    LEVEL: "a" Unit(DeviceUnitOperand::Reference), "level" Unit(DeviceUnitOperand::Level);
    SAMPLED: "d" Unit(DeviceUnitOperand::TexelResult), "a, coordinates" Unit(DeviceUnitOperand::TextureCoordinates), "lod" Unit(DeviceUnitOperand::LevelOfDetail),
        "dPdx" Unit(DeviceUnitOperand::Gradient), "dPdy" Unit(DeviceUnitOperand::Gradient), "offset" Unit(DeviceUnitOperand::TextureOffset),
        "reference" Unit(DeviceUnitOperand::DepthReference);
}

const TXQ: &str = "texture-instructions-txq";
const TEX: &str = "texture-instructions-tex";

/// Form of `tex`: syntax, additional sets, number of name modifiers.
macro_rules! sample {
    ($does:ident $syntax:literal, [$($set:expr),*], $leads:literal $(, $field:ident: $value:expr)*; $help:literal $(; $($example:ident: $given:expr),*)?) => {
        form!($syntax, [COORDINATES, $($set),*], Unit(Texture(TextureOp::$does)), n_name_modifiers: $leads, types: SAMPLED, rules: RULES $(, $field: $value)*; $help, TEX $(; $($example: $given),*)?)
    };
}

/// Instruction forms of texture accesses. The result consists of the four components of a texel, or of two registers with packed halves.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    sample!(Sample "tex.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates]{, offset}{, reference}", [GEOMETRY, FOUR, TEXELS], 0;
        "Samples a texture.";
        accepted_examples: &["tex.1d.v4.f32.s32 {a, b, c, e}, [d, {r}];"], rejected_examples: &[("tex.cube.v4.f32.s32 {a, b, c, e}, [d, {r, r, r, r}];", "W0302")]),
    sample!(Sample "tex.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates]{, offset}{, reference}", [GEOMETRY, TWO, PAIRS], 0;
        "Samples a texture and returns half-precision values."),
    sample!(Sample "tex.base.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates]{, offset}{, reference}", [GEOMETRY, FOUR, TEXELS], 1, gate: MIPMAPS;
        "Samples the base level of a mipmapped texture."),
    sample!(Sample "tex.base.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates]{, offset}{, reference}", [GEOMETRY, TWO, PAIRS], 1, gate: MIPMAPS;
        "Samples the base level of a mipmapped texture and returns half-precision values."),
    sample!(SampleLevel "tex.level.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates], lod{, offset}{, reference}", [MIPMAPPED, FOUR, TEXELS], 1, gate: MIPMAPS;
        "Samples a mipmapped texture at a level of detail."),
    sample!(SampleLevel "tex.level.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates], lod{, offset}{, reference}", [MIPMAPPED, TWO, PAIRS], 1, gate: MIPMAPS;
        "Samples a mipmapped texture at a level of detail and returns half-precision values."),
    sample!(SampleGradient "tex.grad.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates], dPdx, dPdy{, offset}{, reference}", [GRADED, FOUR, TEXELS], 1, gate: MIPMAPS;
        "Samples a mipmapped texture at the level of detail derived from gradients."),
    sample!(SampleGradient "tex.grad.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates], dPdx, dPdy{, offset}{, reference}", [GRADED, TWO, PAIRS], 1, gate: MIPMAPS;
        "Samples a mipmapped texture at the level of detail derived from gradients and returns half-precision values."),
    form!("tld4.comp.geom{.uni}.vec.dtype.ctype d{|p}, [a, coordinates]{, offset}{, reference}", [COMPONENT, GATHERED, FOUR, GATHERED_TEXELS, SINGLES], Unit(Texture(Gather)),
        gate: since(2, 2).sm(20).assembler("13.5"), types: SAMPLED;
        "Returns one component of the four texels that bilinear filtering would use.", "texture-instructions-tld4";
        accepted_examples: &["tld4.r.2d.v4.f32.f32 {a, b, c, e}, [d, {x, y}];"], rejected_examples: &[("tld4.r.3d.v4.f32.f32 {a, b, c, e}, [d, {x, y, z, z}];", "W0102")]),
    form!("istypep.type d, a", [REFERENCE], Unit(Texture(IsReference)), gate: since(4, 0).sm(30).assembler("13.5"), types: ASKED, operand_extensions: &[NoAddress];
        "Tests whether a value is an opaque reference to a texture, a sampler or a surface.", "texture-instructions-istypep";
        accepted_examples: &["istypep.texref p, d;"], rejected_examples: &[("istypep.texref p, r;", "W0109")]),
    form!("txq.query.type d, [a]", [OF_TEXTURE, WORD], Unit(Texture(Query)), gate: since(2, 0).sm(20).assembler("13.5"), types: QUERIED;
        "Queries an attribute of a texture or sampler.", TXQ; accepted_examples: &["txq.width.b32 r, [d];"], rejected_examples: &[("txq.width.b32 r, [r];", "W0110")]),
    form!("txq.level.query.type d, [a], level", [OF_LEVEL, WORD], Unit(Texture(QueryLevel)), gate: since(4, 3).sm(30).assembler("13.5"), n_name_modifiers: 1, types: LEVEL;
        "Queries a size of a mipmap level.", TXQ; accepted_examples: &["txq.level.width.b32 r, [d], 1;"]),
    form!("suq.query.type d, [a]", [OF_SURFACE, WORD], Unit(Surface(SurfaceOp::Query)), gate: since(2, 0).sm(20).assembler("13.5"), types: QUERIED;
        "Queries an attribute of a surface.", "surface-instructions-suq"; accepted_examples: &["suq.width.b32 r, [d];"]),
];
