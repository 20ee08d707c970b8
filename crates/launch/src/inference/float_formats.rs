//! Floating-point formats of the values that SASS instructions load and store. SASS memory accesses have no type, so the format follows from
//! the instructions that read a loaded register or that compute a stored register. PTX registers have a type and are assigned once by
//! compilers, whereas SASS registers contain values of different types during a kernel.

use crate::instruction_summary::{
    AccessKind, InstructionSummary, InstructionView, MemoryAccess, SourceValue,
};
use std::collections::BTreeSet;
use warpgrid_isa::ScalarType;
use warpgrid_program::RegisterId;

/// Returns the floating-point format of the data that the instruction at `index` loads or stores. Returns `None` for other instructions, and
/// if the data is not a floating-point value. `instructions` are the instructions of the kernel in source order.
pub(crate) fn float_format(
    instructions: &[InstructionView<'_>],
    index: usize,
) -> Option<ScalarType> {
    let access = instructions.get(index)?.access()?;
    let mut registers = access.data.iter().flatten();
    match access.kind {
        AccessKind::Load => {
            registers.find_map(|register| format_of_uses(instructions.get(index + 1..)?, *register))
        }
        AccessKind::Store => registers
            .find_map(|register| format_of_definition(instructions.get(..index)?, *register)),
        AccessKind::Atomic => None,
    }
}

/// Returns the element type of the access of the SASS instruction at `index`.
pub(crate) fn element_type(
    instructions: &[InstructionView<'_>],
    index: usize,
) -> Option<ScalarType> {
    let access = instructions.get(index)?.access()?;
    let format = float_format(instructions, index);
    let elements = format.and_then(|format| elements_of_format(&access, format));
    Some(elements.map_or(access.ty, |(ty, _)| ty))
}

/// Returns the type and the number of elements of an access if its data has the given floating-point format. Returns `None` if the access
/// does not transfer a whole number of such values.
pub(crate) fn elements_of_format(
    access: &MemoryAccess,
    format: ScalarType,
) -> Option<(ScalarType, u32)> {
    // A register of 32 bits contains two values of 16 bits. The elements of the buffer are single values, whose initial values can be
    // stated.
    let format = match format {
        ScalarType::F16x2 => ScalarType::F16,
        ScalarType::Bf16x2 => ScalarType::Bf16,
        _ => format,
    };
    let n_bytes = access.ty.width_bytes() * access.data.len().max(1) as u32;
    let width = format.width_bytes();
    let is_valid = matches!(
        format,
        ScalarType::F16 | ScalarType::Bf16 | ScalarType::F32 | ScalarType::F64
    );
    (is_valid && n_bytes.is_multiple_of(width)).then_some((format, n_bytes / width))
}

/// Returns the format in which the next instruction that computes with a register reads the register. Moves propagate the value.
fn format_of_uses(
    instructions: &[InstructionView<'_>],
    register: RegisterId,
) -> Option<ScalarType> {
    let mut holders = BTreeSet::from([register]);
    for instruction in instructions {
        let is_read = instruction
            .sources()
            .iter()
            .any(|source| holders.contains(source));
        let summary = instruction.read();
        let copied_to = match summary {
            InstructionSummary::Copy {
                to,
                from: SourceValue::Register(from),
            } if holders.contains(&from) => Some(to),
            _ if is_read => return instruction.float_source(),
            _ => None,
        };
        for destination in instruction.destinations() {
            holders.remove(&destination);
        }
        holders.extend(copied_to);
        if holders.is_empty() {
            return None;
        }
    }
    None
}

/// Returns the format in which the last instruction that writes a register writes it. Moves propagate the value.
fn format_of_definition(
    instructions: &[InstructionView<'_>],
    register: RegisterId,
) -> Option<ScalarType> {
    let mut register = register;
    for (at, instruction) in instructions.iter().enumerate().rev() {
        if !instruction.destinations().contains(&register) {
            continue;
        }
        match instruction.read() {
            InstructionSummary::Copy {
                from: SourceValue::Register(from),
                ..
            } => register = from,
            InstructionSummary::Access(_) => {
                return format_of_uses(instructions.get(at + 1..)?, register);
            }
            _ => return instruction.float_result(),
        }
    }
    None
}
