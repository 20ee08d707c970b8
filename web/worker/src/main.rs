//! The core for texts in PTX.

fn main() {
    warpgrid_worker::listen::listen::<warpgrid_worker::runner::Runner>();
}
