//! Multicast addresses of a launch (CUDA driver API, "cuMulticastCreate").

use crate::contract::launch::BufferIndex;

/// First multicast address. No memory is allocated at these addresses.
pub(crate) const FIRST: u64 = 0x7e00_0000_0000;

/// Distance between multicast addresses, which exceeds the size of any buffer.
pub(crate) const STEP: u64 = 1 << 33;

/// Multicast address of a launch, which denotes one buffer on each device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MulticastInit {
    /// Name of the multicast address in the launch.
    pub name: String,
    /// Buffers that the address denotes, one for each device.
    pub members: Vec<BufferIndex>,
}

impl MulticastInit {
    /// Returns the multicast address with this index in the launch.
    pub const fn address(index: usize) -> u64 {
        FIRST + index as u64 * STEP
    }
}
