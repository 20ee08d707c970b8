//! Tensor memory is displayed like other memories: a grid of 128 lanes by 512 columns with last writers, which supports steps back.

use warpgrid_view::model::{GridRequest, MemorySpace, WriteAge};
use warpgrid_view::value::ElementType;
use warpgrid_view::{MemoryKey, Scenario, Session};

/// One warp allocates 32 columns, and stores its lane indices to columns 4 and 5 of its lanes.
const KERNEL: &str = "\
.version 8.7
.target sm_100a
.address_size 64
.visible .entry k() {
    .reg .b32 %r<6>;
    .shared .align 4 .b32 place;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;
    ld.shared.b32 %r1, [place];
    mov.u32 %r2, %laneid;
    add.u32 %r3, %r2, 100;
    add.u32 %r4, %r1, 4;
    tcgen05.st.sync.aligned.32x32b.x2.b32 [%r4], {%r2, %r3};
    tcgen05.wait::st.sync.aligned;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;
    ret;
}
";

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        block: Some([32, 1, 1]),
        ..Scenario::default()
    };
    Session::new(scenario).expect("a kernel that starts")
}

fn request() -> GridRequest {
    GridRequest {
        memory: MemoryKey::Tensor(0),
        ty: None,
        columns: None,
        first_row: 0,
        n_rows: Some(32),
    }
}

#[test]
fn tensor_memory_grid_has_lanes_as_rows_and_columns() {
    let mut session = session(KERNEL);
    let empty = session.grid(&request()).expect("a grid");
    assert_eq!((empty.columns, empty.total_rows), (512, 128));
    assert_eq!(empty.memory.space, MemorySpace::Tensor);
    assert_eq!(empty.ty, ElementType::B32);
    assert!(
        empty
            .cells
            .iter()
            .all(|cell| cell.written == WriteAge::Never)
    );

    // Step of the store: 64 words, each with its lane.
    let stores_at = |session: &mut Session| {
        let grid = session.grid(&request()).expect("a grid");
        let now = grid.cells.iter().enumerate();
        let now = now.filter(|(_, cell)| cell.written == WriteAge::Now);
        now.map(|(at, cell)| (at, cell.lane, cell.text.clone(), cell.step))
            .collect::<Vec<_>>()
    };
    let mut written = Vec::new();
    while written.is_empty() && session.step() {
        written = stores_at(&mut session);
    }
    assert_eq!(written.len(), 64);
    let step = session.position();
    let expected = (7 * 512 + 5, Some(7), "0x0000006b".to_owned(), Some(step));
    assert_eq!(written[15], expected);

    // At the next step, the words were written before. At the previous step, they were never written.
    session.step();
    assert!(stores_at(&mut session).is_empty());
    session.seek(step - 1);
    let before = session.grid(&request()).expect("a grid");
    assert!(
        before
            .cells
            .iter()
            .all(|cell| cell.written == WriteAge::Never)
    );
    session.seek(step);
    assert_eq!(stores_at(&mut session).len(), 64);
}

#[test]
fn kernel_without_tensor_memory_has_no_grid() {
    let mut session =
        session(".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k() { ret; }\n");
    assert!(session.grid(&request()).is_none());
    assert!(session.memory(&MemoryKey::Tensor(0)).is_none());
}

#[test]
fn accumulator_type_follows_mma_kind() {
    let source = KERNEL.replace(
        "    tcgen05.dealloc",
        "    .reg .b64 %d<3>;\n    .reg .pred %p;\n    @%p tcgen05.mma.cta_group::1.kind::i8 [%r1], %d1, %d2, %r5, %p;\n    tcgen05.dealloc",
    );
    let grid = session(&source).grid(&request()).expect("a grid");
    assert_eq!(grid.ty, ElementType::S32);
}
