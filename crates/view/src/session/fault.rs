//! Conversion of a fault to the form that hosts display.

use crate::model::MemorySpace;
use crate::model::fault::FaultView;
use crate::model::source_position::SourcePosition;
use crate::model::text::SourceRange;
use warpgrid_emulator::{
    AccessFault, Fault, FaultKind, InvalidCoordinate, MatrixMisuse, NamedRegion,
};
use warpgrid_isa::StateSpace;

/// Converts a fault to the form that hosts display and that the module `expectations` compares.
pub(crate) fn view(fault: &Fault, range: SourceRange, source: Vec<SourcePosition>) -> FaultView {
    let access = fault.access.as_ref();
    FaultView {
        kind: (&fault.kind).into(),
        buffer: access.and_then(buffer),
        space: access.and_then(space),
        byte_offset: access.map(|access| access.place.byte_offset),
        width: access.map(|access| access.width_bytes),
        thread: fault.thread,
        block: fault.block,
        address: access.map(|access| format!("{:#x}", access.address)),
        lanes: fault.lanes,
        range,
        source,
        message: fault.to_string(),
        help: help(&fault.kind, access),
    }
}

/// Returns the name of the buffer or variable that contains the accessed address or that is adjacent to this address.
fn buffer(access: &AccessFault) -> Option<String> {
    match &access.place.region {
        NamedRegion::Buffer { name, .. } | NamedRegion::Variable { name, .. } => Some(name.clone()),
        NamedRegion::Shared
        | NamedRegion::Local
        | NamedRegion::Parameters
        | NamedRegion::Nothing => None,
    }
}

/// Returns the state space of an access whose address is neither in a buffer or variable nor adjacent to a buffer or variable.
fn space(access: &AccessFault) -> Option<MemorySpace> {
    match &access.place.region {
        NamedRegion::Buffer { .. } | NamedRegion::Variable { .. } => None,
        NamedRegion::Shared => Some(MemorySpace::Shared),
        NamedRegion::Local => Some(MemorySpace::Local),
        NamedRegion::Parameters => Some(MemorySpace::Param),
        // A generic address that is adjacent to no memory has no state space.
        NamedRegion::Nothing if access.space == StateSpace::Generic => None,
        NamedRegion::Nothing => Some(access.space.into()),
    }
}

/// Returns a suggestion for a fix of the fault, or `None` if no suggestion exists for this kind of fault.
fn help(kind: &FaultKind, access: Option<&AccessFault>) -> Option<String> {
    let text = match kind {
        FaultKind::Misaligned => {
            let width = access.map_or(1, |access| access.width_bytes);
            return Some(format!(
                "a {width}-byte access requires an address that is a multiple of {width}"
            ));
        }
        FaultKind::OutOfBounds => out_of_bounds_help(access),
        FaultKind::ReadOnly => {
            "constant memory and kernel parameters are read-only: copy the value to another state space first"
        }
        FaultKind::WrongSpace => {
            "use an instruction for the state space of the address, or use generic addressing"
        }
        FaultKind::Deadlock { waiting } if waiting.iter().any(|w| w.mbarrier.is_some()) => {
            "an mbarrier phase completes when the pending arrival count and the tx-count are both zero: compare the count of `mbarrier.init` with the number of arriving threads, and the byte count of `expect_tx` with the number of transferred bytes"
        }
        FaultKind::Deadlock { .. } => {
            "all threads of the block must reach the barrier: check whether threads exit early or take another branch"
        }
        FaultKind::UndefinedMatrix(mistake) => matrix_help(mistake),
        FaultKind::Trap => {
            "the kernel executed `trap`: check the condition that guards the `trap` instruction"
        }
        FaultKind::Assert { .. } => {
            "the launch violates an assertion of the kernel: use other sizes or values"
        }
        FaultKind::Unsupported { .. } => {
            "the instruction is valid, but the emulator does not support the instruction yet"
        }
        FaultKind::StackOverflow => "check whether the recursion of the function terminates",
        FaultKind::BadCallTarget { .. } => {
            "the register must contain a function address, as loaded by `mov.u64 %rd1, function_name`: check how the kernel computes the value"
        }
        FaultKind::BadBranchIndex { .. } => {
            "compare the index with the number of labels before the branch"
        }
        FaultKind::BadBarrier { .. } => {
            "use a barrier number from 0 to 15, and a thread count that is a multiple of the warp size, 32"
        }
        FaultKind::Mbarrier(_) => {
            "initialize an mbarrier once with `mbarrier.init` before other threads use the mbarrier, and invalidate the mbarrier with `mbarrier.inval`"
        }
        FaultKind::MbarrierInOtherBlock => {
            "map the addresses of the destination and of the mbarrier to the same block with `mapa`"
        }
        FaultKind::InvalidIgnoreBytes { .. } => {
            "a bulk copy transfers multiples of 16 bytes: shorten the copy instead of ignoring a full chunk"
        }
        FaultKind::TensorCopy { .. } => {
            "pass the address of a tensor map that matches the copy, for example `//@ tensormap map = tiled x: f16[64][64] box=[8][64]`"
        }
        FaultKind::IllegalInstruction(reason) => return Some(coordinate_help(reason)),
        FaultKind::TensorMemory { .. } => {
            "allocate columns with `tcgen05.alloc`, and access only the 32 lanes of the executing warp: warp w can access lanes 32 * (w mod 4) to 32 * (w mod 4) + 31"
        }
        FaultKind::Image { .. } => {
            "bind a texture or surface that matches the instruction to the parameter, for example `//@ array texels: f32x4[8][8]` and `//@ texture image = texels`"
        }
        FaultKind::SurfaceOutOfBounds { .. } => {
            "check the coordinates: with `.b`, the x coordinate is a byte offset, and with `.clamp` or `.zero`, coordinates may be out of bounds"
        }
        FaultKind::InvalidCopySize { .. } => {
            "copy a multiple of the chunk size, and store the remainder with ordinary stores"
        }
        FaultKind::Internal { .. } => {
            "this fault is a bug in Warpgrid: please report the bug together with the source"
        }
    };
    Some(text.to_owned())
}

/// Returns a suggestion for a fix of an out-of-bounds access. The suggestion depends on the adjacent memory.
fn out_of_bounds_help(access: Option<&AccessFault>) -> &'static str {
    match access.map(|access| &access.place.region) {
        Some(region) if *region != NamedRegion::Nothing && is_before(access) => {
            "the address precedes the allocation: check subtractions and negative indices"
        }
        Some(NamedRegion::Buffer { .. }) => {
            "compare the index with the size of the buffer, or enlarge the buffer"
        }
        Some(NamedRegion::Variable { .. } | NamedRegion::Shared | NamedRegion::Local) => {
            "compare the index with the size of the array, or declare a larger array"
        }
        Some(NamedRegion::Parameters) => "compare the offset with the size of the parameter",
        Some(NamedRegion::Nothing) | None => {
            "the address is not near any allocation of the launch: check the address computation and the pointer arguments"
        }
    }
}

/// Returns a suggestion for a fix of the coordinates of a tensor copy.
fn coordinate_help(reason: &InvalidCoordinate) -> String {
    match reason {
        InvalidCoordinate::Misaligned {
            ty,
            multiple_elements,
            ..
        } => format!(
            "use a coordinate in dimension 0 that is a multiple of {multiple_elements} elements of `.{}`",
            ty.name()
        ),
        InvalidCoordinate::NegativeStart { .. } => {
            "use coordinates that are not negative, because only tensor loads fill elements outside of the tensor".to_owned()
        }
    }
}

fn is_before(access: Option<&AccessFault>) -> bool {
    access.is_some_and(|access| access.place.byte_offset < 0)
}

/// Returns a suggestion for a fix of an undefined matrix operation.
const fn matrix_help(mistake: &MatrixMisuse) -> &'static str {
    match mistake {
        MatrixMisuse::MissingLanes { .. } => {
            "use a block size that is a multiple of 32, and execute the instruction with all 32 lanes: no lane may be predicated off or diverged"
        }
        MatrixMisuse::UnequalAddresses => {
            "pass the same address in all lanes, because the instruction itself adds the offset of each lane"
        }
        MatrixMisuse::UnequalStrides => "pass the same stride, in elements, in all lanes",
        MatrixMisuse::InvalidScaleSelectors { .. } => {
            "pass the same constant byte ID and thread ID in all lanes: the byte ID must be a multiple of the number of scale factors, and the thread ID must be 0 or 1 for A and 0 to 3 for B"
        }
        MatrixMisuse::MisalignedStride { .. } => {
            "pad the rows of the matrix, because the PTX ISA manual requires that each row starts at a multiple of the fragment size"
        }
    }
}
