//! Public types of a run: launch configuration, events, faults and inspection. Hosts, observers and the interface for
//! the JIT compiler (`translation_view`) share these types.

pub(crate) mod agent;
pub(crate) mod fault;
pub(crate) mod image;
pub(crate) mod inspect;
pub(crate) mod launch;
pub(crate) mod mbarrier;
pub(crate) mod multicast;
pub(crate) mod observer;
pub(crate) mod pending;
pub(crate) mod schedule;
pub(crate) mod step_event;
pub(crate) mod support;
pub(crate) mod sync_event;
pub(crate) mod tensor_map;
pub(crate) mod tensor_transfer;
pub(crate) mod tiles;
pub(crate) mod wgmma_operation;
