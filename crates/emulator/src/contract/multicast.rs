//! Multicast addresses of a launch (CUDA driver API, "cuMulticastCreate").

use crate::contract::launch::BufferIndex;

/// Where the first lies: these are addresses of no other memory.
pub(crate) const FIRST: u64 = 0x7e00_0000_0000;

/// From one to the next, more than any of them has.
pub(crate) const STEP: u64 = 1 << 33;

/// An address of several buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MulticastInit {
    /// As the launch calls it.
    pub name: String,
    /// A buffer for each device.
    pub members: Vec<BufferIndex>,
}

impl MulticastInit {
    /// The address of the one with this number.
    pub const fn address(index: usize) -> u64 {
        FIRST + index as u64 * STEP
    }
}
