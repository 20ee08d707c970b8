//! Targets and their features: the table of targets, and the target requirement of each feature.
//!
//! All checks of availability on a target use [`TargetRequirement::met_by`], directly or through [`Target::has`].

use crate::version::Version;

/// Portability of code that is compiled for a target (PTX ISA, ".target").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TargetKind {
    /// The code runs on this architecture and on all later architectures, such as `sm_90`.
    Plain,
    /// The code runs on this architecture and on later architectures of its family, such as `sm_100f`.
    Family,
    /// The code runs only on this architecture, such as `sm_90a`.
    Architecture,
}

/// Reason why the assembler generates no code of a target for a module with another target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetConflict {
    /// The architecture of the module is newer.
    NewerModule,
    /// The module is specific to an older architecture.
    FutureArchitecture,
    /// The module is specific to the same architecture, but the target is not.
    OtherKind,
    /// The module is specific to another family.
    OtherFamily,
}

/// Memory geometry of a target, which determines the number of transactions that an access requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryGeometry {
    /// Number of shared memory banks. Accesses of a warp to different words of the same bank cause a bank conflict.
    pub banks: u32,
    /// Bank width: number of bytes that one bank transfers per transaction.
    pub bank_bytes: u32,
    /// Sector size: smallest unit of transfers between caches and global memory, in bytes.
    pub sector_bytes: u32,
    /// Cache line size in bytes.
    pub line_bytes: u32,
}

impl MemoryGeometry {
    /// Memory geometry of all targets from `sm_20` on.
    pub const COMMON: MemoryGeometry = MemoryGeometry {
        banks: 32,
        bank_bytes: 4,
        sector_bytes: 32,
        line_bytes: 128,
    };

    /// Memory geometry of the first generation, which has 16 banks and executes the access of a warp as two half-warp accesses.
    const FIRST: MemoryGeometry = MemoryGeometry {
        banks: 16,
        ..MemoryGeometry::COMMON
    };

    /// Returns the number of sectors per cache line.
    pub const fn sectors_per_line(self) -> u32 {
        self.line_bytes / self.sector_bytes
    }

    /// Returns the bank that contains the byte at shared-memory address `address`.
    pub const fn bank_of(self, address: u64) -> u32 {
        (address / self.bank_bytes as u64 % self.banks as u64) as u32
    }
}

/// Launch limits (CUDA programming guide, "Compute Capabilities").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLimits {
    /// Maximum number of CTAs along each dimension of a grid.
    pub grid: [u32; 3],
    /// Maximum number of threads along each dimension of a CTA.
    pub block: [u32; 3],
    /// Maximum number of threads per CTA.
    pub block_threads: u32,
    /// Maximum size of statically allocated shared memory of a kernel in bytes (assembler 13.5).
    pub static_shared_bytes: u64,
    /// Maximum size of shared memory per CTA in bytes, including dynamic shared memory.
    pub shared_bytes: u64,
    /// Maximum size of all constant memory that a module declares, in bytes.
    pub constant_bytes: u64,
    /// Maximum portable cluster size in CTAs. The value is 1 for targets without cluster support.
    pub cluster_blocks: u32,
    /// Maximum cluster size in CTAs if the launch permits non-portable sizes.
    pub cluster_blocks_nonportable: u32,
    /// Maximum number of resident warps per multiprocessor, which is the value of `%nwarpid`. Assembler 13.5 emits this value as a constant
    /// for `sm_75` (32), `sm_80` (64), and `sm_86` to `sm_89` (48). The values of other targets are from the programming guide.
    pub warps: u32,
}

impl LaunchLimits {
    const FIRST: LaunchLimits = LaunchLimits {
        grid: [65535, 65535, 1],
        block: [512, 512, 64],
        block_threads: 512,
        static_shared_bytes: 48 * KIB,
        shared_bytes: 16 * KIB,
        constant_bytes: 64 * KIB,
        cluster_blocks: 1,
        cluster_blocks_nonportable: 1,
        warps: 32,
    };
    const FERMI: LaunchLimits = LaunchLimits {
        grid: [65535; 3],
        block: [1024, 1024, 64],
        block_threads: 1024,
        shared_bytes: 48 * KIB,
        warps: 48,
        ..LaunchLimits::FIRST
    };
    const KEPLER: LaunchLimits = LaunchLimits {
        grid: [i32::MAX as u32, 65535, 65535],
        warps: 64,
        ..LaunchLimits::FERMI
    };
    const HOPPER: LaunchLimits = LaunchLimits {
        shared_bytes: 227 * KIB,
        cluster_blocks: 8,
        cluster_blocks_nonportable: 16,
        ..LaunchLimits::KEPLER
    };
    /// Limits of the Blackwell devices that do not support non-portable cluster sizes.
    const SMALL_BLACKWELL: LaunchLimits = LaunchLimits {
        shared_bytes: 99 * KIB,
        cluster_blocks_nonportable: 8,
        warps: 48,
        ..LaunchLimits::HOPPER
    };

    /// Largest limits of any target, used to check a launch without a target.
    pub const LARGEST: LaunchLimits = LaunchLimits {
        static_shared_bytes: 227 * KIB,
        ..LaunchLimits::HOPPER
    };

    const fn warps(self, warps: u32) -> LaunchLimits {
        LaunchLimits { warps, ..self }
    }

    const fn shared(self, kib: u64) -> LaunchLimits {
        LaunchLimits {
            shared_bytes: kib * KIB,
            ..self
        }
    }

    /// Returns the limits with the static shared memory of the hardware, which architecture-specific targets may use completely. All other
    /// targets are limited to the amount that is available on every architecture (assembler 13.5).
    const fn all_static(self) -> LaunchLimits {
        LaunchLimits {
            static_shared_bytes: self.shared_bytes,
            ..self
        }
    }
}

const KIB: u64 = 1024;

/// Value of `.target`, such as `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Name of the target, such as `sm_90a`.
    pub name: &'static str,
    /// Architecture number, such as 90 for `sm_90a`.
    pub sm: u16,
    pub kind: TargetKind,
    /// Number of the first architecture of the family, such as 100 for `sm_103`.
    pub family: u16,
    /// First PTX ISA version that supports the target (assembler 13.5).
    pub since: Version,
    pub limits: LaunchLimits,
    pub memory: MemoryGeometry,
}

/// Condition that a target must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TargetRequirement {
    /// Every target satisfies the condition.
    #[default]
    Any,
    /// The given architecture and all later architectures, such as `sm_90` and later.
    From(u16),
    /// The architectures in this inclusive range, for SASS instructions that later hardware does not support.
    Between(u16, u16),
    /// Only the architecture-specific target of the given architecture, such as `sm_90a`.
    Only(u16),
    /// The family-specific and architecture-specific targets of the given architecture and of later architectures of its family, such as
    /// `sm_100f` and `sm_100a`.
    Family(u16),
    /// At least one of several conditions.
    OneOf(&'static [TargetRequirement]),
}

impl TargetRequirement {
    /// Returns whether the target satisfies the condition.
    pub fn met_by(self, target: &Target) -> bool {
        match self {
            TargetRequirement::Any => true,
            TargetRequirement::From(sm) => target.sm >= sm,
            TargetRequirement::Between(first, last) => first <= target.sm && target.sm <= last,
            TargetRequirement::Only(sm) => {
                target.sm == sm && target.kind == TargetKind::Architecture
            }
            TargetRequirement::Family(sm) => {
                target.sm >= sm
                    && target.kind != TargetKind::Plain
                    && family_of(sm) == Some(target.family)
            }
            TargetRequirement::OneOf(gates) => gates.iter().any(|gate| gate.met_by(target)),
        }
    }

    /// Returns the oldest target that satisfies the condition. Fixes suggest this target as a replacement.
    pub fn lowest(self) -> Option<&'static Target> {
        TARGETS.iter().find(|target| self.met_by(target))
    }

    /// Returns the oldest target that satisfies the condition and is not older than `target`, so that a fix retains the features that the
    /// module uses. If no such target exists, returns the oldest target that satisfies the condition.
    pub fn lowest_from(self, target: &Target) -> Option<&'static Target> {
        let mut later = TARGETS.iter().filter(|other| other.sm >= target.sm);
        later
            .find(|other| self.met_by(other))
            .or_else(|| self.lowest())
    }

    /// Returns the lowest architecture number that satisfies the condition, or 0 if every target satisfies it.
    pub const fn first_sm(self) -> u16 {
        match self {
            TargetRequirement::Any => 0,
            TargetRequirement::From(sm)
            | TargetRequirement::Between(sm, _)
            | TargetRequirement::Only(sm)
            | TargetRequirement::Family(sm) => sm,
            TargetRequirement::OneOf(gates) => match gates.first() {
                Some(gate) => gate.first_sm(),
                None => 0,
            },
        }
    }

    /// Formats the condition: "`sm_90` and later", "`sm_90a`", "the family of `sm_100f`". Returns `None` if every target satisfies the
    /// condition.
    pub fn text(self) -> Option<String> {
        match self {
            TargetRequirement::Any | TargetRequirement::From(0..=10) => None,
            TargetRequirement::From(sm) => Some(format!("`sm_{sm}` and later")),
            TargetRequirement::Between(first, last) if first == last => {
                Some(format!("`sm_{first}`"))
            }
            TargetRequirement::Between(first, last) => Some(format!("`sm_{first}` to `sm_{last}`")),
            TargetRequirement::Only(sm) => Some(format!("`sm_{sm}a`")),
            TargetRequirement::Family(sm) => Some(format!("the family of `sm_{sm}f`")),
            TargetRequirement::OneOf(gates) => {
                let texts: Vec<String> = gates.iter().filter_map(|gate| gate.text()).collect();
                (!texts.is_empty()).then(|| texts.join(" or "))
            }
        }
    }

    /// Returns the name of the first target that satisfies the condition: "`sm_90`", "`sm_90a`", "`sm_100f`".
    pub fn name(self) -> Option<String> {
        match self {
            TargetRequirement::Any => None,
            TargetRequirement::From(sm) | TargetRequirement::Between(sm, _) => {
                Some(format!("`sm_{sm}`"))
            }
            TargetRequirement::Only(sm) => Some(format!("`sm_{sm}a`")),
            TargetRequirement::Family(sm) => Some(format!("`sm_{sm}f`")),
            TargetRequirement::OneOf(gates) => {
                let texts: Vec<String> = gates.iter().filter_map(|gate| gate.name()).collect();
                (!texts.is_empty()).then(|| texts.join(" or "))
            }
        }
    }
}

fn family_of(sm: u16) -> Option<u16> {
    let found = TARGETS.iter().find(|target| target.sm == sm);
    found.map(|target| target.family)
}

macro_rules! features {
    ($($(#[$meta:meta])* $name:ident $gate:expr;)*) => {
        /// Features that some targets do not have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature { $($(#[$meta])* $name,)* }

        impl Feature {
            /// All features, in table order.
            pub const ALL: &'static [Feature] = &[$(Feature::$name,)*];

            /// Returns the targets that have the feature.
            pub const fn gate(self) -> TargetRequirement {
                match self { $(Feature::$name => $gate,)* }
            }
        }
    };
}

features! {
    /// Arithmetic on 64-bit floating-point numbers.
    DoublePrecision         TargetRequirement::From(13);
    /// Generic addressing, cache operators and calls with arguments.
    GenericAddressing       TargetRequirement::From(20);
    /// Memory ordering semantics and scopes of memory accesses.
    MemoryModel             TargetRequirement::From(70);
    /// Independent scheduling of the threads of a warp.
    IndependentLanes        TargetRequirement::From(70);
    /// Warp matrix operations on `.f16`.
    Wmma                    TargetRequirement::From(70);
    /// Warp matrix operations on 8-bit integers.
    WmmaInteger             TargetRequirement::From(72);
    /// Warp matrix operations on 4-bit integers and single bits.
    WmmaSubByte             TargetRequirement::From(75);
    /// Warp matrix operations on `.bf16`, `.tf32` and `.f64`.
    WmmaWide                TargetRequirement::From(80);
    /// Asynchronous copies into shared memory, and mbarriers.
    AsyncCopy               TargetRequirement::From(80);
    /// Clusters of CTAs with distributed shared memory.
    Clusters                TargetRequirement::From(90);
    /// `st.async` with an mbarrier.
    StAsync                 TargetRequirement::From(90);
    /// Matrix operations of a warpgroup (`wgmma`).
    Wgmma                   TargetRequirement::Only(90);
    /// 256-bit loads and stores.
    Vector256               TargetRequirement::From(100);
    /// `st.async` to global memory with release semantics.
    StAsyncRelease          TargetRequirement::From(100);
    /// Matrix operations on tensor memory (`tcgen05`).
    TensorMemory            TargetRequirement::OneOf(&[TargetRequirement::Family(100), TargetRequirement::Family(101)]);
}

macro_rules! targets {
    ($($name:literal $sm:literal $kind:ident $family:literal $major:literal $minor:literal $limits:expr, $memory:ident;)*) => {
        /// All targets of the reference assembler 13.5, oldest first.
        pub static TARGETS: &[Target] = &[$(Target {
            name: $name,
            sm: $sm,
            kind: TargetKind::$kind,
            family: $family,
            since: Version::new($major, $minor),
            limits: $limits,
            memory: MemoryGeometry::$memory,
        },)*];
    };
}

// The programming guide does not list `sm_82`, `sm_88` and `sm_107`. Their limits are those of the most closely related target. Assembler
// 13.5 treats `sm_107` as a member of the `sm_100` family (`redux.sync.min.f32`, `tcgen05.mma`).
targets! {
    // name     sm  kind          family since  limits                                     memory
    "sm_10"     10  Plain          10     1 0   LaunchLimits::FIRST.warps(24),                   FIRST;
    "sm_11"     11  Plain          11     1 0   LaunchLimits::FIRST.warps(24),                   FIRST;
    "sm_12"     12  Plain          12     1 2   LaunchLimits::FIRST,                             FIRST;
    "sm_13"     13  Plain          13     1 2   LaunchLimits::FIRST,                             FIRST;
    "sm_20"     20  Plain          20     2 0   LaunchLimits::FERMI,                             COMMON;
    "sm_21"     21  Plain          21     2 0   LaunchLimits::FERMI,                             COMMON;
    "sm_30"     30  Plain          30     3 0   LaunchLimits::KEPLER,                            COMMON;
    "sm_32"     32  Plain          32     4 0   LaunchLimits::KEPLER,                            COMMON;
    "sm_35"     35  Plain          35     3 1   LaunchLimits::KEPLER,                            COMMON;
    "sm_37"     37  Plain          37     4 1   LaunchLimits::KEPLER,                            COMMON;
    "sm_50"     50  Plain          50     4 0   LaunchLimits::KEPLER,                            COMMON;
    "sm_52"     52  Plain          52     4 1   LaunchLimits::KEPLER,                            COMMON;
    "sm_53"     53  Plain          53     4 2   LaunchLimits::KEPLER,                            COMMON;
    "sm_60"     60  Plain          60     5 0   LaunchLimits::KEPLER,                            COMMON;
    "sm_61"     61  Plain          61     5 0   LaunchLimits::KEPLER,                            COMMON;
    "sm_62"     62  Plain          62     5 0   LaunchLimits::KEPLER,                            COMMON;
    "sm_70"     70  Plain          70     5 1   LaunchLimits::KEPLER.shared(96),                 COMMON;
    "sm_72"     72  Plain          72     6 1   LaunchLimits::KEPLER.shared(96),                 COMMON;
    "sm_75"     75  Plain          75     6 3   LaunchLimits::KEPLER.shared(64).warps(32),       COMMON;
    "sm_80"     80  Plain          80     7 0   LaunchLimits::KEPLER.shared(163),                COMMON;
    "sm_82"     82  Plain          82     6 2   LaunchLimits::KEPLER.shared(163),                COMMON;
    "sm_86"     86  Plain          86     7 1   LaunchLimits::KEPLER.shared(99).warps(48),       COMMON;
    "sm_87"     87  Plain          87     7 4   LaunchLimits::KEPLER.shared(163).warps(48),      COMMON;
    // Assembler 13.0 accepts `sm_88` from PTX 7.3 on, and assembler 13.5 from PTX 9.0 on.
    "sm_88"     88  Plain          88     7 3   LaunchLimits::KEPLER.shared(163).warps(48),      COMMON;
    "sm_89"     89  Plain          89     7 8   LaunchLimits::KEPLER.shared(99).warps(48),       COMMON;
    "sm_90"     90  Plain          90     7 8   LaunchLimits::HOPPER,                            COMMON;
    "sm_90a"    90  Architecture   90     8 0   LaunchLimits::HOPPER.all_static(),               COMMON;
    "sm_100"   100  Plain         100     8 6   LaunchLimits::HOPPER,                            COMMON;
    "sm_100a"  100  Architecture  100     8 6   LaunchLimits::HOPPER.all_static(),               COMMON;
    "sm_100f"  100  Family        100     8 8   LaunchLimits::HOPPER,                            COMMON;
    // `sm_101` was renamed to `sm_110` in PTX 9.0.
    "sm_101"   101  Plain         101     8 6   LaunchLimits::HOPPER.warps(48),                  COMMON;
    "sm_101a"  101  Architecture  101     8 6   LaunchLimits::HOPPER.warps(48).all_static(),     COMMON;
    "sm_101f"  101  Family        101     8 8   LaunchLimits::HOPPER.warps(48),                  COMMON;
    "sm_103"   103  Plain         100     8 8   LaunchLimits::HOPPER,                            COMMON;
    "sm_103a"  103  Architecture  100     8 8   LaunchLimits::HOPPER.all_static(),               COMMON;
    "sm_103f"  103  Family        100     8 8   LaunchLimits::HOPPER,                            COMMON;
    "sm_107"   107  Plain         100     9 4   LaunchLimits::HOPPER,                            COMMON;
    "sm_107a"  107  Architecture  100     9 4   LaunchLimits::HOPPER.all_static(),               COMMON;
    "sm_107f"  107  Family        100     9 4   LaunchLimits::HOPPER,                            COMMON;
    "sm_110"   110  Plain         101     9 0   LaunchLimits::HOPPER.warps(48),                  COMMON;
    "sm_110a"  110  Architecture  101     9 0   LaunchLimits::HOPPER.warps(48).all_static(),     COMMON;
    "sm_110f"  110  Family        101     9 0   LaunchLimits::HOPPER.warps(48),                  COMMON;
    "sm_120"   120  Plain         120     8 7   LaunchLimits::SMALL_BLACKWELL,                   COMMON;
    "sm_120a"  120  Architecture  120     8 7   LaunchLimits::SMALL_BLACKWELL.all_static(),      COMMON;
    "sm_120f"  120  Family        120     8 8   LaunchLimits::SMALL_BLACKWELL,                   COMMON;
    "sm_121"   121  Plain         120     8 8   LaunchLimits::SMALL_BLACKWELL,                   COMMON;
    "sm_121a"  121  Architecture  120     8 8   LaunchLimits::SMALL_BLACKWELL.all_static(),      COMMON;
    "sm_121f"  121  Family        120     8 8   LaunchLimits::SMALL_BLACKWELL,                   COMMON;
}

impl Target {
    /// Returns the default target for a source without `.target`.
    pub fn default_target() -> &'static Target {
        Target::from_name("sm_100").unwrap_or(&TARGETS[0])
    }

    /// Returns the target with this name.
    pub fn from_name(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Returns the plain target with the highest architecture number up to `sm`, as a replacement for an unknown architecture.
    pub fn nearest_below(sm: u16) -> Option<&'static Target> {
        let mut plain = TARGETS.iter().filter(|t| t.kind == TargetKind::Plain);
        plain.rfind(|target| target.sm <= sm)
    }

    /// Returns the reason why the assembler generates no code of this target for a module with the target `module`, or `None` if the
    /// assembler generates code (assembler 13.5).
    pub fn conflict_with(&self, module: &Target) -> Option<TargetConflict> {
        if module.sm > self.sm {
            return Some(TargetConflict::NewerModule);
        }
        match module.kind {
            TargetKind::Plain => None,
            TargetKind::Family => {
                (module.family != self.family).then_some(TargetConflict::OtherFamily)
            }
            TargetKind::Architecture if module.current_sm() != self.current_sm() => {
                Some(TargetConflict::FutureArchitecture)
            }
            TargetKind::Architecture => {
                (self.kind != TargetKind::Architecture).then_some(TargetConflict::OtherKind)
            }
        }
    }

    /// Returns the architecture number, or the new architecture number of a renamed architecture.
    const fn current_sm(&self) -> u16 {
        match self.sm {
            101 => 110,
            sm => sm,
        }
    }

    /// Returns the maximum size of statically allocated shared memory of a kernel, in bytes.
    pub const fn static_shared_bytes(&self) -> u64 {
        self.limits.static_shared_bytes
    }

    /// Returns whether the target has the feature.
    pub fn has(&self, feature: Feature) -> bool {
        feature.gate().met_by(self)
    }

    /// Returns all features of the target.
    pub fn features(&self) -> impl Iterator<Item = Feature> + '_ {
        let all = Feature::ALL.iter().copied();
        all.filter(|feature| self.has(*feature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str) -> &'static Target {
        Target::from_name(name).expect("a target of the table")
    }

    #[test]
    fn target_names_encode_sm_number_and_kind() {
        for target in TARGETS {
            let suffix = match target.kind {
                TargetKind::Plain => "",
                TargetKind::Family => "f",
                TargetKind::Architecture => "a",
            };
            assert_eq!(target.name, format!("sm_{}{suffix}", target.sm));
            assert!(target.since.is_known(), "{}", target.name);
            assert_eq!(family_of(target.family), Some(target.family));
        }
    }

    #[test]
    fn targets_are_sorted_by_sm_number() {
        assert!(TARGETS.is_sorted_by_key(|target| target.sm));
    }

    #[test]
    fn family_requirement_is_met_by_suffixed_targets_of_family() {
        let gate = TargetRequirement::Family(100);
        let met: Vec<_> = TARGETS.iter().filter(|t| gate.met_by(t)).collect();
        let names: Vec<_> = met.iter().map(|target| target.name).collect();
        assert_eq!(
            names,
            [
                "sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f"
            ]
        );
    }

    #[test]
    fn assembler_generates_code_for_same_or_newer_compatible_target() {
        use TargetConflict as Conflict;
        // Module target, target of the code, and the reason why assembler 13.5 rejects the combination.
        let measured = [
            ("sm_70", "sm_75", None),
            ("sm_20", "sm_80", None),
            ("sm_80", "sm_75", Some(Conflict::NewerModule)),
            ("sm_90", "sm_90a", None),
            ("sm_90a", "sm_90", Some(Conflict::OtherKind)),
            ("sm_90a", "sm_90a", None),
            ("sm_90a", "sm_100", Some(Conflict::FutureArchitecture)),
            ("sm_100a", "sm_90", Some(Conflict::NewerModule)),
            ("sm_100a", "sm_100f", Some(Conflict::OtherKind)),
            ("sm_100a", "sm_103a", Some(Conflict::FutureArchitecture)),
            ("sm_100f", "sm_100", None),
            ("sm_100f", "sm_103a", None),
            ("sm_100f", "sm_107", None),
            ("sm_100f", "sm_110", Some(Conflict::OtherFamily)),
            ("sm_100f", "sm_120", Some(Conflict::OtherFamily)),
            ("sm_103f", "sm_100a", Some(Conflict::NewerModule)),
            ("sm_120f", "sm_121a", None),
            ("sm_101", "sm_103", None),
            ("sm_101a", "sm_110", Some(Conflict::OtherKind)),
            ("sm_101a", "sm_110a", None),
            ("sm_101f", "sm_103", Some(Conflict::OtherFamily)),
            ("sm_101f", "sm_110", None),
        ];
        for (module, code, conflict) in measured {
            let found = target(code).conflict_with(target(module));
            assert_eq!(found, conflict, "{module} as {code}");
        }
    }

    #[test]
    fn sm_range_requirement_excludes_targets_outside_range() {
        let gate = TargetRequirement::Between(75, 89);
        let met = |name| gate.met_by(target(name));
        assert!(met("sm_75") && met("sm_86") && met("sm_89"));
        assert!(!met("sm_72") && !met("sm_90") && !met("sm_90a"));
        assert_eq!(gate.text().as_deref(), Some("`sm_75` to `sm_89`"));
    }

    #[test]
    fn architecture_specific_feature_is_not_inherited() {
        assert!(target("sm_90a").has(Feature::Wgmma));
        assert!(!target("sm_90").has(Feature::Wgmma));
        assert!(!target("sm_100a").has(Feature::Wgmma));
    }

    #[test]
    fn launch_limits_match_programming_guide() {
        let warps = |name| target(name).limits.warps;
        let names = [
            "sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_103f", "sm_121",
        ];
        assert_eq!(names.map(warps), [32, 64, 48, 48, 64, 64, 48]);
        let shared = |name| target(name).limits.shared_bytes / KIB;
        assert_eq!(shared("sm_70"), 96);
        assert_eq!(shared("sm_75"), 64);
        assert_eq!(shared("sm_80"), 163);
        assert_eq!(shared("sm_86"), 99);
        assert_eq!(shared("sm_90"), 227);
        assert_eq!(shared("sm_120"), 99);
        assert_eq!(target("sm_90").static_shared_bytes(), 48 * KIB);
        assert_eq!(target("sm_90a").static_shared_bytes(), 227 * KIB);
        assert_eq!(target("sm_120a").static_shared_bytes(), 99 * KIB);
        let largest = TARGETS.iter().map(|t| t.limits.shared_bytes).max();
        assert_eq!(largest, Some(LaunchLimits::LARGEST.shared_bytes));
    }
}
