//! Launch options of several commands: the kernel to run, the grid and block sizes, and scalar arguments.

use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use warpgrid_view::annotations::{extents, literal};
use warpgrid_view::scenario::Scenario;
use warpgrid_view::value::Literal;

/// Value of `--entry` that selects every kernel.
pub(crate) const ALL: &str = "all";

/// Options that override the specified or inferred launch configuration.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LaunchOptions {
    /// Run this kernel instead of the first kernel of the file; `all` runs every kernel.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Grid size in blocks, such as `4` or `4x2`.
    #[arg(long, value_name = "X[xY[xZ]]", value_parser = extents)]
    grid: Option<[u32; 3]>,
    /// Block size in threads, such as `128` or `32x8`.
    #[arg(long, value_name = "X[xY[xZ]]", value_parser = extents)]
    block_size: Option<[u32; 3]>,
    /// Value of a scalar parameter, as in `n=100`. The option is repeatable.
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = read_argument)]
    arguments: Vec<(String, Literal)>,
}

impl LaunchOptions {
    /// Checks whether the options select every kernel of the file.
    pub(crate) fn selects_all(&self) -> bool {
        self.entry.as_deref() == Some(ALL)
    }

    /// Applies the options to a scenario, whose specified or inferred launch configuration they override.
    pub(crate) fn apply(&self, scenario: &mut Scenario) {
        if let Some(entry) = self.entry.as_ref().filter(|_| !self.selects_all()) {
            scenario.entry = Some(entry.clone());
        }
        scenario.grid = self.grid.or(scenario.grid);
        scenario.block = self.block_size.or(scenario.block);
        scenario.overrides.extend(self.arguments.iter().cloned());
    }
}

/// Parses a scalar argument, such as `n=100`.
fn read_argument(text: &str) -> Result<(String, Literal), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        format!("found the kernel argument `{text}`, expected an argument such as `n=100`")
    })?;
    Ok((name.trim().to_owned(), literal(value.trim())?))
}

/// Returns a text that names the executed kernel and the other kernels of the module, or `None` if the module has only one kernel.
pub(crate) fn kernels_text(ran: &str, kernels: &[String]) -> Option<String> {
    let others: Vec<String> = kernels
        .iter()
        .filter(|kernel| *kernel != ran)
        .map(|kernel| format!("`{kernel}`"))
        .collect();
    const MAX_NAMED: usize = 8;
    let named = match others.len() {
        0 => return None,
        n if n <= MAX_NAMED => others.join(", "),
        n => format!(
            "{} and {} more",
            others[..MAX_NAMED].join(", "),
            n - MAX_NAMED
        ),
    };
    Some(format!(
        "the command ran the kernel `{ran}`; the file also contains {named} (`--entry NAME`, `--entry all`)"
    ))
}

/// JSON report with the inferred part of the launch configuration as annotations.
#[derive(Serialize)]
pub(crate) struct InferredReport<'a, T> {
    #[serde(flatten)]
    pub(crate) answer: T,
    pub(crate) guesses: &'a [String],
}

/// Prints the inferred part of a launch configuration after a result that depends on the launch configuration.
pub(crate) fn write_guesses(out: &mut impl Write, guesses: &[String]) -> io::Result<()> {
    for guess in guesses {
        writeln!(out, "  inferred: `{guess}`")?;
    }
    Ok(())
}
