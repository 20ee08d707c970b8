//! Implements the program `bind FILE DIR`, which generates the JavaScript bindings and the wasm file for a page. The program has the same
//! effect as `wasm-bindgen --target web --no-typescript --out-dir DIR FILE`. The wasm-bindgen library compiles in a third of the compile
//! time of the `wasm-bindgen` command.

use std::path::Path;
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let [file, folder] = &words[..] else {
        eprintln!("usage: bind FILE FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(Path::new(file))
        .typescript(false)
        .omit_default_module_path(false);
    let bound = bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(folder));
    match bound {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
