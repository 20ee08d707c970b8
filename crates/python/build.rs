//! Passes the linker options of extension modules, which macOS requires for symbols that the interpreter defines.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
