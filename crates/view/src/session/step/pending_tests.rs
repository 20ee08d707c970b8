//! Test of a manually inserted pending store: the session lists the store and marks its cells, the completion of the store is a separate
//! step, and stepping back makes the store pending again.

use crate::model::SessionFrame;
use crate::model::grid::{GridRequest, WriteAge};
use crate::model::request::FrameRequest;
use crate::session::Session;
use warpgrid_emulator::{
    AsyncEffect, AsyncOperation, AsyncOrigin, AsyncWrite, BufferIndex, CompletionMechanism,
    MemoryRegion,
};
use warpgrid_isa::StateSpace;
use warpgrid_launch::Scenario;
use warpgrid_program::FunctionId;

const SOURCE: &str = "\
//@ launch grid=1 block=32
//@ buffer out: u32[64] = 0
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 0;
again:
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    setp.lt.u32 %p, %r1, 40;
    @%p bra again;
    ret;
}
";

/// Returns a session after six steps, with a pending store of 4 bytes to element 40.
fn session() -> Session {
    let mut session = Session::new(Scenario {
        source: SOURCE.to_owned(),
        ..Scenario::default()
    })
    .expect("a kernel that runs");
    session.seek(6);
    let machine = session.timeline.machine();
    let start = machine.address(MemoryRegion::Buffer(BufferIndex(0)));
    let operation = AsyncOperation {
        origin: AsyncOrigin {
            step: 5,
            block: 0,
            warp: 0,
            function: FunctionId(0),
            instruction: 3,
        },
        work: AsyncEffect::Pieces,
        pieces: vec![AsyncWrite {
            lane: 7,
            space: StateSpace::Global,
            block: 0,
            address: start.expect("a buffer") + 160,
            bytes: vec![9, 0, 0, 0].into(),
            source: None,
            reduces: None,
        }],
        completion: CompletionMechanism::None,
        earliest_step: 10,
        depends_on: Vec::new(),
    };
    assert!(session.timeline.start_pending(operation).is_some());
    session
}

fn frame(session: &mut Session) -> SessionFrame {
    session.frame(&FrameRequest {
        grids: vec![GridRequest {
            memory: "out".into(),
            ty: None,
            columns: None,
            first_row: 0,
            n_rows: None,
        }],
        ..FrameRequest::default()
    })
}

#[test]
fn pending_store_is_listed_and_marks_cell() {
    let mut session = session();
    let frame = frame(&mut session);
    let [flying] = &frame.pending[..] else {
        panic!("one operation is in flight")
    };
    assert_eq!((flying.step, flying.opcode.as_str()), (5, "st.global.u32"));
    assert_eq!(flying.pieces[0].offset, Some(160));
    let cell = &frame.grids[0].cells[40];
    assert_eq!((cell.pending, cell.text.as_str()), (true, "0"));
    assert!(!frame.grids[0].cells[39].pending);
}

#[test]
fn step_back_makes_completed_store_pending_again() {
    let mut session = session();
    while !session.pending().is_empty() {
        assert!(session.step(), "it lands before the kernel ends");
    }
    let landed = frame(&mut session);
    assert!(landed.position > 10);
    let store = landed.store.as_ref().expect("the landing is a store");
    assert!(store.has_landed);
    assert_eq!(store.lanes[0].lane, 7);
    let cell = &landed.grids[0].cells[40];
    assert_eq!(
        (cell.text.as_str(), cell.written, cell.pending),
        ("9", WriteAge::Now, false)
    );
    let text: String = landed
        .sentence
        .iter()
        .map(|part| part.text.as_str())
        .collect();
    assert!(
        text.starts_with("st.global.u32: operation completed: 4 bytes"),
        "{text}"
    );

    assert!(session.step_back());
    let before = frame(&mut session);
    assert_eq!(before.pending.len(), 1);
    assert_eq!(before.grids[0].cells[40].text, "0");
    assert!(session.step());
    assert_eq!(frame(&mut session), landed);
}

#[test]
fn complete_operation_completes_pending_store_once() {
    let mut session = session();
    let id = session.pending()[0].id;
    assert!(session.complete_operation(id));
    assert_eq!(session.position(), 7);
    assert!(session.pending().is_empty());
    assert!(!session.complete_operation(id));
    assert_eq!(frame(&mut session).grids[0].cells[40].text, "9");
}
