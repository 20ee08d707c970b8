//! Modules that are checked once, and whose kernels are launched repeatedly with buffers in memory.

use std::sync::Arc;
use warpgrid_view::analysis::findings::{AnalysisOptions, Verdict};
use warpgrid_view::scenario::{Buffer, BufferInitializer};
use warpgrid_view::session::loaded_module::LoadedModule;
use warpgrid_view::value::Literal;
use warpgrid_view::{MemoryKey, Parameter, Scenario, WriterTracking};

const MODULE: &str = "//@ launch grid=7 block=7
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u32 n)
{
    .reg .b32 %r<4>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd1, %rd1, %rd2;
    ld.global.u32 %r3, [%rd1];
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%rd1], %r3;
    ret;
}
.visible .entry pair(.param .align 8 .b8 pair[16], .param .f32 a)
.reqntid 32, 1, 1
{
    ret;
}
";

fn load(source: &str) -> LoadedModule {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    LoadedModule::new(scenario).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Returns the launch of the kernel `add` with the initial bytes of its buffer.
fn launch_of_add(values: &[u32], n: i128) -> Scenario {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    Scenario {
        entry: Some("add".to_owned()),
        grid: Some([1; 3]),
        block: Some([values.len() as u32, 1, 1]),
        params: vec![
            Parameter::Buffer(Buffer {
                name: "x".to_owned(),
                ty: "u32".to_owned(),
                len: values.len() as u64,
                init: BufferInitializer::Bytes(Arc::from(bytes)),
                ..Buffer::default()
            }),
            Parameter::Scalar {
                name: "n".to_owned(),
                ty: "u32".to_owned(),
                value: Literal::Integer(n),
            },
        ],
        ..Scenario::default()
    }
}

#[test]
fn kernel_is_launched_with_different_buffers() {
    let module = load(MODULE);
    for n in 1..4 {
        let values: Vec<u32> = (0..4 * n).collect();
        let launch = launch_of_add(&values, n.into());
        let mut session = module
            .launch(launch, WriterTracking::Off)
            .unwrap_or_else(|error| panic!("{error:?}"));
        assert!(session.run(1_000));
        assert_eq!(session.fault(), None);
        let bytes = session.memory(&MemoryKey::Buffer("x".to_owned()));
        let expected = values.iter().flat_map(|value| (value + n).to_le_bytes());
        assert_eq!(bytes, Some(expected.collect::<Vec<u8>>().as_slice()));
    }
}

#[test]
fn signatures_describe_parameters() {
    let kernels = load(MODULE).kernels();
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names, ["add", "pair"]);
    let of_pair = &kernels[1];
    assert_eq!(of_pair.required_block, Some([32, 1, 1]));
    assert!(of_pair.parameters[0].is_structure);
    assert_eq!(of_pair.parameters[0].size_bytes, 16);
    assert_eq!(of_pair.parameters[1].ty, "f32");
    assert!(!of_pair.parameters[1].is_structure);
}

#[test]
fn launch_is_analyzed_with_its_buffers() {
    let module = load(MODULE);
    let report = module.analyze(launch_of_add(&[1, 2], 3), AnalysisOptions::default());
    let report = report.expect("valid options");
    assert_eq!(report.verdict, Verdict::Clean, "{report:?}");
    assert_eq!(report.kernels[0].block, [2, 1, 1]);
    assert!(report.kernels[0].inferred.is_empty());
}

#[test]
fn serialized_bytes_are_a_pattern() {
    let launch = launch_of_add(&[1, 0xff00_0000], 0);
    let json = serde_json::to_string(&launch).expect("a scenario");
    assert!(
        json.contains("\"init\":\"bytes 01000000000000ff\""),
        "{json}"
    );
    let read: Scenario = serde_json::from_str(&json).expect("a scenario");
    let mut session = load(MODULE)
        .launch(read, WriterTracking::Off)
        .unwrap_or_else(|error| panic!("{error:?}"));
    session.run(1_000);
    let bytes = session.memory(&MemoryKey::Buffer("x".to_owned()));
    assert_eq!(bytes, Some(&[1, 0, 0, 0, 0, 0, 0, 255][..]));
}

#[test]
fn impossible_launches_are_errors() {
    let module = load(MODULE);
    let mut launch = launch_of_add(&[1], 1);
    if let Parameter::Buffer(buffer) = &mut launch.params[0] {
        buffer.len = 2;
    }
    let error = module.launch(launch, WriterTracking::Off).err();
    let message = error.map(|error| error.message).unwrap_or_default();
    assert_eq!(
        message,
        "buffer `x`: found 4 bytes, but the buffer has 8 bytes"
    );
    let launch = launch_of_add(&[1], 1 << 40);
    assert!(module.launch(launch, WriterTracking::Off).is_err());
}

#[test]
fn sources_without_a_module_are_rejected() {
    for source in [
        ".version 8.0\n.target sm_80\n.visible .entry k() { retx; }",
        "__device__ void f(int a) { asm volatile(\"add.s32 %0, %0, 1;\" : \"+r\"(a)); }",
    ] {
        let scenario = Scenario {
            source: source.to_owned(),
            ..Scenario::default()
        };
        assert!(LoadedModule::new(scenario).is_err(), "{source}");
    }
}
