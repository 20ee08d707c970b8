//! Surfaces (PTX ISA, "suld", "sust", "sured").

use super::sets::B32_ONLY;
use super::table::{ALWAYS, form, operands, set, since, types};
use crate::does::{SurfaceOp::*, UnitOp::Surface};
use crate::form::Wide;
use crate::form::rule::{Rule, RuleKind::*, rule};
use crate::form::{Form, Gate, UnitOperand::*};
use crate::modifier::{
    AtomicOp::*, CacheOp::*, Geometry::*, SurfaceBounds::*, SurfaceMode, VectorWidth::*,
};

const SURFACES: Gate = since(2, 0).sm(20).assembler("13.5");
const VOLUMES: Gate = since(3, 0).sm(20);
/// Minimum and maximum of 64 bits.
const LONG: Gate = since(8, 1).sm(50);

set! { RAW: Mode "addressing"; "b", Surface(SurfaceMode::Bytes), ALWAYS, "unformatted: byte coordinates and untyped elements"; }
set! { FORMATTED: Mode "addressing"; "p", Surface(SurfaceMode::Formatted), ALWAYS, "formatted: element coordinates and format conversion"; }
set! { READ: Geometry "geometry";
    "1d",  Geometry(D1), ALWAYS,           "one dimension";
    "2d",  Geometry(D2), ALWAYS,           "two dimensions";
    "3d",  Geometry(D3), VOLUMES,          "three dimensions";
    "a1d", Geometry(A1d), VOLUMES,          "array of one-dimensional layers; the first coordinate is the layer";
    "a2d", Geometry(A2d), VOLUMES,          "array of two-dimensional layers; the first coordinate is the layer";
    "4d",  Geometry(D4), since(4, 3).sm(20).assembler("13.5"), "undocumented";
}
set! { WRITTEN: Geometry "geometry";
    "1d",  Geometry(D1), ALWAYS,  "one dimension";
    "2d",  Geometry(D2), ALWAYS,  "two dimensions";
    "3d",  Geometry(D3), VOLUMES, "three dimensions";
    "a1d", Geometry(A1d), VOLUMES, "array of one-dimensional layers; the first coordinate is the layer";
    "a2d", Geometry(A2d), VOLUMES, "array of two-dimensional layers; the first coordinate is the layer";
    "5d",  Geometry(D5), ALWAYS.assembler("13.5"), "undocumented";
}
set! { CONVERTED: Geometry "geometry";
    "1d",  Geometry(D1), ALWAYS,           "one dimension";
    "2d",  Geometry(D2), ALWAYS,           "two dimensions";
    "3d",  Geometry(D3), VOLUMES,          "three dimensions";
    "a1d", Geometry(A1d), since(4, 1).sm(30), "array of one-dimensional layers; the first coordinate is the layer";
    "a2d", Geometry(A2d), since(4, 1).sm(30), "array of two-dimensional layers; the first coordinate is the layer";
}
set! { COMBINED: Geometry "geometry";
    "1d", Geometry(D1), ALWAYS,  "one dimension";
    "2d", Geometry(D2), ALWAYS,  "two dimensions";
    "3d", Geometry(D3), VOLUMES, "three dimensions";
}
set! { LOADS: CacheOp "cache operator";
    "ca", Cache(Ca), ALWAYS, "cache at all levels";
    "cg", Cache(Cg), ALWAYS, "cache in L2 only";
    "cs", Cache(Cs), ALWAYS, "streaming, likely to be read once";
    "cv", Cache(Cv), ALWAYS, "do not cache, fetch again";
}
set! { STORES: CacheOp "cache operator";
    "wb", Cache(Wb), ALWAYS, "write back";
    "cg", Cache(Cg), ALWAYS, "cache in L2 only";
    "cs", Cache(Cs), ALWAYS, "streaming, likely to be written once";
    "wt", Cache(Wt), ALWAYS, "write through";
}
set! { BEYOND: Clamp "out-of-bounds mode";
    "trap",  Beyond(Trap), ALWAYS, "out-of-bounds accesses cause a fault";
    "clamp", Beyond(Clamp), ALWAYS, "out-of-bounds accesses are clamped to the nearest element";
    "zero",  Beyond(Zero), ALWAYS, "out-of-bounds loads return zero, and out-of-bounds stores are dropped";
}
set! { WIDTH: Vector "vector width";
    "v2", Vector(V2), ALWAYS, "two elements";
    "v4", Vector(V4), ALWAYS, "four elements";
}
set! { ADD: Op "operation"; "add", Atomic(Add), ALWAYS, "adds"; }
set! { EXTREME: Op "operation";
    "min", Atomic(Min), ALWAYS, "stores the minimum";
    "max", Atomic(Max), ALWAYS, "stores the maximum";
}
set! { BITWISE: Op "operation";
    "and", Atomic(And), ALWAYS, "bitwise AND";
    "or",  Atomic(Or), ALWAYS, "bitwise OR";
}
set! { ANY_OP: Op "operation";
    "add", Atomic(Add), ALWAYS, "adds";
    "min", Atomic(Min), ALWAYS, "stores the minimum";
    "max", Atomic(Max), ALWAYS, "stores the maximum";
    "and", Atomic(And), ALWAYS, "bitwise AND";
    "or",  Atomic(Or), ALWAYS, "bitwise OR";
}
types!(UNTYPED, Type, B8 B16 B32 B64);
types!(ADDED, Type, U32 S32 U64);
types!(EXTREMES, Type, U32 S32; LONG => U64 S64);
types!(LONG_ONLY, Type; LONG => B64);

/// No access is wider than 128 bits.
const NARROW: Wide = Wide {
    bits: 0,
    shapes: &[],
    gate: ALWAYS,
    spaces: &[],
};
#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule(VectorBits { most: 128, wide: &NARROW }, "this is the maximum width of an access"),
];

operands! {
    LOADED: "d" Unit(Texels), "surface, coordinates" Unit(SurfacePlace);
    STORED: "surface, coordinates" Unit(SurfacePlace), "b" Unit(Texels);
    REDUCED: "surface, coordinates" Unit(SurfacePlace), "b" Loose(Type);
}

const SUST: &str = "surface-instructions-sust";
const SURED: &str = "surface-instructions-sured";

/// A row of `sured`.
macro_rules! reduce {
    ($syntax:literal, [$($set:expr),*], $help:literal) => {
        form!($syntax, [COMBINED, BEYOND, $($set),*], Unit(Surface(Reduction)), gate: SURFACES, leads: 1, writes: &[], types: REDUCED; $help, SURED)
    };
}

/// The forms of surfaces.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("suld.mode.geom{.cop}{.vec}.type.clamp d, [surface, coordinates]", [RAW, READ, LOADS, WIDTH, UNTYPED, BEYOND], Unit(Surface(Load)), gate: SURFACES, leads: 1,
        types: LOADED, rules: RULES;
        "Loads elements of a surface.", "surface-instructions-suld"),
    form!("sust.mode.geom{.cop}{.vec}.type.clamp [surface, coordinates], b", [RAW, WRITTEN, STORES, WIDTH, UNTYPED, BEYOND], Unit(Surface(Store)), gate: SURFACES, leads: 1,
        writes: &[], types: STORED, rules: RULES;
        "Stores elements of a surface.", SUST),
    form!("sust.mode.geom{.cop}{.vec}.type.clamp [surface, coordinates], b", [FORMATTED, CONVERTED, STORES, WIDTH, B32_ONLY, BEYOND], Unit(Surface(Store)), gate: SURFACES, leads: 1,
        writes: &[], types: STORED, rules: RULES;
        "Stores elements of a surface with format conversion.", SUST),
    reduce!("sured.mode.op.geom.type.clamp [surface, coordinates], b", [RAW, ADD, ADDED], "Atomically adds to an element of a surface."),
    reduce!("sured.mode.op.geom.type.clamp [surface, coordinates], b", [RAW, EXTREME, EXTREMES], "Atomically stores the minimum or maximum in an element of a surface."),
    reduce!("sured.mode.op.geom.type.clamp [surface, coordinates], b", [RAW, BITWISE, B32_ONLY], "Performs an atomic bitwise operation on an element of a surface."),
    reduce!("sured.mode.op.geom.type.clamp [surface, coordinates], b", [FORMATTED, ANY_OP, B32_ONLY], "Performs an atomic reduction on an element of a surface with format conversion."),
    reduce!("sured.mode.op.geom.type.clamp [surface, coordinates], b", [FORMATTED, EXTREME, LONG_ONLY], "Atomically stores the 64-bit minimum or maximum in an element of a surface."),
];
