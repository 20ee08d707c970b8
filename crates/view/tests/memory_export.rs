//! Export of memories: drawings, animations, tables and arrays.

use expect_test::expect_file;
use warpgrid_view::memory_export::ExportFormat;
use warpgrid_view::model::GridRequest;
use warpgrid_view::value::ElementType;
use warpgrid_view::{Scenario, Session};

const SCALE: &str = include_str!("data/scale.ptx");

/// Eight lanes, of which half store twice, and a buffer without stores.
const HALVES: &str = "//@ launch grid=1 block=8
//@ buffer out: s16[2][4] = -1
//@ buffer rest: f32[3] = 0.5
.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 out, .param .u64 rest)
{
    .reg .u64 %p<4>;
    .reg .u32 %r<4>;
    .reg .pred %q;
    ld.param.u64 %p0, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %p1, %r0, 2;
    add.u64 %p2, %p0, %p1;
    st.global.u16 [%p2], %r0;
    setp.lt.u32 %q, %r0, 4;
    @%q st.global.u16 [%p2], 7;
    ret;
}";

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    session.run(u64::MAX);
    session
}

fn whole(memory: &str) -> GridRequest {
    GridRequest {
        memory: memory.into(),
        ty: None,
        columns: None,
        first_row: 0,
        n_rows: None,
    }
}

fn text(session: &mut Session, request: &GridRequest, form: ExportFormat) -> String {
    let bytes = session.memory_file(request, form).expect("a file");
    String::from_utf8(bytes).expect("text")
}

#[test]
fn svg_export_matches_snapshot() {
    let mut session = session(HALVES);
    session.seek(5);
    expect_file!["./data/pictures/halves.svg"].assert_eq(&text(
        &mut session,
        &whole("out"),
        ExportFormat::Svg,
    ));
}

#[test]
fn animated_svg_matches_snapshot_and_preserves_position() {
    let mut session = session(HALVES);
    let was = session.position();
    expect_file!["./data/pictures/halves.animated.svg"].assert_eq(&text(
        &mut session,
        &whole("out"),
        ExportFormat::Animation,
    ));
    assert_eq!(session.position(), was);
}

#[test]
fn animated_svg_size_is_bounded() {
    let mut session = session(SCALE);
    let drawing = text(&mut session, &whole("out"), ExportFormat::Animation);
    assert!(drawing.len() < 4_000_000, "{}", drawing.len());
    assert!(drawing.ends_with("</svg>\n"));
}

#[test]
fn csv_export_has_one_line_per_row() {
    let mut session = session(HALVES);
    assert_eq!(
        text(&mut session, &whole("out"), ExportFormat::Csv),
        "7,7,7,7\n4,5,6,7\n"
    );
    let three = GridRequest {
        columns: Some(3),
        ..whole("out")
    };
    assert_eq!(
        text(&mut session, &three, ExportFormat::Csv),
        "7,7,7\n7,4,5\n6,7\n"
    );
    assert_eq!(
        text(&mut session, &whole("rest"), ExportFormat::Csv),
        "0.5,0.5,0.5\n"
    );
}

#[test]
fn csv_export_writes_infinities_as_numpy_does() {
    let mut session = session(&HALVES.replace("f32[3] = 0.5", "b32[3] = 0x7f800000"));
    let floats = GridRequest {
        ty: Some(ElementType::F32),
        ..whole("rest")
    };
    assert_eq!(
        text(&mut session, &floats, ExportFormat::Csv),
        "inf,inf,inf\n"
    );
}

#[test]
fn npy_export_has_dtype_shape_and_data() {
    let mut session = session(HALVES);
    let file = session
        .memory_file(&whole("out"), ExportFormat::Npy)
        .expect("a file");
    assert_eq!(&file[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([file[8], file[9]]));
    assert_eq!((10 + length) % 64, 0);
    let header = std::str::from_utf8(&file[10..10 + length]).expect("text");
    assert_eq!(
        header.trim_end(),
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 4,), }"
    );
    assert!(header.ends_with('\n'));
    assert_eq!(
        &file[10 + length..],
        [7, 0, 7, 0, 7, 0, 7, 0, 4, 0, 5, 0, 6, 0, 7, 0]
    );
    // The declared extents do not apply to another element type.
    let bytes = GridRequest {
        ty: Some(ElementType::U8),
        ..whole("out")
    };
    let file = session
        .memory_file(&bytes, ExportFormat::Npy)
        .expect("a file");
    let header = String::from_utf8_lossy(&file[10..74]).into_owned();
    assert!(
        header.contains("'|u1'") && header.contains("(16,)"),
        "{header}"
    );
}

#[test]
fn export_of_unknown_memory_is_rejected() {
    let mut session = session(HALVES);
    for (form, ..) in ExportFormat::ALL {
        let reason = session
            .memory_file(&whole("nothing"), form)
            .expect_err("unknown buffer or variable");
        assert!(reason.contains("nothing"), "{reason}");
    }
}

#[test]
fn export_format_is_determined_by_file_extension() {
    assert_eq!(ExportFormat::of_name("out.NPY"), Some(ExportFormat::Npy));
    assert_eq!(
        ExportFormat::of_name("a.animated.svg"),
        Some(ExportFormat::Animation)
    );
    assert_eq!(ExportFormat::of_name("a.svg"), Some(ExportFormat::Svg));
    assert_eq!(ExportFormat::of_name("svg"), None);
    assert_eq!(ExportFormat::of_name("é.csv"), Some(ExportFormat::Csv));
}
