//! Special registers (PTX ISA, "Special Registers"): lookup by name, with width, gate and help text.

use crate::form::Gate;
use crate::target::Feature::{Clusters, GenericAddressing};
use crate::types::ScalarType;

macro_rules! specials {
    (components { $($cvariant:ident $cname:literal $cgate:expr, $chelp:literal;)* }
     numbered { $($nvariant:ident $nprefix:literal $nsuffix:literal $ncount:literal $nwidth:literal $ngate:expr, $nhelp:literal;)* }
     single { $($variant:ident $($name:literal)+ => $width:literal $gate:expr, $help:literal;)* }) => {
        /// Read-only register provided by the hardware.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SpecialRegister {
            $(#[doc = concat!("`%", $cname, ".{x,y,z}`; the component is 0, 1 or 2, or 3 for `.w`, which reads 0.")]
            $cvariant(u8),)*
            $(#[doc = concat!("`%", $nprefix, "N", $nsuffix, "`; the value is N.")]
            $nvariant(u8),)*
            $($(#[doc = concat!("`%", $name, "`")])+
            $variant,)*
        }

        impl SpecialRegister {
            /// Returns a one-line description of the register.
            pub const fn help(self) -> &'static str {
                match self {
                    $(SpecialRegister::$cvariant(_) => $chelp,)*
                    $(SpecialRegister::$nvariant(_) => $nhelp,)*
                    $(SpecialRegister::$variant => $help,)*
                }
            }

            /// Returns the gate of the register (assembler 13.5; PTX ISA, "Special Registers").
            pub const fn gate(self) -> Gate {
                match self {
                    // Performance counters 4 to 7 require a later PTX version than counters 0 to 3.
                    SpecialRegister::Pm(4..) => Gate::ptx(3, 0).with(GenericAddressing),
                    $(SpecialRegister::$cvariant(_) => $cgate,)*
                    $(SpecialRegister::$nvariant(_) => $ngate,)*
                    $(SpecialRegister::$variant => $gate,)*
                }
            }

            /// Returns the width in bits: 64 for clocks, 64-bit counters and the grid ID, otherwise 32.
            pub const fn width_bits(self) -> u32 {
                match self {
                    $(SpecialRegister::$cvariant(_) => 32,)*
                    $(SpecialRegister::$nvariant(_) => $nwidth,)*
                    $(SpecialRegister::$variant => $width,)*
                }
            }

            /// Returns all spellings of all registers: one list for each register, or for each family of registers whose names differ only
            /// in a component or number.
            pub fn families() -> Vec<(SpecialRegister, Vec<String>)> {
                let mut families = Vec::new();
                $(
                    let spelled = ["x", "y", "z"].map(|component| format!("%{}.{component}", $cname));
                    families.push((SpecialRegister::$cvariant(0), spelled.to_vec()));
                )*
                $(
                    let spelled = (0..$ncount).map(|number| format!("%{}{number}{}", $nprefix, $nsuffix));
                    families.push((SpecialRegister::$nvariant(0), spelled.collect()));
                )*
                $(families.push((SpecialRegister::$variant, vec![$(format!("%{}", $name)),+]));)*
                families
            }

            /// Returns the register with this spelling, including percent sign and component (`%tid.x`).
            pub fn from_name(name: &str) -> Option<SpecialRegister> {
                let name = name.strip_prefix('%')?;
                if let Some((base, component)) = name.split_once('.') {
                    let component = component_of(component)?;
                    return match base {
                        $($cname => Some(SpecialRegister::$cvariant(component)),)*
                        _ => None,
                    };
                }
                match name {
                    $($($name)|+ => return Some(SpecialRegister::$variant),)*
                    _ => {}
                }
                $(if let Some(number) = number_of(name, $nprefix, $nsuffix, $ncount) {
                    return Some(SpecialRegister::$nvariant(number));
                })*
                None
            }
        }
    };
}

/// Gate that has no requirements.
const ALWAYS: Gate = Gate::ALWAYS;
const SM_20: Gate = Gate::ptx(2, 0).with(GenericAddressing);
const CLUSTER: Gate = Gate::ptx(7, 8).with(Clusters);
const TIMER: Gate = Gate::ptx(3, 1).sm(30);
const SIZES: Gate = Gate::ptx(4, 1).sm(20);

// Clocks count the steps of the warp and the global timer those of the whole run, so that runs are deterministic. Registers without an
// equivalent in the emulator (environment, performance counters, reserved memory, graphs) read as 0.
specials! {
    components {
        Tid           "tid"            ALWAYS,  "index of the thread in its block";
        Ntid          "ntid"           ALWAYS,  "number of threads in the block";
        Ctaid         "ctaid"          ALWAYS,  "index of the block in the grid";
        Nctaid        "nctaid"         ALWAYS,  "number of blocks in the grid";
        Clusterid     "clusterid"      CLUSTER, "index of the cluster in the grid";
        Nclusterid    "nclusterid"     CLUSTER, "number of clusters in the grid";
        ClusterCtaid  "cluster_ctaid"  CLUSTER, "index of the block in its cluster";
        ClusterNctaid "cluster_nctaid" CLUSTER, "number of blocks in the cluster";
    }
    numbered {
        Envreg "envreg" ""    32 32 ALWAYS,               "driver-defined value";
        Pm64   "pm"     "_64" 8  64 Gate::ptx(4, 0).sm(50), "performance counter";
        Pm     "pm"     ""    8  32 ALWAYS,               "performance counter";
    }
    single {
        ClusterCtarank     "cluster_ctarank"      => 32 CLUSTER, "rank of the block in its cluster";
        ClusterNctarank    "cluster_nctarank"     => 32 CLUSTER, "number of blocks in the cluster";
        IsExplicitCluster  "is_explicit_cluster"  => 32 CLUSTER, "predicate that is true if the launch specifies a cluster size";
        Laneid             "laneid"               => 32 ALWAYS,  "index of the thread in its warp";
        Warpid             "warpid"               => 32 ALWAYS,  "index of the warp in its block, which may change during execution";
        Nwarpid            "nwarpid"              => 32 SM_20,   "maximum number of resident warps per multiprocessor";
        Smid               "smid"                 => 32 ALWAYS,  "index of the multiprocessor";
        Nsmid              "nsmid"                => 32 SM_20,   "maximum number of multiprocessors";
        Gridid             "gridid"               => 64 ALWAYS,  "index of the grid";
        LanemaskEq         "lanemask_eq"          => 32 SM_20,   "bit mask of the executing lane";
        LanemaskLe         "lanemask_le"          => 32 SM_20,   "bit mask of the executing lane and all lower lanes";
        LanemaskLt         "lanemask_lt"          => 32 SM_20,   "bit mask of all lanes lower than the executing lane";
        LanemaskGe         "lanemask_ge"          => 32 SM_20,   "bit mask of the executing lane and all higher lanes";
        LanemaskGt         "lanemask_gt"          => 32 SM_20,   "bit mask of all lanes higher than the executing lane";
        Clock              "clock"                => 32 ALWAYS,  "low 32 bits of the 64-bit clock counter";
        ClockHi            "clock_hi"             => 32 Gate::ptx(5, 0).sm(20), "high 32 bits of the 64-bit clock counter";
        Clock64            "clock64"              => 64 SM_20,   "64-bit clock counter";
        Globaltimer        "globaltimer"          => 64 TIMER,   "64-bit global timer, which counts nanoseconds";
        GlobaltimerLo      "globaltimer_lo"       => 32 TIMER,   "low 32 bits of the 64-bit global timer, which counts nanoseconds";
        GlobaltimerHi      "globaltimer_hi"       => 32 TIMER,   "high 32 bits of the 64-bit global timer, which counts nanoseconds";
        DynamicSmemSize    "dynamic_smem_size"    => 32 SIZES,   "size of the dynamic shared memory of the block, in bytes";
        TotalSmemSize      "total_smem_size"      => 32 SIZES,   "size of the shared memory of the block, in bytes";
        AggrSmemSize       "aggr_smem_size"       => 32 Gate::ptx(8, 1).sm(90), "size of the shared memory of the block including reserved memory, in bytes";
        ReservedSmemOffset "reserved_smem_offset_begin" "reserved_smem_offset_end" "reserved_smem_offset_cap"
            "reserved_smem_offset_0" "reserved_smem_offset_1" => 32 Gate::ptx(7, 6).sm(80), "address of reserved shared memory";
        CurrentGraphExec   "current_graph_exec"   => 64 Gate::ptx(8, 0).sm(50), "index of the executing graph";
    }
}

impl SpecialRegister {
    /// Returns whether `mov` may read the register into an operand of this type (assembler 13.5). The operand must have the width of the
    /// register. Thread indices, CTA indices and the grid ID are also accepted as 16-bit operands, and `%is_explicit_cluster` is accepted
    /// as a predicate.
    pub fn fits(self, ty: ScalarType) -> bool {
        use SpecialRegister as S;
        let is_index = matches!(self, S::Tid(_) | S::Ntid(_) | S::Ctaid(_) | S::Nctaid(_));
        match self {
            S::IsExplicitCluster => ty == ScalarType::Pred,
            S::Gridid => ty.is_integer() && matches!(ty.width_bits(), 16 | 32 | 64),
            _ if ty.width_bits() == 16 => is_index && ty.is_integer(),
            _ => ty.is_integer() && ty.width_bits() == self.width_bits(),
        }
    }
}

fn component_of(name: &str) -> Option<u8> {
    Some(match name {
        "x" | "r" => 0,
        "y" | "g" => 1,
        "z" | "b" => 2,
        "w" | "a" => 3,
        _ => return None,
    })
}

/// Returns the number between `prefix` and `suffix` in `name`, if this number is less than `count`.
fn number_of(name: &str, prefix: &str, suffix: &str, count: u8) -> Option<u8> {
    let digits = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
    let number: u8 = digits.parse().ok()?;
    (number < count && digits == number.to_string()).then_some(number)
}

impl SpecialRegister {
    /// Returns whether the register is a clock, whose value advances independently of the program.
    pub const fn is_clock(self) -> bool {
        use SpecialRegister as S;
        matches!(
            self,
            S::Clock
                | S::ClockHi
                | S::Clock64
                | S::Globaltimer
                | S::GlobaltimerLo
                | S::GlobaltimerHi
        )
    }

    /// Returns whether the register is a hardware performance counter.
    pub const fn is_counter(self) -> bool {
        matches!(self, SpecialRegister::Pm(_) | SpecialRegister::Pm64(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_name_parses_special_register_names() {
        use SpecialRegister as S;
        let cases = [
            ("%tid.x", Some(S::Tid(0))),
            ("%nctaid.z", Some(S::Nctaid(2))),
            ("%cluster_ctaid.w", Some(S::ClusterCtaid(3))),
            ("%laneid", Some(S::Laneid)),
            ("%envreg31", Some(S::Envreg(31))),
            ("%envreg32", None),
            ("%pm7", Some(S::Pm(7))),
            ("%pm7_64", Some(S::Pm64(7))),
            ("%pm8", None),
            ("%reserved_smem_offset_cap", Some(S::ReservedSmemOffset)),
            ("%tid", None),
            ("tid.x", None),
            ("%pm", None),
        ];
        for (name, register) in cases {
            assert_eq!(S::from_name(name), register, "{name}");
        }
    }

    #[test]
    fn family_spellings_parse_as_special_registers() {
        let families = SpecialRegister::families();
        assert!(families.len() > 30);
        for (register, spelled) in families {
            let read: Vec<_> = spelled
                .iter()
                .map(|name| SpecialRegister::from_name(name))
                .collect();
            assert!(read.iter().all(Option::is_some), "{spelled:?}");
            assert_eq!(read[0], Some(register));
        }
    }

    #[test]
    fn widths_and_gates_match_ptx_isa() {
        assert_eq!(SpecialRegister::Clock64.width_bits(), 64);
        assert_eq!(SpecialRegister::Pm64(0).width_bits(), 64);
        assert_eq!(SpecialRegister::Tid(0).width_bits(), 32);
        assert_eq!(SpecialRegister::Pm(4).gate(), Gate::ptx(3, 0).sm(20));
        assert_eq!(SpecialRegister::Pm(3).gate(), Gate::ALWAYS);
    }
}
