//! The registry of front ends: the name that a scenario carries goes in, the front end comes out. The only file to the
//! right of the front ends that names them.
//!
//! A host that needs one language alone leaves the other one out by its feature; texts of the other are then read in the one
//! that is there, so such a host must not be given any.

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

/// PTX, with what people paste around it where a host reads that.
#[cfg(feature = "paste")]
static PTX: Pasted = Pasted::over(&Ptx);
#[cfg(all(feature = "ptx", not(feature = "paste")))]
static PTX: Ptx = Ptx;

/// The front ends that are there; a text in a language that is not is read in the first one.
static FRONT_ENDS: &[(Front, &dyn FrontEnd)] = &[
    #[cfg(feature = "ptx")]
    (Front::Ptx, &PTX),
    #[cfg(feature = "sass")]
    (Front::Sass, &Sass),
];

/// Their references. Apart from the front ends, so that only hosts that ask for one carry its pages.
static REFERENCES: &[(Front, &dyn Reference)] = &[
    #[cfg(feature = "ptx")]
    (Front::Ptx, &Ptx),
    #[cfg(feature = "sass")]
    (Front::Sass, &Sass),
];

/// The front end with this name.
pub fn front_end(front: Front) -> &'static dyn FrontEnd {
    find(FRONT_ENDS, front)
}

/// The reference of the language with this name. Only hosts that call this carry the pages.
pub fn reference(front: Front) -> &'static dyn Reference {
    find(REFERENCES, front)
}

fn find<T: ?Sized>(among: &[(Front, &'static T)], front: Front) -> &'static T {
    let own = among.iter().find(|(name, _)| *name == front);
    own.unwrap_or(&among[0]).1
}
