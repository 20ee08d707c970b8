//! Registry of front ends: maps the language of a scenario to its front end. No other file of the hosts refers to specific front ends.
//!
//! A host that needs only one language can disable the other language by its feature. Sources of the disabled language are then parsed as
//! the enabled language, so such a host must not pass them to this crate.

#[cfg(not(any(feature = "ptx", feature = "sass")))]
compile_error!("select at least one language with the features `ptx` and `sass`");

use warpgrid_launch::Front;
use warpgrid_program::{FrontEnd, Reference};

#[cfg(feature = "paste")]
use warpgrid_paste::Pasted;
#[cfg(feature = "ptx")]
use warpgrid_ptx::Ptx;
#[cfg(feature = "sass")]
use warpgrid_sass::Sass;

/// PTX front end. With the feature `paste`, it also accepts PTX that is embedded in other text.
#[cfg(feature = "paste")]
static PTX: Pasted = Pasted::over(&Ptx);
#[cfg(all(feature = "ptx", not(feature = "paste")))]
static PTX: Ptx = Ptx;

/// Available front ends. A source in an unavailable language is parsed by the first front end.
static FRONT_ENDS: &[(Front, &dyn FrontEnd)] = &[
    #[cfg(feature = "ptx")]
    (Front::Ptx, &PTX),
    #[cfg(feature = "sass")]
    (Front::Sass, &Sass),
];

/// References of the languages, separate from the front ends so that only hosts that use a reference link its pages.
static REFERENCES: &[(Front, &dyn Reference)] = &[
    #[cfg(feature = "ptx")]
    (Front::Ptx, &Ptx),
    #[cfg(feature = "sass")]
    (Front::Sass, &Sass),
];

/// Returns the front end of a language.
pub fn front_end(front: Front) -> &'static dyn FrontEnd {
    find(FRONT_ENDS, front)
}

/// Returns the reference of a language. Only hosts that call this function link the reference pages.
pub fn reference(front: Front) -> &'static dyn Reference {
    find(REFERENCES, front)
}

fn find<T: ?Sized>(among: &[(Front, &'static T)], front: Front) -> &'static T {
    let own = among.iter().find(|(name, _)| *name == front);
    own.unwrap_or(&among[0]).1
}
