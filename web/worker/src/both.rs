//! Entry point of the worker module that is loaded later: supports both languages and the source code or logs that instructions are
//! embedded in.

fn main() {
    warpgrid_worker::listen::run_message_loop::<warpgrid_worker::later::ExtendedWorker>();
}
