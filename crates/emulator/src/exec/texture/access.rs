//! Texture and surface instructions (PTX ISA, "Texture Instructions", "Surface Instructions").

use crate::code::MAX_WIDTH;
use crate::code::{ImagePlan, QueryPlan, SurfacePlan, TexturePlan, TypeQueryPlan};
use crate::contract::fault::FaultKind;
use crate::contract::image::{AddressMode, ImageInit};
use crate::contract::observer::{AccessAction, MemoryId};
use crate::exec::memory::access_events::{LaneAccessRecord, add_pieces};
use crate::exec::memory::address_translation::Backing;
use crate::exec::memory::atomic::combine;
use crate::exec::memory::load::{LaneBytes, set_elements};
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::exec::operand_rows::{read64, write64};
use crate::exec::texture::texture_sampling::{SampleCoordinates, Texel, cube_face};
use crate::semantics::registers::{LANES, LaneRegisters, Row64, lanes_of};
use crate::semantics::rounding::{FloatMode, RoundingMode};
use crate::semantics::softfloat;
use crate::state::image::Image;
use crate::state::memory::AllocationOwner;
use warpgrid_isa::{
    FloatFormat, Geometry, ReferenceKind, ScalarType, SurfaceBounds, SurfaceOp, TextureQuery,
};
use warpgrid_program::counted;

/// Executes a texture or surface instruction.
#[inline(never)]
pub(crate) fn image(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &ImagePlan,
) -> ExecResult {
    match plan {
        ImagePlan::Sample(plan) => sample(reach, l, plan),
        ImagePlan::Query(plan) => query(reach, l, plan),
        ImagePlan::Refers(plan) => {
            refers(reach, l, plan);
            Ok(())
        }
        ImagePlan::Access(plan) => access(reach, l, plan),
    }
}

/// Kind of image for which an instruction requires a handle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpectedHandle {
    Texture,
    Surface,
    Either,
}

fn wrong(reason: String, lane: usize) -> Box<ExecutionFault> {
    ExecutionFault::new(FaultKind::Image { why: reason }, 1 << lane)
}

/// Returns the image that a handle operand denotes. The operand is the handle itself, or the address of a variable or
/// parameter that contains the handle.
fn find<'a>(reach: &MemoryContext<'a>, handle: u64) -> Option<&'a Image> {
    if let Some(index) = ImageInit::index_of(handle) {
        return reach.images.get(index);
    }
    let variable = reach.global.find(handle).filter(|allocation| {
        let is_variable = matches!(
            allocation.owner,
            AllocationOwner::GlobalVariable(..) | AllocationOwner::Parameters
        );
        is_variable && allocation.holds(handle, 8)
    })?;
    let start = variable.start + (handle - variable.address) as usize;
    let bytes = reach.global.arena.bytes().get(start..)?;
    let held = u64::from_le_bytes(*bytes.first_chunk()?);
    reach.images.get(ImageInit::index_of(held)?)
}

fn find_wanted<'a>(
    reach: &MemoryContext<'a>,
    handle: u64,
    wanted: ExpectedHandle,
    lane: usize,
) -> Result<&'a Image, Box<ExecutionFault>> {
    let kind = match wanted {
        ExpectedHandle::Texture => "texture",
        ExpectedHandle::Surface => "surface",
        ExpectedHandle::Either => "texture or surface",
    };
    let Some(image) = find(reach, handle) else {
        return Err(wrong(format!("no {kind} with handle 0x{handle:x}"), lane));
    };
    let is_texture = image.facts.sampler.is_some();
    let name = &image.facts.name;
    match (wanted, is_texture) {
        (ExpectedHandle::Texture, false) => Err(wrong(
            format!("`{name}` is a surface, expected a texture"),
            lane,
        )),
        (ExpectedHandle::Surface, true) => Err(wrong(
            format!("`{name}` is a texture, expected a surface"),
            lane,
        )),
        _ => Ok(image),
    }
}

/// Returns the number of planes of an image if its geometry is compatible with the geometry of the instruction,
/// otherwise `None`.
fn planes_of(geometry: Geometry, facts: &ImageInit) -> Option<u64> {
    use Geometry as G;
    let is_flat = facts.depth == 0 && !facts.is_cubemap;
    let (has_rows, has_layers) = (facts.height > 0, facts.layers > 0);
    let fits = match geometry {
        G::D1 => is_flat && !has_rows && !has_layers,
        // Treat multisampled geometries like other geometries, because each texel of an emulated image has one sample.
        G::D2 | G::D2ms => is_flat && has_rows && !has_layers,
        G::D3 => facts.depth > 0,
        G::A1d | G::D5 => is_flat && !has_rows && has_layers,
        // A cube map is also accessible as an array, whose layers are the faces of the cube map.
        G::A2d | G::A2dms => is_flat && has_rows && has_layers || facts.is_cubemap,
        G::Cube => facts.is_cubemap && facts.layers <= 1,
        G::Acube => facts.is_cubemap,
        G::D4 => false,
    };
    let planes = match geometry {
        G::D3 => 1,
        G::Cube | G::Acube => facts.n_planes() / 6,
        G::D1 | G::D2 | G::D4 | G::D5 | G::A1d | G::A2d | G::D2ms | G::A2dms => facts.n_planes(),
    };
    fits.then_some(planes)
}

/// Describes the extents of an image for a diagnostic.
fn shape(facts: &ImageInit) -> String {
    let ImageInit {
        width,
        height,
        depth,
        layers,
        ..
    } = facts;
    let size = match (height, depth) {
        (0, _) => format!("1 row of {}", counted(*width, "texel")),
        (_, 0) => format!(
            "{} of {}",
            counted(*height, "row"),
            counted(*width, "texel")
        ),
        _ => format!(
            "{} of {} of {}",
            counted(*depth, "plane"),
            counted(*height, "row"),
            counted(*width, "texel")
        ),
    };
    match (facts.is_cubemap, layers) {
        (true, 0 | 1) => format!("six faces of {size}"),
        (true, _) => format!("{} with faces of {size}", counted(*layers, "cube map")),
        (false, 0) => size,
        (false, _) => format!("{} of {size}", counted(*layers, "layer")),
    }
}

fn other_shape(geometry: Geometry, image: &Image, lane: usize) -> Box<ExecutionFault> {
    let (geometry, name) = (geometry.name(), &image.facts.name);
    let shape = shape(&image.facts);
    wrong(
        format!(
            "the geometry `.{geometry}` of the instruction is not compatible with `{name}`, which has {shape}"
        ),
        lane,
    )
}

fn sample(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &TexturePlan,
) -> ExecResult {
    let handles = read64(l, plan.image);
    let samplers = plan.sampler.map(|sampler| read64(l, sampler));
    let rows = |elements: &[_]| -> Vec<Row64> { elements.iter().map(|e| read64(l, *e)).collect() };
    let (coordinates, offsets) = (rows(&plan.coordinates), rows(&plan.offsets));
    let compared = plan.compared.map(|element| read64(l, element));
    let mut results = [[0u64; LANES]; 4];
    for lane in lanes_of(l.mask) {
        let image = find_wanted(reach, handles[lane], ExpectedHandle::Texture, lane)?;
        let mut spot = spot(plan, image, &coordinates, &offsets, lane)?;
        spot.compared = compared.map(|row| f32::from_bits(row[lane] as u32));
        // If the instruction has a sampler operand that denotes a texture of the launch, this texture provides the
        // sampler.
        let other = samplers
            .as_ref()
            .and_then(|samplers| find(reach, samplers[lane])?.facts.sampler);
        let whole;
        let image = match other {
            Some(sampler) => {
                let mut facts = image.facts.clone();
                facts.sampler = Some(sampler);
                whole = Image {
                    facts,
                    ..image.clone()
                };
                &whole
            }
            None => image,
        };
        let arena = reach.global.arena.bytes();
        let texel = match plan.gathers {
            Some(channel) => image.gather(arena, &spot, channel),
            None => image.sample(arena, &spot),
        };
        let words = words(texel, plan.to);
        for (row, word) in results.iter_mut().zip(words) {
            row[lane] = u64::from(word);
        }
    }
    for (element, row) in plan.elements.iter().zip(&results) {
        write64(l, *element, row);
    }
    if let Some(resident) = plan.resident {
        write64(l, resident, &[1; LANES]);
    }
    Ok(())
}

/// Converts a texel to the destination type: four words, or two pairs of 16-bit floats.
fn words(texel: Texel, to: ScalarType) -> [u32; 4] {
    let bits = match texel {
        Texel::Floats(all) if to != ScalarType::F16x2 => all.map(f32::to_bits),
        Texel::Integers(all) if to != ScalarType::F16x2 => all,
        Texel::Floats(all) => {
            all.map(|value| softfloat::pack(FloatFormat::F16, value.into(), RoundingMode::Nearest))
        }
        Texel::Integers(all) => all.map(|value| {
            softfloat::pack(
                FloatFormat::F16,
                f64::from(value as i32),
                RoundingMode::Nearest,
            )
        }),
    };
    match to {
        ScalarType::F16x2 => [bits[0] | bits[1] << 16, bits[2] | bits[3] << 16, 0, 0],
        _ => bits,
    }
}

/// Returns a coordinate of a lane. If there is only one register, it provides all coordinates.
fn coordinate(coordinates: &[Row64], index: usize, lane: usize) -> u32 {
    let row = coordinates.get(index).or_else(|| coordinates.last());
    row.map_or(0, |row| row[lane] as u32)
}

/// Returns the number of coordinates of a geometry, without the layer.
const fn n_coordinates(geometry: Geometry) -> usize {
    use Geometry as G;
    match geometry {
        G::D1 | G::A1d | G::D5 => 1,
        G::D2 | G::A2d | G::D2ms | G::A2dms => 2,
        G::D3 | G::D4 | G::Cube | G::Acube => 3,
    }
}

/// Returns the sample position that a lane specifies.
fn spot(
    plan: &TexturePlan,
    image: &Image,
    coordinates: &[Row64],
    offsets: &[Row64],
    lane: usize,
) -> Result<SampleCoordinates, Box<ExecutionFault>> {
    use Geometry as G;
    let planes = planes_of(plan.geometry, &image.facts);
    let planes = planes.ok_or_else(|| other_shape(plan.geometry, image, lane))?;
    let has_samples = plan.geometry.has_samples();
    let has_layers = plan.geometry.is_array() || plan.geometry == G::A2dms;
    let skipped = usize::from(has_samples) + usize::from(has_layers);
    let n = n_coordinates(plan.geometry);
    let value = |index: usize| coordinate(coordinates, index, lane);
    let at: [f64; 3] = std::array::from_fn(|dimension| match plan.is_float {
        _ if dimension >= n => 0.0,
        true => f32::from_bits(value(dimension + skipped)).into(),
        false => f64::from(value(dimension + skipped) as i32),
    });
    if has_samples && value(0) != 0 {
        let (name, sample) = (&image.facts.name, value(0));
        let reason = format!(
            "the instruction reads sample {sample} of `{name}`, but `{name}` has only sample 0"
        );
        return Err(wrong(reason, lane));
    }
    let layer = match has_layers {
        false => 0,
        true => u64::from(value(skipped - 1)).min(planes.saturating_sub(1)),
    };
    let offset = |dimension: usize| {
        let row = offsets.get(dimension);
        row.map_or(0, |row| i64::from(row[lane] as u32 as i32))
    };
    let spot = SampleCoordinates {
        at,
        n,
        plane: layer,
        offsets: std::array::from_fn(offset),
        by_number: !plan.is_float,
        by_share: false,
        compared: None,
    };
    Ok(match plan.geometry {
        G::Cube | G::Acube => {
            let (face, [s, t]) = cube_face(at);
            SampleCoordinates {
                at: [s, t, 0.0],
                n: 2,
                plane: layer * 6 + face,
                by_share: true,
                ..spot
            }
        }
        G::D1 | G::D2 | G::D3 | G::D4 | G::D5 | G::A1d | G::A2d | G::D2ms | G::A2dms => spot,
    })
}

/// Executes `istypep`. A texture includes its sampler, so that its handle is both a texture reference and a sampler
/// reference.
fn refers(reach: &mut MemoryContext<'_>, l: &mut LaneRegisters<'_>, plan: &TypeQueryPlan) {
    let handles = read64(l, plan.image);
    let row: Row64 = std::array::from_fn(|lane| {
        let image = find(reach, handles[lane]);
        let holds = image.is_some_and(|image| match plan.kind {
            ReferenceKind::Texture | ReferenceKind::Sampler => image.facts.sampler.is_some(),
            ReferenceKind::Surface => image.facts.sampler.is_none(),
        });
        u64::from(holds)
    });
    write64(l, plan.to, &row);
}

fn query(reach: &mut MemoryContext<'_>, l: &mut LaneRegisters<'_>, plan: &QueryPlan) -> ExecResult {
    let handles = read64(l, plan.image);
    let levels = plan.level.map(|level| read64(l, level));
    let mut row = [0; LANES];
    for lane in lanes_of(l.mask) {
        let handle = handles[lane].wrapping_add_signed(plan.addend);
        let image = find_wanted(reach, handle, ExpectedHandle::Either, lane)?;
        let level = levels.as_ref().map_or(0, |levels| levels[lane] as u32);
        if level != 0 {
            let name = &image.facts.name;
            let reason = format!(
                "the instruction reads mipmap level {level} of `{name}`, but `{name}` has only level 0"
            );
            return Err(wrong(reason, lane));
        }
        row[lane] = answer(&image.facts, plan.property);
    }
    write64(l, plan.to, &row);
    Ok(())
}

/// Returns the result of an image query (PTX ISA, "txq", "suq", "Texture, Sampler and Surface Types").
fn answer(facts: &ImageInit, property: TextureQuery) -> u64 {
    let sampler = facts.sampler.unwrap_or_default();
    let mode = |dimension: usize| match sampler.address_modes[dimension] {
        AddressMode::Wrap => 0,
        AddressMode::Mirror => 1,
        AddressMode::Clamp => 3,
        AddressMode::Border => 4,
    };
    match property {
        TextureQuery::Width => facts.width,
        TextureQuery::Height => facts.height,
        TextureQuery::Depth => facts.depth,
        TextureQuery::ChannelType => channel_number(facts.channel),
        // OpenCL numbers of the channel orders R, RG and RGBA.
        TextureQuery::ChannelOrder => match facts.channels {
            1 => 0x10b0,
            2 => 0x10b2,
            _ => 0x10b5,
        },
        TextureQuery::NormalizedCoordinates => sampler.is_normalized.into(),
        TextureQuery::ForceUnnormalized => 0,
        TextureQuery::ArraySize => facts.layers,
        TextureQuery::FilterMode => sampler.is_linear.into(),
        TextureQuery::AddressMode0 => mode(0),
        TextureQuery::AddressMode1 => mode(1),
        TextureQuery::AddressMode2 => mode(2),
        TextureQuery::MipmapLevels | TextureQuery::Samples => 1,
        TextureQuery::MemoryLayout => facts.is_plain_memory.into(),
    }
}

/// Returns the OpenCL number of a channel data type (PTX ISA, "Texture, Sampler and Surface Types").
const fn channel_number(ty: ScalarType) -> u64 {
    match ty {
        ScalarType::S8 => 0x10d7,
        ScalarType::S16 => 0x10d8,
        ScalarType::S32 => 0x10d9,
        ScalarType::U8 => 0x10da,
        ScalarType::U16 => 0x10db,
        ScalarType::U32 => 0x10dc,
        ScalarType::F16 => 0x10dd,
        _ => 0x10de,
    }
}

/// Offset in bytes from the first texel of a surface to the bytes that a lane accesses. The offset is `None` if the
/// access is ignored.
type SurfaceOffset = Option<u64>;

fn access(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &SurfacePlan,
) -> ExecResult {
    let handles = read64(l, plan.image);
    let coordinates: Vec<Row64> = plan.coordinates.iter().map(|e| read64(l, *e)).collect();
    let mut surface_offsets: [Option<(&Image, SurfaceOffset)>; LANES] = [None; LANES];
    // Validate the accesses of all lanes before any memory is modified.
    for lane in lanes_of(l.mask) {
        let image = find_wanted(reach, handles[lane], ExpectedHandle::Surface, lane)?;
        let place = place(plan, image, &coordinates, lane)?;
        surface_offsets[lane] = Some((image, place));
    }
    let action = match plan.op {
        SurfaceOp::Load | SurfaceOp::Query => AccessAction::Load,
        SurfaceOp::Store => AccessAction::Store,
        SurfaceOp::Reduction => AccessAction::Reduction,
    };
    let listens = reach.interest.covers(action);
    let width = plan.access.width_bytes as usize;
    let sources: Vec<Row64> = match action {
        AccessAction::Load => Vec::new(),
        _ => plan.access.elements.iter().map(|e| read64(l, *e)).collect(),
    };
    let mut loaded: LaneBytes = [0; LANES * MAX_WIDTH];
    reach.events.clear();
    for lane in lanes_of(l.mask) {
        let Some((image, Some(offset))) = surface_offsets[lane] else {
            continue;
        };
        let n_bytes = bytes_of_access(plan, &image.facts);
        let at = image.start + offset as usize;
        let old = reach.read_lane(Backing::Arena, at, n_bytes);
        let (new, is_written) = match action {
            AccessAction::Load => {
                loaded[lane * width..(lane + 1) * width].copy_from_slice(&old[..width]);
                (old, false)
            }
            _ => changed_texel(plan, &image.facts, &old, &sources, lane),
        };
        if is_written {
            reach.write(Backing::Arena, at, lane, &new[..n_bytes]);
        }
        // Report only unformatted accesses as pieces, because a formatted access may transfer bytes that differ from
        // its operands.
        if listens && n_bytes == width {
            let pieces = LaneAccessRecord {
                lane,
                memory: MemoryId::Global,
                address: image.address + offset,
                written: is_written,
                bytes: &new[..width],
                old: &old[..width],
            };
            add_pieces(reach.events, &plan.access, &pieces);
        }
    }
    if listens {
        reach.report(action, l.mask, &plan.access);
    }
    if action == AccessAction::Load {
        set_elements(l, &plan.access, &loaded);
    }
    Ok(())
}

/// Returns the bytes that a lane stores, and whether the bytes are stored. A reduction may leave memory unchanged.
fn changed_texel(
    plan: &SurfacePlan,
    facts: &ImageInit,
    old: &[u8; MAX_WIDTH],
    sources: &[Row64],
    lane: usize,
) -> ([u8; MAX_WIDTH], bool) {
    let mut new = *old;
    let n_bytes = bytes_of_access(plan, facts);
    if plan.op == SurfaceOp::Reduction {
        let Some(op) = plan.reduces else {
            return (new, true);
        };
        let ty = reduced_type(plan, facts);
        let value = sources.first().map_or(0, |row| row[lane]);
        let keep = u128::MAX >> (128 - 8 * n_bytes.clamp(1, 16));
        let before = u128::from_le_bytes(old[..16].try_into().unwrap_or_default()) & keep;
        let mode = FloatMode::default();
        let (result, changes) = combine(op, ty, mode, before, [value.into(), 0]);
        new[..n_bytes].copy_from_slice(&result.to_le_bytes()[..n_bytes]);
        return (new, changes);
    }
    if plan.is_formatted {
        let size = facts.channel.width_bytes() as usize;
        for (index, channel) in new[..n_bytes].chunks_exact_mut(size).enumerate() {
            let value = sources.get(index).map_or(0, |row| row[lane] as u32);
            let bits = formatted(facts.channel, value).to_le_bytes();
            channel.copy_from_slice(&bits[..size]);
        }
    } else {
        let size = plan.access.element_bytes as usize;
        for (element, row) in new[..n_bytes].chunks_exact_mut(size).zip(sources) {
            element.copy_from_slice(&row[lane].to_le_bytes()[..size]);
        }
    }
    (new, true)
}

/// Returns the number of bytes that a lane accesses in the surface.
fn bytes_of_access(plan: &SurfacePlan, facts: &ImageInit) -> usize {
    match plan.is_formatted {
        true => facts.texel_bytes() as usize,
        false => plan.access.width_bytes as usize,
    }
}

/// Returns the element type of a surface reduction. For formatted surfaces, the format determines the signedness.
fn reduced_type(plan: &SurfacePlan, facts: &ImageInit) -> ScalarType {
    let ty = plan.access.metadata.ty;
    match (
        plan.is_formatted,
        ty.width_bits(),
        facts.channel.is_signed() || facts.channel.is_float(),
    ) {
        (false, _, _) => ty,
        (true, 64, true) => ScalarType::S64,
        (true, 64, false) => ScalarType::U64,
        (true, _, true) => ScalarType::S32,
        (true, _, false) => ScalarType::U32,
    }
}

/// Converts a 32-bit value to the channel type of a surface format. Integers are clamped.
fn formatted(channel: ScalarType, value: u32) -> u32 {
    let signed = |largest: i32| (value as i32).clamp(-largest - 1, largest) as u32;
    match channel {
        ScalarType::F16 => softfloat::pack(
            FloatFormat::F16,
            f32::from_bits(value).into(),
            RoundingMode::Nearest,
        ),
        ScalarType::U8 => value.min(0xff),
        ScalarType::U16 => value.min(0xffff),
        ScalarType::S8 => signed(0x7f),
        ScalarType::S16 => signed(0x7fff),
        _ => value,
    }
}

/// Returns the coordinates that a lane specifies: x, y, and the layer or the depth plane.
fn asked_places(
    plan: &SurfacePlan,
    facts: &ImageInit,
    coordinates: &[Row64],
    lane: usize,
) -> [i64; 3] {
    let value = |index: usize| coordinate(coordinates, index, lane);
    let skipped = usize::from(plan.geometry.is_array());
    let signed = |index: usize| i64::from(value(index + skipped) as i32);
    let has_rows = facts.height > 0;
    [
        signed(0),
        if has_rows { signed(1) } else { 0 },
        match plan.geometry {
            Geometry::D3 => signed(2),
            _ if skipped == 1 => value(0).into(),
            _ => 0,
        },
    ]
}

/// Coordinate that a lane specifies in one dimension of a surface, with the bounds of this dimension.
#[derive(Clone, Copy)]
struct Along {
    dimension: usize,
    asked: i64,
    /// Number of valid coordinates in this dimension.
    size: u64,
    /// Last coordinate at which an access of this size is within bounds.
    last: Option<u64>,
}

/// Applies the clamp mode of a surface instruction to a coordinate. Returns `None` if the access is ignored.
fn bounded(
    plan: &SurfacePlan,
    name: &str,
    along: Along,
    lane: usize,
) -> Result<Option<u64>, Box<ExecutionFault>> {
    let Along { asked, last, .. } = along;
    let place = u64::try_from(asked).ok();
    let inside = place.filter(|place| last.is_some_and(|last| *place <= last));
    match (inside, plan.bounds, last) {
        (Some(place), _, _) => Ok(Some(place)),
        (None, SurfaceBounds::Clamp, Some(last)) => Ok(Some(asked.clamp(0, last as i64) as u64)),
        (None, SurfaceBounds::Zero, _) => Ok(None),
        (None, SurfaceBounds::Trap | SurfaceBounds::Clamp, _) => {
            Err(out_of_bounds(plan, name, along, lane))
        }
    }
}

/// Creates the fault for an out-of-bounds surface coordinate.
fn out_of_bounds(plan: &SurfacePlan, name: &str, along: Along, lane: usize) -> Box<ExecutionFault> {
    let found = along.asked;
    let unit = match (along.dimension, plan.is_formatted) {
        (0, false) => "byte",
        (0, true) => "element",
        (1, _) => "row",
        _ => "layer",
    };
    let n = counted(along.size, unit);
    let per_row = if along.dimension == 0 { " per row" } else { "" };
    let reason =
        format!("{unit} {found} is out of bounds for surface `{name}`, which has {n}{per_row}");
    ExecutionFault::new(FaultKind::SurfaceOutOfBounds { why: reason }, 1 << lane)
}

/// Returns the offset of the surface bytes that a lane accesses.
fn place(
    plan: &SurfacePlan,
    image: &Image,
    coordinates: &[Row64],
    lane: usize,
) -> Result<SurfaceOffset, Box<ExecutionFault>> {
    let facts = &image.facts;
    let name = &facts.name;
    let planes = planes_of(plan.geometry, facts);
    let planes = planes.ok_or_else(|| other_shape(plan.geometry, image, lane))?;
    let texel = facts.texel_bytes();
    let width = u64::from(plan.access.width_bytes);
    if plan.is_formatted && plan.op == SurfaceOp::Reduction && width != texel {
        let reason = format!(
            "`{name}` has {texel}-byte elements, but the instruction accesses {width}-byte elements"
        );
        return Err(wrong(reason, lane));
    }
    // Compute the number of units along x, and the number of units that one access covers. A unit is an element for
    // formatted accesses, otherwise a byte.
    let (row, taken) = match plan.is_formatted {
        true => (facts.width, 1),
        false => (facts.width * texel, width),
    };
    let asked = asked_places(plan, facts, coordinates, lane);
    let sizes = [
        row,
        facts.height.max(1),
        if facts.depth > 0 { facts.depth } else { planes },
    ];
    if asked[0].rem_euclid(taken.max(1) as i64) != 0 {
        let reason = format!(
            "the x coordinate of surface `{name}` is the byte offset {}, expected a multiple of {taken}",
            asked[0]
        );
        return Err(wrong(reason, lane));
    }
    // Compute the last coordinate of a dimension at which an access of this size is within bounds.
    let last = |dimension: usize| match dimension {
        0 => row.checked_sub(taken).map(|end| end / taken * taken),
        _ => sizes[dimension].checked_sub(1),
    };
    let mut at = [0; 3];
    for dimension in 0..3 {
        let along = Along {
            dimension,
            asked: asked[dimension],
            size: sizes[dimension],
            last: last(dimension),
        };
        match bounded(plan, name, along, lane)? {
            Some(place) => at[dimension] = place,
            None => return Ok(None),
        }
    }
    let along = match plan.is_formatted {
        true => at[0] * texel,
        false => at[0],
    };
    Ok(Some(
        (at[2] * facts.height.max(1) + at[1]) * facts.pitch + along,
    ))
}
