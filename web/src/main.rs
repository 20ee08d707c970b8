//! One wasm, two roles: on the page it mounts the application, in a worker it runs kernels.

fn main() {
    warpgrid_web::start();
}
