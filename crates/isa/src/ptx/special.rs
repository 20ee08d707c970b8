//! Special registers (PTX ISA, "Special Registers").

use crate::form::Gate;

/// A read-only register that the machine provides. Three-dimensional ones name their component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpecialRegister {
    /// `%tid.{x,y,z}`; the component is 0, 1 or 2 (3 for the whole-vector `.w`, which reads 0)
    Tid(u8),
    /// `%ntid`
    Ntid(u8),
    /// `%ctaid`
    Ctaid(u8),
    /// `%nctaid`
    Nctaid(u8),
    /// `%clusterid`
    Clusterid(u8),
    /// `%nclusterid`
    Nclusterid(u8),
    /// `%cluster_ctaid`
    ClusterCtaid(u8),
    /// `%cluster_nctaid`
    ClusterNctaid(u8),
    /// `%cluster_ctarank`
    ClusterCtarank,
    /// `%cluster_nctarank`
    ClusterNctarank,
    /// `%is_explicit_cluster`
    IsExplicitCluster,
    /// `%laneid`
    Laneid,
    /// `%warpid`
    Warpid,
    /// `%nwarpid`
    Nwarpid,
    /// `%smid`
    Smid,
    /// `%nsmid`
    Nsmid,
    /// `%gridid`
    Gridid,
    /// `%lanemask_eq`
    LanemaskEq,
    /// `%lanemask_le`
    LanemaskLe,
    /// `%lanemask_lt`
    LanemaskLt,
    /// `%lanemask_ge`
    LanemaskGe,
    /// `%lanemask_gt`
    LanemaskGt,
    /// `%clock`: steps of this warp so far, for determinism.
    Clock,
    /// `%clock_hi`
    ClockHi,
    /// `%clock64`
    Clock64,
    /// `%globaltimer`: steps of the whole run, for determinism.
    Globaltimer,
    /// `%globaltimer_lo`
    GlobaltimerLo,
    /// `%globaltimer_hi`
    GlobaltimerHi,
    /// `%dynamic_smem_size`
    DynamicSmemSize,
    /// `%total_smem_size`
    TotalSmemSize,
    /// `%aggr_smem_size`
    AggrSmemSize,
    /// `%reserved_smem_offset_begin`, `_end`, `_cap` and `_0`, `_1`: read 0 here.
    ReservedSmemOffset,
    /// `%envreg0` to `%envreg31`: read 0 here.
    Envreg(u8),
    /// `%pm0` to `%pm7`: read 0 here.
    Pm(u8),
    /// `%pm0_64` to `%pm7_64`: read 0 here.
    Pm64(u8),
    /// `%current_graph_exec`: reads 0 here.
    CurrentGraphExec,
}

impl SpecialRegister {
    /// What the register holds, in one line.
    pub const fn help(self) -> &'static str {
        use SpecialRegister as S;
        match self {
            S::Tid(_) => "index of the thread in its block",
            S::Ntid(_) => "threads of a block",
            S::Ctaid(_) => "index of the block in the grid",
            S::Nctaid(_) => "blocks of the grid",
            S::Clusterid(_) => "index of the cluster in the grid",
            S::Nclusterid(_) => "clusters of the grid",
            S::ClusterCtaid(_) => "index of the block in its cluster",
            S::ClusterNctaid(_) => "blocks of a cluster",
            S::ClusterCtarank => "rank of the block in its cluster",
            S::ClusterNctarank => "number of blocks of the cluster",
            S::IsExplicitCluster => "whether the launch names a cluster size",
            S::Laneid => "index of the thread in its warp",
            S::Warpid => "index of the warp in its block; may change over time",
            S::Nwarpid => "the most warps that a multiprocessor holds",
            S::Smid => "number of the multiprocessor",
            S::Nsmid => "the most multiprocessors",
            S::Gridid => "number of the grid",
            S::LanemaskEq => "mask with the bit of this lane",
            S::LanemaskLe => "mask of this lane and those below",
            S::LanemaskLt => "mask of the lanes below",
            S::LanemaskGe => "mask of this lane and those above",
            S::LanemaskGt => "mask of the lanes above",
            S::Clock | S::ClockHi => "half of the clock counter",
            S::Clock64 => "clock counter",
            S::Globaltimer | S::GlobaltimerLo | S::GlobaltimerHi => "global timer, in nanoseconds",
            S::DynamicSmemSize => "bytes of dynamic shared memory",
            S::TotalSmemSize => "bytes of shared memory of the block",
            S::AggrSmemSize => "bytes of shared memory, that of the system included",
            S::ReservedSmemOffset => "shared memory that is reserved",
            S::Envreg(_) => "set by the driver",
            S::Pm(_) | S::Pm64(_) => "performance counter",
            S::CurrentGraphExec => "the graph that is being run",
        }
    }

    /// The register with this spelling, percent sign and component included (`%tid.x`).
    pub fn from_name(name: &str) -> Option<SpecialRegister> {
        use SpecialRegister as S;
        let name = name.strip_prefix('%')?;
        if let Some((base, component)) = name.split_once('.') {
            let component = match component {
                "x" | "r" => 0,
                "y" | "g" => 1,
                "z" | "b" => 2,
                "w" | "a" => 3,
                _ => return None,
            };
            return Some(match base {
                "tid" => S::Tid(component),
                "ntid" => S::Ntid(component),
                "ctaid" => S::Ctaid(component),
                "nctaid" => S::Nctaid(component),
                "clusterid" => S::Clusterid(component),
                "nclusterid" => S::Nclusterid(component),
                "cluster_ctaid" => S::ClusterCtaid(component),
                "cluster_nctaid" => S::ClusterNctaid(component),
                _ => return None,
            });
        }
        Some(match name {
            "cluster_ctarank" => S::ClusterCtarank,
            "cluster_nctarank" => S::ClusterNctarank,
            "is_explicit_cluster" => S::IsExplicitCluster,
            "laneid" => S::Laneid,
            "warpid" => S::Warpid,
            "nwarpid" => S::Nwarpid,
            "smid" => S::Smid,
            "nsmid" => S::Nsmid,
            "gridid" => S::Gridid,
            "lanemask_eq" => S::LanemaskEq,
            "lanemask_le" => S::LanemaskLe,
            "lanemask_lt" => S::LanemaskLt,
            "lanemask_ge" => S::LanemaskGe,
            "lanemask_gt" => S::LanemaskGt,
            "clock" => S::Clock,
            "clock_hi" => S::ClockHi,
            "clock64" => S::Clock64,
            "globaltimer" => S::Globaltimer,
            "globaltimer_lo" => S::GlobaltimerLo,
            "globaltimer_hi" => S::GlobaltimerHi,
            "dynamic_smem_size" => S::DynamicSmemSize,
            "total_smem_size" => S::TotalSmemSize,
            "aggr_smem_size" => S::AggrSmemSize,
            "current_graph_exec" => S::CurrentGraphExec,
            "reserved_smem_offset_begin"
            | "reserved_smem_offset_end"
            | "reserved_smem_offset_cap"
            | "reserved_smem_offset_0"
            | "reserved_smem_offset_1" => S::ReservedSmemOffset,
            _ => return numbered(name),
        })
    }

    /// Since when and from which target the register is there (assembler 13.5; PTX ISA, "Special Registers").
    pub const fn gate(self) -> Gate {
        use SpecialRegister as S;
        match self {
            S::Nwarpid
            | S::Nsmid
            | S::LanemaskEq
            | S::LanemaskLe
            | S::LanemaskLt
            | S::LanemaskGe
            | S::LanemaskGt
            | S::Clock64 => Gate::ptx(2, 0).sm(20),
            S::ClockHi => Gate::ptx(5, 0).sm(20),
            S::Globaltimer | S::GlobaltimerLo | S::GlobaltimerHi => Gate::ptx(3, 1).sm(30),
            S::DynamicSmemSize | S::TotalSmemSize => Gate::ptx(4, 1).sm(20),
            S::AggrSmemSize => Gate::ptx(8, 1).sm(90),
            S::ReservedSmemOffset => Gate::ptx(7, 6).sm(80),
            S::Clusterid(_)
            | S::Nclusterid(_)
            | S::ClusterCtaid(_)
            | S::ClusterNctaid(_)
            | S::ClusterCtarank
            | S::ClusterNctarank
            | S::IsExplicitCluster => Gate::ptx(7, 8).sm(90),
            S::CurrentGraphExec => Gate::ptx(8, 0).sm(50),
            S::Pm(4..) => Gate::ptx(3, 0).sm(20),
            S::Pm64(_) => Gate::ptx(4, 0).sm(50),
            _ => Gate::ALWAYS,
        }
    }

    /// Width of the register: 64 bits for clocks and the global timer, 32 otherwise.
    pub const fn width_bits(self) -> u32 {
        match self {
            SpecialRegister::Clock64
            | SpecialRegister::Globaltimer
            | SpecialRegister::Gridid
            | SpecialRegister::Pm64(_)
            | SpecialRegister::CurrentGraphExec => 64,
            _ => 32,
        }
    }
}

fn numbered(name: &str) -> Option<SpecialRegister> {
    if let Some(number) = name.strip_prefix("envreg") {
        let number: u8 = number.parse().ok()?;
        return (number < 32).then_some(SpecialRegister::Envreg(number));
    }
    let number = name.strip_prefix("pm")?;
    let (digits, make): (&str, fn(u8) -> SpecialRegister) = match number.strip_suffix("_64") {
        Some(digits) => (digits, SpecialRegister::Pm64),
        None => (number, SpecialRegister::Pm),
    };
    let number: u8 = digits.parse().ok()?;
    (number < 8 && digits.len() == 1).then(|| make(number))
}
