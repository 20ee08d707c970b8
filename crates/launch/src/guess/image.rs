//! Textures and surfaces for a kernel that came without any. In: the instructions that use handles; out: for each parameter that is a handle a
//! texture or surface, and the array that it is of.

use super::{Uses, variables};
use crate::reading::{ImagePart, readers};
use crate::scenario::{Init, Parameter, Resource, Surface, TexelArray, Texture};
use crate::value::Literal;
use std::collections::BTreeMap;
use warpgrid_isa::{Geometry, ScalarType};
use warpgrid_program::{Function, Program};

/// What follows the name of a handle in that of the array that was made for it.
const SUFFIX: &str = "_texels";
/// Texels along a line, a side of an image, a side of a volume or of a face, and layers.
const LINE: u64 = 1024;
const SIDE: u64 = 64;
const SMALL_SIDE: u64 = 16;
const LAYERS: u64 = 4;

/// A handle that was guessed, and the array that it is of.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) parameter: Parameter,
    pub(crate) array: TexelArray,
}

/// The image of each parameter that is a handle, by its place among the parameters.
pub(crate) fn images(
    program: &Program,
    function: &Function,
    uses: &Uses,
) -> BTreeMap<usize, Image> {
    let mut images: BTreeMap<usize, Image> = BTreeMap::new();
    let parts = readers(program, function).filter_map(|reader| reader.image_part());
    let (shaped, asked): (Vec<_>, Vec<_>) = parts.partition(|part| part.geometry.is_some());
    // What is only asked for its size says nothing of its shape.
    for part in shaped.into_iter().chain(asked) {
        let held = uses.held(part.handle);
        let Some((place, 0)) = held.origin.or(held.value) else {
            continue;
        };
        if let Some(variable) = variables(function).nth(place) {
            let name = &variable.name;
            images.entry(place).or_insert_with(|| image_of(name, &part));
        }
    }
    images
}

fn image_of(name: &str, part: &ImagePart) -> Image {
    let array = format!("{name}{SUFFIX}");
    let resource = Resource::of_array(&array);
    let name = name.to_owned();
    Image {
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

/// An array of the shape that an instruction takes, whose values count.
fn array_of(name: String, part: &ImagePart) -> TexelArray {
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
        init: Init::Fill(Literal::Text("iota".to_owned())),
        ..TexelArray::default()
    }
}

/// The type of a channel that is read as this type.
fn channel(ty: ScalarType) -> ScalarType {
    match (ty, ty.width_bits()) {
        (ScalarType::F32 | ScalarType::F16x2, _) => ScalarType::F32,
        (ScalarType::S32, _) => ScalarType::S32,
        (_, 8) => ScalarType::U8,
        (_, 16) => ScalarType::U16,
        _ => ScalarType::U32,
    }
}
