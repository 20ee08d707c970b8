//! Mounts the application into the static page.

fn main() {
    warpgrid_web::editor::when_there(warpgrid_web::components::mount);
}
