//! Kernels without a launch run with an inferred launch and stay within the inferred buffers. The golden file lists the inferred values and
//! the progress of each kernel. `UPDATE_EXPECT=1` updates it.

use expect_test::expect_file;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use warpgrid_view::{Parameter, Scenario, Session};

/// Sufficient for every inferred launch. One kernel does not end, because its input does not terminate its loop.
const MAX_STEPS: u64 = 300_000;

fn report(source: String) -> String {
    let mut session = launched(source);
    let is_over = session.run(MAX_STEPS);
    let mut text = String::new();
    for line in session.inferred_annotations() {
        let _ = writeln!(text, "  {line}");
    }
    let end = match (session.fault(), is_over) {
        (Some(fault), _) => format!("{}: {}", fault.kind.name(), fault.message),
        (None, true) => "ends".to_owned(),
        (None, false) => "runs on".to_owned(),
    };
    let _ = writeln!(text, "  {end}, {} stores", session.stores());
    text
}

fn kernels() -> Vec<(String, String)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../view/tests/corpus");
    let folders = fs::read_dir(corpus).expect("the corpus lies beside the test");
    let mut kernels: Vec<_> = folders
        .flatten()
        .filter_map(|folder| {
            let source = fs::read_to_string(folder.path().join("kernel.ptx")).ok()?;
            Some((folder.file_name().to_string_lossy().into_owned(), source))
        })
        .collect();
    kernels.sort();
    kernels
}

fn launched(source: String) -> Session {
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    Session::new_without_last_writers(scenario).unwrap_or_else(|error| panic!("{}", error.message))
}

#[test]
fn inferred_annotations_reproduce_same_launch() {
    for (name, source) in kernels() {
        let guessed = launched(source.clone());
        let stated = launched(format!(
            "{}\n{source}",
            guessed.inferred_annotations().join("\n")
        ));
        assert_eq!(stated.inferred_annotations(), [""; 0], "{name}");
        let as_stated = Scenario {
            source: stated.scenario().source.clone(),
            grid: stated.scenario().grid,
            ..guessed.scenario().clone()
        };
        assert_eq!(*stated.scenario(), with_shapes(as_stated), "{name}");
    }
}

/// Adds a shape to each buffer, as in `//@` lines.
fn with_shapes(mut scenario: Scenario) -> Scenario {
    let give = |parameter: &mut Parameter| {
        if let Parameter::Buffer(buffer) = parameter {
            buffer.shape = vec![buffer.len];
        }
    };
    for parameter in &mut scenario.params {
        give(parameter);
        if let Parameter::Struct { fields, .. } = parameter {
            fields
                .iter_mut()
                .for_each(|field| give(&mut field.parameter));
        }
    }
    scenario
}

const HEAD: &str = ".version 8.3\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out, .param .u64 in, .param .u32 n)";
const LOADS: &str = ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<3>;\nld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd4, %rd1, %rd3;\n";

/// Description, directives, and body after the parameter loads, of each kernel.
const SMALL: &[(&str, &str, &str)] = &[
    (
        "a grid of whole clusters",
        ".reqnctapercluster 2, 1, 1",
        "st.global.u32 [%rd4], %r2;\n",
    ),
    (
        "a stated block, a guessed grid",
        ".reqntid 64, 1, 1",
        "st.global.u32 [%rd4], %r2;\n",
    ),
    (
        "an assertion on a number",
        "",
        "setp.eq.u32 %p1, %r1, 1;\n@!%p1 trap;\nst.global.u32 [%rd4], %r2;\n",
    ),
    (
        "a loop bounded by what is loaded",
        "",
        "ld.global.u32 %r3, [%rd2];\nL: setp.eq.u32 %p1, %r3, 0;\n@%p1 ret;\nst.global.u32 [%rd4], %r3;\nsub.u32 %r3, %r3, 1;\nbra L;\n",
    ),
    (
        "a flag that is polled",
        "",
        "L: ld.volatile.global.u32 %r3, [%rd2];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\nst.global.u32 [%rd4], %r3;\n",
    ),
    (
        "an access far into the run",
        "",
        "mov.u32 %r4, 0;\nL: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 12000;\n@%p1 bra L;\nst.global.u32 [%rd4+4096], %r2;\n",
    ),
    (
        "much dynamic shared memory",
        "",
        "mov.u32 %r4, dyn;\nmad.lo.u32 %r4, %r2, 6400, %r4;\nst.shared.u32 [%r4], %r2;\n",
    ),
    (
        "a pitch beside a base",
        "",
        "ld.param.u64 %rd5, [in];\ncvt.u64.u32 %rd6, %r2;\nmad.lo.u64 %rd7, %rd5, %rd6, %rd1;\nst.global.u32 [%rd7], %r2;\n",
    ),
    (
        "indices that begin before the buffer",
        "",
        "sub.u32 %r3, %r2, 16;\nmul.wide.s32 %rd5, %r3, 4;\nadd.u64 %rd6, %rd2, %rd5;\nld.global.u32 %r4, [%rd6];\nst.global.u32 [%rd4], %r4;\nst.global.u32 [%rd6+-256], %r4;\n",
    ),
    (
        "floats that are moved to bits before a store",
        "",
        "ld.global.b32 %r3, [%rd2];\nmov.b32 %f1, %r3;\nadd.f32 %f2, %f1, %f1;\nmov.b32 %r4, %f2;\nst.global.b32 [%rd4], %r4;\n",
    ),
    (
        "one register for two addresses",
        "",
        "ld.param.u64 %rd5, [out];\nst.global.u32 [%rd5+1024], %r2;\nld.param.u64 %rd5, [in];\nst.global.u32 [%rd5+2048], %r2;\n",
    ),
];

#[test]
fn small_kernels_infer_recorded_launches() {
    let mut text = String::new();
    for (what, directives, body) in SMALL {
        let source = format!("{HEAD} {directives}\n{{\n{LOADS}{body}ret;\n}}\n");
        let source = source.replace(".entry", ".extern .shared .align 16 .b8 dyn[];\n.entry");
        let _ = write!(text, "{what}\n{}", report(source));
    }
    expect_file!["data/small_guesses.txt"].assert_eq(&text);
}

#[test]
fn example_kernels_infer_recorded_launches() {
    let mut text = String::new();
    for (name, source) in kernels() {
        let _ = write!(text, "{name}\n{}", report(source));
    }
    expect_file!["data/guesses.txt"].assert_eq(&text);
}

/// Returns the warnings about names of `//@` parameters for a kernel with the parameters `out` and `n`.
fn name_warnings(facts: &str) -> Vec<String> {
    let source = format!(
        "{facts}.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n) {{ ret; }}\n"
    );
    let report = warpgrid_view::check(&source, &Default::default());
    assert!(report.accept, "{report:?}");
    let line = |found: &warpgrid_view::model::DiagnosticView| {
        let fix = found.fix.as_ref().map_or("", |fix| fix.title.as_str());
        format!("{}:{} {} [{fix}]", found.line, found.column, found.message)
    };
    report.diagnostics.iter().map(line).collect()
}

#[test]
fn mistyped_parameter_name_produces_warning_with_fix() {
    assert_eq!(
        name_warnings("//@ buffer oot: u32[4] = 0\n"),
        ["1:12 the kernel has no parameter `oot` [write `out`]"]
    );
    assert_eq!(
        name_warnings("//@ buffer out: u32[4] = 0\n//@ scalar count: u32 = 4\n"),
        ["2:12 the kernel has no parameter `count` []"]
    );
    // No name resembles a parameter name of the kernel, so the parameters are matched by position.
    assert_eq!(
        name_warnings("//@ buffer y: u32[4] = 0\n//@ scalar length: u32 = 4\n"),
        [] as [&str; 0]
    );
    assert_eq!(
        name_warnings("//@ scalar n: u32 = 4\n//@ buffer out: u32[4] = 0\n"),
        [] as [&str; 0]
    );
}

#[test]
fn barrier_thread_count_above_warp_size_enlarges_block() {
    let source = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) { .reg .b32 %r<2>; .reg .b64 %p<3>;\n\
        ld.param.u64 %p1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %p2, %r1, 4, %p1; bar.sync 2, 64; st.global.u32 [%p2], %r1; ret; }\n";
    let mut session = launched(source.to_owned());
    session.run(MAX_STEPS);
    assert_eq!(session.fault(), None);
    assert_eq!(
        session.inferred_annotations(),
        ["//@ launch grid=1 block=64", "//@ buffer out: u32[64] = 0"]
    );
}

/// Returns a module with one kernel with the parameter `table`.
fn with_table(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 table) {{ .reg .pred %q; .reg .b32 %r<4>; .reg .b64 %p<6>;\n\
        ld.param.u64 %p1, [table]; mov.u32 %r1, %tid.x; mad.wide.u32 %p2, %r1, 8, %p1;\n{body}\nret; }}\n"
    )
}

#[test]
fn pointer_loaded_from_buffer_is_initialized_to_valid_address() {
    let source = with_table(
        "ld.global.u64 %p3, [%p2]; mad.wide.u32 %p4, %r1, 4, %p3; st.global.u32 [%p4], %r1;",
    );
    let mut session = launched(source);
    session.run(MAX_STEPS);
    assert_eq!(session.fault(), None);
    assert_eq!(
        session.inferred_annotations(),
        [
            "//@ launch grid=1 block=32",
            "//@ buffer table: u64[64] = &table+256"
        ]
    );
    let memory = session.memory(&"table".into()).expect("the table");
    assert_eq!(memory[256..264], [0, 0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn initializer_list_accepts_buffer_addresses() {
    let body = "ld.global.u64 %p3, [%p2]; ld.global.u32 %r2, [%p3]; st.global.u32 [%p3], %r1;";
    let lines = "//@ launch grid=1 block=2\n//@ buffer table: u64[2] = &table+8, &table\n";
    let mut session = launched(format!("{lines}{}", with_table(body)));
    session.run(MAX_STEPS);
    assert_eq!(session.fault(), None);
    let memory = session.memory(&"table".into()).expect("the table");
    assert_eq!([memory[0], memory[8]], [1, 0]);
    let refusal = |list: &str| {
        let scenario = Scenario {
            source: format!("//@ buffer table: {list}\n{}", with_table(body)),
            ..Scenario::default()
        };
        Session::new(scenario).err().expect("it is refused").message
    };
    assert_eq!(refusal("u64[1] = &tabel"), "unknown buffer `tabel`");
    assert_eq!(
        refusal("u32[1] = &table"),
        "buffer `table`: found an address in a buffer of type `u32`, expected a 64-bit element type"
    );
}

#[test]
fn large_index_grows_indexed_buffer_despite_adjacent_variable() {
    let source = with_table(
        "mul.lo.u32 %r2, %r1, 100000; cvt.u64.u32 %p3, %r2; add.u64 %p4, %p1, %p3; st.global.u8 [%p4], %r1;",
    );
    let source = source.replace(".visible", ".global .align 4 .u32 v[4];\n.visible");
    let mut session = launched(source);
    session.run(MAX_STEPS);
    assert_eq!(session.fault(), None);
    assert_eq!(
        session.inferred_annotations(),
        [
            "//@ launch grid=1 block=32",
            "//@ buffer table: u8[4194304] = 0"
        ]
    );
}

#[test]
fn inferred_divisor_spreads_stores_over_elements() {
    let mut session = launched(
        with_table(
            "div.u32 %r2, %r1, %r3; mad.wide.u32 %p4, %r2, 4, %p1; st.global.u32 [%p4], %r1;",
        )
        .replace(".param .u64 table", ".param .u64 table, .param .u32 d")
        .replace("[table];", "[table]; ld.param.u32 %r3, [d];"),
    );
    session.run(MAX_STEPS);
    assert_eq!(
        session.inferred_annotations(),
        [
            "//@ launch grid=1 block=32",
            "//@ buffer table: u32[32] = 0",
            "//@ scalar d: u32 = 8"
        ]
    );
}

#[test]
fn fields_and_aliases_match_parameters_by_position() {
    let source = "//@ scalar dims+4: u32 = 7\n//@ scalar dims+0: u32 = 5\n//@ buffer out: u32[1] = 0\n//@ alias also = out\n\
         .version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .align 4 .b8 k_param_0[8], .param .u64 k_param_1, .param .u64 k_param_2) {\n\
         .reg .u64 %p<3>; .reg .u32 %r<3>;\n\
         ld.param.u32 %r0, [k_param_0+4]; ld.param.u64 %p0, [k_param_1]; ld.param.u64 %p1, [k_param_2];\n\
         st.global.u32 [%p0], %r0; ld.global.u32 %r1, [%p1]; add.u32 %r1, %r1, 1; st.global.u32 [%p1], %r1; ret; }";
    let mut session = launched(source.to_owned());
    session.run(MAX_STEPS);
    assert_eq!(session.fault(), None);
    let stated: Vec<&String> = session.inferred_annotations().iter().collect();
    assert_eq!(stated, ["//@ launch grid=1 block=32"]);
    let memory = session.memory(&"out".into()).expect("the buffer");
    assert_eq!(memory, [8, 0, 0, 0]);
}

#[test]
fn inference_for_500_pointers_finishes_within_10_seconds() {
    // Each trial run creates a machine with all buffers, and each inferred value has a trial run. Without a limit, this test would take
    // minutes.
    let n = 500;
    let parameters: Vec<String> = (0..n).map(|i| format!(".param .u64 p{i}")).collect();
    let stores: String = (0..n)
        .map(|i| {
            format!("ld.param.u64 %p1, [p{i}]; ld.global.u64 %p2, [%p1]; st.global.u32 [%p2], 1;\n")
        })
        .collect();
    let source = format!(
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k({}) {{ .reg .b64 %p<3>;\n{stores}ret; }}\n",
        parameters.join(", ")
    );
    let start = std::time::Instant::now();
    launched(source);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn start_annotation_offsets_pointer_argument() {
    let source = with_table("st.global.u64 [%p2+-16], 7;");
    let source = format!("//@ buffer table: u64[40] = 0\n//@ start table = 2\n{source}");
    let mut session = launched(source.clone());
    session.run(MAX_STEPS);
    assert_eq!(session.fault(), None);
    let memory = session.memory(&"table".into()).expect("the buffer");
    let is_seven = |element: &[u8]| element[0] == 7;
    let written: Vec<usize> = (0..40).filter(|i| is_seven(&memory[8 * i..])).collect();
    assert_eq!(written, (0..32).collect::<Vec<_>>());
    let mut without = launched(source.replace("//@ start table = 2\n", ""));
    without.run(MAX_STEPS);
    assert!(without.fault().is_some());
}

#[test]
fn snippet_parameter_loads_infer_buffer_and_scalar() {
    let lines = "ld.param.u64 %rd1, [out];\nld.param.u32 %r3, [n];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r3;\n";
    let mut session = launched(lines.to_owned());
    session.run(MAX_STEPS);
    assert_eq!(session.fault(), None);
    assert_eq!(
        session.inferred_annotations(),
        [
            "//@ launch grid=1 block=32",
            "//@ buffer out: u32[32] = 0",
            "//@ scalar n: u32 = 32"
        ]
    );
    let memory = session.memory(&"out".into()).expect("the buffer");
    assert!(memory.chunks(4).all(|element| element == [32, 0, 0, 0]));
    // Parameters that the lines themselves store belong to a call.
    let call = "st.param.b32 [a], %r1;\nld.param.b32 %r2, [a];\nst.global.u32 [%rd1], %r2;\n";
    let mut session = launched(call.to_owned());
    session.run(MAX_STEPS);
    assert_eq!(session.fault(), None);
}

/// Returns the inferred values of a kernel in this directory.
fn guesses_of(source: &str) -> Vec<String> {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    let session = Session::new_without_last_writers(scenario).expect("a kernel that runs");
    session.inferred_annotations().to_vec()
}

#[test]
fn inference_prefers_launches_without_hang_or_fault() {
    let launch = |source: &str| guesses_of(source).first().cloned().unwrap_or_default();
    let block = include_str!("data/launches/block-shape-of-another-kernel.ptx");
    assert_eq!(launch(block), "//@ launch grid=1 block=32");
    let linear = launch(include_str!("data/launches/linear-thread-number.ptx"));
    assert!(
        linear.starts_with("//@ launch grid=1 block=256"),
        "{linear}"
    );
    let tensor = include_str!("data/launches/address-of-tensor-memory.ptx");
    assert_eq!(launch(tensor), "//@ launch grid=1 block=32");
    let step = include_str!("data/launches/step-of-a-loop.ptx");
    assert_eq!(launch(step), "//@ launch grid=1 block=128");
    let rows = include_str!("../../view/tests/source_lines/transpose.ptx");
    assert_eq!(launch(rows), "//@ launch grid=1 block=32x8");
    let hidden = guesses_of(include_str!("data/launches/wait-for-own-arrivals.ptx"));
    assert!(
        hidden.contains(&"//@ scalar n: u32 = 32".to_owned()),
        "{hidden:?}"
    );
    let bits = guesses_of(include_str!("data/launches/float-moved-as-bits.ptx"));
    assert!(
        bits.contains(&"//@ buffer x: f32[32] = iota".to_owned()),
        "{bits:?}"
    );
}

/// Runs a kernel in this directory with its inferred launch, and returns the inferred values and the name of the fault.
fn fault_of(source: &str) -> (Vec<String>, Option<&'static str>) {
    let mut session = launched(source.to_owned());
    session.run(MAX_STEPS);
    let fault = session.fault().map(|fault| fault.kind.name());
    (session.inferred_annotations().to_vec(), fault)
}

#[test]
fn launch_that_reaches_most_instructions_is_selected_although_it_hangs_or_faults() {
    let own_arrivals = fault_of(include_str!("data/launches/wait-for-own-arrivals.ptx"));
    assert_eq!(own_arrivals.1, Some("deadlock"), "{own_arrivals:?}");
    let (launch, fault) = fault_of(include_str!("data/launches/ring-with-wrong-parity.ptx"));
    assert_eq!(fault, Some("deadlock"), "{launch:?}");
    assert_eq!(launch[0], "//@ launch grid=1 block=64");
    let n = "//@ scalar n: u32 = 32".to_owned();
    assert!(launch.contains(&n), "{launch:?}");
    let (launch, fault) = fault_of(include_str!("data/launches/misaligned-store-in-loop.ptx"));
    assert_eq!(fault, Some("misaligned"), "{launch:?}");
}

#[test]
fn ring_with_correct_parity_ends_with_inferred_launch() {
    let wrong = include_str!("data/launches/ring-with-wrong-parity.ptx");
    let (launch, fault) = fault_of(&wrong.replace("mov.u32 %r8, %r7;", "xor.b32 %r8, %r7, 1;"));
    assert_eq!(fault, None, "{launch:?}");
    assert_eq!(launch[0], "//@ launch grid=1 block=64");
}

#[test]
fn producer_warp_is_added_to_arrival_count_of_consumers() {
    let source = include_str!("data/launches/producer-warp-beside-consumers.ptx");
    let (launch, fault) = fault_of(source);
    assert_eq!(fault, None, "{launch:?}");
    assert!(launch[0].contains("block=160"), "{launch:?}");
}
