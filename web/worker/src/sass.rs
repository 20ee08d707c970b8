//! The core for machine code.

fn main() {
    warpgrid_worker::listen::listen::<warpgrid_worker::runner::Runner>();
}
