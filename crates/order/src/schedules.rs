//! Exploration of all schedules of a launch: proves that every interleaving has the same result, or finds a schedule
//! with a data race, a hang, a fault or different final memory.
//!
//! The exploration is a dynamic partial-order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson,
//! Sagonas, "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction", JACM 2017, Algorithm 1). Two
//! schedules are equivalent if they order all pairs of dependent events in the same way, and the exploration executes
//! at least one schedule of each equivalence class.
//!
//! - **Agents** are the warps and the asynchronous operations of a run. An asynchronous operation may complete at any
//!   time after its issue. The lane groups of a warp execute in the order of the emulator.
//! - **Events** are steps that other agents can observe through synchronization: strong memory accesses, atomics,
//!   arrivals at barriers, operations on mbarriers, and the issues and completions of asynchronous operations that signal
//!   an mbarrier. Weak accesses are not events, because the race detector checks each explored schedule. Without a data
//!   race, the order of the events determines the results of all weak accesses.
//! - **Arrivals commute**: arrivals in the same phase of a barrier or mbarrier are independent, so that a kernel that
//!   synchronizes only by barriers has one equivalence class. Reductions of integers with the same operation are
//!   independent, too, and so are increments of a counter whose old value decides a comparison with the same result. If
//!   the order of such operations or of `fence.sc` can prevent a data race, the exploration includes this order.
//! - **Spin loops wait**: if a warp returns to the same state without a change of the memory that it reads, the
//!   exploration removes the iterations from the trace, and resumes the warp after a change (Jonsson, Lång, Sagonas,
//!   "Awaiting for Godot: Stateless Model Checking that Avoids Executions where Nothing Happens", FMCAD 2022).
//!
//! The exploration interleaves strong accesses, so it covers sequentially consistent executions. If the memory model
//! permits the reordering of two strong accesses to contended locations, the report names both instructions, and the
//! verdict is *incomplete*. [`explore`](crate::explore) enumerates such outcomes.

mod clock;
mod counter;
mod event;
mod execution;
mod explorer;
mod recorder;
mod reordering;
mod spin;
mod trace;

pub use explorer::{
    ExplorationLimits, NotCovered, ScheduleExplorer, ScheduleReport, ScheduleVerdict, Witness,
    WitnessKind,
};
