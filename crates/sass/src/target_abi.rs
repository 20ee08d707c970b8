//! ABI by architecture: layout of the launch data in constant bank 0, reserved shared memory, and architecture-dependent instruction
//! semantics. The data are derived from listings of assembler 13.5.

use warpgrid_isa::Target;
use warpgrid_program::LaunchConstant;

/// ABI of a hardware generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TargetAbi {
    /// First architecture with this ABI.
    sm: u16,
    /// Offset of the CTA dimensions in constant bank 0. The following fields up to `parameter_address` are also offsets in constant bank 0.
    block: u32,
    grid: u32,
    stack_pointer: u32,
    shared_window: Option<u32>,
    local_window: Option<u32>,
    /// Offset of the address of the first parameter, for kernels that access parameters as memory.
    parameter_address: Option<u32>,
    /// Numbers of constant banks, and offsets of the generic addresses of these banks. Before `sm_90`, code addresses parameters relative
    /// to bank 0, and `.const` variables are in bank 3 (derived from code of assembler 13.5).
    bank_addresses: &'static [(u8, u32)],
    /// Number of the last uniform register. The field value of `URZ` is the next number.
    pub(crate) last_uniform_register: u16,
    cluster: Option<ClusterConstants>,
    /// Offset of the first kernel parameter.
    pub(crate) parameters: u32,
    /// Size of the reserved area at the start of shared memory, in bytes.
    pub(crate) reserved_shared_bytes: u64,
    /// Offset within the reserved shared memory of the mbarrier that synchronizes tensor-memory allocation between the two CTAs of a
    /// pair.
    pub(crate) pair_barrier: Option<u32>,
    /// Whether the architecture has mbarrier instructions. On older architectures, the code itself maintains the arrival counter.
    pub(crate) has_mbarrier_instructions: bool,
    /// Whether `BSYNC.RECONVERGENT` differs from `BSYNC`.
    pub(crate) has_reconvergent_bsync: bool,
}

/// Offsets of the cluster data. From `sm_100` on, a launch may have clusters of several sizes. The cluster data describe the first size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClusterConstants {
    is_explicit: u32,
    extents: u32,
    reciprocals: u32,
    counts: u32,
    size: u32,
}

#[rustfmt::skip]
const ENVIRONMENTS: &[TargetAbi] = &[
    TargetAbi { sm: 30, block: 0x28, grid: 0x34, stack_pointer: 0x44, shared_window: None, local_window: None, parameter_address: None, bank_addresses: &[], last_uniform_register: 62, cluster: None, parameters: 0x140, reserved_shared_bytes: 0, pair_barrier: None, has_mbarrier_instructions: false, has_reconvergent_bsync: false },
    TargetAbi { sm: 50, block: 0x8, grid: 0x14, stack_pointer: 0x20, shared_window: None, local_window: None, parameter_address: None, bank_addresses: &[], last_uniform_register: 62, cluster: None, parameters: 0x140, reserved_shared_bytes: 0, pair_barrier: None, has_mbarrier_instructions: false, has_reconvergent_bsync: false },
    TargetAbi { sm: 70, block: 0x0, grid: 0xc, stack_pointer: 0x28, shared_window: Some(0x18), local_window: Some(0x20), parameter_address: None, bank_addresses: &[(0, 0x40), (3, 0x50)], last_uniform_register: 62, cluster: None, parameters: 0x160, reserved_shared_bytes: 0, pair_barrier: None, has_mbarrier_instructions: false, has_reconvergent_bsync: false },
    TargetAbi { sm: 90, block: 0x0, grid: 0xc, stack_pointer: 0x28, shared_window: None, local_window: Some(0x20), parameter_address: Some(0x198), bank_addresses: &[(3, 0xd0)], last_uniform_register: 62, cluster: Some(ClusterConstants { is_explicit: 0x140, extents: 0x144, reciprocals: 0x150, counts: 0x15c, size: 0x188 }), parameters: 0x210, reserved_shared_bytes: 0x400, pair_barrier: None, has_mbarrier_instructions: true, has_reconvergent_bsync: false },
    TargetAbi { sm: 100, block: 0x360, grid: 0x370, stack_pointer: 0x37c, shared_window: None, local_window: Some(0x2f8), parameter_address: Some(0x348), bank_addresses: &[(3, 0x120)], last_uniform_register: 254, cluster: Some(ClusterConstants { is_explicit: 0x36c, extents: 0x2a0, reciprocals: 0x2b0, counts: 0x2c0, size: 0x2cc }), parameters: 0x380, reserved_shared_bytes: 0x400, pair_barrier: Some(0x48), has_mbarrier_instructions: true, has_reconvergent_bsync: true },
    TargetAbi { sm: 110, block: 0x360, grid: 0x370, stack_pointer: 0x37c, shared_window: None, local_window: Some(0x2f8), parameter_address: Some(0x348), bank_addresses: &[(3, 0x120)], last_uniform_register: 254, cluster: Some(ClusterConstants { is_explicit: 0x36c, extents: 0x2a0, reciprocals: 0x2b0, counts: 0x2c0, size: 0x2cc }), parameters: 0x380, reserved_shared_bytes: 0x400, pair_barrier: Some(0xc8), has_mbarrier_instructions: true, has_reconvergent_bsync: true },
];

impl TargetAbi {
    /// Returns the ABI of `target`.
    pub(crate) fn of(target: &Target) -> TargetAbi {
        let mut rows = ENVIRONMENTS.iter().rev();
        *rows
            .find(|row| row.sm <= target.sm)
            .unwrap_or(&ENVIRONMENTS[0])
    }

    /// Returns whether `offset` is the offset of the first kernel parameter on any architecture.
    pub(crate) fn is_start_of_parameters(offset: u64) -> bool {
        ENVIRONMENTS
            .iter()
            .any(|row| u64::from(row.parameters) == offset)
    }

    /// Returns the words that the launch writes to constant bank 0.
    pub(crate) fn facts(&self) -> Vec<(u32, LaunchConstant)> {
        let mut facts = vec![(self.stack_pointer, LaunchConstant::StackPointer)];
        for axis in 0..3 {
            let offset = 4 * u32::from(axis);
            facts.push((self.block + offset, LaunchConstant::BlockExtent(axis)));
            facts.push((self.grid + offset, LaunchConstant::GridExtent(axis)));
        }
        if let Some(cluster) = self.cluster {
            facts.push((cluster.is_explicit, LaunchConstant::ClusterIsExplicit));
            facts.push((cluster.size, LaunchConstant::ClusterSize));
            for axis in 0..3 {
                let offset = 4 * u32::from(axis);
                let of = [
                    (cluster.extents, LaunchConstant::ClusterExtent(axis)),
                    (cluster.reciprocals, LaunchConstant::ClusterReciprocal(axis)),
                    (cluster.counts, LaunchConstant::ClusterCount(axis)),
                ];
                facts.extend(of.map(|(start, fact)| (start + offset, fact)));
            }
        }
        if let Some(start) = self.shared_window {
            facts.push((start, LaunchConstant::SharedWindowLow));
            facts.push((start + 4, LaunchConstant::SharedWindowHigh));
        }
        if let Some(start) = self.local_window {
            facts.push((start, LaunchConstant::LocalWindowLow));
            facts.push((start + 4, LaunchConstant::LocalWindowHigh));
        }
        if let Some(start) = self.parameter_address {
            facts.push((start, LaunchConstant::ParametersLow));
            facts.push((start + 4, LaunchConstant::ParametersHigh));
        }
        for (bank, start) in self.bank_addresses {
            facts.push((*start, LaunchConstant::BankLow(*bank)));
            facts.push((start + 4, LaunchConstant::BankHigh(*bank)));
        }
        facts
    }
}
