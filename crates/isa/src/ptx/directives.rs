//! Requirements of directives and pragmas (PTX ISA, "Performance-Tuning Directives", "Cluster Dimension Directives", "Control Flow
//! Directives"; assembler 13.5): gates, value ranges, and dependencies between directives.

use super::forms::form_macros::{ALWAYS, since};
use crate::form::Gate;
use crate::version::Version;

/// Directive with its requirements for the version and target.
#[derive(Clone, Copy, Debug)]
pub struct Directive {
    /// Keyword of the directive, including the dot.
    pub word: &'static str,
    pub gate: Gate,
    /// PTX ISA version that removed the directive.
    pub removed_in: Option<Version>,
    /// Whether the arguments of the directive must be at least 1.
    pub is_positive: bool,
    /// Maximum value of an argument of the directive for a function, and for a call prototype.
    pub max_value: (u64, u64),
    /// Directives that must also be present.
    pub requires: &'static [&'static str],
    /// Directives that must not be present together with this directive.
    pub excludes: &'static [&'static str],
    /// Directives that must not precede this directive. The list contains the directive itself if the directive must not be repeated.
    pub precedes: &'static [&'static str],
}

const fn row(word: &'static str, gate: Gate) -> Directive {
    Directive {
        word,
        gate,
        removed_in: None,
        is_positive: false,
        max_value: (u64::MAX, u64::MAX),
        requires: &[],
        excludes: &[],
        precedes: &[],
    }
}

/// Creates a directive whose arguments are at least 1.
const fn count(word: &'static str, gate: Gate) -> Directive {
    Directive {
        is_positive: true,
        ..row(word, gate)
    }
}

/// Gate of the cluster directives.
const CLUSTERS: Gate = since(7, 8).sm(90);
const PRESERVED: Gate = since(9, 0).sm(80);

/// All directives that have requirements.
pub static DIRECTIVES: &[Directive] = &[
    count(".maxntid", ALWAYS),
    Directive {
        excludes: &[".maxntid"],
        ..count(".reqntid", since(2, 1))
    },
    count(".maxnreg", ALWAYS),
    count(".minnctapersm", since(2, 0)),
    Directive {
        removed_in: Some(Version::new(2, 1)),
        ..row(".maxnctapersm", ALWAYS)
    },
    row(".local_maxnreg", since(8, 8)),
    row(".reqnctapercluster", CLUSTERS),
    row(".explicitcluster", CLUSTERS),
    Directive {
        excludes: &[".reqnctapercluster"],
        ..row(".maxclusterrank", CLUSTERS)
    },
    Directive {
        requires: &[".reqntid", ".reqnctapercluster"],
        ..row(".blocksareclusters", since(9, 0).sm(90))
    },
    Directive {
        precedes: &[
            ".noreturn",
            ".abi_preserve",
            ".abi_preserve_control",
            ".language",
        ],
        ..row(".noreturn", since(6, 4).sm(30))
    },
    Directive {
        // The register with the return address follows the preserved registers, and must have a lower number than the last register.
        max_value: (237, 255),
        precedes: &[".abi_preserve", ".language"],
        ..row(".abi_preserve", PRESERVED)
    },
    Directive {
        max_value: (11, 11),
        precedes: &[".abi_preserve_control", ".language"],
        ..row(".abi_preserve_control", PRESERVED)
    },
    row(".language", since(9, 2)),
    row(".callprototype", since(2, 1).sm(20)),
    row(".calltargets", since(2, 1).sm(20)),
    row(".branchtargets", since(5, 1).sm(30)),
];

/// Pragma that the assembler recognizes. The assembler ignores all other pragmas, except at module scope (assembler 13.5).
#[derive(Clone, Copy, Debug)]
pub struct Pragma {
    /// Prefix of the pragma string. Only [`NOUNROLL`] is a complete string.
    pub word: &'static str,
    pub gate: Gate,
    pub value: PragmaValue,
    /// Whether the pragma is permitted in function bodies only, not in the function header.
    pub in_body: bool,
    /// Whether the pragma is permitted in kernels only.
    pub in_kernels: bool,
}

/// Kind of the argument of a pragma. Integers have C syntax and any magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PragmaValue {
    /// The value is an arbitrary text.
    Any,
    Integer,
    /// Integer that the assembler checks only in kernels.
    IntegerInKernels,
    Positive,
}

/// The only pragma that is permitted at module scope.
pub const NOUNROLL: &str = "nounroll";

const fn pragma(word: &'static str, gate: Gate, value: PragmaValue) -> Pragma {
    Pragma {
        word,
        gate,
        value,
        in_body: true,
        in_kernels: false,
    }
}

/// All pragmas that have requirements.
pub static PRAGMAS: &[Pragma] = &[
    pragma("frequency", since(9, 0), PragmaValue::Positive),
    pragma(
        "used_bytes_mask",
        since(8, 3).sm(50),
        PragmaValue::IntegerInKernels,
    ),
    Pragma {
        in_kernels: true,
        ..pragma("enable_smem_spilling", since(8, 7).sm(75), PragmaValue::Any)
    },
    Pragma {
        in_body: false,
        ..pragma("local_maxnreg", ALWAYS, PragmaValue::Integer)
    },
];

/// Fields that the initializer of a `.texref` variable may set (PTX ISA, "Texture Sampler and Surface Types"; assembler 13.5).
pub static TEXTURE_FIELDS: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "normalized_coords",
    "filter_mode",
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
    "array_size",
    "num_mipmap_levels",
    "num_samples",
];

/// Fields that the initializer of a `.samplerref` variable may set.
pub static SAMPLER_FIELDS: &[&str] = &[
    "filter_mode",
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
    "force_unnormalized_coords",
];

/// Fields that the initializer of a `.surfref` variable may set.
pub static SURFACE_FIELDS: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "array_size",
    "memory_layout",
];

/// Named constants that the assembler accepts as the value of any texture, sampler or surface field.
pub static FIELD_VALUES: &[&str] = &[
    "nearest",
    "linear",
    "wrap",
    "mirror",
    "clamp_ogl",
    "clamp_to_edge",
    "clamp_to_border",
];

/// Returns the requirements of a directive, or `None` if the directive has no requirements.
pub fn directive(word: &str) -> Option<&'static Directive> {
    DIRECTIVES.iter().find(|row| row.word == word)
}
