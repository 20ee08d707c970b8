//! Memory of several devices under one address (CUDA driver API, "cuMulticastCreate"): which buffers an address means. In: the buffers of each; out:
//! for an address the places of all its members.

use crate::contract::launch::BufferIndex;
use crate::contract::multicast::MulticastInit;
use crate::state::memory::{Allocation, Owner};

/// One with the places of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Multicast {
    address: u64,
    /// Of the smallest member.
    size: u64,
    members: Vec<u64>,
}

impl Multicast {
    /// The addresses that `n_bytes` from an address on mean; none where it is not one of these, or they are not all there.
    fn at(&self, address: u64, n_bytes: u64) -> Option<impl Iterator<Item = u64>> {
        let offset = address.checked_sub(self.address)?;
        let end = offset.checked_add(n_bytes)?;
        let members = self.members.iter().map(move |member| member + offset);
        (end <= self.size).then_some(members)
    }
}

/// The ones of a launch, in order.
pub(crate) fn place_multicasts(
    multicasts: &[MulticastInit],
    allocations: &[Allocation],
) -> Vec<Multicast> {
    let find = |index: &BufferIndex| {
        allocations
            .iter()
            .find(|a| matches!(&a.owner, Owner::Buffer(buffer, _) if buffer == index))
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

/// The addresses that an access to memory of several devices means: that of each device, or the address itself where it is that of one.
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
    fn an_address_means_the_same_place_of_every_member() {
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
