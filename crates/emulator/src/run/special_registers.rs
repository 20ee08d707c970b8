//! Special registers: their values in each lane, and the register file rows that contain these values.

use crate::run::setup::LaunchSetup;
use crate::semantics::registers::LANES;
use crate::state::warp::Warp;
use warpgrid_isa::SpecialRegister;

impl LaunchSetup {
    /// Fills the register rows of special registers. Rows that do not depend on the block are filled only for the first
    /// block in a resident slot.
    pub(crate) fn fill_specials(&self, warp: &mut Warp, position: [u32; 3]) {
        let index = warp.index;
        let row = |special: SpecialRegister| {
            let mut row = [0u64; LANES];
            for (lane, value) in row.iter_mut().enumerate() {
                *value = self.special(special, position, index, lane as u32);
            }
            row
        };
        let of_block = |special: SpecialRegister| self.special(special, position, index, 0);
        let banks = &mut warp.specials;
        if banks.r32.len() != self.code.specials32.len()
            || banks.r64.len() != self.code.specials64.len()
        {
            banks.r32 = vec![[0; LANES]; self.code.specials32.len()];
            banks.r64 = vec![[0; LANES]; self.code.specials64.len()];
            for (special, place) in self.code.specials32.iter().zip(&mut banks.r32) {
                *place = row(*special).map(|v| v as u32);
            }
            for (special, place) in self.code.specials64.iter().zip(&mut banks.r64) {
                *place = row(*special);
            }
            return;
        }
        for (special, place) in self.code.specials32.iter().zip(&mut banks.r32) {
            if changes(*special) {
                *place = [of_block(*special) as u32; LANES];
            }
        }
        for (special, place) in self.code.specials64.iter().zip(&mut banks.r64) {
            if changes(*special) {
                *place = [of_block(*special); LANES];
            }
        }
    }

    /// Returns the thread index, within its block, of the thread in a lane.
    pub(crate) fn thread(&self, warp: u32, lane: u32) -> [u32; 3] {
        let linear = warp * 32 + lane;
        let [x, y, _] = self.block;
        [linear % x, linear / x % y, linear / (x * y)]
    }

    /// Returns the value of a special register (PTX ISA, "Special Registers").
    pub(crate) fn special(
        &self,
        special: SpecialRegister,
        position: [u32; 3],
        warp: u32,
        lane: u32,
    ) -> u64 {
        use SpecialRegister as S;
        let of = |v: [u32; 3], axis: u8| v.get(axis as usize).copied().unwrap_or(0);
        let cluster = self.cluster;
        let in_cluster = || [0, 1, 2].map(|i: usize| position[i] % cluster[i]);
        let n_clusters = || [0, 1, 2].map(|i: usize| self.grid[i] / cluster[i]);
        let value = match special {
            S::Tid(axis) => of(self.thread(warp, lane), axis),
            S::Ntid(axis) => of(self.block, axis),
            S::Ctaid(axis) => of(position, axis),
            S::Nctaid(axis) => of(self.grid, axis),
            S::Clusterid(axis) => of([0, 1, 2].map(|i: usize| position[i] / cluster[i]), axis),
            S::Nclusterid(axis) => of(n_clusters(), axis),
            S::ClusterCtaid(axis) => of(in_cluster(), axis),
            S::ClusterNctaid(axis) => of(cluster, axis),
            S::ClusterCtarank => {
                let in_cluster = in_cluster();
                in_cluster[0] + cluster[0] * (in_cluster[1] + cluster[1] * in_cluster[2])
            }
            S::ClusterNctarank => self.n_ranks,
            S::IsExplicitCluster => u32::from(cluster != [1, 1, 1]),
            S::Laneid => lane,
            S::Warpid => warp,
            S::Nwarpid => self.program.target.limits.warps,
            S::Nsmid => 1,
            S::LanemaskEq => 1 << lane,
            S::LanemaskLe => u32::MAX >> (31 - lane),
            S::LanemaskLt => (1 << lane) - 1,
            S::LanemaskGe => u32::MAX << lane,
            S::LanemaskGt => u32::MAX << lane << 1,
            S::DynamicSmemSize => self.dynamic_shared_bytes as u32,
            S::TotalSmemSize | S::AggrSmemSize => self.layout.shared_bytes as u32,
            S::Smid
            | S::Gridid
            | S::Clock
            | S::ClockHi
            | S::Clock64
            | S::Globaltimer
            | S::GlobaltimerLo
            | S::GlobaltimerHi
            | S::ReservedSmemOffset
            | S::Envreg(_)
            | S::Pm(_)
            | S::Pm64(_)
            | S::CurrentGraphExec => 0,
        };
        u64::from(value)
    }
}

/// Checks whether the row of a special register must be filled again for each block. Such a value depends on the block,
/// or contains the time, which restarts with each block.
fn changes(special: SpecialRegister) -> bool {
    use SpecialRegister as S;
    match special {
        S::Ctaid(_)
        | S::Clusterid(_)
        | S::ClusterCtaid(_)
        | S::ClusterCtarank
        | S::Clock
        | S::ClockHi
        | S::Clock64
        | S::Globaltimer
        | S::GlobaltimerLo
        | S::GlobaltimerHi => true,
        S::Tid(_)
        | S::Ntid(_)
        | S::Nctaid(_)
        | S::Nclusterid(_)
        | S::ClusterNctaid(_)
        | S::ClusterNctarank
        | S::IsExplicitCluster
        | S::Laneid
        | S::Warpid
        | S::Nwarpid
        | S::Nsmid
        | S::LanemaskEq
        | S::LanemaskLe
        | S::LanemaskLt
        | S::LanemaskGe
        | S::LanemaskGt
        | S::DynamicSmemSize
        | S::TotalSmemSize
        | S::AggrSmemSize
        | S::Smid
        | S::Gridid
        | S::ReservedSmemOffset
        | S::Envreg(_)
        | S::Pm(_)
        | S::Pm64(_)
        | S::CurrentGraphExec => false,
    }
}

/// Checks whether the value of a special register depends on the block. Returns `None` for clock registers, whose
/// values depend on time.
pub(crate) fn differs_by_block(special: SpecialRegister) -> Option<bool> {
    use SpecialRegister as S;
    match special {
        S::Clock
        | S::ClockHi
        | S::Clock64
        | S::Globaltimer
        | S::GlobaltimerLo
        | S::GlobaltimerHi => None,
        special => Some(changes(special)),
    }
}
