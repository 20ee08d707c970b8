//! Mounts the application over the static page.

fn main() {
    warpgrid_web::components::mount();
}
