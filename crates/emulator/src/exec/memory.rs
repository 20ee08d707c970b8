//! Loads, stores and atomic operations.

pub(crate) mod access;
pub(crate) mod access_events;
pub(crate) mod address_translation;
pub(crate) mod atomic;
pub(crate) mod coalesced_access;
pub(crate) mod load;
pub(crate) mod multimem;
pub(crate) mod partial_load;
pub(crate) mod request;
pub(crate) mod store;
