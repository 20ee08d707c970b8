//! What the harnesses that ask an installed assembler begin with. In: what one found; out: its exit status, and the sentence of what went wrong.

#[path = "files.rs"]
pub(crate) mod files;
#[path = "random.rs"]
pub(crate) mod random;
#[path = "threads.rs"]
pub(crate) mod threads;

use std::process::ExitCode;

/// A sentence says what went wrong and what to do.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// Runs a command on the words after its name. Its status is 1 where it found a difference, and 2 where it could not run.
pub(crate) fn run(
    command: impl FnOnce(std::iter::Skip<std::env::Args>) -> Result<bool>,
) -> ExitCode {
    match command(std::env::args().skip(1)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("\nerror: {message}");
            ExitCode::from(2)
        }
    }
}

/// The value after an option.
pub(crate) fn value_of(option: &str, words: &mut impl Iterator<Item = String>) -> Result<String> {
    let value = words.next();
    value.ok_or_else(|| format!("`{option}` requires a value"))
}

/// A number as an option has it.
pub(crate) fn number<N: std::str::FromStr>(text: &str) -> Result<N> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a number"))
}
