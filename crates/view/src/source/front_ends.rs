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
use warpgrid_paste::EmbeddedFrontEnd;
#[cfg(feature = "ptx")]
use warpgrid_ptx::Ptx;
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

/// Returns the reference of a language. Only hosts that call this function link the reference pages.
pub fn reference(front: SourceLanguage) -> &'static dyn ReferenceDocs {
    find(REFERENCES, front)
}

fn find<T: ?Sized>(among: &[(SourceLanguage, &'static T)], front: SourceLanguage) -> &'static T {
    let own = among.iter().find(|(name, _)| *name == front);
    own.unwrap_or(&among[0]).1
}
