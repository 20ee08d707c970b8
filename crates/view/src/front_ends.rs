//! The registry of front ends: the name that a scenario carries goes in, the front end comes out. The only file to the
//! right of the front ends that names them.
//!
//! A host that needs one language alone leaves the other one out by its feature; texts of the other are then read in the one
//! that is there, so such a host must not be given any.

#[cfg(not(any(feature = "ptx", feature = "sass")))]
compile_error!("name a language: the feature `ptx`, `sass`, or both");

use warpgrid_launch::Front;
use warpgrid_program::{FrontEnd, Reference};

#[cfg(feature = "ptx")]
use warpgrid_ptx::Ptx;
#[cfg(not(feature = "ptx"))]
use warpgrid_sass::Sass as Ptx;

#[cfg(not(feature = "sass"))]
use warpgrid_ptx::Ptx as Sass;
#[cfg(feature = "sass")]
use warpgrid_sass::Sass;

/// The front end with this name.
pub fn front_end(front: Front) -> &'static dyn FrontEnd {
    match front {
        Front::Ptx => &Ptx,
        Front::Sass => &Sass,
    }
}

/// The reference of the language with this name. Only hosts that call this carry the pages.
pub fn reference(front: Front) -> &'static dyn Reference {
    match front {
        Front::Ptx => &Ptx,
        Front::Sass => &Sass,
    }
}
