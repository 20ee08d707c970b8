//! Measures the time of the parser and the checker, as the best of many runs: `cargo run --release --example parse_bench --
//! FILE...`.

use std::time::Instant;

#[expect(
    clippy::print_stdout,
    reason = "the example prints its results to standard output"
)]
fn main() {
    for path in std::env::args().skip(1) {
        let source = match std::fs::read_to_string(&path) {
            Ok(source) => source,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let mut best = f64::INFINITY;
        let mut parse = warpgrid_ptx::Parse::default();
        let mut checked = f64::INFINITY;
        for _ in 0..30 {
            let start = Instant::now();
            parse = warpgrid_ptx::parse(&source);
            best = best.min(start.elapsed().as_secs_f64());
            let result =
                warpgrid_ptx::check(&source, &parse, &warpgrid_program::Overrides::default());
            checked = checked.min(start.elapsed().as_secs_f64());
            drop(result);
        }
        println!(
            "{path}: parses {:.1} MB/s, parses and checks {:.1} MB/s, {} bytes, {} statements, {} operands, {} mnemonics, {} diagnostics",
            source.len() as f64 / best / 1e6,
            source.len() as f64 / checked / 1e6,
            source.len(),
            parse.tree.statements.len(),
            parse.tree.operands.len(),
            parse.tree.mnemonics.len(),
            parse.diagnostics.len(),
        );
        for diagnostic in parse.diagnostics.iter().take(5) {
            println!(
                "  {} {} at {:?}",
                diagnostic.code, diagnostic.message, diagnostic.span
            );
        }
    }
}
