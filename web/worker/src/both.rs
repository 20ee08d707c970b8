//! The core that is loaded later: it has both languages, and reads what people paste around them.

fn main() {
    warpgrid_worker::listen::listen::<warpgrid_worker::later::Later>();
}
