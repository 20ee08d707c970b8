//! Checks that a step performs no heap allocation, so that the memory usage of a run does not depend on its length.
#![allow(
    unsafe_code,
    reason = "the test implements `GlobalAlloc` to count allocations"
)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use warpgrid_emulator::{AccessEvent, EventMask, MachineStatus, Observer};

struct Counting;

thread_local! {
    /// Counter of the current thread. The test harness waits in another thread, which may allocate.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A terminating thread no longer has a counter.
        let _ = ALLOCATIONS.try_with(|counter| counter.set(counter.get() + 1));
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steps_perform_no_heap_allocation() {
    let mut saxpy = common::saxpy(1 << 14).launch([64, 1, 1], [256, 1, 1]);
    let mut product = common::matmul_tiled(64).launch([4, 4, 1], [16, 16, 1]);
    // The barriers of a block are allocated when the first lanes arrive at a barrier.
    product.run(5000);
    let before = allocations();
    let ends = (saxpy.run(u64::MAX), product.run(u64::MAX));
    let after = allocations();
    assert_eq!(ends, (MachineStatus::Finished, MachineStatus::Finished));
    assert_eq!(after - before, 0);
    assert!(before > 0, "a launch allocates, so it is counted");

    // The buffers for events have their final size after the first events.
    let mut saxpy = common::saxpy(1 << 10).launch([4, 1, 1], [256, 1, 1]);
    let mut pieces = Pieces(0);
    saxpy.run_observed(100, &mut pieces);
    let before = allocations();
    saxpy.run_observed(u64::MAX, &mut pieces);
    let after = allocations();
    // Each thread executes four parameter loads, two loads and a store.
    assert_eq!((pieces.0, after - before), (7 << 10, 0));
}

/// Observer that counts event pieces.
struct Pieces(usize);

impl Observer for Pieces {
    fn interest(&self) -> EventMask {
        EventMask::ACCESSES
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.0 += event.pieces.len();
    }
}
