//! Entry point of the worker module for SASS sources.

fn main() {
    warpgrid_worker::message_loop::run_message_loop::<warpgrid_worker::runner::SessionRunner>();
}
