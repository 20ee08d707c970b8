//! Entry point of the worker module that is loaded later. The module supports both languages, and source code or logs in which instructions
//! are embedded.

fn main() {
    warpgrid_worker::message_loop::run_message_loop::<
        warpgrid_worker::extended_worker::ExtendedWorker,
    >();
}
