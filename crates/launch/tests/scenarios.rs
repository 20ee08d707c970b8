//! Scenarios: fields out of range cause an error that names the field and the reason, and fields take precedence over the source.

use serde_json::{Value, json};
use warpgrid_view::api::{ReportRequest, RunReport};
use warpgrid_view::{Scenario, Session};

const KERNEL: &str = "//@ launch seed=5
.version 8.0
.target sm_90
.address_size 64
.entry k(.param .u64 out) {
.reg .b64 %rd<3>; .reg .b32 %r<2>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mad.wide.u32 %rd2, %r1, 4, %rd1;
st.global.u32 [%rd2], %r1;
ret;
}";

/// Returns the scenario with some fields replaced.
fn scenario(fields: Value) -> Scenario {
    let mut scenario = json!({
        "source": KERNEL,
        "grid": [1, 1, 1],
        "block": [32, 1, 1],
        "params": [{ "kind": "buffer", "name": "out", "type": "u32", "len": 32 }],
    });
    for (name, value) in fields.as_object().expect("fields") {
        scenario[name] = value.clone();
    }
    serde_json::from_value(scenario).expect("a scenario")
}

fn check(fields: Value, expected: &str) {
    let text = fields.to_string();
    match Session::new(scenario(fields)) {
        Ok(_) => panic!("{text}: expected {expected}"),
        Err(error) => assert_eq!(format!("{} {}", error.code, error.message), expected),
    }
}

/// Checks the launch with these fields of its only buffer.
fn check_buffer(fields: Value, expected: &str) {
    let mut buffer = json!({ "kind": "buffer", "name": "out", "type": "u32", "len": 32 });
    for (name, value) in fields.as_object().expect("fields") {
        buffer[name] = value.clone();
    }
    check(json!({ "params": [buffer] }), expected);
}

#[test]
fn out_of_range_launch_extents_are_rejected() {
    check(
        json!({ "grid": [0, 1, 1] }),
        "W0720 the grid size 0x1x1 has an extent of zero",
    );
    check(
        json!({ "grid": [1, 65_536, 1] }),
        "W0720 grid.y is 65536, expected at most 65535",
    );
    check(
        json!({ "block": [1, 1, 65] }),
        "W0720 block.z is 65, expected at most 64",
    );
    check(
        json!({ "block": [33, 32, 1] }),
        "W0720 the launch has 1056 threads per block, expected at most 1024",
    );
    check(
        json!({ "cluster": [1, 0, 1] }),
        "W0720 the cluster size 1x0x1 has an extent of zero",
    );
    check(
        json!({ "cluster": [u32::MAX, 2, 1] }),
        "W0720 cluster.x is 4294967295, expected at most 16",
    );
    check(
        json!({ "cluster": [3, 1, 1] }),
        "W0720 the grid size 1x1x1 is not divisible by the cluster size 3x1x1",
    );
    check(
        json!({ "cluster": [16, 1, 1], "grid": [16, 1, 1], "target": "sm_120" }),
        "W0720 the launch has 16 blocks per cluster, expected at most 8",
    );
    check(
        json!({ "dynamic_shared": 1u64 << 40 }),
        "W0720 the launch uses 1099511627776 bytes of shared memory per block, expected at most 232448",
    );
}

#[test]
fn unknown_names_are_rejected() {
    check(
        json!({ "entry": "kk" }),
        "W0710 the module has no kernel `kk`, expected one of `k`",
    );
    check(
        json!({ "target": "sm_1" }),
        "W0903 found the unknown target `sm_1`, expected a target such as `sm_90`",
    );
    check(
        json!({ "ptx_version": "99.9" }),
        "W0903 found the unknown PTX version `99.9`, expected a version such as `8.8`",
    );
    check(
        json!({ "params": [{ "kind": "alias", "name": "out", "of": "x" }] }),
        "W0715 unknown buffer `x`",
    );
}

#[test]
fn invalid_buffers_are_rejected() {
    check_buffer(
        json!({ "type": "f8" }),
        "W0702 unknown type `f8` of `out`, expected a type such as `f32`, `u8` or `s64`",
    );
    check_buffer(
        json!({ "len": 1u64 << 62 }),
        "W0713 the buffer `out` has 18446744073709551616 bytes, expected at most 1090519040",
    );
    check_buffer(
        json!({ "shape": [4, 4] }),
        "W0717 the buffer `out` has 32 elements, but the shape of the buffer is [4][4]",
    );
    check_buffer(
        json!({ "shape": [1u64 << 40, 1u64 << 40] }),
        "W0717 the buffer `out` has 32 elements, but the shape of the buffer is [1099511627776][1099511627776]",
    );
    check_buffer(
        json!({ "init": 1u64 << 32 }),
        "W0714 buffer `out`: the value 4294967296 does not fit in the type `u32`",
    );
    check_buffer(
        json!({ "init": [1.5] }),
        "W0714 buffer `out`: element 0: found 1.5, expected an integer for type `u32`",
    );
    check_buffer(
        json!({ "init": vec![1; 33] }),
        "W0714 buffer `out`: found 33 values for 32 elements",
    );
}

#[test]
fn invalid_scalars_and_structures_are_rejected() {
    let scalar = |ty: &str, value: Value| json!({ "params": [{ "kind": "scalar", "name": "out", "type": ty, "value": value }] });
    check(
        scalar("u8", json!(256)),
        "W0703 `out`: the value 256 does not fit in the type `u8`",
    );
    check(
        scalar("u64", json!(2f64.powi(64))),
        "W0703 `out`: the value 18446744073709551616 does not fit in the type `u64`",
    );
    let structure = |size: u64, align: u64, offset: u64| {
        let field =
            json!({ "kind": "scalar", "name": "n", "type": "u32", "value": 1, "offset": offset });
        json!({ "params": [{ "kind": "struct", "name": "out", "size": size, "align": align, "fields": [field] }] })
    };
    check(
        structure(8, 3, 0),
        "W0712 found the alignment 3 of `out`, expected a power of two",
    );
    check(
        structure(8, 8, 6),
        "W0712 the field `n` exceeds the size of the structure `out`, which is 8 bytes",
    );
    check(
        structure(1 << 50, 8, 0),
        "W0712 the parameter `out` has 1125899906842624 bytes, expected at most 32764 bytes for all kernel parameters",
    );
    check(
        structure(4, 4, 0),
        "W0720 found 4 bytes for argument 0 (`out`), expected 8",
    );
}

#[test]
fn scenario_seed_overrides_annotation_seed() {
    let seed = |fields: Value| {
        let session = Session::new(scenario(fields)).expect("a session");
        session.scenario().seed
    };
    assert_eq!(seed(json!({})), Some(5));
    assert_eq!(seed(json!({ "seed": 3 })), Some(3));
    assert_eq!(seed(json!({ "seed": 0 })), Some(0));
}

const SCALED: &str = ".version 8.0
.target sm_90
.address_size 64
.entry scale(.param .u64 x, .param .u64 y, .param .f32 a) {
.reg .b64 %x, %y; .reg .f32 %a, %v;
ld.param.u64 %x, [x];
ld.param.u64 %y, [y];
ld.param.f32 %a, [a];
ld.global.f32 %v, [%x];
mul.f32 %v, %v, %a;
st.global.f32 [%y], %v;
ret;
}";

/// Returns the report of `SCALED` with a scalar of this type and value, and with parameters in another order than those of the kernel.
fn scaled(ty: &str, value: Value, expected: Value) -> RunReport {
    let buffer = |name: &str, values: Value, expected: Value| json!({ "kind": "buffer", "name": name, "type": "f32", "len": 1, "init": values, "expect": expected });
    let params = [
        json!({ "kind": "scalar", "name": "a", "type": ty, "value": value }),
        buffer("y", json!([5]), expected),
        buffer("x", json!([3]), Value::Null),
    ];
    let scenario = scenario(json!({ "source": SCALED, "block": [1, 1, 1], "params": params }));
    let mut session = Session::new(scenario).expect("a session");
    session.report(&ReportRequest {
        max_steps: 100,
        ..ReportRequest::default()
    })
}

#[test]
fn parameters_match_by_name_regardless_of_order() {
    let report = scaled("f32", json!(2), json!([6]));
    assert_eq!(report.differences, [""; 0]);
    assert_eq!(report.notes, [""; 0]);
}

#[test]
fn tensor_map_with_unknown_name_is_matched_by_position() {
    let source = "//@ launch grid=1 block=32
//@ buffer img: f32[64][64] = iota
//@ buffer result: u32[32] = 0
//@ tensormap map = tiled img: f32[64][64] box=[32][32]
.version 8.0
.target sm_90
.address_size 64
.entry k(.param .u64 param_0, .param .align 64 .b8 param_1[128]) {
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [param_0];
st.global.u32 [%rd1], 7;
ret;
}";
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).expect("a launch");
    session.run(100);
    let result = session.bytes_of("result").expect("the buffer");
    assert_eq!(result[0], 7);
}

#[test]
fn scalar_type_class_mismatch_produces_note() {
    let report = scaled("u32", json!(2), Value::Null);
    let note = "the parameter `a` has the type `.f32`, but the annotation specifies a value of type `u32`, so the kernel receives the bits of the `u32` value without conversion";
    assert_eq!(report.notes, [note]);
    // Bit types are neither integer nor floating-point types.
    assert_eq!(scaled("b32", json!(2), Value::Null).notes, [""; 0]);
}

#[test]
fn empty_expectation_is_rejected() {
    let report = scaled("f32", json!(2), json!([]));
    let expected = "y: invalid expectation: the expectation for the buffer `y` has an empty list of values for 1 element: specify at least one value or omit `expect`";
    assert_eq!(report.differences, [expected]);
}
