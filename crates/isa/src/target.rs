//! Targets and what each can do. Nobody else compares `sm` numbers: they ask [`Target::has`].

use crate::version::Version;

/// A value of `.target`, such as `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// `sm_90a`
    pub name: &'static str,
    /// The number of the architecture, 90 for `sm_90a`.
    pub sm: u16,
    /// First PTX ISA version that knows the target (assembler 13.5, `oracle/targets.json`).
    pub since: Version,
}

/// Abilities that some targets lack, named by what a person would look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// 64-bit floating point (`sm_13`).
    DoublePrecision,
    /// Generic addressing and cache operators (`sm_20`).
    GenericAddressing,
    /// Memory ordering and scopes (`sm_70`).
    MemoryModel,
    /// Warp matrix operations on floating point (`sm_70`).
    Wmma,
    /// Thread block clusters and distributed shared memory (`sm_90`).
    Clusters,
    /// `st.async` with an mbarrier (`sm_90`).
    StAsync,
    /// 256-bit global loads and stores (`sm_100`).
    Vector256,
}

impl Feature {
    /// The lowest architecture number that has the feature.
    pub const fn first_sm(self) -> u16 {
        match self {
            Feature::DoublePrecision => 13,
            Feature::GenericAddressing => 20,
            Feature::MemoryModel | Feature::Wmma => 70,
            Feature::Clusters | Feature::StAsync => 90,
            Feature::Vector256 => 100,
        }
    }
}

macro_rules! targets {
    ($($name:literal $sm:literal $major:literal $minor:literal;)*) => {
        /// Every target of the reference assembler 13.5, oldest first.
        pub static TARGETS: &[Target] = &[$(Target { name: $name, sm: $sm, since: Version::new($major, $minor) },)*];
    };
}

targets! {
    "sm_10" 10 1 0;
    "sm_11" 11 1 0;
    "sm_12" 12 1 2;
    "sm_13" 13 1 2;
    "sm_20" 20 2 0;
    "sm_21" 21 2 0;
    "sm_30" 30 3 0;
    "sm_32" 32 4 0;
    "sm_35" 35 3 1;
    "sm_37" 37 4 1;
    "sm_50" 50 4 0;
    "sm_52" 52 4 1;
    "sm_53" 53 4 2;
    "sm_60" 60 5 0;
    "sm_61" 61 5 0;
    "sm_62" 62 5 0;
    "sm_70" 70 5 1;
    "sm_72" 72 6 1;
    "sm_75" 75 6 3;
    "sm_80" 80 7 0;
    "sm_82" 82 6 2;
    "sm_86" 86 7 1;
    "sm_87" 87 7 4;
    // Assembler 13.0 takes `sm_88` from 7.3 on, 13.5 from 9.0 on.
    "sm_88" 88 7 3;
    "sm_89" 89 7 8;
    "sm_90" 90 7 8;
    "sm_90a" 90 8 0;
    "sm_100" 100 8 6;
    "sm_100a" 100 8 6;
    "sm_100f" 100 8 8;
    "sm_101" 101 8 6;
    "sm_101a" 101 8 6;
    "sm_101f" 101 8 8;
    "sm_103" 103 8 8;
    "sm_103a" 103 8 8;
    "sm_103f" 103 8 8;
    "sm_107" 107 9 4;
    "sm_107a" 107 9 4;
    "sm_107f" 107 9 4;
    "sm_110" 110 9 0;
    "sm_110a" 110 9 0;
    "sm_110f" 110 9 0;
    "sm_120" 120 8 7;
    "sm_120a" 120 8 7;
    "sm_120f" 120 8 8;
    "sm_121" 121 8 8;
    "sm_121a" 121 8 8;
    "sm_121f" 121 8 8;
}

impl Target {
    /// The target with this name.
    pub fn from_name(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// The first target with this architecture number or a higher one.
    pub fn lowest(sm: u16) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.sm >= sm)
    }

    /// The most shared memory that a kernel may declare with a fixed size (assembler 13.5). Targets of one architecture
    /// alone (`sm_90a`) have all that the hardware gives to a block; the others have what every architecture has.
    pub fn static_shared_bytes(&self) -> u64 {
        match self.sm {
            120.. if self.name.ends_with('a') => 99 * 1024,
            90.. if self.name.ends_with('a') => 227 * 1024,
            _ => 48 * 1024,
        }
    }

    /// Whether the target can do this.
    pub const fn has(&self, feature: Feature) -> bool {
        self.sm >= feature.first_sm()
    }
}
