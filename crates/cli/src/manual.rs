//! `warpgrid completions` and `warpgrid man`: generate shell completions and manual pages from the argument definitions.

use crate::output::{print_error, stdout};
use crate::{Arguments, ExitKind};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::{self, Write};

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    #[arg(value_enum)]
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Command whose manual page is printed, such as `run`. By default, the manual pages of all commands are printed.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Prints the completion script of a shell.
pub(crate) fn complete(arguments: &CompletionsArguments) -> io::Result<ExitKind> {
    let mut text = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        "warpgrid",
        &mut text,
    );
    write(&text)
}

/// Prints the manual page of a command, or of all commands.
pub(crate) fn print(arguments: &ManArguments) -> io::Result<ExitKind> {
    let mut whole = Arguments::command();
    whole.build();
    let page = match &arguments.command {
        None => whole,
        Some(name) => match whole.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                print_error(&format!("unknown command `{name}`"));
                return Ok(ExitKind::UsageError);
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    write(&text)
}

fn write(text: &[u8]) -> io::Result<ExitKind> {
    let mut out = stdout();
    out.write_all(text)?;
    out.flush()?;
    Ok(ExitKind::Success)
}
