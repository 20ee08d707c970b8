//! Reads files of recorded assembler decisions. Lists the instructions that the assembler accepts but the emulator does not support, and
//! counts the cases that run.
#![expect(
    clippy::print_stdout,
    reason = "the example prints its results to standard output"
)]

#[path = "../tests/common/ptxas_verdicts.rs"]
mod ptxas_verdicts;

use flate2::read::GzDecoder;
use ptxas_verdicts::{is_accepted, module};
use std::fs::File;
use std::io::{BufRead, BufReader};
use warpgrid_emulator::refused;
use warpgrid_program::Overrides;
use warpgrid_ptx::{check, parse};

fn main() -> std::io::Result<()> {
    let (mut n, mut n_stopped) = (0, 0);
    for path in std::env::args().skip(1) {
        let lines = BufReader::new(GzDecoder::new(File::open(path)?)).lines();
        for line in lines {
            let Ok(case) = serde_json::from_str(&line?) else {
                continue;
            };
            if !is_accepted(&case) {
                continue;
            }
            n += 1;
            let source = module(&case);
            let checked = check(&source, &parse(&source), &Overrides::default());
            let found: Vec<_> = checked.program.iter().flat_map(refused).collect();
            n_stopped += usize::from(!found.is_empty());
            for found in found {
                println!("{}\t{}", found.why, found.span.text(&source));
            }
        }
    }
    println!("{} of {n} run", n - n_stopped);
    Ok(())
}
