//! `bind FILE FOLDER`: a compiled wasm goes in, the JavaScript that a page imports and the wasm beside it come out in the folder, as
//! `wasm-bindgen --target web --no-typescript --out-dir FOLDER FILE` leaves them. The library compiles in a third of that command's time.

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
