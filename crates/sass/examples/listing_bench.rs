//! Benchmark of parser and checker: `cargo run --release --example listing_bench -- FILE...` reports the best of many runs, the
//! diagnostics, and the instructions that the printer changes.

use std::time::Instant;
use warpgrid_program::{FrontEnd, Overrides};
use warpgrid_sass::Sass;
use warpgrid_sass::syntax::{Tree, parse, print_instruction};

/// Returns the instructions that the printer does not reproduce exactly.
fn changed<'a>(source: &'a str, tree: &'a Tree) -> impl Iterator<Item = (&'a str, String)> {
    tree.instructions.iter().filter_map(|instruction| {
        let mut text = String::new();
        print_instruction(tree, source, instruction, &mut text);
        let original = instruction.span.text(source);
        (text.trim_end() != original).then_some((original, text))
    })
}

#[expect(
    clippy::print_stdout,
    reason = "the example prints its results to standard output"
)]
fn main() {
    let (mut bytes, mut seconds, mut checked) = (0usize, 0.0, 0.0);
    for path in std::env::args().skip(1) {
        let source = match std::fs::read_to_string(&path) {
            Ok(source) => source,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let mut best = f64::INFINITY;
        let mut tree = Tree::default();
        for _ in 0..10 {
            let start = Instant::now();
            tree = parse(&source);
            best = best.min(start.elapsed().as_secs_f64());
        }
        bytes += source.len();
        seconds += best;
        let start = Instant::now();
        let found = Sass.check(&source, &Overrides::default()).diagnostics;
        checked += start.elapsed().as_secs_f64();
        for finding in found {
            let text = finding.span.text(&source);
            println!("{path}: {} {} `{text}`", finding.code, finding.message);
        }
        for (original, text) in changed(&source, &tree) {
            println!("{path}: `{original}` is written `{text}`");
        }
    }
    println!(
        "{bytes} bytes, parsed at {:.1} MB/s, checked at {:.1} MB/s",
        bytes as f64 / seconds / 1e6,
        bytes as f64 / checked / 1e6,
    );
}
