//! Registry of front ends, which maps the language of a scenario to its front end. No other file of this crate or of a host refers to a
//! specific front end.
//!
//! A host that needs only one language can disable the feature of the other language. This crate then parses sources of the disabled
//! language as sources of the enabled language. A host with a disabled language must therefore not pass sources of this language to this
//! crate.

#[cfg(not(any(feature = "ptx", feature = "sass")))]
compile_error!("select at least one language with the features `ptx` and `sass`");

use warpgrid_launch::SourceLanguage;
use warpgrid_program::{FrontEnd, ReferenceDocs};
#[cfg(feature = "paste")]
use {
    std::borrow::Cow,
    warpgrid_program::container::HostLanguage,
    warpgrid_program::{Document, Overrides, SemanticToken},
};

#[cfg(feature = "paste")]
use warpgrid_paste::EmbeddedFrontEnd;
#[cfg(feature = "ptx")]
use warpgrid_ptx::Ptx;
#[cfg(feature = "ptx")]
pub use warpgrid_ptx::starts_with_module_header;
/// Reduction and formatting of sources, which the analysis `reduction` supports only for PTX.
#[cfg(feature = "ptx")]
pub(crate) use warpgrid_ptx::{format as format_ptx, reduce as ptx_reduction};
#[cfg(feature = "sass")]
use warpgrid_sass::Sass;

/// PTX front end. With the feature `paste`, the front end also accepts PTX that is embedded in other text.
#[cfg(feature = "paste")]
static PTX: EmbeddedFrontEnd = EmbeddedFrontEnd::over(&Ptx);
#[cfg(all(feature = "ptx", not(feature = "paste")))]
static PTX: Ptx = Ptx;

/// Available front ends. The first front end parses sources in an unavailable language.
static FRONT_ENDS: &[(SourceLanguage, &dyn FrontEnd)] = &[
    #[cfg(feature = "ptx")]
    (SourceLanguage::Ptx, &PTX),
    #[cfg(feature = "sass")]
    (SourceLanguage::Sass, &Sass),
];

/// Reference pages of the languages. The pages are separate from the front ends, so that only hosts that use the pages link them.
static REFERENCES: &[(SourceLanguage, &dyn ReferenceDocs)] = &[
    #[cfg(feature = "ptx")]
    (SourceLanguage::Ptx, &Ptx),
    #[cfg(feature = "sass")]
    (SourceLanguage::Sass, &Sass),
];

/// Returns the front end of a language.
pub fn front_end(front: SourceLanguage) -> &'static dyn FrontEnd {
    find(FRONT_ENDS, front)
}

/// Returns the front end of a language for sources that consist only of instructions. The front end does not search for asm blocks, logs and
/// fat binary entries.
pub(crate) fn instruction_front_end(front: SourceLanguage) -> &'static dyn FrontEnd {
    match front {
        #[cfg(feature = "ptx")]
        SourceLanguage::Ptx => &Ptx,
        _ => front_end(front),
    }
}

/// Opens a source of a known host language, whose asm blocks contain PTX.
#[cfg(feature = "paste")]
pub(crate) fn open_host<'a>(
    source: Cow<'a, str>,
    language: HostLanguage,
    overrides: &Overrides,
) -> Box<dyn Document + 'a> {
    PTX.open_host(source, language, overrides)
}

/// Checks whether the assembler prints a remark, and neither a warning nor an error, if it detects the problem with this code.
#[cfg(feature = "paste")]
pub(crate) fn is_assembler_remark(code: &str) -> bool {
    warpgrid_ptx::diagnostics::performance::is_remark(code)
}

/// Returns the semantic tokens of the PTX within the strings of a host source, in source order. Offsets count bytes.
#[cfg(feature = "paste")]
pub fn host_tokens(source: &str, language: HostLanguage) -> Vec<SemanticToken> {
    PTX.host_tokens(source, language)
}

/// Returns the reference of a language. Only hosts that call this function link the reference pages.
pub fn reference(front: SourceLanguage) -> &'static dyn ReferenceDocs {
    find(REFERENCES, front)
}

fn find<T: ?Sized>(among: &[(SourceLanguage, &'static T)], front: SourceLanguage) -> &'static T {
    let own = among.iter().find(|(name, _)| *name == front);
    own.unwrap_or(&among[0]).1
}
