//! Diagrams of the layout inspector: layout expressions, descriptor tiles and pairs of instructions. A diagram has the same type as the
//! layout of a tensor instruction, so that all renderers of layouts can display it.

use crate::expression::tree::read_unsigned;
use crate::layouts::fragment::request::{FragmentRequest, FragmentRequestError};
use crate::layouts::inspector::{
    descriptor_tile, fragment_compatibility, layout_expression, tma_tile,
};
use crate::layouts::tensor::query_parameters::QueryParams;
use crate::layouts::tensor::shared_operand::{read_tensor_memory, read_warpgroup};
use crate::layouts::tensor::{LayoutPicture, LayoutView, Operand, exactly, nearest, refusal};

/// Kind of diagram that a user requests from the layout inspector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InspectorOp {
    /// Diagram of a layout expression that the user types.
    Typed,
    /// Tile that a `wgmma` descriptor addresses.
    WarpgroupTile(Operand),
    /// Tile that a `tcgen05.mma` descriptor addresses.
    TensorTile(Operand),
    /// Tile that a tensor copy writes to shared memory.
    CopyTile,
    /// Comparison of the result fragment of one instruction with the operand fragment of the next instruction.
    Chain,
}

/// All operations of the layout inspector with their names, in the order of the documentation.
const OPS: [(&str, InspectorOp); 7] = [
    ("layout", InspectorOp::Typed),
    ("chain", InspectorOp::Chain),
    ("copy.tile", InspectorOp::CopyTile),
    ("wgmma.tile.a", InspectorOp::WarpgroupTile(Operand::A)),
    ("wgmma.tile.b", InspectorOp::WarpgroupTile(Operand::B)),
    ("tcgen05.tile.a", InspectorOp::TensorTile(Operand::A)),
    ("tcgen05.tile.b", InspectorOp::TensorTile(Operand::B)),
];

/// Returns the names of the operations of the layout inspector: `layout`, `wgmma.tile.a`.
pub fn operations() -> impl Iterator<Item = &'static str> {
    OPS.iter().map(|(name, _)| *name)
}

/// Checks whether `op` is an operation of the layout inspector.
pub fn has_picture(op: &str) -> bool {
    OPS.iter().any(|(name, _)| *name == op)
}

/// Returns the instruction family of the shared-memory descriptor `bits`. Bits 46 to 48 distinguish the families, because they contain a
/// constant in a `tcgen05` descriptor.
pub fn family_of(bits: &str) -> &'static str {
    match read_unsigned(bits) {
        Some(bits) if bits >> 46 & 7 == 1 => "tcgen05",
        Some(_) | None => "wgmma",
    }
}

/// Returns the diagram that `request` describes by its fields `op`, `shape` and `type`, and by the additional parameters in `with`.
pub fn layout(request: &FragmentRequest) -> Result<LayoutView, FragmentRequestError> {
    exactly(request, view)
}

/// Returns the diagram nearest to `request`, or `None` if the layout inspector does not have the requested operation. The result contains
/// `operations` as [`LayoutPicture::ops`].
pub fn picture(request: &FragmentRequest, operations: Vec<String>) -> Option<LayoutPicture> {
    has_picture(&request.op).then(|| nearest(request, view, operations))
}

fn view(
    request: &FragmentRequest,
    words: &mut QueryParams<'_>,
) -> Result<LayoutView, FragmentRequestError> {
    let found = OPS.iter().find(|(name, _)| *name == request.op);
    let Some((name, op)) = found else {
        let known: Vec<String> = operations().map(|name| format!("`{name}`")).collect();
        return Err(refusal(format!(
            "found operation `{}`, expected {}",
            request.op,
            known.join(", ")
        )));
    };
    let view = match op {
        InspectorOp::Typed => layout_expression::view(words),
        InspectorOp::Chain => fragment_compatibility::view(words),
        InspectorOp::CopyTile => tma_tile::view(words),
        InspectorOp::WarpgroupTile(factor) => {
            let found = read_warpgroup(words, *factor)?;
            descriptor_tile::view(words, &found)
        }
        InspectorOp::TensorTile(factor) => {
            let found = read_tensor_memory(words, *factor)?;
            descriptor_tile::view(words, &found)
        }
    }?;
    Ok(LayoutView {
        op: (*name).to_owned(),
        ..view
    })
}
