//! Inference of textures and surfaces for a kernel whose scenario does not specify them. The input is the instructions that use handles.
//! The output is a texture or surface with its array for each handle parameter.

use super::{ParameterUses, kernel_variables};
use crate::instruction_summary::{ImageAccess, readers};
use crate::scenario::{BufferInitializer, ImageResource, Parameter, Surface, TexelArray, Texture};
use crate::value::Literal;
use std::collections::BTreeMap;
use warpgrid_isa::{Geometry, ScalarType};
use warpgrid_program::{Function, Program};

/// Suffix of the name of an inferred array after the name of its handle.
const SUFFIX: &str = "_texels";
/// Number of texels of an inferred one-dimensional array.
const LINE: u64 = 1024;
/// Width and height of an inferred image.
const SIDE: u64 = 64;
/// Side length of an inferred volume or cube face.
const SMALL_SIDE: u64 = 16;
/// Number of layers of an inferred layered array.
const LAYERS: u64 = 4;

/// Inferred handle with its array.
#[derive(Clone, Debug)]
pub(crate) struct InferredImage {
    pub(crate) parameter: Parameter,
    pub(crate) array: TexelArray,
}

/// Returns the inferred texture or surface of each handle parameter, by parameter index.
pub(crate) fn images(
    program: &Program,
    function: &Function,
    uses: &ParameterUses,
) -> BTreeMap<usize, InferredImage> {
    let mut images: BTreeMap<usize, InferredImage> = BTreeMap::new();
    let parts = readers(program, function).filter_map(|reader| reader.image_part());
    let (shaped, asked): (Vec<_>, Vec<_>) = parts.partition(|part| part.geometry.is_some());
    // Size queries do not determine the shape of an array, so the loop processes accesses before size queries.
    for part in shaped.into_iter().chain(asked) {
        let held = uses.held(part.handle);
        let Some((place, 0)) = held.origin.or(held.value) else {
            continue;
        };
        if let Some(variable) = kernel_variables(function).nth(place) {
            let name = &variable.name;
            images.entry(place).or_insert_with(|| image_of(name, &part));
        }
    }
    images
}

fn image_of(name: &str, part: &ImageAccess) -> InferredImage {
    let array = format!("{name}{SUFFIX}");
    let resource = ImageResource::of_array(&array);
    let name = name.to_owned();
    InferredImage {
        parameter: match part.is_surface {
            true => Parameter::Surface(Surface { name, resource }),
            false => Parameter::Texture(Texture {
                name,
                resource,
                ..Texture::default()
            }),
        },
        array: array_of(array, part),
    }
}

/// Returns an array of the shape that an instruction accesses, with ascending values.
fn array_of(name: String, part: &ImageAccess) -> TexelArray {
    use Geometry as G;
    let geometry = part.geometry.unwrap_or(G::D2);
    let (width, height, depth, layers) = match geometry {
        G::D1 => (LINE, 0, 0, 0),
        G::D2 | G::D2ms => (SIDE, SIDE, 0, 0),
        G::D3 | G::D4 => (SMALL_SIDE, SMALL_SIDE, SMALL_SIDE, 0),
        G::A1d | G::D5 => (LINE, 0, 0, LAYERS),
        G::A2d | G::A2dms => (SIDE, SIDE, 0, LAYERS),
        G::Cube => (SMALL_SIDE, SMALL_SIDE, 0, 0),
        G::Acube => (SMALL_SIDE, SMALL_SIDE, 0, LAYERS),
    };
    TexelArray {
        name,
        ty: channel(part.ty).name().to_owned(),
        channels: part.channels,
        width,
        height,
        depth,
        layers,
        cubemap: matches!(geometry, G::Cube | G::Acube),
        surface: part.is_surface,
        init: BufferInitializer::Fill(Literal::Text("iota".to_owned())),
        ..TexelArray::default()
    }
}

/// Returns the channel type of an array from which instructions read values of type `ty`.
fn channel(ty: ScalarType) -> ScalarType {
    match (ty, ty.width_bits()) {
        (ScalarType::F32 | ScalarType::F16x2, _) => ScalarType::F32,
        (ScalarType::S32, _) => ScalarType::S32,
        (_, 8) => ScalarType::U8,
        (_, 16) => ScalarType::U16,
        _ => ScalarType::U32,
    }
}
