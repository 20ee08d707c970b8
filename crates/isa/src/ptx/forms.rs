//! PTX instruction forms, one file per family.

use crate::form::Form;

pub mod atomic;
pub mod cluster;
pub mod compare;
pub mod control;
pub mod cp_async;
pub mod cp_async_bulk;
pub mod device_units;
pub mod float;
pub mod integer;
pub mod ldmatrix;
pub mod load;
pub mod logic;
pub mod mbarrier;
pub mod mma;
pub mod mma_sparse;
pub mod modifier_sets;
pub mod moves;
pub mod multimem;
pub mod narrow_float;
pub mod red_async;
pub mod st;
pub mod st_async;
pub mod stack;
pub mod surface;
pub mod sync;
pub mod tensor_copy;
pub mod tensor_memory;
pub mod tensormap;
pub mod texture;
pub mod video;
pub mod warpgroup;
pub mod wmma_load;
pub mod wmma_mma;
pub mod wmma_store;

pub use super::keywords::OPCODES;

pub(super) mod form_macros;

/// All instruction forms: one list per family.
pub static FAMILIES: &[&[Form]] = &[
    integer::FORMS,
    float::FORMS,
    compare::FORMS,
    logic::FORMS,
    moves::FORMS,
    narrow_float::FORMS,
    load::FORMS,
    st::FORMS,
    st_async::FORMS,
    red_async::FORMS,
    cp_async::FORMS,
    cp_async_bulk::FORMS,
    mbarrier::FORMS,
    cluster::FORMS,
    atomic::FORMS,
    control::FORMS,
    sync::FORMS,
    video::FORMS,
    wmma_load::FORMS,
    wmma_mma::FORMS,
    wmma_store::FORMS,
    mma::FORMS,
    mma_sparse::FORMS,
    ldmatrix::FORMS,
    multimem::FORMS,
    stack::FORMS,
    tensor_copy::FORMS,
    warpgroup::FORMS,
    tensor_memory::FORMS,
    tensormap::FORMS,
    texture::FORMS,
    surface::FORMS,
];
