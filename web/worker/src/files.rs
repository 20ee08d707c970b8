//! `warpgrid-files FOLDER` writes the files that are deployed next to the worker modules: `reference.bin` and `prerecorded.bin`. The
//! program is executed on the build machine while the site is built.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use warpgrid_view::source::reference::pages;
use warpgrid_worker::prerecorded;
use warpgrid_worker::protocol::encode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: warpgrid-files FOLDER");
        return ExitCode::from(2);
    };
    let folder = Path::new(&folder);
    let files = [
        ("reference.bin", encode(&pages())),
        ("prerecorded.bin", prerecorded::recording()),
    ];
    for (name, bytes) in files {
        let file = folder.join(name);
        if let Err(error) = fs::write(&file, bytes) {
            eprintln!("{}: {error}", file.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
