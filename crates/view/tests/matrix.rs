//! Displayed form of matrix instructions: the summary sentence, the lanes with their elements, and faults.

use warpgrid_view::model::{FrameRequest, StoreView};
use warpgrid_view::{Scenario, Session};

/// Copies a 16x16 matrix from `a` to `out`, whose rows have a stride of 24 elements.
const COPY: &str = "\
//@ launch grid=1 block=32
//@ buffer a: f32[16][16] = 1.5
//@ buffer out: f32[16][24] = 0
.version 8.5
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 a, .param .u64 out)
{
    .reg .f32 %f<8>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [out];
    wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd1];
    mov.u32 %r1, 24;
    wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %r1;
    ret;
}
";

/// Snippet without a module. Initial register values are inserted before its first instruction.
const SNIPPET: &str =
    "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [p], {a, b, c, d, e, f, g, h}, 20;";

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"))
}

fn sentence(session: &mut Session) -> String {
    let frame = session.frame(&FrameRequest::default());
    frame
        .sentence
        .iter()
        .map(|phrase| phrase.text.as_str())
        .collect()
}

fn only_store(session: &mut Session) -> StoreView {
    let mut stores = session.events(0, session.position());
    assert_eq!(stores.len(), 1);
    stores.remove(0)
}

#[test]
fn leading_wmma_store_in_snippet_shows_fragment() {
    let mut session = session(SNIPPET);
    session.seek(1);
    let frame = session.frame(&FrameRequest::default());
    let matrix = frame.matrix.expect("the fragment of the store");
    let [operand] = matrix.operands.as_slice() else {
        panic!("{} operands", matrix.operands.len());
    };
    assert_eq!(
        (operand.name.as_str(), operand.fragment.stride),
        ("D", Some(20))
    );
    for cell in &operand.cells {
        // Registers of a snippet initially contain the lane index.
        let lane = f64::from(cell.holders[0].lane);
        assert_eq!(cell.value.parse::<f64>(), Ok(lane), "{}", cell.bits);
    }
}

#[test]
fn wmma_store_summary_is_one_line() {
    let mut session = session(COPY);
    assert!(session.run_to_next_store(1000));
    assert_eq!(
        sentence(&mut session),
        "wmma.store.d.sync.aligned.row.m16n16k16.global.f32: 32 lanes stored 1024 bytes to `out`, 32 sectors, ideal 32."
    );
}

#[test]
fn wmma_store_step_reports_fragment_stride_and_base() {
    let mut session = session(COPY);
    assert!(session.run_to_next_store(1000));
    let step = session.frame(&FrameRequest::default()).matrix;
    let step = step.expect("a matrix store");
    let [operand] = &step.operands[..] else {
        panic!("a store has one matrix: {step:?}")
    };
    let fragment = &operand.fragment;
    assert_eq!(
        (
            fragment.op.as_str(),
            fragment.shape.as_str(),
            fragment.ty.as_str()
        ),
        ("store.d", "m16n16k16", "f32")
    );
    assert_eq!(
        (fragment.target.as_str(), fragment.layout.as_deref()),
        ("sm_80", Some("row"))
    );
    assert_eq!((fragment.stride, operand.base_bytes), (Some(24), 0));
    // Row 1, column 2 is the first element of lane 5, at 24 elements after the start of the previous row.
    let cell = &operand.cells[16 + 2];
    assert_eq!((cell.holders[0].lane, cell.holders[0].register), (5, 0));
    assert_eq!(
        (cell.value.as_str(), cell.offset),
        ("1.5", Some(4 * (24 + 2)))
    );
    assert_eq!(cell.memory, Some("out".into()));
    assert_eq!(operand.registers[0], "%f0");
}

#[test]
fn wmma_load_step_reports_source_offsets() {
    let mut session = session(COPY);
    let is_load = |session: &mut Session| {
        let last = session.frame(&FrameRequest::default()).last;
        last.is_some_and(|step| step.opcode.starts_with("wmma.load"))
    };
    while !is_load(&mut session) {
        assert!(session.step());
    }
    let step = session.frame(&FrameRequest::default()).matrix;
    let operand = &step.expect("a matrix load").operands[0];
    assert_eq!(
        (operand.name.as_str(), operand.fragment.stride),
        ("C", Some(16))
    );
    let cell = &operand.cells[16 + 2];
    assert_eq!((cell.value.as_str(), cell.offset), ("1.5", Some(4 * 18)));
    assert_eq!(cell.memory, Some("a".into()));
}

/// One warp multiplies rows of 2^-11 + 2^-24 with columns of ones and adds 1, so that terms lose bits.
const PRODUCT: &str = "\
//@ launch grid=1 block=32
//@ buffer out: f32[128] = 0
.version 8.5
.target sm_80
.address_size 64
.visible .entry product(.param .u64 out)
{
    .reg .f32 %f<5>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    mov.b32 %r1, 0x00010001;
    mov.b32 %r2, 0x3c003c00;
    mov.f32 %f1, 0f3F800000;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, {%r2, %r2}, {%f1, %f1, %f1, %f1};
    ret;
}
";

#[test]
fn mma_step_compares_results_with_exact_rounding() {
    let mut session = session(PRODUCT);
    for _ in 0..4 {
        assert!(session.step());
    }
    let frame = session.frame(&FrameRequest::default());
    let step = frame.matrix.expect("a product");
    let names: Vec<&str> = step.operands.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["D", "A", "B", "C"]);
    // C shares a register with D, and is displayed with its value before the step.
    assert_eq!(step.operands[3].cells[0].value, "1");
    let product = step.product.expect("of floating-point numbers");
    // 16 * 2^-24 is exact relative to 1 with 24 kept bits below.
    assert_eq!((product.n_elements, product.n_odd), (128, 0));
    assert_eq!(step.operands[0].cells[0].bits, "0x3f800008");
    // With C = 2^4 + 2^-19, the exact sum is a tie that rounds up to the even significand, but a Tensor Core truncates each
    // term of 2^-24.
    let louder = PRODUCT.replace("0f3F800000", "0f41800001");
    let mut session = self::session(&louder);
    for _ in 0..4 {
        assert!(session.step());
    }
    let frame = session.frame(&FrameRequest::default());
    let step = frame.matrix.expect("a product");
    let product = step.product.expect("of floating-point numbers");
    let request = warpgrid_view::analysis::mma_explanation::MmaRequest {
        a: (0..16)
            .map(|k| step.operands[1].cells[k].bits.clone())
            .collect(),
        b: (0..16)
            .map(|k| step.operands[2].cells[k * 8].bits.clone())
            .collect(),
        c: Some(step.operands[3].cells[0].bits.clone()),
        ..product.request
    };
    let view =
        warpgrid_view::analysis::mma_explanation::product(&request).expect("a product of sm_80");
    assert_eq!(view.result.bits, step.operands[0].cells[0].bits);
    let rounded = view.single_rounding_result.expect("a finite sum");
    assert_ne!(rounded.bits, view.result.bits);
    assert_eq!((product.n_odd, product.first_odd), (128, Some(0)));
    let sentence = sentence(&mut session);
    assert!(
        sentence.ends_with("128 results, 128 not correctly rounded."),
        "{sentence}"
    );
}

#[test]
fn wmma_store_lanes_list_element_offsets_and_registers() {
    let mut session = session(COPY);
    session.run(u64::MAX);
    let store = only_store(&mut session);
    assert_eq!((store.n_bytes, store.n_elements, store.lost), (1024, 8, 0));
    let lane = &store.lanes[5];
    // Rows 1 and 9, columns 2, 3, 10 and 11. The row stride is 96 bytes.
    let pieces: Vec<_> = lane
        .pieces
        .iter()
        .map(|piece| (piece.offset, piece.source.as_deref()))
        .collect();
    let at = |row: u64, column: u64| Some(row * 96 + column * 4);
    assert_eq!(
        pieces,
        [
            (at(1, 2), Some("%f0")),
            (at(1, 3), Some("%f1")),
            (at(9, 2), Some("%f2")),
            (at(9, 3), Some("%f3")),
            (at(1, 10), Some("%f4")),
            (at(1, 11), Some("%f5")),
            (at(9, 10), Some("%f6")),
            (at(9, 11), Some("%f7")),
        ]
    );
}

#[test]
fn overlapping_rows_report_lost_elements() {
    // With a row stride of 8 elements, each row overlaps half of the previous row.
    let source = COPY
        .replace("mov.u32 %r1, 24", "mov.u32 %r1, 8")
        .replace("a: f32[16][16] = 1.5", "a: f32[16][16] = iota");
    let mut session = session(&source);
    session.run(u64::MAX);
    let store = only_store(&mut session);
    assert_eq!(store.n_bytes, (15 * 8 + 16) * 4);
    assert!(store.lost > 0);
}

#[test]
fn nonuniform_stride_or_missing_lanes_fault_names_lanes() {
    let source = COPY.replace("mov.u32 %r1, 24", "mov.u32 %r1, %laneid");
    let mut session = session(&source);
    session.run(u64::MAX);
    let fault = session.fault().expect("a fault");
    assert_eq!(fault.kind.name(), "undefined_matrix");
    assert_eq!(fault.lanes, 0xffff_fffe);
    assert_eq!(
        fault.help.as_deref(),
        Some("pass the same stride, in elements, in all lanes")
    );

    let source = COPY.replace("block=32", "block=24");
    let mut session = self::session(&source);
    session.run(u64::MAX);
    let fault = session.fault().expect("a fault");
    assert_eq!(fault.kind.name(), "undefined_matrix");
    assert!(
        fault.message.contains("lanes 24 to 31 did not participate"),
        "{}",
        fault.message
    );
}

/// Lanes 0 to 7 provide the row addresses of an `f16` matrix in shared memory, last row first.
const ROWS: &str = "\
//@ launch grid=1 block=32
.version 8.5
.target sm_90
.address_size 64
.visible .entry rows()
{
    .reg .b32 %r<6>;
    .shared .align 16 .b8 tile[128];
    mov.u32 %r0, %laneid;
    and.b32 %r1, %r0, 7;
    sub.u32 %r1, 7, %r1;
    mov.u32 %r2, tile;
    mad.lo.u32 %r3, %r1, 16, %r2;
    mul.lo.u32 %r4, %r0, 0x10001;
    stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r4};
    ret;
}
";

#[test]
fn stmatrix_pieces_report_address_lane_and_data_lane() {
    let mut session = session(ROWS);
    session.run(u64::MAX);
    let store = only_store(&mut session);
    assert_eq!((store.n_bytes, store.lost), (128, 0));
    for lane in &store.lanes {
        // Four lanes hold a row, in the order of the lanes that provide the row addresses.
        let row = lane.lane / 4;
        let at = u64::from(7 - row) * 16 + u64::from(lane.lane % 4) * 4;
        for piece in &lane.pieces {
            assert_eq!(piece.address_lane, row, "lane {}", lane.lane);
            assert_eq!(piece.source.as_deref(), Some("%r4"));
        }
        let offsets: Vec<_> = lane.pieces.iter().map(|piece| piece.offset).collect();
        assert_eq!(offsets, [Some(at), Some(at + 2)], "lane {}", lane.lane);
        assert_eq!(lane.bytes, [lane.lane, 0, lane.lane, 0]);
    }
}
