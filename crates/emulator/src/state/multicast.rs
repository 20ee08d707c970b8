//! Multicast addresses, each of which denotes buffers of several devices (CUDA driver API, "cuMulticastCreate"). This
//! module resolves a multicast address to the addresses of the member buffers.

use crate::contract::launch::BufferIndex;
use crate::contract::multicast::MulticastInit;
use crate::state::memory::{Allocation, AllocationOwner};

/// Multicast object of a launch: its multicast address, and the addresses of its member buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Multicast {
    address: u64,
    /// Size in bytes of the smallest member buffer.
    size: u64,
    members: Vec<u64>,
}

impl Multicast {
    /// Returns the addresses of a range of `n_bytes` bytes in each member buffer. Returns `None` if the range is not
    /// completely within this multicast object.
    fn at(&self, address: u64, n_bytes: u64) -> Option<impl Iterator<Item = u64>> {
        let offset = address.checked_sub(self.address)?;
        let end = offset.checked_add(n_bytes)?;
        let members = self.members.iter().map(move |member| member + offset);
        (end <= self.size).then_some(members)
    }
}

/// Resolves all multicast objects of a launch, in the order of the launch.
pub(crate) fn place_multicasts(
    multicasts: &[MulticastInit],
    allocations: &[Allocation],
) -> Vec<Multicast> {
    let find = |index: &BufferIndex| {
        allocations
            .iter()
            .find(|a| matches!(&a.owner, AllocationOwner::Buffer(buffer, _) if buffer == index))
    };
    let place = |(number, init): (usize, &MulticastInit)| {
        let members: Vec<&Allocation> = init.members.iter().filter_map(find).collect();
        Multicast {
            address: MulticastInit::address(number),
            size: members.iter().map(|member| member.size).min().unwrap_or(0),
            members: members.iter().map(|member| member.address).collect(),
        }
    };
    multicasts.iter().enumerate().map(place).collect()
}

/// Returns the addresses that a `multimem` access reads or modifies. For a multicast address, the result contains one
/// address per device, otherwise only the address itself.
pub(crate) fn members_of(multicasts: &[Multicast], address: u64, n_bytes: u64) -> Vec<u64> {
    let mut found = multicasts.iter().filter_map(|one| one.at(address, n_bytes));
    found
        .next()
        .map_or_else(|| vec![address], Iterator::collect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multicast_address_resolves_to_same_offset_of_each_member() {
        let one = Multicast {
            address: MulticastInit::address(0),
            size: 64,
            members: vec![0x1000, 0x2000],
        };
        let all = [one];
        let address = MulticastInit::address(0) + 8;
        assert_eq!(members_of(&all, address, 8), [0x1008, 0x2008]);
        assert_eq!(members_of(&all, address, 64), [address]);
        assert_eq!(members_of(&all, 0x1008, 8), [0x1008]);
    }
}
