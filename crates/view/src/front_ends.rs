//! The registry of front ends: the name that a scenario carries goes in, the front end comes out. The only file to the
//! right of the front ends that names them.

use warpgrid_launch::Front;
use warpgrid_program::{FrontEnd, Reference};

/// The front end with this name.
pub fn front_end(front: Front) -> &'static dyn FrontEnd {
    match front {
        Front::Ptx => &warpgrid_ptx::Ptx,
        Front::Sass => &warpgrid_sass::Sass,
    }
}

/// The reference of the language with this name. Only hosts that call this carry the pages.
pub fn reference(front: Front) -> &'static dyn Reference {
    match front {
        Front::Ptx => &warpgrid_ptx::Ptx,
        Front::Sass => &warpgrid_sass::Sass,
    }
}
