//! A fault in the screen's words.

use crate::model::{FaultView, SourceRange, Space};
use warpgrid_emulator::{AccessFault, Fault, FaultKind, MatrixMistake, Region};
use warpgrid_isa::StateSpace;

/// The fault as hosts show and compare it.
pub(crate) fn view(fault: &Fault, range: SourceRange) -> FaultView {
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
        message: fault.to_string(),
        help: help(&fault.kind, access),
    }
}

/// The buffer or variable that an access was in or next to.
fn buffer(access: &AccessFault) -> Option<String> {
    match &access.place.region {
        Region::Buffer { name, .. } | Region::Variable { name, .. } => Some(name.clone()),
        Region::Shared | Region::Local | Region::Parameters | Region::Nothing => None,
    }
}

/// The memory that an access was in or next to, where that is no buffer and no variable.
fn space(access: &AccessFault) -> Option<Space> {
    match &access.place.region {
        Region::Buffer { .. } | Region::Variable { .. } => None,
        Region::Shared => Some(Space::Shared),
        Region::Local => Some(Space::Local),
        Region::Parameters => Some(Space::Param),
        // A generic address that nothing is near to is in no memory.
        Region::Nothing if access.space == StateSpace::Generic => None,
        Region::Nothing => Some(access.space.into()),
    }
}

/// What a person can do about it.
fn help(kind: &FaultKind, access: Option<&AccessFault>) -> Option<String> {
    let text = match kind {
        FaultKind::Misaligned => {
            let width = access.map_or(1, |access| access.width_bytes);
            return Some(format!(
                "an access of {width} bytes needs an address that is a multiple of {width}"
            ));
        }
        FaultKind::OutOfBounds => out_of_bounds_help(access),
        FaultKind::ReadOnly => {
            "constant memory and kernel parameters cannot be written; copy the value to another space first"
        }
        FaultKind::WrongSpace => "use the space that the address belongs to, or a generic access",
        FaultKind::Deadlock { waiting } if waiting.iter().any(|w| w.mbarrier.is_some()) => {
            "a phase ends with its last arrival and its last byte: compare the count of `mbarrier.init` with the threads that arrive, and the bytes that are expected with those that are sent"
        }
        FaultKind::Deadlock { .. } => {
            "every thread of the block must reach the barrier, also those that leave early or take another branch"
        }
        FaultKind::UndefinedMatrix(mistake) => matrix_help(mistake),
        FaultKind::Trap => "the kernel stops itself here; look at the condition that leads to it",
        FaultKind::Assert { .. } => {
            "the kernel states a condition that the launch does not meet; try other sizes or values"
        }
        FaultKind::NotEmulated { .. } => "the instruction is legal; Warpgrid does not run it yet",
        FaultKind::StackOverflow => "check that the recursion ends",
        FaultKind::BadCallTarget { .. } => {
            "a function's address comes from `mov` of its name; check where the register gets its value"
        }
        FaultKind::BadBranchIndex { .. } => {
            "compare the index with the number of labels before the branch"
        }
        FaultKind::BadBarrier { .. } => {
            "barriers have the numbers 0 to 15, and whole warps of 32 threads arrive at them"
        }
        FaultKind::Mbarrier(_) => {
            "an mbarrier is made once with `mbarrier.init`, before other threads use it, and ended with `mbarrier.inval`"
        }
        FaultKind::DistantMbarrier => {
            "map the addresses of the destination and of the mbarrier to the same block with `mapa`"
        }
        FaultKind::LeftOutBytes { .. } => {
            "a copy moves whole 16 bytes: make it shorter, and leave out the rest"
        }
        FaultKind::TensorCopy { .. } => {
            "give the copy the address of a tensor map that fits it: `//@ tensormap map = tiled x: f16[64][64] box=[8][64]`"
        }
        FaultKind::TensorMemory { .. } => {
            "reserve columns with `tcgen05.alloc`, and let each warp name the 32 lanes that it reaches: warp w from lane 32 * (w mod 4) on"
        }
        FaultKind::Image { .. } => {
            "give the parameter a texture or surface that fits the instruction: `//@ array texels: f32x4[8][8]` and `//@ texture image = texels`"
        }
        FaultKind::SurfaceOutOfBounds { .. } => {
            "check the coordinates: those of `.b` count bytes along x; `.clamp` and `.zero` take what lies outside"
        }
        FaultKind::BadCopySize { .. } => "copy a whole multiple, and the rest with plain stores",
        FaultKind::Internal { .. } => {
            "this is a mistake of Warpgrid; please report it with the text"
        }
    };
    Some(text.to_owned())
}

/// What a person can do about an access outside of what it was next to.
fn out_of_bounds_help(access: Option<&AccessFault>) -> &'static str {
    match access.map(|access| &access.place.region) {
        Some(region) if *region != Region::Nothing && is_before(access) => {
            "the address lies before the start: check what is subtracted, and whether an index can be negative"
        }
        Some(Region::Buffer { .. }) => {
            "check the index against the size of the buffer, or make the buffer larger"
        }
        Some(Region::Variable { .. } | Region::Shared | Region::Local) => {
            "check the index against the size of the array, or declare a larger one"
        }
        Some(Region::Parameters) => "check the offset against the size of the parameter",
        Some(Region::Nothing) | None => {
            "no memory of the launch is near: look at how the address is computed, and at what pointers hold"
        }
    }
}

fn is_before(access: Option<&AccessFault>) -> bool {
    access.is_some_and(|access| access.place.byte_offset < 0)
}

/// What a person can do about a matrix operation that is undefined.
const fn matrix_help(mistake: &MatrixMistake) -> &'static str {
    match mistake {
        MatrixMistake::MissingLanes { .. } => {
            "launch blocks of whole warps, and let every lane of the warp reach the instruction together, without a guard that excludes some"
        }
        MatrixMistake::UnequalAddresses => {
            "give all lanes the same address: the instruction adds what each lane needs"
        }
        MatrixMistake::UnequalStrides => "give all lanes the same stride, in elements",
        MatrixMistake::FactorSelectors { .. } => {
            "give all lanes the same byte and lane, as constants: a multiple of the number of scales, and 0 or 1 for A, 0 to 3 for B"
        }
        MatrixMistake::MovedLines { .. } => {
            "pad the lines of the matrix: the manual asks for lines that start at multiples of the fragment's size"
        }
    }
}
