//! The examples of asynchronous operations and clusters: what each stores step by step, what its buffers hold then, and how
//! it ends. `UPDATE_EXPECT=1` writes the files in `data/examples` again.

use expect_test::expect_file;
use std::fmt::Write;
use std::path::Path;
use warpgrid_view::value::ElementType;
use warpgrid_view::{MemoryId, Scenario, Session};

const EXAMPLES: &[&str] = &[
    "cluster-messages",
    "copy-pipeline",
    "cluster-histogram",
    "deadlock",
    "broken-mbarrier",
    "tensor-copy",
    "tensor-edge",
    "swizzle-modes",
    "warpgroup-pipeline",
    "tensor-memory",
    "tensor-memory-product",
    "matrix-epilogue",
    "filtered-image",
];

/// Elements of a line.
const PER_LINE: usize = 16;

fn trace(source: &str) -> Result<String, std::fmt::Error> {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(session.run(1_000_000), "it does not end");
    let mut text = String::new();
    for store in session.events(0, session.position()) {
        let values: Vec<&str> = store.lanes.iter().map(|lane| lane.value.as_str()).collect();
        let landed = if store.has_landed { "landed: " } else { "" };
        let [x, y, z] = store.block;
        writeln!(
            text,
            "{} block ({x}, {y}, {z}) warp {}: {landed}{} <- {}",
            store.step,
            store.warp,
            store.instruction,
            values.join(" ")
        )?;
    }
    for buffer in session.buffers() {
        let ty = ElementType::from_name(&buffer.ty).expect("a type");
        let bytes = session.memory(&MemoryId::Buffer(buffer.name.clone()));
        let bytes = bytes.expect("a buffer");
        let elements: Vec<String> = bytes
            .chunks(ty.width_bytes())
            .map(|element| ty.text(ty.bits(element)))
            .collect();
        writeln!(text, "\n{}", buffer.name)?;
        for row in elements.chunks(PER_LINE) {
            writeln!(text, "{}", row.join(" "))?;
        }
    }
    if let Some(fault) = session.fault() {
        writeln!(text, "\nline {}: {}", fault.range.line, fault.message)?;
        writeln!(text, "help: {}", fault.help.unwrap_or_default())?;
    }
    Ok(text)
}

#[test]
fn what_the_examples_store_is_golden() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in EXAMPLES {
        let path = root.join(format!("../../public/examples/{name}.ptx"));
        let source = std::fs::read_to_string(path).expect("an example");
        let found = trace(&source).expect("a text");
        expect_file![root.join(format!("tests/data/examples/{name}.txt"))].assert_eq(&found);
    }
}
