//! Generation of PTX instructions that build a descriptor from the address of its tile.

use crate::layouts::tensor::shared_operand::SharedOperand;
use warpgrid_isa::tensor_layout::MatrixDescriptor;

/// Returns lines of PTX: first the declarations, then the instructions that build the descriptor, and finally the instructions that advance
/// the descriptor along k.
pub(crate) fn lines_of_ptx(found: &SharedOperand) -> Vec<String> {
    let without_start = MatrixDescriptor {
        start: 0,
        ..found.matrix.descriptor
    };
    // Also emit the bits outside of the named fields, because the query can specify a descriptor in which they are set.
    let rest = match found.written {
        Some(bits) => Some(bits & !0x3fff),
        None => without_start.encode(found.kind),
    };
    let Some(rest) = rest else {
        return Vec::new();
    };
    vec![
        "// %tile: the address of the tile in shared memory (32 bits)".to_owned(),
        "shr.u32 %field, %tile, 4;".to_owned(),
        "and.b32 %field, %field, 0x3fff;".to_owned(),
        "cvt.u64.u32 %descriptor, %field;".to_owned(),
        format!("or.b64 %descriptor, %descriptor, 0x{rest:016x};"),
        format!(
            "add.u64 %next, %descriptor, {};  // the next step along k: {} bytes",
            found.step_bytes() / 16,
            found.step_bytes()
        ),
    ]
}
