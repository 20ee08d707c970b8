//! Parsers of others on our inputs: a folder goes in, one JSON line a peer comes out, in the form of the
//! harness in `../src/bench/measure/`.

use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// Some peers recurse once a statement.
const STACK: usize = 1 << 30;

/// Runs of each peer; the best counts.
const RUNS: u32 = 2;

type Parse = fn(&str) -> Result<(), String>;

const PEERS: &[(&str, &str, Parse)] = &[
    (
        "peer-singe-ptx",
        "  the same with singe-ptx 0.1.0-alpha.7",
        singe_ptx,
    ),
    (
        "peer-ptx-syntax",
        "  the same with ptx-syntax 0.5.0",
        ptx_syntax,
    ),
];

fn singe_ptx(source: &str) -> Result<(), String> {
    singe_ptx::parser::parse_module(source)
        .map(drop)
        .map_err(|error| format!("{error}"))
}

fn ptx_syntax(source: &str) -> Result<(), String> {
    ptx_syntax::parse_ptx(source)
        .map(drop)
        .map_err(|error| format!("{error:?}"))
}

fn main() {
    let folder = std::env::args_os()
        .nth(1)
        .expect("usage: warpgrid-peers FOLDER");
    let file = Path::new(&folder).join("large.ptx");
    let source = std::fs::read_to_string(&file).expect("the input that `cargo xtask bench` wrote");
    let work = move || {
        PEERS
            .iter()
            .for_each(|(name, title, parse)| report(name, title, *parse, &source))
    };
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(work)
        .expect("a thread");
    thread.join().expect("a peer that panics is of no use here");
}

fn report(name: &str, title: &str, parse: Parse, source: &str) {
    let best = (0..RUNS).try_fold(f64::INFINITY, |best: f64, _| {
        let clock = Instant::now();
        parse(source).map(|()| best.min(clock.elapsed().as_secs_f64()))
    });
    let (value, note) = match best {
        Ok(seconds) => (Some(source.len() as f64 / 1e6 / seconds), None),
        // A whole tree can stand in a message; its start says enough.
        Err(reason) => (None, Some(reason.chars().take(80).collect::<String>())),
    };
    println!(
        "{}",
        json!({ "name": name, "title": title, "unit": "MB/s", "value": value, "note": note })
    );
}
