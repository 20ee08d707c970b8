//! Multimem addresses, which refer to memory of several devices. A line of the launch specifies the buffers.

use warpgrid_view::{MemoryKey, Scenario, Session};

const MAX_STEPS: u64 = 100_000;

/// Returns a kernel with a multimem address of two buffers, and a separate buffer.
fn source(members: &str, body: &str) -> String {
    format!(
        "//@ buffer x: u32[64] = iota
//@ buffer y: u32[64] = 100
//@ multimem all = {members}
//@ buffer out: u32[64]
//@ launch grid=1 block=32
.version 9.1
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 all, .param .u64 out)
{{
.reg .b32 %r<9>;
.reg .f32 %f<9>;
.reg .b64 %rd<9>;
.shared .align 16 .b32 tile[64];
ld.param.u64 %rd0, [all];
ld.param.u64 %rd1, [out];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd2, %r0, 4;
add.u64 %rd0, %rd0, %rd2;
add.u64 %rd1, %rd1, %rd2;
{body}
ret;
}}
"
    )
}

fn open(members: &str, body: &str) -> Session {
    let opened = Session::new(Scenario {
        source: source(members, body),
        ..Scenario::default()
    });
    let mut session = opened.unwrap_or_else(|e| panic!("{} {}", e.code, e.message));
    assert!(session.run(MAX_STEPS), "it goes on");
    session
}

/// Returns the first `N` words of a buffer.
fn words<const N: usize>(session: &Session, name: &str) -> [u32; N] {
    assert!(session.fault().is_none(), "{:?}", session.fault());
    let bytes = session.memory(&MemoryKey::Buffer(name.to_owned()));
    let bytes = bytes.expect("a memory");
    std::array::from_fn(|at| u32::from_le_bytes(bytes[at * 4..][..4].try_into().expect("4 bytes")))
}

#[test]
fn multimem_st_writes_every_device() {
    let session = open("x, y", "multimem.st.relaxed.sys.global.u32 [%rd0], %r0;");
    assert_eq!(words(&session, "x"), [0, 1, 2, 3]);
    assert_eq!(words(&session, "y"), [0, 1, 2, 3]);
}

#[test]
fn multimem_red_updates_every_device() {
    let session = open("x, y", "multimem.red.relaxed.sys.global.add.u32 [%rd0], 7;");
    assert_eq!(words(&session, "x"), [7, 8, 9, 10]);
    assert_eq!(words(&session, "y"), [107; 4]);
}

#[test]
fn multimem_ld_reduce_combines_values_of_all_devices() {
    let body = "multimem.ld_reduce.relaxed.sys.global.add.u32 %r1, [%rd0];
st.global.u32 [%rd1], %r1;";
    assert_eq!(words(&open("x, y", body), "out"), [100, 101, 102, 103]);
    let max = body.replace(".add.", ".max.");
    assert_eq!(words(&open("x, y", &max), "out"), [100; 4]);
}

#[test]
fn multimem_ld_reduce_combines_packed_halves_separately() {
    // Each half contains 1.0 and 2.0, with the sum 3.0.
    let body = "mov.b32 %r2, 0x40003c00;
multimem.st.relaxed.sys.global.f16x2 [%rd0], %r2;
multimem.ld_reduce.relaxed.sys.global.add.f16x2 %r1, [%rd0];
st.global.u32 [%rd1], %r1;";
    assert_eq!(words(&open("x, y", body), "out"), [0x4400_4000; 2]);
}

#[test]
fn multimem_bulk_copy_writes_every_device() {
    let body = "mov.u32 %r3, tile;
shl.b32 %r4, %r0, 2;
add.u32 %r4, %r4, %r3;
st.shared.u32 [%r4], %r0;
bar.sync 0;
setp.ne.u32 %p0, %r0, 0;
@%p0 ret;
fence.proxy.async;
multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 128;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;";
    let body = format!(".reg .pred %p<2>;\n{body}");
    let session = open("x, y", &body);
    assert_eq!(words(&session, "x"), [0, 1, 2, 3]);
    assert_eq!(words(&session, "y"), [0, 1, 2, 3]);
}

#[test]
fn address_past_smallest_member_faults_at_instruction() {
    let body = "add.u64 %rd0, %rd0, 256;
multimem.st.relaxed.sys.global.u32 [%rd0], %r0;";
    let session = open("x, y", body);
    let fault = session.fault().expect("a fault");
    assert_eq!(fault.range.line, 22, "{fault:?}");
}

#[test]
fn undeclared_multimem_member_is_reported() {
    let opened = Session::new(Scenario {
        source: source("x, z", "multimem.st.relaxed.sys.global.u32 [%rd0], %r0;"),
        ..Scenario::default()
    });
    let error = opened.err().expect("it is refused");
    assert!(error.message.contains("`z`"), "{}", error.message);
}
