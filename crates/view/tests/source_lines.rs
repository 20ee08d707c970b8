//! Source positions of instructions: the `.loc` directives of PTX and the line comments of listings.
//!
//! NVRTC 12.9 compiled `source_lines/transpose.cu` to `transpose.ptx` with `-lineinfo`. `ptxas` and `nvdisasm -gi` 13.5 produced
//! `transpose.sass` from it; the sections of debug data are removed. Triton 3.9 compiled `scale.py` to `scale.ptx`, and Numba 0.68 with
//! numba-cuda 0.30 compiled `add_one.py` to `add_one.ptx` with `lineinfo=True`.

use warpgrid_view::model::FrameRequest;
use warpgrid_view::source::line_table::SourcePosition;
use warpgrid_view::{Scenario, Session, SourceLanguage};

const CUDA: &str = include_str!("source_lines/transpose.cu");
const PTX: &str = include_str!("source_lines/transpose.ptx");
const SASS: &str = include_str!("source_lines/transpose.sass");
const TRITON: &str = include_str!("source_lines/scale.ptx");
const NUMBA: &str = include_str!("source_lines/add_one.ptx");

/// Line of `return row * width + column;` in the inlined function `flat`.
const FLAT_LINE: u32 = 2;
/// Line of the store to `out`.
const STORE_LINE: u32 = 16;

fn open(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        front: SourceLanguage::of_source(source),
        ..Scenario::default()
    };
    let opened = Session::new(scenario).map_err(|error| error.message);
    opened.expect("a launch")
}

/// Returns the first line of the source that contains `text`.
fn line_of(source: &str, text: &str) -> u32 {
    let index = source.lines().position(|line| line.contains(text));
    index.expect("a line") as u32 + 1
}

#[test]
fn store_has_position_of_its_source_line() {
    let cuda = format!("transpose.cu:{STORE_LINE}");
    for (source, store, expected) in [
        (PTX, "st.global.f32", cuda.as_str()),
        (SASS, "STG.E", cuda.as_str()),
        (TRITON, "st.global.b32", "scale.py:10"),
        (NUMBA, "st.global.f32", "add_one.py:7"),
    ] {
        let positions = open(source).source_positions(line_of(source, store));
        let short: Vec<String> = positions.iter().map(SourcePosition::short).collect();
        assert_eq!(short, [expected]);
    }
}

#[test]
fn inlined_instruction_has_position_of_callee_and_call_site() {
    let frames = |source: &str, line| {
        let positions = open(source).source_positions(line);
        let frames = positions.into_iter();
        frames
            .map(|position| (position.line, position.function))
            .collect::<Vec<_>>()
    };
    let ptx = frames(PTX, line_of(PTX, "function_name") + 1);
    assert_eq!(ptx, [(FLAT_LINE, Some("flat".to_owned())), (10, None)]);
    // A listing does not name the callee.
    let sass = frames(SASS, line_of(SASS, "inlined at") + 2);
    assert_eq!(sass, [(FLAT_LINE, None), (10, None)]);
}

#[test]
fn almost_all_steps_of_compiled_kernels_have_positions() {
    for source in [PTX, SASS, TRITON, NUMBA] {
        let mut session = open(source);
        session.run(1_000_000);
        let n_steps = session.position();
        let mut is_mapped = |step: u64| {
            session.seek(step);
            let frame = session.frame(&FrameRequest::default());
            frame.last.is_some_and(|last| !last.source.is_empty())
        };
        let n_mapped = (1..=n_steps).filter(|step| is_mapped(*step)).count() as u64;
        assert!(n_mapped * 100 >= n_steps * 95, "{n_mapped} of {n_steps}");
    }
}

#[test]
fn line_table_lists_lines_in_order_with_source_text() {
    let comments: String = CUDA.lines().map(|line| format!("// {line}\n")).collect();
    let source = format!("//@ source transpose.cu\n{comments}\n{PTX}");
    let table = open(&source).line_table();
    let [file] = table.files.as_slice() else {
        panic!("one file: {:?}", table.files);
    };
    assert_eq!(
        (file.name.as_str(), file.last_line),
        ("/src/transpose.cu", 17)
    );
    assert_eq!(file.text.as_deref(), Some(CUDA));
    assert!(table.unused.is_empty());
    assert!(
        table
            .lines
            .is_sorted_by(|one, next| one.end_line < next.line)
    );
}

#[test]
fn source_file_without_mapped_line_is_reported_as_unused() {
    let source = format!("//@ source other.cu\n// int x;\n\n{PTX}");
    let table = open(&source).line_table();
    assert_eq!(table.unused, ["other.cu"]);
    assert!(table.files.iter().all(|file| file.text.is_none()));
}

#[test]
fn loc_without_file_directive_has_empty_file_name() {
    let source = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n.loc 3 7 1\nret; }";
    let [position] = open(source)
        .source_positions(6)
        .try_into()
        .expect("a frame");
    assert_eq!((position.file.as_str(), position.line), ("", 7));
}
