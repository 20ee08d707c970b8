//! Native module `warpgrid._native` of the Python package. The module converts Python values to the types of [`warpgrid_view`], which
//! implements all checks, runs and analyses.
//!
//! - The input is a source, the configuration of a launch, and the arguments of a kernel: scalars, and views of arrays as bytes.
//! - The output is plain data with the JSON model of all hosts, and the changed bytes of the arrays. Errors are exceptions of the Python
//!   module `warpgrid._errors`.
//! - Invariants: no panic reaches Python, long calls release the interpreter lock, and a signal handler interrupts them.
//! - Tests: `cargo xtask test --only python`.

mod arguments;
mod errors;
mod execution;
mod functions;
mod module;
mod session;

use pyo3::prelude::*;

#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::functions::{
        check, elementwise_module, explain, file_text, format_source, open_file,
    };
    #[pymodule_export]
    use crate::module::NativeModule;
    #[pymodule_export]
    use crate::session::NativeSession;

    /// Version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Program that compiles CUDA C++ with the library NVRTC in a separate process.
    #[pymodule_export]
    const NVRTC_DRIVER: &str = include_str!("../../cli/src/compile/nvrtc.py");
}
