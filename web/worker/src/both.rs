//! Entry point of the worker module that is loaded later: supports both languages and the source code or logs that instructions are
//! embedded in.

fn main() {
    warpgrid_worker::message_loop::run_message_loop::<
        warpgrid_worker::extended_worker::ExtendedWorker,
    >();
}
