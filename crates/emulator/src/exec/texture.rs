//! Textures and surfaces.

pub(crate) mod access;
pub(crate) mod texture_filter;
pub(crate) mod texture_sampling;
