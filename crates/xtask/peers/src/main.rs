//! Benchmark of third-party parsers: reads the kernels of the input directory and prints one JSON line per parser, in the format of the
//! harness in `../src/harness/measure/`. Each parser is timed separately on each kernel that it accepts, and the line states the number of
//! these kernels.

use serde_json::json;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Stack size of the benchmark thread, since some parsers recurse once per statement.
const STACK: usize = 1 << 30;

/// Time budget for the measurement of one parser on one kernel.
const BUDGET: Duration = Duration::from_millis(40);

type Parse = fn(&str) -> bool;

const PEERS: &[(&str, Parse)] = &[
    ("singe-ptx 0.1.0-alpha.7", |source| {
        black_box(singe_ptx::parser::parse_module(source)).is_ok()
    }),
    ("ptx-syntax 0.5.0", |source| {
        black_box(ptx_syntax::parse_ptx(source)).is_ok()
    }),
];

fn main() {
    let folder = std::env::args_os()
        .nth(1)
        .expect("usage: warpgrid-peers FOLDER");
    let kernels = kernels(&Path::new(&folder).join("kernels"));
    let work = move || {
        PEERS
            .iter()
            .for_each(|(name, parse)| report(name, *parse, &kernels))
    };
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(work)
        .expect("a thread");
    thread.join().expect("a peer that panics is of no use here");
}

fn kernels(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("the inputs that `cargo xtask bench` wrote");
    files
        .flatten()
        .filter_map(|file| std::fs::read_to_string(file.path()).ok())
        .collect()
}

fn report(name: &str, parse: Parse, kernels: &[String]) {
    let read: Vec<&String> = kernels.iter().filter(|kernel| parse(kernel)).collect();
    let bytes: usize = read.iter().map(|kernel| kernel.len()).sum();
    let seconds: f64 = read.iter().map(|kernel| fastest(parse, kernel)).sum();
    let title = format!(
        "parsing, {name} ({} of {} kernels)",
        read.len(),
        kernels.len()
    );
    let value = (bytes > 0).then(|| bytes as f64 / 1e6 / seconds);
    println!(
        "{}",
        json!({ "name": name, "title": title, "unit": "MB/s", "value": value })
    );
}

fn fastest(parse: Parse, kernel: &str) -> f64 {
    let started = Instant::now();
    let mut best = f64::INFINITY;
    while started.elapsed() < BUDGET {
        let clock = Instant::now();
        parse(kernel);
        best = best.min(clock.elapsed().as_secs_f64());
    }
    best
}
