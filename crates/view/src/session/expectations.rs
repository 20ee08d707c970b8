//! Comparison of a run with the expectations of its scenario. The crate `warpgrid-launch` compares the buffers, and this module compares
//! the fault in the form that hosts display.

use crate::model::fault::FaultView;
pub use warpgrid_launch::expect::{BufferMismatch, bytes_of, compare};
use warpgrid_launch::scenario::ExpectedFault;

impl From<&FaultView> for ExpectedFault {
    fn from(fault: &FaultView) -> ExpectedFault {
        ExpectedFault {
            kind: fault.kind,
            buffer: fault.buffer.clone(),
            space: fault.space,
            byte_offset: fault.byte_offset,
            width: fault.width,
            thread: Some(fault.thread),
            block: Some(fault.block),
        }
    }
}

/// Compares the fault of a run with the expected fault. Returns a message that describes the difference, or `None` if both faults agree.
pub fn compare_fault(
    expected: Option<&ExpectedFault>,
    found: Option<&FaultView>,
) -> Option<String> {
    let facts = found.map(|fault| (ExpectedFault::from(fault), fault.message.as_str()));
    let found = facts.as_ref().map(|(facts, message)| (facts, *message));
    warpgrid_launch::expect::compare_fault(expected, found)
}
