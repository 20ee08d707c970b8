//! Textures and surfaces.

pub(crate) mod access;
pub(crate) mod filter;
pub(crate) mod sample;
