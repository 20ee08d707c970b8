//! Directives with conditions of their own (PTX ISA, "Performance-Tuning Directives", "Cluster Dimension Directives",
//! "Control Flow Directives"; assembler 13.5). In: a word; out: since when it exists, and what goes with it.

use super::forms::table::{ALWAYS, since};
use crate::form::Gate;
use crate::version::Version;

/// A directive.
#[derive(Clone, Copy, Debug)]
pub struct Directive {
    /// With its dot.
    pub word: &'static str,
    pub gate: Gate,
    /// The version that took it away.
    pub until: Option<Version>,
    /// Whether its numbers are at least 1.
    pub is_positive: bool,
    /// The largest number, of a function and of a prototype of calls.
    pub most: (u64, u64),
    /// Directives that must be beside it.
    pub needs: &'static [&'static str],
    /// Directives that must not be beside it.
    pub excludes: &'static [&'static str],
    /// Directives that must not be before it; itself where it may be written once only.
    pub precedes: &'static [&'static str],
}

const fn row(word: &'static str, gate: Gate) -> Directive {
    Directive {
        word,
        gate,
        until: None,
        is_positive: false,
        most: (u64::MAX, u64::MAX),
        needs: &[],
        excludes: &[],
        precedes: &[],
    }
}

/// A directive with a number of at least 1.
const fn count(word: &'static str, gate: Gate) -> Directive {
    Directive {
        is_positive: true,
        ..row(word, gate)
    }
}

/// Clusters came with it.
const CLUSTERS: Gate = since(7, 8).sm(90);
const PRESERVED: Gate = since(9, 0).sm(80);

/// Every directive that has conditions.
pub static DIRECTIVES: &[Directive] = &[
    count(".maxntid", ALWAYS),
    Directive {
        excludes: &[".maxntid"],
        ..count(".reqntid", since(2, 1))
    },
    count(".maxnreg", ALWAYS),
    count(".minnctapersm", since(2, 0)),
    Directive {
        until: Some(Version::new(2, 1)),
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
        needs: &[".reqntid", ".reqnctapercluster"],
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
        // The register of the return address comes after those that are kept, and is below the last one.
        most: (237, 255),
        precedes: &[".abi_preserve", ".language"],
        ..row(".abi_preserve", PRESERVED)
    },
    Directive {
        most: (11, 11),
        precedes: &[".abi_preserve_control", ".language"],
        ..row(".abi_preserve_control", PRESERVED)
    },
    row(".language", since(9, 2)),
    row(".callprototype", since(2, 1).sm(20)),
    row(".calltargets", since(2, 1).sm(20)),
    row(".branchtargets", since(5, 1).sm(30)),
];

/// A pragma that the assembler knows. Others are overlooked, except outside of functions (assembler 13.5).
#[derive(Clone, Copy, Debug)]
pub struct Pragma {
    /// What its text starts with; [`NOUNROLL`] alone is the whole text.
    pub word: &'static str,
    pub gate: Gate,
    pub value: PragmaValue,
    /// Whether it is written inside of bodies only, and not in the head of a function.
    pub in_body: bool,
    /// Whether it is for kernels only.
    pub in_kernels: bool,
}

/// What is written after the word of a pragma: numbers as C reads them, whatever their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PragmaValue {
    /// Anything.
    Any,
    Integer,
    /// An integer, which the assembler reads in kernels only.
    IntegerInKernels,
    Positive,
}

/// The one pragma that may be written outside of functions.
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

/// The pragmas with conditions.
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

/// The fields that initial values of a texture set (PTX ISA, "Texture Sampler and Surface Types"; assembler 13.5).
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

/// Those of a sampler.
pub static SAMPLER_FIELDS: &[&str] = &[
    "filter_mode",
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
    "force_unnormalized_coords",
];

/// Those of a surface.
pub static SURFACE_FIELDS: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "array_size",
    "memory_layout",
];

/// Names that a field may have as its value, whichever field it is.
pub static FIELD_VALUES: &[&str] = &[
    "nearest",
    "linear",
    "wrap",
    "mirror",
    "clamp_ogl",
    "clamp_to_edge",
    "clamp_to_border",
];

/// The conditions of a directive, if it has any.
pub fn directive(word: &str) -> Option<&'static Directive> {
    DIRECTIVES.iter().find(|row| row.word == word)
}
