//! Mounts the application into the static page.

fn main() {
    warpgrid_web::editor::on_editor_ready(warpgrid_web::components::mount);
}
