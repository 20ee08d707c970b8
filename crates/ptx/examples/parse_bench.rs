//! Times the parser: `cargo run --release --example parse_bench -- FILE...`, best of many runs.

use std::time::Instant;

#[expect(clippy::print_stdout, reason = "a program for a terminal")]
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
        for _ in 0..60 {
            let start = Instant::now();
            parse = warpgrid_ptx::parse(&source);
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!(
            "{path}: {:.1} MB/s, {} bytes, {} statements, {} operands, {} mnemonics, {} diagnostics",
            source.len() as f64 / best / 1e6,
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
