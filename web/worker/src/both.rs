//! The core for two texts side by side: it has both languages, and does nothing else.

fn main() {
    warpgrid_worker::listen::listen::<warpgrid_worker::beside::Beside>();
}
