//! What is asked of textures and surfaces (PTX ISA, "txq", "suq", "istypep").

use super::table::{ALWAYS, form, operands, set, since, types};
use crate::does::UnitOp::{Surface, Texture};
use crate::form::{Form, Gate, UnitOperand};
use crate::types::ScalarType::{Pred, U64};

const LAYERS: Gate = since(4, 1).sm(30);

set! { REFERENCE: Type "type of reference";
    "texref",     Word, ALWAYS, "a texture";
    "samplerref", Word, ALWAYS, "a sampler";
    "surfref",    Word, ALWAYS, "a surface";
}
set! { OF_TEXTURE: Query "query";
    "width",                     Word, ALWAYS,            "texels of a row";
    "height",                    Word, ALWAYS,            "rows";
    "depth",                     Word, ALWAYS,            "layers of a volume";
    "channel_data_type",         Word, ALWAYS,            "the type of a channel";
    "channel_order",             Word, since(2, 1).sm(20), "the order of channels";
    "normalized_coords",         Word, ALWAYS,            "whether coordinates go from 0 to 1";
    "force_unnormalized_coords", Word, ALWAYS,            "whether the sampler counts texels";
    "array_size",                Word, ALWAYS,            "layers of an array";
    "filter_mode",               Word, since(3, 1).sm(20), "how texels are filtered";
    "addr_mode_0",               Word, ALWAYS,            "what lies beyond the first dimension";
    "addr_mode_1",               Word, since(3, 1).sm(20), "what lies beyond the second dimension";
    "addr_mode_2",               Word, ALWAYS,            "what lies beyond the third dimension";
    "num_mipmap_levels",         Word, LAYERS,            "levels of a mipmap";
    "num_samples",               Word, LAYERS,            "samples of a texel";
}
set! { OF_LEVEL: Query "query";
    "width",  Word, ALWAYS, "texels of a row";
    "height", Word, ALWAYS, "rows";
    "depth",  Word, ALWAYS, "layers of a volume";
}
set! { OF_SURFACE: Query "query";
    "width",             Word, ALWAYS,            "elements of a row";
    "height",            Word, ALWAYS,            "rows";
    "depth",             Word, ALWAYS,            "layers of a volume";
    "channel_data_type", Word, ALWAYS,            "the type of a channel";
    "channel_order",     Word, ALWAYS,            "the order of channels";
    "array_size",        Word, since(4, 1).sm(20), "layers of an array";
    "memory_layout",     Word, since(4, 2).sm(20), "whether elements lie in rows or in blocks";
}
types!(WORD, Type, B32);

operands! {
    ASKED: "d" Fixed(Pred), "a" Fixed(U64);
    QUERIED: "a" Unit(UnitOperand::Texture);
    LEVEL: "a" Unit(UnitOperand::Texture), "level" Unit(UnitOperand::Level);
    ASKED_SURFACE: "a" Unit(UnitOperand::Surface);
}

const TXQ: &str = "texture-instructions-txq";

/// The forms of queries.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("istypep.type d, a", [REFERENCE], Unit(Texture), gate: since(4, 0).sm(30).assembler("13.5"), types: ASKED, takes: &[NoAddress];
        "Says whether a value refers to a texture, sampler or surface.", "texture-instructions-istypep";
        good: &["istypep.texref p, d;"], bad: &[("istypep.texref p, r;", "W0109")]),
    form!("txq.query.type d, [a]", [OF_TEXTURE, WORD], Unit(Texture), gate: since(2, 0).sm(20).assembler("13.5"), types: QUERIED;
        "Reads a property of a texture or sampler.", TXQ; good: &["txq.width.b32 r, [d];"], bad: &[("txq.width.b32 r, [r];", "W0110")]),
    form!("txq.level.query.type d, [a], level", [OF_LEVEL, WORD], Unit(Texture), gate: since(4, 3).sm(30).assembler("13.5"), leads: 1, types: LEVEL;
        "Reads a size of one level of a mipmap.", TXQ; good: &["txq.level.width.b32 r, [d], 1;"]),
    form!("suq.query.type d, [a]", [OF_SURFACE, WORD], Unit(Surface), gate: since(2, 0).sm(20).assembler("13.5"), types: ASKED_SURFACE;
        "Reads a property of a surface.", "surface-instructions-suq"; good: &["suq.width.b32 r, [d];"]),
];
