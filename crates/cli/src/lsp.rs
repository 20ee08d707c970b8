//! `warpgrid lsp`: the language server on standard input and output.

use crate::ExitKind;
use clap::Args;
use std::io;

/// Arguments of `lsp`.
#[derive(Debug, Args)]
pub(crate) struct LspArguments {
    /// Accepted for clients that pass this option. The server always uses standard input and output.
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Serves one client until the client sends `exit` or closes standard input.
pub(crate) fn serve(_arguments: &LspArguments) -> io::Result<ExitKind> {
    let input = io::BufReader::new(io::stdin());
    let has_shut_down = warpgrid_lsp::stdio::run(input, io::stdout().lock())?;
    Ok(match has_shut_down {
        true => ExitKind::Success,
        false => ExitKind::Failure,
    })
}
