//! A fault in the screen's words.

use crate::model::{FaultView, SourceRange};
use warpgrid_emulator::{Fault, FaultKind, Region};

/// The fault as hosts show and compare it.
pub(crate) fn view(fault: &Fault, range: SourceRange) -> FaultView {
    let access = fault.access.as_ref();
    let buffer = access.and_then(|access| match &access.place.region {
        Region::Buffer { name, .. } | Region::Variable { name, .. } => Some(name.clone()),
        _ => None,
    });
    let space = access.and_then(|access| match &access.place.region {
        Region::Buffer { .. } | Region::Variable { .. } => None,
        Region::Nothing => Some(access.space.name().to_owned()),
        region => Some(region.name().to_owned()),
    });
    FaultView {
        kind: fault.kind.name().to_owned(),
        buffer,
        space: space.filter(|space| !space.is_empty()),
        byte_offset: access.map(|access| access.place.byte_offset),
        width: access.map(|access| access.width_bytes),
        thread: fault.thread,
        block: fault.block,
        address: access.map(|access| format!("{:#x}", access.address)),
        lanes: fault.lanes,
        range,
        message: fault.to_string(),
        help: help(&fault.kind, access.map(|access| access.width_bytes)),
    }
}

/// What a person can do about it.
fn help(kind: &FaultKind, width: Option<u32>) -> Option<String> {
    let text = match kind {
        FaultKind::Misaligned => format!("an access of {0} bytes needs an address that is a multiple of {0}", width.unwrap_or(1)),
        FaultKind::OutOfBounds => "check the index against the size of the buffer, or make the buffer larger".to_owned(),
        FaultKind::ReadOnly => "constant memory and kernel parameters cannot be written; copy the value to another space first".to_owned(),
        FaultKind::WrongSpace => "use the space that the address belongs to, or a generic access".to_owned(),
        FaultKind::Deadlock { .. } => "every thread of the block must reach the barrier, also those that leave early or take another branch".to_owned(),
        FaultKind::NotEmulated { .. } => "the instruction is legal; Warpgrid does not run it yet".to_owned(),
        _ => return None,
    };
    Some(text)
}
