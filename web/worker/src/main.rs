//! Entry point of the worker module for PTX sources.

fn main() {
    warpgrid_worker::listen::run_message_loop::<warpgrid_worker::runner::SessionRunner>();
}
