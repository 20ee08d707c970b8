//! `warpgrid-reference FILE`: writes the file of the reference, which the page fetches when a reader asks for it. Runs
//! while the site is built, on the machine that builds it.

use std::process::ExitCode;
use warpgrid_view::reference::pages;
use warpgrid_worker::protocol::encode;

fn main() -> ExitCode {
    let Some(file) = std::env::args_os().nth(1) else {
        eprintln!("usage: warpgrid-reference FILE");
        return ExitCode::from(2);
    };
    match std::fs::write(&file, encode(&pages())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}
