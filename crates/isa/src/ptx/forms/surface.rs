//! Surfaces (PTX ISA, "suld", "sust", "sured").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::B32_ONLY;
use crate::form::WideAccess;
use crate::form::rule::{Rule, RuleKind::*, rule};
use crate::form::{DeviceUnitOperand::*, Form, Gate};
use crate::modifier::{
    AtomicOp::*, CacheOp::*, Geometry::*, SurfaceBounds::*, SurfaceMode, VectorWidth::*,
};
use crate::operation::{DeviceUnitOp::Surface, SurfaceOp::*};

const SURFACES: Gate = since(2, 0).sm(20).assembler("13.5");
const VOLUMES: Gate = since(3, 0).sm(20);
/// Gate of 64-bit minimum and maximum.
const LONG: Gate = since(8, 1).sm(50);

set! { RAW: Mode "addressing"; "b", Surface(SurfaceMode::Bytes), ALWAYS, "unformatted access, with byte coordinates and untyped elements"; }
set! { FORMATTED: Mode "addressing"; "p", Surface(SurfaceMode::Formatted), ALWAYS, "formatted access, with element coordinates and format conversion"; }
set! { READ: Geometry "geometry";
    "1d",  Geometry(D1), ALWAYS,           "one dimension";
    "2d",  Geometry(D2), ALWAYS,           "two dimensions";
    "3d",  Geometry(D3), VOLUMES,          "three dimensions";
    "a1d", Geometry(A1d), VOLUMES,          "array of one-dimensional layers, whose first coordinate is the layer index";
    "a2d", Geometry(A2d), VOLUMES,          "array of two-dimensional layers, whose first coordinate is the layer index";
    "4d",  Geometry(D4), since(4, 3).sm(20).assembler("13.5"), "undocumented";
}
set! { WRITTEN: Geometry "geometry";
    "1d",  Geometry(D1), ALWAYS,  "one dimension";
    "2d",  Geometry(D2), ALWAYS,  "two dimensions";
    "3d",  Geometry(D3), VOLUMES, "three dimensions";
    "a1d", Geometry(A1d), VOLUMES, "array of one-dimensional layers, whose first coordinate is the layer index";
    "a2d", Geometry(A2d), VOLUMES, "array of two-dimensional layers, whose first coordinate is the layer index";
    "5d",  Geometry(D5), ALWAYS.assembler("13.5"), "undocumented";
}
set! { CONVERTED: Geometry "geometry";
    "1d",  Geometry(D1), ALWAYS,           "one dimension";
    "2d",  Geometry(D2), ALWAYS,           "two dimensions";
    "3d",  Geometry(D3), VOLUMES,          "three dimensions";
    "a1d", Geometry(A1d), since(4, 1).sm(30), "array of one-dimensional layers, whose first coordinate is the layer index";
    "a2d", Geometry(A2d), since(4, 1).sm(30), "array of two-dimensional layers, whose first coordinate is the layer index";
}
set! { COMBINED: Geometry "geometry";
    "1d", Geometry(D1), ALWAYS,  "one dimension";
    "2d", Geometry(D2), ALWAYS,  "two dimensions";
    "3d", Geometry(D3), VOLUMES, "three dimensions";
}
set! { LOADS: CacheOp "cache operator";
    "ca", Cache(Ca), ALWAYS, "caches the data at all levels";
    "cg", Cache(Cg), ALWAYS, "caches the data in L2 only";
    "cs", Cache(Cs), ALWAYS, "caches the data as streaming data, which is likely to be read once";
    "cv", Cache(Cv), ALWAYS, "does not cache the data, so that each load fetches the data again";
}
set! { STORES: CacheOp "cache operator";
    "wb", Cache(Wb), ALWAYS, "writes the data back at all coherent cache levels";
    "cg", Cache(Cg), ALWAYS, "caches the data in L2 only";
    "cs", Cache(Cs), ALWAYS, "caches the data as streaming data, which is likely to be written once";
    "wt", Cache(Wt), ALWAYS, "writes the data through to system memory";
}
set! { BEYOND: Clamp "out-of-bounds mode";
    "trap",  Beyond(Trap), ALWAYS, "raises a fault for out-of-bounds accesses";
    "clamp", Beyond(Clamp), ALWAYS, "clamps out-of-bounds accesses to the nearest element of the surface";
    "zero",  Beyond(Zero), ALWAYS, "returns zero for out-of-bounds loads and drops out-of-bounds stores";
}
set! { WIDTH: Vector "vector width";
    "v2", Vector(V2), ALWAYS, "two elements";
    "v4", Vector(V4), ALWAYS, "four elements";
}
set! { ADD: Op "operation"; "add", Atomic(Add), ALWAYS, "adds the operand to the value in memory"; }
set! { EXTREME: Op "operation";
    "min", Atomic(Min), ALWAYS, "stores the minimum of both values";
    "max", Atomic(Max), ALWAYS, "stores the maximum of both values";
}
set! { BITWISE: Op "operation";
    "and", Atomic(And), ALWAYS, "computes the bitwise AND";
    "or",  Atomic(Or), ALWAYS, "computes the bitwise OR";
}
set! { ANY_OP: Op "operation";
    "add", Atomic(Add), ALWAYS, "adds the operand to the value in memory";
    "min", Atomic(Min), ALWAYS, "stores the minimum of both values";
    "max", Atomic(Max), ALWAYS, "stores the maximum of both values";
    "and", Atomic(And), ALWAYS, "computes the bitwise AND";
    "or",  Atomic(Or), ALWAYS, "computes the bitwise OR";
}
types!(UNTYPED, Type, B8 B16 B32 B64);
types!(ADDED, Type, U32 S32 U64);
types!(EXTREMES, Type, U32 S32; LONG => U64 S64);
types!(LONG_ONLY, Type; LONG => B64);

/// Accesses wider than 128 bits: none.
const NARROW: WideAccess = WideAccess {
    bits: 0,
    shapes: &[],
    gate: ALWAYS,
    spaces: &[],
};
#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule(VectorBits { most: 128, wide: &NARROW }, "a wider access must be split into several instructions"),
];

operands! {
    LOADED: "d" Unit(Texels), "surface, coordinates" Unit(SurfaceCoordinates);
    STORED: "surface, coordinates" Unit(SurfaceCoordinates), "b" Unit(Texels);
    REDUCED: "surface, coordinates" Unit(SurfaceCoordinates), "b" SlotOrWider(Type);
}

const SUST: &str = "surface-instructions-sust";
const SURED: &str = "surface-instructions-sured";

/// Form of `sured`.
macro_rules! reduce {
    ($syntax:literal, [$($set:expr),*], $help:literal) => {
        form!($syntax, [COMBINED, BEYOND, $($set),*], Unit(Surface(Reduction)), gate: SURFACES, n_name_modifiers: 1, destination_operands: &[], types: REDUCED; $help, SURED)
    };
}

/// Instruction forms of surface accesses.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("suld.mode.geom{.cop}{.vec}.type.clamp d, [surface, coordinates]", [RAW, READ, LOADS, WIDTH, UNTYPED, BEYOND], Unit(Surface(Load)), gate: SURFACES, n_name_modifiers: 1,
        types: LOADED, rules: RULES;
        "Loads elements of a surface.", "surface-instructions-suld"),
    form!("sust.mode.geom{.cop}{.vec}.type.clamp [surface, coordinates], b", [RAW, WRITTEN, STORES, WIDTH, UNTYPED, BEYOND], Unit(Surface(Store)), gate: SURFACES, n_name_modifiers: 1,
        destination_operands: &[], types: STORED, rules: RULES;
        "Stores elements of a surface.", SUST),
    form!("sust.mode.geom{.cop}{.vec}.type.clamp [surface, coordinates], b", [FORMATTED, CONVERTED, STORES, WIDTH, B32_ONLY, BEYOND], Unit(Surface(Store)), gate: SURFACES, n_name_modifiers: 1,
        destination_operands: &[], types: STORED, rules: RULES;
        "Stores elements of a surface with format conversion.", SUST),
    reduce!("sured.mode.op.geom.type.clamp [surface, coordinates], b", [RAW, ADD, ADDED], "Atomically adds b to an element of a surface."),
    reduce!("sured.mode.op.geom.type.clamp [surface, coordinates], b", [RAW, EXTREME, EXTREMES], "Atomically replaces an element of a surface with the minimum or maximum of the element and b."),
    reduce!("sured.mode.op.geom.type.clamp [surface, coordinates], b", [RAW, BITWISE, B32_ONLY], "Atomically performs a bitwise operation on an element of a surface."),
    reduce!("sured.mode.op.geom.type.clamp [surface, coordinates], b", [FORMATTED, ANY_OP, B32_ONLY], "Atomically performs a reduction on an element of a surface with format conversion."),
    reduce!("sured.mode.op.geom.type.clamp [surface, coordinates], b", [FORMATTED, EXTREME, LONG_ONLY], "Atomically replaces a 64-bit element of a surface with the minimum or maximum of the element and b."),
];
