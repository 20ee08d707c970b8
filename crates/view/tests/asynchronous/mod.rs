//! Asynchronous operations, mbarriers and clusters: final memory, the time at which waiting threads continue, and diagnostics for misuse.

mod bulk_copy_bounds;
mod completion_order;
mod copies;
mod misuse;
mod phases;
mod stores;
mod views;

use warpgrid_view::{MemoryKey, Scenario, Session};

/// Returns a kernel with these lines. Each lane has its lane index in `%t`, the rank of its block in `%k`, and the address of its word of
/// `out` in `%o`. Registers are declared as ranges.
fn source(launch: &str, body: &str) -> String {
    format!(
        "//@ launch {launch}
//@ buffer in: u32[256] = iota
//@ buffer out: u32[256] = 0
.version 8.7
.target sm_100
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{{
    .reg .pred %p<9>, %z;
    .reg .b16 %h<4>;
    .reg .b32 %r<20>, %t, %k, %n, %m, %s;
    .reg .b64 %rd<20>, %i, %o, %g;
    .shared .align 8 .b64 bar;
    .shared .align 16 .b8 mem[1024];
    mov.u32 %t, %tid.x;
    mov.u32 %k, %cluster_ctarank;
    mov.u32 %m, bar;
    mov.u32 %s, mem;
    setp.eq.u32 %z, %t, 0;
    mov.u32 %n, %ntid.x;
    mov.u32 %r0, %ctaid.x;
    mad.lo.u32 %n, %r0, %n, %t;
    ld.param.u64 %g, [out];
    ld.param.u64 %i, [in];
    mul.wide.u32 %rd0, %n, 4;
    add.u64 %i, %i, %rd0;
    add.u64 %o, %g, %rd0;
{body}
    ret;
}}
"
    )
}

fn session(launch: &str, body: &str) -> Session {
    let scenario = Scenario {
        source: source(launch, body),
        ..Scenario::default()
    };
    Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Returns the words of `out` after a run that must complete.
fn run(launch: &str, body: &str) -> Vec<u32> {
    let mut session = session(launch, body);
    assert!(session.run(1_000_000), "it does not end");
    if let Some(fault) = session.fault() {
        panic!("line {}: {}", fault.range.line, fault.message);
    }
    out(&session)
}

fn out(session: &Session) -> Vec<u32> {
    let bytes = session.memory(&MemoryKey::Buffer("out".to_owned()));
    let bytes = bytes.expect("the buffer");
    let words = bytes
        .chunks(4)
        .map(|b| b.try_into().map_or(0, u32::from_le_bytes));
    words.collect()
}

/// Returns the fault of a run.
fn fault(launch: &str, body: &str) -> String {
    let mut session = session(launch, body);
    session.run(1_000_000);
    match session.fault() {
        Some(fault) => format!("{}: {}", fault.kind.name(), fault.message),
        None => "no fault".to_owned(),
    }
}

const INIT: &str = "@%z mbarrier.init.shared::cta.b64 [%m], 1; bar.sync 0;";
const WAIT: &str = "W: mbarrier.try_wait.parity.shared::cta.b64 %p8, [%m], 0; @!%p8 bra W;";
/// Cluster barrier after which the mbarriers of both blocks are initialized.
const MEET: &str = "barrier.cluster.arrive; barrier.cluster.wait;";
