//! `cargo xtask order`: runs the kernels that race or hang, and their healthy twins, and says how many are said exactly.

use crate::arguments::Arguments;
use crate::shell::{self, Result};

/// Seeds per kernel unless another number is asked for.
const SEEDS: &str = "4";

/// Runs the command; false when a kernel is not said as it should be.
pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    let seeds = arguments.option("--seeds")?;
    let only = arguments.option("--only")?;
    arguments.done()?;
    let mut test = shell::cargo();
    test.args(["test", "--package", "warpgrid-order", "--test", "all"]);
    test.args(["--", "--nocapture", "kernels::", "own::"]);
    test.env("ORDER_SEEDS", seeds.as_deref().unwrap_or(SEEDS));
    test.env("ORDER_ONLY", only.unwrap_or_default());
    shell::hand_over(&mut test)
}
