//! Entry point of the worker module for SASS sources.

fn main() {
    warpgrid_worker::listen::listen::<warpgrid_worker::runner::Runner>();
}
