//! Printer of the text format of litmus tests, which [`read_text`](crate::memory_model::litmus::parser::read_text) parses.

use crate::memory_model::litmus::location::write_location;
use crate::memory_model::litmus::test::LitmusTest;

/// Formats a litmus test as text.
pub fn write_text(test: &LitmusTest) -> String {
    let mut lines = Vec::new();
    if !test.name.is_empty() {
        lines.push(format!("//@ title {}", test.name));
    }
    lines.extend(test.ptx_version.iter().map(|v| format!(".version {v}")));
    lines.extend(test.target.iter().map(|target| format!(".target {target}")));
    lines.push(launch(test));
    lines.extend(test.locations.iter().map(write_location));
    lines.extend(test.functions.iter().cloned());
    for thread in &test.threads {
        let (block, number) = (thread.block, thread.thread);
        lines.push(format!("//@ thread block={block} thread={number}"));
        lines.extend(thread.body.iter().cloned());
    }
    lines.push(format!("//@ observe {}", test.observe.join(" ")));
    let bad = test.unwanted_outcomes.iter().map(|values| {
        let values: Vec<String> = values.iter().map(u64::to_string).collect();
        format!("//@ bad {}", values.join(" "))
    });
    lines.extend(bad);
    lines.push(String::new());
    lines.join("\n")
}

fn launch(test: &LitmusTest) -> String {
    let extents = |[x, y, z]: [u32; 3]| match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    };
    let mut line = format!(
        "//@ launch grid={} block={}",
        extents(test.grid),
        extents(test.block)
    );
    if test.cluster != [1; 3] {
        line.push_str(&format!(" cluster={}", extents(test.cluster)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_model::litmus::parser::read_text;

    #[test]
    fn litmus_test_round_trips() {
        let text = "//@ title Two\n.version 8.6\n.target sm_90\n//@ launch grid=2x2 block=32 cluster=2x1\n\
            //@ location x+8: u32[2] at=0x7f0000000000 = 1\n//@ thread block=3 thread=5\nst.global.u32 [x+8], 1;\n\
            //@ thread block=0 thread=0\nld.global.u32 %r0, [x+8];\n//@ observe 1:%r0 x[2]\n//@ bad 0 1\n";
        // A cluster of 2x1 blocks is formatted by its extent in the x dimension only.
        let written = text.replace("cluster=2x1", "cluster=2");
        let test = read_text(text).expect("a test");
        assert_eq!(write_text(&test), written);
    }
}
