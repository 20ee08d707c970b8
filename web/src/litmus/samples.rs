//! Built-in litmus tests.

/// Built-in litmus test with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// ID of the litmus test in links.
    pub id: &'static str,
    pub title: &'static str,
    pub text: &'static str,
}

/// All built-in tests. The first one is the default.
pub const SAMPLES: [Sample; 5] = [
    Sample {
        id: "message",
        title: "Message passing with weak accesses",
        text: "//@ title Message passing with weak accesses
//@ location x: u32 = 0
//@ location flag: u32 = 0
//@ thread block=0
st.global.u32 [x], 1;
st.global.u32 [flag], 1;
//@ thread block=1
ld.global.u32 %r0, [flag];
ld.global.u32 %r1, [x];
//@ observe 1:%r0 1:%r1
",
    },
    Sample {
        id: "message-released",
        title: "Message passing with release and acquire",
        text: "//@ title Message passing with release and acquire
//@ location x: u32 = 0
//@ location flag: u32 = 0
//@ thread block=0
st.global.u32 [x], 1;
st.release.gpu.global.u32 [flag], 1;
//@ thread block=1
ld.acquire.gpu.global.u32 %r0, [flag];
setp.eq.u32 %p0, %r0, 1;
@%p0 ld.global.u32 %r1, [x];
//@ observe 1:%r0 1:%r1
",
    },
    Sample {
        id: "store-buffering",
        title: "Store buffering",
        text: "//@ title Store buffering
//@ location x: u32 = 0
//@ location y: u32 = 0
//@ thread block=0
st.relaxed.gpu.global.u32 [x], 1;
ld.relaxed.gpu.global.u32 %r0, [y];
//@ thread block=1
st.relaxed.gpu.global.u32 [y], 1;
ld.relaxed.gpu.global.u32 %r0, [x];
//@ observe 0:%r0 1:%r0
",
    },
    Sample {
        id: "async-proxy",
        title: "Bulk copy without a proxy fence",
        text: "//@ title Bulk copy without a proxy fence
//@ location g: u32[4] = 0
//@ location x: shared u32[4] = 5
//@ thread block=0
st.shared.u32 [x], 1;
cp.async.bulk.global.shared::cta.bulk_group [g], [x], 16;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
ld.global.u32 %r0, [g];
//@ observe 0:%r0
",
    },
    Sample {
        id: "mbarrier",
        title: "mbarrier with a relaxed wait",
        text: "//@ title mbarrier with a relaxed wait
//@ location x: shared u32 = 0
//@ location m: mbarrier = 1
//@ thread block=0 thread=0
st.shared.u32 [x], 1;
mbarrier.arrive.release.cta.shared::cta.b64 _, [m];
//@ thread block=0 thread=32
mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64 %p0, [m], 0;
@%p0 mov.u32 %r0, 1;
@%p0 ld.shared.u32 %r1, [x];
//@ observe 1:%r0 1:%r1
",
    },
];
